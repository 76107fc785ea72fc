/** The list's events: the first page for a filter, then more on demand. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { type ApiResponse, getFromApi } from '../shared/api.ts';
import { problemOf } from '../shared/problem-of.ts';
import { type EventView, readEvents } from './event-view.ts';
import { type EventFilter, eventsQuery } from './filter/event-filter.ts';
import { nextQuery } from './filter/next-query.ts';

export interface EventList {
  readonly events: readonly EventView[];
  readonly status: 'loading' | 'ready' | 'failed';
  /** They are those of an earlier filter, until the new ones are there. */
  readonly isOutdated: boolean;
  /** What went wrong, in words. */
  readonly problem: string;
  readonly next: URLSearchParams | undefined;
}

const PAGE_SIZE = 60;
const NOTHING_YET: EventList = { events: [], status: 'loading', isOutdated: false, problem: '', next: undefined };

export function useEvents(filter: EventFilter, round: number) {
  const [list, setList] = useState(NOTHING_YET);
  const asking = useRef(new AbortController());
  const firstQuery = eventsQuery(filter, PAGE_SIZE, 'with').toString();

  const load = async (query: URLSearchParams, earlier: readonly EventView[]): Promise<void> => {
    asking.current.abort();
    const controller = new AbortController();
    asking.current = controller;
    setList((was) => ({ ...was, status: 'loading', isOutdated: earlier.length === 0, problem: '' }));
    const response = await getFromApi(`api/events?${query}`, controller.signal);
    if (!controller.signal.aborted) setList((was) => listAfter(response, query, earlier, was));
  };

  useEffect(() => {
    void load(new URLSearchParams(firstQuery), []);
    return () => asking.current.abort();
  }, [firstQuery, round]);

  return {
    ...list,
    /** Again after a failure, and then from where it failed. */
    loadMore: (): void => {
      if (list.next && list.status !== 'loading') void load(list.next, list.events);
    },
  };
}

function listAfter(
  response: ApiResponse,
  query: URLSearchParams,
  earlier: readonly EventView[],
  was: EventList,
): EventList {
  // A failure keeps the pages before it, and the way to go on; not the events of an earlier filter.
  if (response.kind !== 'ok') {
    const next = earlier.length > 0 ? was.next : undefined;
    return { events: earlier, status: 'failed', isOutdated: false, problem: problemOf(response), next };
  }
  const fresh = readEvents(response.body);
  const known = new Set(earlier.map(({ id }) => id));
  const startTimes = fresh.map(({ startTime }) => startTime);
  return {
    events: [...earlier, ...fresh.filter(({ id }) => !known.has(id))],
    status: 'ready',
    isOutdated: false,
    problem: '',
    next: nextQuery({ query, link: response.link, startTimes, limit: PAGE_SIZE }),
  };
}
