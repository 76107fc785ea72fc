/** A resource of the API that is fetched again and again while the page is seen; a hidden tab asks for nothing (SPEC 8). */
import { useEffect, useState } from 'preact/hooks';
import { getAutomatically, getFromApi } from '../api.ts';
import { problemOf } from '../forms/problem-of.ts';
import type { Fetched } from '../use-fetched.ts';
import { words } from '../words.ts';
import { pauseAfter } from './pauses.ts';

export type Refreshed<Value> =
  | Exclude<Fetched<Value>, { readonly kind: 'ready' }>
  /** `stale`: why it is not the latest, in words. */
  | { readonly kind: 'ready'; readonly value: Value; readonly stale: string | undefined };

/** `again` fetches at once, as an act of the user. */
export type RefreshedAgain<Value> = readonly [fetched: Refreshed<Value>, again: () => void];

const EVERY_MILLISECONDS = 15_000;

/** What was shown stays when a later fetch fails. */
export function useRefreshed<Value>(path: string, read: (body: unknown) => Value): RefreshedAgain<Value> {
  const [fetched, setFetched] = useState<Refreshed<Value>>({ kind: 'loading' });
  const [round, setRound] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let failures = 0;
    const ask = async (get: typeof getFromApi): Promise<void> => {
      clearTimeout(timer);
      const response = await get(path, controller.signal);
      if (controller.signal.aborted) return;
      failures = response.kind === 'ok' ? 0 : failures + 1;
      if (response.kind === 'ok') setFetched({ kind: 'ready', value: read(response.body), stale: undefined });
      else {
        const isEnded = response.kind === 'login-needed' && get === getAutomatically;
        const problem = isEnded ? words.explore.live['login-needed'] : problemOf(response);
        setFetched((was) => (was.kind === 'ready' ? { ...was, stale: problem } : { kind: 'failed', problem }));
        if (isEnded) return;
      }
      wait();
    };
    const wait = (): void => {
      clearTimeout(timer);
      if (document.hidden) return;
      const pause = Math.max(EVERY_MILLISECONDS, failures > 0 ? pauseAfter(failures, Math.random()) : 0);
      timer = setTimeout(() => void ask(getAutomatically), pause);
    };
    const onSight = (): void => {
      clearTimeout(timer);
      if (!document.hidden) void ask(getAutomatically);
    };
    void ask(getFromApi);
    document.addEventListener('visibilitychange', onSight);
    return () => {
      document.removeEventListener('visibilitychange', onSight);
      clearTimeout(timer);
      controller.abort();
    };
  }, [path, round]);
  return [fetched, () => setRound((was) => was + 1)];
}
