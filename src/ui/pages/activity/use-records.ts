/** The records of a query: the first page, then more on demand. */
import { useEffect, useState } from 'preact/hooks';
import { getFromApi } from '../shared/api.ts';
import { problemOf } from '../shared/forms/problem-of.ts';
import type { Fetched } from '../shared/use-fetched.ts';
import { type ActivityRecord, readRecords } from './read-activity.ts';

interface LoadedRecords {
  readonly records: readonly ActivityRecord[];
  /** The address of the next page. */
  readonly next: string | undefined;
}

export function useRecords(path: string): {
  fetched: Fetched<LoadedRecords>;
  more: (() => void) | undefined;
  again: () => void;
} {
  const [fetched, setFetched] = useState<Fetched<LoadedRecords>>({ kind: 'loading' });
  const [round, setRound] = useState(0);
  const ask = async (from: string, before: readonly ActivityRecord[], signal?: AbortSignal): Promise<void> => {
    const response = await getFromApi(from, signal);
    if (signal?.aborted) return;
    if (response.kind !== 'ok') return setFetched({ kind: 'failed', problem: problemOf(response) });
    const next = /<(?<next>[^>]+)>;\s*rel="?next"?/.exec(response.link ?? '')?.groups?.['next'];
    setFetched({ kind: 'ready', value: { records: [...before, ...readRecords(response.body)], next } });
  };
  useEffect(() => {
    const controller = new AbortController();
    void ask(path, [], controller.signal);
    return () => controller.abort();
  }, [path, round]);
  const { next, records = [] } = fetched.kind === 'ready' ? fetched.value : { next: undefined };
  return {
    fetched,
    more: next === undefined ? undefined : () => void ask(next, records),
    again: () => setRound((was) => was + 1),
  };
}
