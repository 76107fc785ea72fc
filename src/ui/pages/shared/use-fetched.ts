/** A resource of the API: fetched when a component mounts, and again on demand. */
import { useEffect, useState } from 'preact/hooks';
import { getFromApi } from './api.ts';
import { problemOf } from './forms/problem-of.ts';

export type Fetched<Value> =
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready'; readonly value: Value }
  | { readonly kind: 'failed'; readonly problem: string };

/** While it is fetched again, the previous value stays. Without a path nothing is fetched. */
export function useFetched<Value>(
  path: string | undefined,
  read: (body: unknown) => Value,
): [fetched: Fetched<Value>, again: () => void] {
  const [fetched, setFetched] = useState<Fetched<Value>>({ kind: 'loading' });
  const [round, setRound] = useState(0);
  useEffect(() => {
    if (path === undefined) return undefined;
    const controller = new AbortController();
    const ask = async (): Promise<void> => {
      const response = await getFromApi(path, controller.signal);
      if (controller.signal.aborted) return;
      if (response.kind === 'ok') setFetched({ kind: 'ready', value: read(response.body) });
      else setFetched({ kind: 'failed', problem: problemOf(response) });
    };
    void ask();
    return () => controller.abort();
  }, [path, round]);
  return [fetched, () => setRound((was) => was + 1)];
}
