/** One event of the list: what, where, when, for how long. The row is a link to its details. */
import { useEffect, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { pictureFromApi, viewAs } from '../api.ts';
import { baseUrl } from '../browser.ts';
import { Icon, type IconName } from '../parts.tsx';
import { spaced } from '../spelling.ts';
import { own } from '../untrusted.ts';
import {
  cameraName,
  formatAgo,
  formatDuration,
  formatMoment,
  formatScore,
  formatShortMoment,
  formatTime,
  labelName,
  words,
} from '../words.ts';
import type { EventView } from './event-view.ts';

/** `isNew`: it has arrived since the list was loaded. `hasDay`: the day stands in the heading above. */
type EventRowProps = { event: EventView; href: string; isOpen: boolean; isNew: boolean; hasDay: boolean };

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
          <span class="row event-title">
            <bdi class="event-label">{labelName(event.label)}</bdi>
            {isNew && <span class="badge badge-strong">{words.explore.isNew}</span>}
            {event.subLabel !== undefined && <bdi class="event-sub-label">{event.subLabel}</bdi>}
          </span>
          <span class="row event-where">
            <bdi>{cameraName(event.camera)}</bdi>
            {event.zones.map((zone) => (
              <bdi key={zone} class="chip event-zone">
                {spaced(zone)}
              </bdi>
            ))}
          </span>
        </span>
        {event.score !== undefined && (
          <span class="score" title={words.explore.scoreHelp}>
            <svg class="score-bar" viewBox="0 0 56 5" aria-hidden="true">
              <rect class="score-track" width="56" height="5" rx="2.5" />
              <rect class="score-reached" width={56 * event.score} height="5" rx="2.5" />
            </svg>
            <span class="out-of-sight">{words.explore.score} </span>
            {formatScore(event.score)}
          </span>
        )}
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

// biome-ignore format: a table
const DRAWINGS: Readonly<Record<string, IconName>> = {
  person: 'person', face: 'person', car: 'car', truck: 'car', bus: 'car', motorcycle: 'car', bicycle: 'car',
  dog: 'animal', cat: 'animal', horse: 'animal', bear: 'animal', deer: 'animal', fox: 'animal', bird: 'bird',
  package: 'package', license_plate: 'plate', speech: 'sound', bark: 'sound', scream: 'sound', yell: 'sound',
};

/** An NVR without picture files answers 404 each time: after a few of them no more are requested. */
const MOST_MISSES = 3;
let misses = 0;

/** `isNew`: it has come by itself, and so does its picture. */
export function Thumbnail({ event, isNew = false }: { event: EventView; isNew?: boolean }) {
  const [isBroken, setIsBroken] = useState(false);
  const isFile = event.picture === undefined && event.isPictureInFile && misses < MOST_MISSES;
  const file = isFile ? new URL(`api/events/${encodeURIComponent(event.id)}/thumbnail.webp`, baseUrl).href : undefined;
  const isFetched = isNew || viewAs.person !== undefined;
  const fetched = useFetchedPicture(isFetched ? file : undefined);
  const source = event.picture ?? (isFetched ? fetched : file);
  const onError = (): void => {
    misses += 1;
    setIsBroken(true);
  };
  return (
    <span class="thumbnail">
      {source !== undefined && !isBroken ? (
        <img src={source} alt="" loading="lazy" decoding="async" onError={onError} />
      ) : (
        <Icon name={own(DRAWINGS, event.label) ?? 'shape'} />
      )}
    </span>
  );
}

/** An `<img>` cannot send headers: its request would renew the session, and could not say whose view is shown. */
export function useFetchedPicture(url: string | undefined): string | undefined {
  const [picture, setPicture] = useState<string>();
  useEffect(() => {
    if (url === undefined) return undefined;
    const controller = new AbortController();
    let made: string | undefined;
    void pictureFromApi(url, controller.signal).then((address) => {
      if (address !== undefined && controller.signal.aborted) return URL.revokeObjectURL(address);
      made = address;
      setPicture(address);
    });
    return () => {
      controller.abort();
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [url]);
  return picture;
}
