/** Everything about one event: beside the list where there is room, over it where there is not. */
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../../shared/icon.tsx';
import { labelName } from '../../shared/names.ts';
import { CopyButton } from '../../shared/new-secret.tsx';
import { viewedPerson } from '../../shared/view-as.ts';
import { words } from '../../shared/words.ts';
import { Duration } from '../event-row.tsx';
import type { EventView } from '../event-view.ts';
import { type EventFact, factsOf } from './event-facts.ts';
import { EventMedia } from './event-media.tsx';
import { ShareEvent } from './share-event.tsx';

/** The same width as in details.css. */
const BESIDE_THE_LIST = '(width >= 68rem)';

interface EventDetailsProps {
  readonly event: EventView;
  /** Clips and snapshots are the NVR's. */
  readonly hasNvr: boolean;
  /** Its neighbours in the list, as far as that is loaded. */
  readonly previous: EventView | undefined;
  readonly next: EventView | undefined;
  readonly onOpen: (event: EventView) => void;
  readonly onClose: () => void;
}

export function EventDetails({ event, hasNvr, previous, next, onOpen, onClose }: EventDetailsProps) {
  const facts = factsOf(event);
  const panel = useRef<HTMLDialogElement>(null);
  const shown = useRef(event.id);
  useEffect(() => openBesideOrOver(panel.current, shown), []);
  // The list goes along, and so gets its next page in time.
  useEffect(() => {
    if (shown.current !== event.id) rowOf(event.id)?.scrollIntoView({ block: 'nearest' });
    shown.current = event.id;
  }, [event.id]);
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
          <bdi>{labelName(event.label)}</bdi>
        </h2>
        <Step name="previous" to={previous} onOpen={onOpen} />
        <Step name="next" to={next} onOpen={onOpen} />
        <button class="button button-plain" type="button" aria-label={words.explore.details.close} onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <EventMedia key={event.id} {...{ event, hasNvr }} />
      {viewedPerson() === undefined && <ShareEvent key={`share ${event.id}`} id={event.id} />}
      <dl class="facts">
        <FactRows facts={facts.forPeople} />
        <div class="fact">
          <dt>{words.explore.details.length}</dt>
          <dd>
            <Duration event={event} />
          </dd>
        </div>
      </dl>
      <Technical event={event} facts={facts.technical} />
    </dialog>
  );
}

type StepTo = { readonly name: 'previous' | 'next'; readonly to: EventView | undefined };

/** Not `disabled` at the end: the focus would be lost there. */
const Step = ({ name, to, onOpen }: Pick<EventDetailsProps, 'onOpen'> & StepTo) => (
  <button
    class="button button-plain"
    type="button"
    aria-label={words.explore.details[name]}
    aria-disabled={to === undefined}
    onClick={() => to && onOpen(to)}
  >
    <Icon name={name} />
  </button>
);

/** Wherever there is room the list stays usable; else the panel takes the screen, and the focus with it. */
function openBesideOrOver(
  panel: HTMLDialogElement | null,
  shown: { readonly current: string },
): (() => void) | undefined {
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
    giveFocusBack(rowOf(shown.current) ?? opener, opener);
  };
}

const rowOf = (id: string): Element | null => document.querySelector(`[data-event="${CSS.escape(id)}"]`);

/** Focuses the row of the event that was shown, unless the user has clicked elsewhere meanwhile. */
function giveFocusBack(row: Element | null, opener: Element | null): void {
  // The browser gives the focus to the element that had it when the panel was opened, or to the page when that is gone.
  const isLost = [null, document.body, opener].includes(document.activeElement);
  if (isLost && row instanceof HTMLElement) row.focus({ preventScroll: true });
}

const FactRows = ({ facts }: { facts: readonly EventFact[] }) =>
  facts.map(([name, value]) => (
    <div key={name} class="fact">
      <dt>{name}</dt>
      <dd>
        <bdi>{value}</bdi>
      </dd>
    </div>
  ));

const Technical = ({ event: { record }, facts }: { event: EventView; facts: readonly EventFact[] }) => (
  <details class="raw">
    <summary>{words.explore.details.technical}</summary>
    <dl class="facts">
      <FactRows facts={facts} />
    </dl>
    <pre dir="ltr">{JSON.stringify(record, shortened, 2)}</pre>
    <CopyButton text={JSON.stringify(record, null, 2)} label={words.explore.details.copyWhole} />
  </details>
);

const SHOWN_OF_PICTURE = 24;

const shortened = (key: string, value: unknown): unknown =>
  key === 'thumbnail' && typeof value === 'string' && value.length > SHOWN_OF_PICTURE
    ? `${value.slice(0, SHOWN_OF_PICTURE)}… ${words.explore.details.characters({ number: value.length })}`
    : value;
