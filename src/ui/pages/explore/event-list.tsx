/** The events under a heading per day, and what to say when there are none. */
import type { ComponentChild } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { isAdmin, useProfile } from '../shared/account.ts';
import { EventRow } from '../shared/events/event-row.tsx';
import type { EventView } from '../shared/events/event-view.ts';
import { Blank, Button, Skeleton, Stale, useNearness } from '../shared/parts.tsx';
import { facts, words } from '../shared/words.ts';
import { groupByDay } from './arrivals.ts';
import {
  ANY_TIME,
  type EventFilter,
  isByDate,
  isFiltered,
  isNewestFirst,
  isSearchOfNvr,
  NO_FILTER,
  timeIn,
  withValues,
} from './event-filter.ts';
import { type EventList, FIRST_SIZE } from './use-events.ts';

interface EventListProps {
  readonly list: EventList;
  readonly filter: EventFilter;
  readonly view: 'list' | 'gallery';
  readonly openId: string | undefined;
  readonly hrefOf: (event: EventView) => string;
  readonly onFilter: (filter: EventFilter) => void;
  /** Loads the list anew. */
  readonly onRetry: () => void;
}

/** Lines of the configuration, the same in every language. */
const NVR_LINES = 'nvr:\n  url: http://<NVR>:5000';

export function Events(props: EventListProps) {
  const { list, filter, openId, hrefOf, view, onRetry } = props;
  const hasDays = isByDate(filter) && !isSearchOfNvr(filter, facts.eventsBy);
  const days = useMemo(() => groupByDay(list, hasDays ? Date.now() / 1000 : undefined), [list.events, hasDays]);
  const isEmpty = list.events.length === 0;
  return (
    <section
      class={`events view-${view}${list.isOutdated ? ' is-outdated' : ''}`}
      aria-label={words.explore.events}
      aria-busy={list.status === 'loading'}
    >
      <ArrivalsBar
        waiting={list.waiting.length}
        shown={list.newIds.size}
        // A list in another order is loaded anew: the service knows where new events stand in it.
        onShow={isNewestFirst(filter) ? list.showWaiting : onRetry}
      />
      <Stale stale={list.stale} />
      {isEmpty && <NoEvents {...props} />}
      {days.map(({ name, pieces }, dayAt) => (
        <section key={name} class="day">
          <h2 class={name === '' ? 'out-of-sight' : 'day-title'}>{name || words.explore.events}</h2>
          {pieces.map(([piece, events], at) => (
            <EventPiece
              key={`${view} ${piece}`}
              isFirst={dayAt === 0 && at === 0}
              newIds={list.newIds}
              {...{ events, hasDays, openId, hrefOf }}
            />
          ))}
        </section>
      ))}
      {!isEmpty && <End list={list} />}
    </section>
  );
}

/** What stands in the place of events: why there are none, and what can be done about it. */
function NoEvents({ list, filter, onFilter, onRetry }: EventListProps) {
  const text = words.explore;
  const profile = useProfile();
  if (list.status === 'loading') return <Skeleton text={text.loadingEvents} rows={6} />;
  const blank = (title: string, message: string, ...more: readonly ComponentChild[]) => (
    <Blank {...{ title, message }} isPart isAlert={list.status === 'failed'}>
      <div class="row">{more}</div>
    </Blank>
  );
  const clear = isFiltered(filter) && <Button onPress={() => onFilter(NO_FILTER)}>{text.clearFilters}</Button>;
  if (list.status === 'failed')
    return blank(text.cannotShow, list.problem, <Button onPress={onRetry}>{words.ui.common.tryAgain}</Button>, clear);
  if (clear) return blank(text.noMatch, text.noMatchWhy, clear);
  if (!facts.hasNvr && isAdmin(profile))
    return blank(text.connectNvr, text.connectNvrHow, <pre class="code-block">{NVR_LINES}</pre>);
  const why = profile.allowed_cameras.length === 0 ? words.live.none : text.noneWhy;
  if (timeIn(filter, 'after') === ANY_TIME) return blank(text.none, why);
  const onAnyTime = (): void => onFilter(withValues(filter, { after: ANY_TIME }));
  return blank(text.noneThisWeek, why, <Button onPress={onAnyTime}>{text.filters.anyTime}</Button>);
}

