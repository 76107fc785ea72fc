/** The events of the list: the first page for a filter, more on demand, and what arrives while it is looked at (SPEC 8). */
import { useEffect, useRef, useState } from 'preact/hooks';
import { type ApiResponse, getAutomatically, getFromApi, viewedPerson } from '../shared/api.ts';
import { problemOf } from '../shared/problems.ts';
import { words } from '../shared/words.ts';
import { type Arrivals, askedSince, withArrivals, withWaiting } from './arrivals.ts';
import { type EventFilter, eventsPath, isNewestFirst, isSearchOfNvr, nextQuery } from './event-filter.ts';
import { readEvents } from './event-view.ts';
import { keepLine, type LineState, openNvrSocket, openStream } from './keep-line.ts';

export interface EventList extends Arrivals {
  readonly status: 'loading' | 'ready' | 'failed';
  /** They are those of an earlier filter, until the new ones are there. */
  readonly isOutdated: boolean;
  /** What went wrong, in words. */
  readonly problem: string;
  readonly next: URLSearchParams | undefined;
}

/**
 * The number of events asked for first: with their pictures, on a slow line, the first screen is there before what is below it
 * is asked for.
 */
export const FIRST_SIZE = 8;
const PAGE_SIZE = 60;
const NOTHING_YET: EventList = {
  freshCount: 0,
  waiting: [],
  newIds: new Set(),
  events: [],
  status: 'loading',
  isOutdated: false,
  problem: '',
  next: undefined,
};

export function useEvents(filter: EventFilter, round: number, eventsBy: 'nvr' | 'backend') {
  const [list, setList] = useState(NOTHING_YET);
  const asking = useRef(new AbortController());
  const latest = useRef(list);
  latest.current = list;
  const first = eventsPath(filter, FIRST_SIZE, eventsBy);
  const asked = useRef(first);
  asked.current = first;

  const load = async (query: URLSearchParams, earlier: EventList): Promise<void> => {
    asking.current.abort();
    const controller = new AbortController();
    asking.current = controller;
    const isFirst = earlier.events.length === 0;
    setList((was) => ({ ...was, status: 'loading', isOutdated: isFirst, problem: '' }));
    const response = await getFromApi(`${first.path}?${query}`, controller.signal);
    if (controller.signal.aborted) return;
    const hasPages = !isSearchOfNvr(filter, eventsBy);
    setList((was) => listAfter(response, { query, hasPages }, isFirst ? earlier : was, was));
  };

  useEffect(() => {
    void load(new URLSearchParams(first.query), NOTHING_YET);
    return () => asking.current.abort();
  }, [first.path, first.query, round]);

  return {
    ...list,
    /** Again after a failure, and then from where it failed. */
    loadMore: (): void => {
      if (list.next && list.status !== 'loading') void load(ofPage(list.next), list);
    },
    showWaiting: (): void => setList(withWaiting),
    /** Asks for what is new. Rejects nothing: what cannot be had now comes with the next change. */
    catchUp: async (isHeldBack: () => boolean, signal: AbortSignal): Promise<void> => {
      const { events, status } = latest.current;
      if (status !== 'ready') return;
      const query = ofPage(new URLSearchParams(first.query));
      const since = askedSince(events);
      query.delete('sort');
      if (since !== undefined) query.set('after', String(Math.max(since, filter.after ?? since)));
      const response = await getAutomatically(`${first.path}?${query}`, signal);
      if (response.kind !== 'ok' || signal.aborted || asked.current.query !== first.query) return;
      const arrived = readEvents(response.body);
      const isInOrder = isNewestFirst(filter);
      setList((was) =>
        was.status === 'loading' && was.isOutdated
          ? was
          : withArrivals(was, arrived, { hasMore: was.next !== undefined, isHeldBack: !isInOrder || isHeldBack() }),
      );
    },
  };
}

function ofPage(query: URLSearchParams): URLSearchParams {
  const page = new URLSearchParams(query);
  page.set('limit', String(PAGE_SIZE));
  return page;
}

