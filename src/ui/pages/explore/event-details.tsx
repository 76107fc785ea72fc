/** Everything about one event: beside the list where there is room, over it where there is not. */
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../shared/icon.tsx';
import { Duration } from './event-row.tsx';
import { sayMoment, sayScore } from './event-times.ts';
import type { EventView } from './event-view.ts';
import { RawRecord } from './raw-record.tsx';
import { Thumbnail } from './thumbnail.tsx';

/** As in details.css. */
const BESIDE_THE_LIST = '(width >= 68rem)';

export function EventDetails({ event, onClose }: { event: EventView; onClose: () => void }) {
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
        <button class="button button-plain" type="button" aria-label="Close the details" onClick={onClose}>
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
          <dt>Length</dt>
          <dd>
            <Duration event={event} />
          </dd>
        </div>
      </dl>
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

const yesOrNo = (value: unknown): string => (value === true ? 'yes' : value === false ? 'no' : '–');
const orDash = (value: unknown): string => (typeof value === 'string' && value !== '' ? value : '–');

// biome-ignore format: a table
const factsOf = (event: EventView): [name: string, value: string][] => [
  ['Camera',         event.camera],
  ['Sub label',      event.subLabel ?? '–'],
  ['Score',          event.score === undefined ? '–' : sayScore(event.score)],
  ['Zones',          event.zones.join(', ') || '–'],
  ['Started',        sayMoment(event.startTime)],
  ['Ended',          event.endTime === undefined ? '–' : sayMoment(event.endTime)],
  ['Has a clip',     yesOrNo(event.record['has_clip'])],
  ['Has a snapshot', yesOrNo(event.record['has_snapshot'])],
  ['Kept for good',  yesOrNo(event.record['retain_indefinitely'])],
  ['False positive', yesOrNo(event.record['false_positive'])],
  ['Submitted as',   orDash(event.record['plus_id'])],
  ['Detector',       orDash(event.record['detector_type'])],
  ['Model',          orDash(event.record['model_type'])],
  ['Model hash',     orDash(event.record['model_hash'])],
  ['Id',             event.id],
];
