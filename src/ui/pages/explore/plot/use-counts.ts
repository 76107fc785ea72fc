/** What the plot draws: the counts of the list's filter, asked of the service. */
import { useEffect, useState } from 'preact/hooks';
import { getAutomatically, getFromApi } from '../../shared/api.ts';
import { textsOf } from '../../shared/forms/fields.ts';
import { type EventFilter, eventsQuery } from '../filter/event-filter.ts';
import { type Counts, readCounts } from './counts.ts';

/** Cameras, or labels, with a colour of their own; all others are drawn as one. */
export const SERIES = 8;

/** A burst of events is counted once. */
const BETWEEN_COUNTS_MILLISECONDS = 3000;

export type CountsState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed' }
  /** `isOutdated`: they are those of an earlier filter, until the new ones are there. */
  | { readonly kind: 'ready'; readonly counts: Counts; readonly isOutdated: boolean };

/** `arrived` grows with every event that comes by itself: they are counted soon after, without a sign of it. */
export function useCounts(filter: EventFilter, round: number, arrived: number): CountsState {
  const [state, setState] = useState<CountsState>({ kind: 'loading' });
  const query = countsQuery(filter);
  useEffect(() => {
    const controller = new AbortController();
    setState((was) => (was.kind === 'ready' ? { ...was, isOutdated: true } : was));
    const load = async (): Promise<void> => {
      const response = await getFromApi(`api/events/counts?${query}${untilNow(filter)}`, controller.signal);
      if (controller.signal.aborted) return;
      const counts = response.kind === 'ok' ? readCounts(response.body) : undefined;
      setState(counts ? { kind: 'ready', counts, isOutdated: false } : { kind: 'failed' });
    };
    void load();
    return () => controller.abort();
  }, [query, round]);
  useEffect(() => {
    if (arrived === 0) return undefined;
    const controller = new AbortController();
    const load = async (): Promise<void> => {
      const response = await getAutomatically(`api/events/counts?${query}${untilNow(filter)}`, controller.signal);
      const counts = response.kind === 'ok' ? readCounts(response.body) : undefined;
      if (counts && !controller.signal.aborted) setState({ kind: 'ready', counts, isOutdated: false });
    };
    const timer = setTimeout(() => void load(), BETWEEN_COUNTS_MILLISECONDS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [query, arrived]);
  return state;
}

export function countsQuery(
  filter: EventFilter,
  timeZone: string = Intl.DateTimeFormat().resolvedOptions().timeZone,
): string {
  const query = eventsQuery(filter, 0, 'with');
  for (const name of ['limit', 'sort']) query.delete(name);
  query.set('timezone', timeZone);
  query.set('series', String(SERIES));
  if (filter.colours === 'label') query.set('by', 'label');
  return query.toString();
}

/** A chosen time goes on to this minute, with nothing in it where nothing was. */
const untilNow = ({ after }: EventFilter): string =>
  after === undefined ? '' : `&until=${Math.ceil(Date.now() / 60_000) * 60}`;

/** All labels there are, where the recorder tells them. */
export function useLabels(): readonly string[] {
  const [labels, setLabels] = useState<readonly string[]>([]);
  useEffect(() => {
    const load = async (): Promise<void> => {
      const response = await getFromApi('api/labels');
      if (response.kind === 'ok') setLabels(textsOf(response.body));
    };
    void load();
  }, []);
  return labels;
}
