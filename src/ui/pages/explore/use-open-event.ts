/** The event whose details are open: from the list if it is there, else asked for by its id (a shared link). */
import { useEffect, useState } from 'preact/hooks';
import { askApi } from '../shared/api.ts';
import { type EventView, readEvent } from './event-view.ts';

export function useOpenEvent(id: string | undefined, events: readonly EventView[]): EventView | undefined {
  const listed = events.find((event) => event.id === id);
  const [fetched, setFetched] = useState<EventView>();
  const missing = id !== undefined && !listed && fetched?.id !== id ? id : undefined;
  useEffect(() => {
    if (missing === undefined) return undefined;
    const controller = new AbortController();
    const load = async (): Promise<void> => {
      const answer = await askApi(`api/events/${encodeURIComponent(missing)}`, controller.signal);
      if (answer.kind === 'ok') setFetched(readEvent(answer.body));
    };
    void load();
    return () => controller.abort();
  }, [missing]);
  if (id === undefined) return undefined;
  return listed ?? (fetched?.id === id ? fetched : undefined);
}
