/** What the plot and the label menu need: many detections of the filter, without their pictures. */
import { useEffect, useState } from 'preact/hooks';
import { getFromApi } from '../../shared/api.ts';
import { textsOf } from '../../shared/fields.ts';
import { type EventView, readEvents } from '../event-view.ts';
import { type EventFilter, eventsQuery } from '../filter/event-filter.ts';
import { nextQuery } from '../filter/next-query.ts';

/** Beyond that, or beyond what the recorder gives at once, the plot shows the newest, and says so. */
const OVERVIEW_SIZE = 5000;

export interface Detections {
  readonly events: readonly EventView[];
  /** There are no more of them. */
  readonly isAll: boolean;
}

/** Undefined until there is an answer; a failure leaves the plot out, the list says what is wrong. */
export function useOverview(filter: EventFilter, round: number): Detections | undefined {
  const [detections, setDetections] = useState<Detections>();
  // Always the newest: in another order the first few thousand say nothing about the time.
  const { sort: _, ...more } = filter.more;
  const query = eventsQuery({ ...filter, more }, OVERVIEW_SIZE, 'without').toString();
  useEffect(() => {
    const controller = new AbortController();
    const load = async (): Promise<void> => {
      const response = await getFromApi(`api/events?${query}`, controller.signal);
      if (controller.signal.aborted) return;
      setDetections(response.kind === 'ok' ? readDetections(response, query) : undefined);
    };
    void load();
    return () => controller.abort();
  }, [query, round]);
  return detections;
}

function readDetections({ body, link }: { readonly body: unknown; readonly link: string | null }, query: string) {
  const events = readEvents(body);
  const startTimes = events.map(({ startTime }) => startTime);
  const next = nextQuery({ query: new URLSearchParams(query), link, startTimes, limit: OVERVIEW_SIZE });
  return { events, isAll: next === undefined };
}

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
