/** The events under a heading per day, and what to say when there are none. */
import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { words } from '../shared/words.ts';
import { EventPiece } from './event-piece.tsx';
import type { EventView } from './event-view.ts';
import { daysOf } from './event-window.ts';
import { ANY_TIME, type EventFilter, isByDate, isFiltered } from './filter/event-filter.ts';
import { type EventList, FIRST_SIZE } from './use-events.ts';
import type { View } from './view-choice.tsx';

interface EventListProps {
  readonly list: EventList;
  readonly filter: EventFilter;
  /** Whether the list has no order of time. */
  readonly isByLikeness: boolean;
  readonly view: View;
  readonly openId: string | undefined;
  readonly hrefOf: (event: EventView) => string;
  /** Whether the reader is the one who can connect an NVR, and there is none. */
  readonly isToConnect: boolean;
  readonly onMore: () => void;
  readonly onRetry: () => void;
  readonly onClear: () => void;
  readonly onAnyTime: () => void;
  readonly onArrivals: () => void;
}

/** Lines of the configuration, the same in every language. */
const NVR_LINES = 'nvr:\n  url: http://<NVR>:5000';

export function Events(props: EventListProps) {
  const { list, filter, isByLikeness, openId, hrefOf, view, onArrivals } = props;
  const hasDays = isByDate(filter) && !isByLikeness;
  const days = useMemo(
    () => daysOf(list.events, hasDays ? Date.now() / 1000 : undefined, list.freshCount),
    [list.events, list.freshCount, hasDays],
  );
  const isEmpty = list.events.length === 0;
  return (
    <section
      class={`events view-${view}${list.isOutdated ? ' is-outdated' : ''}`}
      aria-label={words.explore.events}
      aria-busy={list.status === 'loading'}
    >
      <ArrivalsBar waiting={list.waiting.length} shown={list.newIds.size} onShow={onArrivals} />
      {list.status === 'failed' && isEmpty && <Failed {...props} />}
      {list.status === 'loading' && isEmpty && <Skeleton />}
      {list.status === 'ready' && isEmpty && <NoEvents {...props} />}
      {days.map(({ name, pieces }, dayAt) => (
        <section key={name} class="day">
          <h2 class={name === '' ? 'out-of-sight' : 'day-title'}>{name || words.explore.events}</h2>
          {pieces.map(({ key, events }, at) => (
            <EventPiece
              key={`${view} ${key}`}
              events={events}
              isFirst={dayAt === 0 && at === 0}
              newIds={list.newIds}
              {...{ hasDays, openId, hrefOf }}
            />
          ))}
        </section>
      ))}
      {!isEmpty && <End {...props} />}
    </section>
  );
}

function Failed({ list, filter, onRetry, onClear }: EventListProps) {
  return (
    <div class="blank" role="alert">
      <h2>{words.explore.cannotShow}</h2>
      <p>{list.problem}</p>
      <p class="blank-actions">
        <button class="button" type="button" onClick={onRetry}>
          {words.ui.common.tryAgain}
        </button>
        {isFiltered(filter) && <ClearButton onClear={onClear} />}
      </p>
    </div>
  );
}

function NoEvents({ filter, isToConnect, onClear, onAnyTime }: EventListProps) {
  if (!isFiltered(filter) && isToConnect) {
    return (
      <div class="blank">
        <h2>{words.explore.connectNvr}</h2>
        <p>{words.explore.connectNvrHow}</p>
        <pre class="code-block" dir="ltr">
          {NVR_LINES}
        </pre>
      </div>
    );
  }
  if (!isFiltered(filter) && filter.after !== ANY_TIME) {
    return (
      <div class="blank">
        <h2>{words.explore.noneThisWeek}</h2>
        <p>{words.explore.noneWhy}</p>
        <button class="button" type="button" onClick={onAnyTime}>
          {words.explore.filters.anyTime}
        </button>
      </div>
    );
  }
  if (!isFiltered(filter)) {
    return (
      <div class="blank">
        <h2>{words.explore.none}</h2>
        <p>{words.explore.noneWhy}</p>
      </div>
    );
  }
  return (
    <div class="blank">
      <h2>{words.explore.noMatch}</h2>
      <p>{words.explore.noMatchWhy}</p>
      <ClearButton onClear={onClear} />
    </div>
  );
}

const ClearButton = ({ onClear }: { onClear: () => void }) => (
  <button class="button" type="button" onClick={onClear}>
    {words.explore.clearFilters}
  </button>
);

/** More comes by itself when the end comes near; the button is for when it does not, and for the keyboard. */
function End({ list, onMore }: EventListProps) {
  const end = useRef<HTMLDivElement>(null);
  const more = useRef(onMore);
  more.current = onMore;
  const isReady = list.status === 'ready' && list.next !== undefined;
  useEffect(() => {
    if (!isReady || !end.current) return undefined;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && more.current(), {
      rootMargin: NEAR_THE_END,
    });
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [isReady, list.events.length]);
  return (
    <div ref={end} class={list.next && list.events.length <= FIRST_SIZE ? 'events-more is-first' : 'events-more'}>
      {list.status === 'failed' && (
        <p class="notice notice-bad" role="alert">
          {words.explore.cannotShowMore}: {list.problem}
        </p>
      )}
      {list.next ? (
        <button class="button button-wide" type="button" disabled={list.status === 'loading'} onClick={onMore}>
          {list.status === 'loading' ? words.ui.common.loading : words.explore.loadMore}
        </button>
      ) : (
        list.status === 'ready' && <p class="events-end">{words.explore.thatIsAll}</p>
      )}
    </div>
  );
}

const NEAR_THE_END = '800px 0px';

const Skeleton = () => (
  <div class="skeleton" role="status">
    <span class="out-of-sight">{words.explore.loadingEvents}</span>
    {['a', 'b', 'c', 'd', 'e', 'f'].map((key) => (
      <div key={key} class="skeleton-row" />
    ))}
  </div>
);

/** New events: a bar to click while the list is read, which lies over the list and moves nothing; else only said to screen readers. */
interface ArrivalsBarProps {
  readonly waiting: number;
  /** So many are in the list already. */
  readonly shown: number;
  readonly onShow: () => void;
}

function ArrivalsBar({ waiting, shown, onShow }: ArrivalsBarProps) {
  const place = useRef<HTMLDivElement>(null);
  const show = (): void => {
    onShow();
    // When the rows are there: the bar is gone, and with it the focus.
    requestAnimationFrame(() => focusOnNewest(place));
  };
  return (
    <div ref={place} class="arrivals" role="status">
      {waiting > 0 && (
        <button class="button button-strong arrivals-button" type="button" onClick={show}>
          {words.explore.newEvents({ number: waiting })}
        </button>
      )}
      {waiting === 0 && shown > 0 && <span class="out-of-sight">{words.explore.newEvents({ number: shown })}</span>}
    </div>
  );
}

function focusOnNewest(place: RefObject<HTMLDivElement | null>): void {
  scrollTo({ top: 0 });
  const newest = place.current?.parentElement?.querySelector('.event');
  if (newest instanceof HTMLElement) newest.focus({ preventScroll: true });
}
