/** The events of the list: the first page for a filter, more on demand, and what arrives while it is looked at (SPEC 8). */
import { useEffect, useRef, useState } from 'preact/hooks';
import { type ApiResponse, getAutomatically, getFromApi, isOutage, problemOf, viewAs } from '../shared/api.ts';
import { readEvents } from '../shared/events/event-view.ts';
import { facts, words } from '../shared/words.ts';
import { type Arrivals, askedSince, withArrivals, withWaiting } from './arrivals.ts';
import { type EventFilter, eventsPath, isNewestFirst, isSearchOfNvr, nextQuery, timeIn } from './event-filter.ts';
import { changesAt, keepLine, type LineState, nvrSocket } from './keep-line.ts';

export type EventList = ReturnType<typeof useEvents>;

/**
 * The number of events asked for first: with their pictures, on a slow line, the first screen is there before what is below it
 * is asked for.
 */
export const FIRST_SIZE = 8;
const PAGE_SIZE = 60;
const NO_ARRIVALS: Arrivals = { events: [], waiting: [], newIds: new Set() };
const NOTHING_YET = {
  ...NO_ARRIVALS,
  status: 'loading' as 'loading' | 'ready' | 'failed',
  /** They are those of an earlier filter, until the new ones are there. */
  isOutdated: false,
  /** What went wrong, in words. */
  problem: '',
  /** Why they are not the latest, in words. */
  stale: undefined as string | undefined,
  /** What they are the answer to. */
  question: undefined as string | undefined,
  next: undefined as URLSearchParams | undefined,
};
type LoadedEvents = Readonly<typeof NOTHING_YET>;

/** A burst of events is one question. */
const BETWEEN_QUESTIONS_MILLISECONDS = 2000;

/** `question`: the same while a person asks for the same, though the last seven days are others. */
export function useEvents(filter: EventFilter, question: string, round: number) {
  const [list, setList] = useState(NOTHING_YET);
  const [line, setLine] = useState<LineState>('connecting');
  /** What the NVR or the service says of new events. */
  const [told, setTold] = useState<{ readonly newest: string | null | undefined }>();
  const asking = useRef(new AbortController());
  const askedAt = useRef(Number.NEGATIVE_INFINITY);
  const first = eventsPath(filter, FIRST_SIZE, facts.eventsBy);
  const isSearch = isSearchOfNvr(filter, facts.eventsBy);
  // Else nothing new can match the filter; and nothing comes by itself while the view of another person is shown.
  const isOpenEnded = timeIn(filter, 'before') === undefined && !isSearch && viewAs.person === undefined;
  const latest = useRef({ list, first, filter });
  latest.current = { list, first, filter };

  const load = async (query: URLSearchParams, earlier: LoadedEvents): Promise<void> => {
    asking.current.abort();
    const controller = new AbortController();
    asking.current = controller;
    const isFirst = earlier.events.length === 0;
    setList((was) => ({ ...was, status: 'loading', isOutdated: isFirst, problem: '' }));
    const response = await getFromApi(`${first.path}?${query}`, controller.signal);
    if (controller.signal.aborted) return;
    if (isFirst) askedAt.current = performance.now();
    // A search of the NVR gives the whole list at once.
    setList((was) => listAfter(response, isSearch ? undefined : query, isFirst ? { ...earlier, question } : was, was));
  };
  useEffect(() => {
    void load(new URLSearchParams(first.query), NOTHING_YET);
    return () => asking.current.abort();
  }, [first.path, first.query, round]);

  useEffect(() => {
    if (!isOpenEnded) return undefined;
    const line = facts.eventsBy === 'nvr' ? nvrSocket : changesAt('api/events/changes');
    return keepLine(line, setLine, (newest) => setTold({ newest }));
    // What failed to be read anew tells that the connection may be dead as well.
  }, [isOpenEnded, list.stale]);
  /** Asks for what is new. Rejects nothing: what cannot be had now comes with the next change. */
  const catchUp = async (): Promise<void> => {
    askedAt.current = performance.now();
    setTold(undefined);
    const { list, first, filter } = latest.current;
    const query = ofPage(new URLSearchParams(first.query));
    const since = askedSince(list.events);
    query.delete('sort');
    if (since !== undefined) query.set('after', String(Math.max(since, timeIn(filter, 'after') ?? since)));
    const response = await getAutomatically(`${first.path}?${query}`);
    if (response.kind !== 'ok' || latest.current.first.query !== first.query) return;
    const arrived = readEvents(response.body);
    const isHeldBack = !isNewestFirst(filter) || isBeingRead();
    setList((was) =>
      was.status === 'loading' && was.isOutdated
        ? was
        : withArrivals({ ...was, stale: undefined }, arrived, { hasMore: was.next !== undefined, isHeldBack }),
    );
  };
  useEffect(() => {
    // What is told while the list is loaded is compared with it when it is there.
    if (!told || !isOpenEnded || list.status !== 'ready') return undefined;
    const { events, waiting, newIds, stale } = list;
    const isKnown =
      (told.newest === null && events.length === 0) || [...events, ...waiting].some(({ id }) => id === told.newest);
    // An event in progress may be over.
    const wantsMore = stale !== undefined || newIds.size > 0 || events.some(({ endTime }) => endTime === undefined);
    // The first message of a stream tells where the list stands already.
    if (isKnown && !wantsMore) return setTold(undefined);
    const pause = askedAt.current + BETWEEN_QUESTIONS_MILLISECONDS - performance.now();
    const timer = setTimeout(() => void catchUp(), Math.max(0, pause));
    return () => clearTimeout(timer);
  }, [told, isOpenEnded, list.status]);

  return {
    ...list,
    /** Undefined: nothing comes by itself. */
    live: isOpenEnded ? line : undefined,
    /** Again after a failure, and then from where it failed. */
    loadMore: (): void => {
      if (list.next && list.status !== 'loading') void load(ofPage(list.next), list);
    },
    showWaiting: (): void => setList(withWaiting),
  };
}