/** An NVR says in English that its search is off. */
const problemIn = (response: Exclude<ApiResponse, { kind: 'ok' }>): string =>
  response.kind === 'refused' && /semantic search/i.test(response.message)
    ? words.explore.filters.noSearch
    : problemOf(response);

/** `hasPages`: false where the whole list comes at once. */
function listAfter(
  response: ApiResponse,
  { query, hasPages }: { readonly query: URLSearchParams; readonly hasPages: boolean },
  earlier: EventList,
  was: EventList,
): EventList {
  // A failure keeps the pages before it, and the way to go on; not the events of an earlier filter.
  if (response.kind !== 'ok') {
    const next = earlier.events.length > 0 ? was.next : undefined;
    return { ...earlier, status: 'failed', isOutdated: false, problem: problemIn(response), next };
  }
  const fresh = readEvents(response.body);
  const known = new Set(earlier.events.map(({ id }) => id));
  const startTimes = fresh.map(({ startTime }) => startTime);
  return {
    ...earlier,
    events: [...earlier.events, ...fresh.filter(({ id }) => !known.has(id))],
    status: 'ready',
    isOutdated: false,
    problem: '',
    next: hasPages ? nextQuery({ query, link: response.link, startTimes }) : undefined,
  };
}

/** A burst of events is one question. */
const BETWEEN_QUESTIONS_MILLISECONDS = 2000;

type List = ReturnType<typeof useEvents>;

/** `source` says when events are new. Undefined: nothing new can match the filter. */
export function useLiveEvents(list: List, filter: EventFilter, source: 'nvr' | 'backend'): LineState | undefined {
  const [state, setState] = useState<LineState>('connecting');
  const latest = useRef(list);
  latest.current = list;
  // Nothing comes by itself while the view of another person is shown.
  const isOpenEnded = filter.before === undefined && !isSearchOfNvr(filter, source) && viewedPerson() === undefined;
  const hasList = list.status === 'ready';
  const [wanted, setWanted] = useState(0);

  useEffect(() => {
    if (!isOpenEnded) return undefined;
    return keepLine(source === 'nvr' ? openNvrSocket : openStream('api/events/changes'), {
      onState: setState,
      onChange(newest) {
        const { events, waiting } = latest.current;
        const isKnown =
          (newest === null && events.length === 0) || [...events, ...waiting].some(({ id }) => id === newest);
        // The first message of a stream tells where the list stands already.
        if (!isKnown || wantsMore(latest.current)) setWanted((was) => was + 1);
      },
    });
  }, [source, isOpenEnded]);

  useCatchUp(latest, isOpenEnded && hasList ? wanted : 0);
  return isOpenEnded ? state : undefined;
}

/** An event in progress may be over. */
const wantsMore = ({ events, freshCount }: List): boolean =>
  freshCount > 0 || events.some(({ endTime }) => endTime === undefined);

/** Asks when `wanted` has grown, and not more often than every two seconds. */
function useCatchUp(latest: { readonly current: List }, wanted: number): void {
  const askedAt = useRef(Number.NEGATIVE_INFINITY);
  const answered = useRef(0);
  useEffect(() => {
    if (wanted <= answered.current) return undefined;
    const controller = new AbortController();
    const ask = (): void => {
      askedAt.current = performance.now();
      answered.current = wanted;
      void latest.current.catchUp(isBeingRead, controller.signal);
    };
    const timer = setTimeout(ask, Math.max(0, askedAt.current + BETWEEN_QUESTIONS_MILLISECONDS - performance.now()));
    return () => clearTimeout(timer);
  }, [wanted]);
}

/** Scrolled, focused, pointed at, or with an event open beside it: rows that come in above would push the others away. */
function isBeingRead(): boolean {
  const section = document.querySelector('.events');
  if (!section || section.querySelector('.event') === null) return false;
  if (scrollY > 4 || section.contains(document.activeElement)) return true;
  if (document.querySelector('dialog[open]')) return true;
  return matchMedia('(hover: hover)').matches && section.matches(':hover');
}