/** More comes by itself when the end comes near; the button is for when it does not, and for the keyboard. */
function End({ list }: { list: EventList }) {
  const end = useRef<HTMLDivElement>(null);
  const isReady = list.status === 'ready' && list.stale === undefined && list.next !== undefined;
  useNearness(end, NEAR_THE_END, (isNear) => isNear && isReady && list.loadMore(), [isReady, list.events.length]);
  return (
    <div ref={end} class={list.next && list.events.length <= FIRST_SIZE ? 'events-more is-first' : 'events-more'}>
      {list.status === 'failed' && (
        <p class="notice notice-bad" role="alert">
          {words.explore.cannotShowMore}: {list.problem}
        </p>
      )}
      {list.next ? (
        <Button kind="wide" disabled={list.status === 'loading'} onPress={list.loadMore}>
          {list.status === 'loading' ? words.ui.common.loading : words.explore.loadMore}
        </Button>
      ) : (
        list.status === 'ready' && <p class="events-end">{words.explore.thatIsAll}</p>
      )}
    </div>
  );
}

const NEAR_THE_END = '800px 0px';

/**
 * New events: a bar to click while the list is read, which lies over the list and moves nothing; else only said to screen
 * readers. `shown`: so many are in the list already.
 */
function ArrivalsBar({ waiting, shown, onShow }: { waiting: number; shown: number; onShow: () => void }) {
  const place = useRef<HTMLDivElement>(null);
  const show = (): void => {
    onShow();
    // When the rows are there: the bar is gone, and with it the focus.
    requestAnimationFrame(() => {
      scrollTo({ top: 0 });
      place.current?.parentElement?.querySelector<HTMLElement>('.event')?.focus({ preventScroll: true });
    });
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

interface EventPieceProps extends Pick<EventListProps, 'openId' | 'hrefOf'> {
  readonly events: readonly EventView[];
  /** Rendered from the start: it is visible at once. */
  readonly isFirst: boolean;
  /** The heading above says which day it is. */
  readonly hasDays: boolean;
  readonly newIds: ReadonlySet<string>;
}

/** A row before any was measured; the browser keeps the place when it was wrong. */
const GUESSED_ROW_HEIGHT = 82;

/** So much of the list is ready above and below the screen. */
const NEAR = '1200px 0px';

/** A piece of the list: its rows while it is near the screen, else a gap as high as they were. */
function EventPiece({ events, isFirst, hasDays, openId, newIds, hrefOf }: EventPieceProps) {
  const place = useRef<HTMLOListElement>(null);
  const height = useRef(0);
  const [isNear, setIsNear] = useState(isFirst);
  const onChange = (isIn: boolean): void => {
    const list = place.current;
    // A row that has the focus stays, wherever it is: the keyboard must not lose its place.
    if (!list || (!isIn && list.contains(document.activeElement))) return;
    if (!isIn && list.childElementCount > 0) height.current = list.offsetHeight;
    setIsNear(isIn);
  };
  useNearness(place, NEAR, onChange, []);
  return (
    <ol
      ref={place}
      class="event-rows"
      {...(isNear ? {} : { style: { height: `${height.current || events.length * GUESSED_ROW_HEIGHT}px` } })}
    >
      {isNear &&
        events.map((event) => (
          <EventRow
            key={event.id}
            event={event}
            href={hrefOf(event)}
            isOpen={event.id === openId}
            isNew={newIds.has(event.id)}
            hasDay={hasDays}
          />
        ))}
    </ol>
  );
}
