/** The event whose details are open: from the list if it is there, else asked for by its id (a shared link). */
import { useEffect, useState } from 'preact/hooks';
import { getFromApi } from '../../shared/api.ts';
import { words } from '../../shared/words.ts';
import { type EventView, readEvent } from '../event-view.ts';

export interface OpenEvent {
  readonly event?: EventView | undefined;
  /** Why it cannot be shown, as text. */
  readonly problem?: string;
}

const NOTHING: OpenEvent = {};

/** Both cases give the same text: the caller must not learn which one it is. */
const problemOf = ({ status, message }: { readonly status: number; readonly message: string }): string =>
  status === 403 || status === 404 ? words.details.gone : message;

export function useOpenEvent(id: string | undefined, events: readonly EventView[]): OpenEvent {
  const listed = events.find((event) => event.id === id);
  const [fetched, setFetched] = useState<OpenEvent & { readonly id?: string }>(NOTHING);
  const missing = id !== undefined && !listed && fetched.id !== id ? id : undefined;
  useEffect(() => {
    if (missing === undefined) return undefined;
    const controller = new AbortController();
    const load = async (): Promise<void> => {
      const response = await getFromApi(`api/events/${encodeURIComponent(missing)}`, controller.signal);
      const event = response.kind === 'ok' ? readEvent(response.body) : undefined;
      if (event) setFetched({ id: missing, event });
      else if (response.kind === 'ok') setFetched({ id: missing, problem: words.common.unreadable });
      // Without a network or a session the list says what is wrong.
      else if (response.kind === 'refused') setFetched({ id: missing, problem: problemOf(response) });
    };
    void load();
    return () => controller.abort();
  }, [missing]);
  if (listed) return { event: listed };
  return fetched.id === id ? fetched : NOTHING;
}
