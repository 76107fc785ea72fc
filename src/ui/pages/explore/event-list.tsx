/** The events under a heading per day, and what to say when there are none. */
import { type EventFilter, isFiltered } from './event-filter.ts';
import { EventRow } from './event-row.tsx';
import { sayDay } from './event-times.ts';
import type { EventView } from './event-view.ts';
import type { EventList } from './use-events.ts';
import type { View } from './view-choice.tsx';

interface EventListProps {
  readonly list: EventList;
  readonly filter: EventFilter;
  readonly view: View;
  readonly openId: string | undefined;
  readonly hrefOf: (event: EventView) => string;
  readonly onMore: () => void;
  readonly onRetry: () => void;
  readonly onClear: () => void;
}

export function Events(props: EventListProps) {
  const { list, openId, hrefOf } = props;
  const days = byDay(list.events, Date.now() / 1000);
  const isFirstLoad = list.status === 'loading' && list.events.length === 0;
  return (
    <section class={`events view-${props.view}`} aria-label="Events" aria-busy={list.status === 'loading'}>
      {list.status === 'failed' && <Failed {...props} />}
      {isFirstLoad && <Skeleton />}
      {list.status === 'ready' && list.events.length === 0 && <NoEvents {...props} />}
      {days.map(([day, events]) => (
        <section key={day} class="day">
          <h2 class="day-title">{day}</h2>
          <ol class="event-rows">
            {events.map((event) => (
              <EventRow key={event.id} event={event} href={hrefOf(event)} isOpen={event.id === openId} />
            ))}
          </ol>
        </section>
      ))}
      {list.events.length > 0 && <End {...props} />}
    </section>
  );
}

function Failed({ list, filter, onRetry, onClear }: EventListProps) {
  return (
    <div class="blank" role="alert">
      <h2>The events cannot be shown</h2>
      <p>{list.problem}</p>
      <p class="blank-ways">
        <button class="button" type="button" onClick={onRetry}>
          Try again
        </button>
        {isFiltered(filter) && <ClearButton onClear={onClear} />}
      </p>
    </div>
  );
}

function NoEvents({ filter, onClear }: EventListProps) {
  if (!isFiltered(filter)) {
    return (
      <div class="blank">
        <h2>No events yet</h2>
        <p>As soon as a camera that you may see detects something, it stands here.</p>
      </div>
    );
  }
  return (
    <div class="blank">
      <h2>Nothing matches</h2>
      <p>No event has all of what you chose. Choose less, or a longer time.</p>
      <ClearButton onClear={onClear} />
    </div>
  );
}

const ClearButton = ({ onClear }: { onClear: () => void }) => (
  <button class="button" type="button" onClick={onClear}>
    Clear the filters
  </button>
);

function End({ list, onMore }: EventListProps) {
  if (!list.next) return list.status === 'ready' ? <p class="events-end">That is all.</p> : null;
  const isLoading = list.status === 'loading';
  return (
    <button class="button button-wide" type="button" disabled={isLoading} onClick={onMore}>
      {isLoading ? 'Loading…' : 'Load more'}
    </button>
  );
}

const Skeleton = () => (
  <div class="skeleton" role="status">
    <span class="out-of-sight">Loading the events…</span>
    {['a', 'b', 'c', 'd', 'e', 'f'].map((key) => (
      <div key={key} class="skeleton-row" />
    ))}
  </div>
);

/** In the list's order; consecutive events of a day stand together. */
function byDay(events: readonly EventView[], now: number): [string, EventView[]][] {
  const days = new Map<string, EventView[]>();
  for (const event of events) {
    const day = sayDay(event.startTime, now);
    const sameDay = days.get(day);
    if (sameDay) sameDay.push(event);
    else days.set(day, [event]);
  }
  return [...days];
}
