/** Everything about one event: beside the list where there is room, over it where there is not. */
import { useEffect, useRef } from 'preact/hooks';
import { baseUrl } from '../shared/base-url.ts';
import { Icon } from '../shared/icon.tsx';
import { sayMoment, sayScore } from '../shared/times.ts';
import { words } from '../shared/words.ts';
import { Duration } from './event-row.tsx';
import type { EventView } from './event-view.ts';
import { RawRecord } from './raw-record.tsx';
import { Thumbnail } from './thumbnail.tsx';

/** As in details.css. */
const BESIDE_THE_LIST = '(width >= 68rem)';

interface EventDetailsProps {
  readonly event: EventView;
  /** Clips and snapshots are the NVR's. */
  readonly hasNvr: boolean;
  readonly onClose: () => void;
}

export function EventDetails({ event, hasNvr, onClose }: EventDetailsProps) {
  const panel = useRef<HTMLDialogElement>(null);
  useEffect(() => openBesideOrOver(panel.current), []);
  return (
    <dialog
      ref={panel}
      class="details"
      aria-labelledby="details-title"
      onCancel={onClose}
      onKeyDown={({ key, currentTarget }) => key === 'Escape' && !currentTarget.matches(':modal') && onClose()}
    >
      <header class="details-head">
        <h2 id="details-title" tabIndex={-1}>
          <bdi>{event.label}</bdi>
        </h2>
        <button class="button button-plain" type="button" aria-label={words.details.close} onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <div class="details-picture">
        <Thumbnail key={event.id} event={event} />
      </div>
      <dl class="facts">
        {factsOf(event).map(([name, value]) => (
          <div key={name} class="fact">
            <dt>{name}</dt>
            <dd>
              <bdi>{value}</bdi>
            </dd>
          </div>
        ))}
        <div class="fact">
          <dt>{words.details.length}</dt>
          <dd>
            <Duration event={event} />
          </dd>
        </div>
      </dl>
      {hasNvr && <Media event={event} />}
      <RawRecord record={event.record} />
    </dialog>
  );
}

/** Wherever there is room the list stays usable; else the panel takes the screen, and the focus with it. */
function openBesideOrOver(panel: HTMLDialogElement | null): (() => void) | undefined {
  if (!panel) return undefined;
  const opener = document.activeElement;
  const room = matchMedia(BESIDE_THE_LIST);
  const open = (): void => {
    panel.close();
    if (room.matches) panel.show();
    else panel.showModal();
  };
  open();
  room.addEventListener('change', open);
  return () => {
    room.removeEventListener('change', open);
    giveFocusBack(opener);
  };
}

/** To the row that opened the panel; not when somebody has clicked elsewhere meanwhile. */
function giveFocusBack(opener: Element | null): void {
  const isLost = document.activeElement === null || document.activeElement === document.body;
  if (isLost && opener instanceof HTMLElement) opener.focus({ preventScroll: true });
}

function Media({ event: { id, record } }: { event: EventView }) {
  const link = (file: string, text: string) => (
    <a
      class="button"
      href={new URL(`api/events/${encodeURIComponent(id)}/${file}`, baseUrl).href}
      target="_blank"
      rel="noreferrer"
    >
      {text}
    </a>
  );
  return (
    <p class="media">
      {record['has_clip'] === true && link('clip.mp4', words.details.openClip)}
      {record['has_snapshot'] === true && link('snapshot.jpg', words.details.openSnapshot)}
    </p>
  );
}

const yesOrNo = (value: unknown): string =>
  value === true ? words.common.yes : value === false ? words.common.no : '–';
const orDash = (value: unknown): string => (typeof value === 'string' && value !== '' ? value : '–');

// biome-ignore format: a table
const factsOf = (event: EventView): [name: string, value: string][] => [
  [words.details.camera,         event.camera],
  [words.details.subLabel,       event.subLabel ?? '–'],
  [words.details.score,          event.score === undefined ? '–' : sayScore(event.score)],
  [words.details.zones,          event.zones.join(', ') || '–'],
  [words.details.started,        sayMoment(event.startTime)],
  [words.details.ended,          event.endTime === undefined ? '–' : sayMoment(event.endTime)],
  [words.details.clip,           yesOrNo(event.record['has_clip'])],
  [words.details.snapshot,       yesOrNo(event.record['has_snapshot'])],
  [words.details.kept,           yesOrNo(event.record['retain_indefinitely'])],
  [words.details.falsePositive,  yesOrNo(event.record['false_positive'])],
  [words.details.submitted,      orDash(event.record['plus_id'])],
  [words.details.detector,       orDash(event.record['detector_type'])],
  [words.details.model,          orDash(event.record['model_type'])],
  [words.details.modelHash,      orDash(event.record['model_hash'])],
  [words.details.id,             event.id],
];
