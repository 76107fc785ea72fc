/** A resource of the API: fetched when a component mounts, and again on demand, or again and again. */
import { useEffect, useState } from 'preact/hooks';
import type { Lists } from './answers.ts';
import { getAutomatically, getFromApi, problemOf } from './api.ts';
import { pauseAfter } from './line-rules.ts';
import { recordsIn } from './untrusted.ts';
import { words } from './words.ts';

export type Fetched<Value> =
  | { readonly kind: 'loading' }
  /** `stale`: why it is not the latest, in words. */
  | { readonly kind: 'ready'; readonly value: Value; readonly stale?: string }
  | { readonly kind: 'failed'; readonly problem: string };

/** `again` fetches at once, as an act of the user. */
export type FetchedAgain<Value> = readonly [fetched: Fetched<Value>, again: () => void];

/** While there is no value, the other one stands in its place. */
export const valueOr = <Value>(fetched: Fetched<Value>, otherwise: Value): Value =>
  fetched.kind === 'ready' ? fetched.value : otherwise;

/** The answers are Postern's own, of the same build as this page. */
const asItIs = <Value>(body: unknown): Value => body as Value;

/** While it is fetched again, the previous value stays. Without a path nothing is fetched. It is fetched again when `round` changes. */
export const useFetched = <Value>(path: string | false | undefined, read = asItIs<Value>, round = 0) =>
  useResource(path || undefined, read, { round, isRefreshed: false });

export const useList = <Path extends keyof Lists>(path: Path | false) => useFetched(path, recordsIn<Lists[Path]>);

/** Again and again while the page is seen: a hidden tab asks for nothing (SPEC 8). What was shown stays when a later fetch fails. */
export const useRefreshed = <Value>(path: string | false, read = asItIs<Value>) =>
  useResource(path || undefined, read, { round: 0, isRefreshed: true });

const EVERY_MILLISECONDS = 15_000;

function useResource<Value>(
  path: string | undefined,
  read: (body: unknown) => Value,
  { round, isRefreshed }: { readonly round: number; readonly isRefreshed: boolean },
): FetchedAgain<Value> {
  const [fetched, setFetched] = useState<Fetched<Value>>({ kind: 'loading' });
  const [ownRound, setOwnRound] = useState(0);
  useEffect(() => {
    if (path === undefined) return undefined;
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let failures = 0;
    const ask = async (get: typeof getFromApi): Promise<void> => {
      clearTimeout(timer);
      const response = await get(path, controller.signal);
      if (controller.signal.aborted) return;
      failures = response.kind === 'ok' ? 0 : failures + 1;
      // A page that is left open leads to no login by itself.
      const isEnded = response.kind === 'login-needed' && get === getAutomatically;
      if (response.kind === 'ok') setFetched({ kind: 'ready', value: read(response.body) });
      else {
        const problem = isEnded ? words.explore.live['login-needed'] : problemOf(response);
        setFetched((was) =>
          isRefreshed && was.kind === 'ready' ? { ...was, stale: problem } : { kind: 'failed', problem },
        );
      }
      if (!isRefreshed || isEnded || document.hidden) return;
      const pause = Math.max(EVERY_MILLISECONDS, failures > 0 ? pauseAfter(failures, Math.random()) : 0);
      timer = setTimeout(() => void ask(getAutomatically), pause);
    };
    const onSight = (): void => {
      clearTimeout(timer);
      if (!document.hidden) void ask(getAutomatically);
    };
    void ask(getFromApi);
    if (isRefreshed) document.addEventListener('visibilitychange', onSight);
    return () => {
      document.removeEventListener('visibilitychange', onSight);
      clearTimeout(timer);
      controller.abort();
    };
  }, [path, ownRound, round]);
  return [fetched, () => setOwnRound((was) => was + 1)];
}
