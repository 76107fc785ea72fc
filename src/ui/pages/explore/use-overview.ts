/** What the plot and the label menu need: many detections of the filter, without their pictures. */
import { useEffect, useState } from 'preact/hooks';
import { askApi } from '../shared/api.ts';
import { textsOf } from '../shared/fields.ts';
import { type EventFilter, eventsQuery } from './event-filter.ts';
import { type EventView, readEvents } from './event-view.ts';

/** Beyond that the plot shows the newest, and says so. */
export const OVERVIEW_SIZE = 5000;

/** Undefined until there is an answer; a failure leaves the plot out, the list says what is wrong. */
export function useOverview(filter: EventFilter, round: number): readonly EventView[] | undefined {
  const [events, setEvents] = useState<readonly EventView[]>();
  const query = eventsQuery(filter, OVERVIEW_SIZE, 'without').toString();
  useEffect(() => {
    const controller = new AbortController();
    const load = async (): Promise<void> => {
      const answer = await askApi(`api/events?${query}`, controller.signal);
      if (answer.kind === 'ok') setEvents(readEvents(answer.body));
    };
    void load();
    return () => controller.abort();
  }, [query, round]);
  return events;
}

/** All labels there are, where the recorder tells them. */
export function useLabels(): readonly string[] {
  const [labels, setLabels] = useState<readonly string[]>([]);
  useEffect(() => {
    const load = async (): Promise<void> => {
      const answer = await askApi('api/labels');
      if (answer.kind === 'ok') setLabels(textsOf(answer.body));
    };
    void load();
  }, []);
  return labels;
}