function ofPage(query: URLSearchParams): URLSearchParams {
  const page = new URLSearchParams(query);
  page.set('limit', String(PAGE_SIZE));
  return page;
}

/** `query`: undefined where there are no further pages. */
function listAfter(
  response: ApiResponse,
  query: URLSearchParams | undefined,
  earlier: LoadedEvents,
  was: LoadedEvents,
): LoadedEvents {
  // A failure keeps what was shown, and the way to go on; not the events of an earlier filter.
  if (response.kind !== 'ok') {
    // An NVR whose search is off says so in a sentence, without a reason.
    const isOff = query === undefined && response.kind === 'refused' && response.status === 400 && !response.reason;
    const problem = isOff ? words.explore.filters.noSearch : problemOf(response);
    const isRefresh = earlier !== was;
    // What the person may not see any more goes.
    const isPassing = response.kind === 'unreachable' || (response.kind === 'refused' && isOutage(response.status));
    if (was.question !== earlier.question || (isRefresh && !isPassing))
      return { ...NOTHING_YET, status: 'failed', problem };
    return {
      ...was,
      isOutdated: false,
      ...(isRefresh ? { status: 'ready', stale: problem } : { status: 'failed', problem }),
    };
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
    next: query && nextQuery(query, response.link, startTimes),
  };
}

/** Scrolled, focused, pointed at, or with an event open beside it: rows that come in above would push the others away. */
function isBeingRead(): boolean {
  const section = document.querySelector('.events');
  if (!section || section.querySelector('.event') === null) return false;
  if (scrollY > 4 || section.contains(document.activeElement)) return true;
  if (document.querySelector('dialog[open]')) return true;
  return matchMedia('(hover: hover)').matches && section.matches(':hover');
}
