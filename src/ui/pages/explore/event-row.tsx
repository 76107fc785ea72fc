/** One event of the list: what, where, when, for how long. The row is a link to its details. */

import { useEffect, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { cameraName, labelName } from '../shared/names.ts';
import { spaced } from '../shared/spaced.ts';
import {
  formatAgo,
  formatDuration,
  formatMoment,
  formatScore,
  formatShortMoment,
  formatTime,
} from '../shared/times.ts';
import { words } from '../shared/words.ts';
import type { EventView } from './event-view.ts';
import { Thumbnail } from './thumbnail.tsx';

interface EventRowProps {
  readonly event: EventView;
  readonly href: string;
  readonly isOpen: boolean;
  /** It has arrived since the list was loaded. */
  readonly isNew: boolean;
  /** The day stands in the heading above. */
  readonly hasDay: boolean;
}

export function EventRow({ event, href, isOpen, isNew, hasDay }: EventRowProps) {
  return (
    <li>
      <Link
        class={`event${isOpen ? ' is-open' : ''}${isNew ? ' is-new' : ''}`}
        href={href}
        aria-current={isOpen ? 'true' : undefined}
        data-event={event.id}
      >
        <Thumbnail {...{ event, isNew }} />
        <span class="event-what">
          <span class="event-title">
            <bdi class="event-label">{labelName(event.label)}</bdi>
            {isNew && <span class="event-new">{words.explore.isNew}</span>}
            {event.subLabel !== undefined && <bdi class="event-sub-label">{event.subLabel}</bdi>}
          </span>
          <span class="event-where">
            <bdi>{cameraName(event.camera)}</bdi>
            {event.zones.map((zone) => (
              <bdi key={zone} class="event-zone">
                {spaced(zone)}
              </bdi>
            ))}
          </span>
        </span>
        {event.score !== undefined && <Score score={event.score} />}
        <span class="event-when">
          <time dateTime={new Date(event.startTime * 1000).toISOString()} title={formatMoment(event.startTime)}>
            {hasDay ? formatTime(event.startTime) : formatShortMoment(event.startTime)}
          </time>
          <Ago time={event.startTime} />
          <Duration event={event} />
        </span>
      </Link>
    </li>
  );
}

export function Duration({ event }: { event: EventView }) {
  if (event.endTime === undefined) return <span class="event-length in-progress">{words.explore.inProgress}</span>;
  return <span class="event-length">{formatDuration(event.endTime - event.startTime)}</span>;
}

function Score({ score }: { score: number }) {
  return (
    <span class="score" title={words.explore.scoreHelp}>
      <svg class="score-bar" viewBox="0 0 56 5" aria-hidden="true">
        <rect class="score-track" width="56" height="5" rx="2.5" />
        <rect class="score-reached" width={56 * score} height="5" rx="2.5" />
      </svg>
      <span class="out-of-sight">{words.explore.score} </span>
      {formatScore(score)}
    </span>
  );
}

const HOUR_SECONDS = 3600;
const EVERY_MILLISECONDS = 20_000;

/** `time` in Unix seconds. A hidden tab counts nothing. */
function Ago({ time }: { time: number }) {
  const [now, setNow] = useState(() => Date.now() / 1000);
  const isRecent = Math.abs(now - time) < HOUR_SECONDS;
  useEffect(() => {
    if (!isRecent) return undefined;
    const timer = setInterval(() => document.hidden || setNow(Date.now() / 1000), EVERY_MILLISECONDS);
    return () => clearInterval(timer);
  }, [isRecent]);
  return isRecent ? <span class="event-ago">{formatAgo(now - time)}</span> : null;
}
