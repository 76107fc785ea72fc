/** A resource of the API: fetched when a component mounts, and again on demand, or again and again. */
import { useEffect, useState } from 'preact/hooks';
import { getAutomatically, getFromApi, problemOf } from './api.ts';
import { pause, pauseAfter } from './line-rules.ts';
import { recordsIn } from './untrusted.ts';
import { words } from './words.ts';

export type Fetched<Value> =
  | { readonly kind: 'loading' }
  /** `stale`: why it is not the latest, in words. */
  | { readonly kind: 'ready'; readonly value: Value; readonly stale?: string }
  /** `status`: of the answer; undefined where none came, or the session is over. */
  | { readonly kind: 'failed'; readonly problem: string; readonly status?: number | undefined };

/** `again` fetches at once, as an act of the user. */
export type FetchedAgain<Value> = readonly [fetched: Fetched<Value>, again: () => void];

/** While there is no value, the other one stands in its place. */
export const valueOr = <Value>(fetched: Fetched<Value>, otherwise: Value): Value =>
  fetched.kind === 'ready' ? fetched.value : otherwise;

/** `link`: the header of that name. */
type Read<Value> = (body: unknown, link: string | null) => Value;

/** The answers are Postern's own, of the same build as this page. */
const asItIs = <Value>(body: unknown): Value => body as Value;

/** While it is fetched again, the previous value stays. Without a path nothing is fetched. It is fetched again when `round` changes. */
export const useFetched = <Value>(path: string | false | undefined, read: Read<Value> = asItIs, round = 0) =>
  useResource(path || undefined, read, { round, isRefreshed: false });

/** `Row`: what the route of the list declares. */
export const useList = <Row>(path: string | false) => useFetched(path, recordsIn<Row>);

/** Again and again while the page is seen. What was shown stays when a later fetch fails. */
export const useRefreshed = <Value>(path: string | false, read: Read<Value> = asItIs) =>
  useResource(path || undefined, read, { round: 0, isRefreshed: true });

/**
 * Does it while the page is seen, and anew each time that it is seen again, or that the network is back: a hidden tab asks
 * for nothing (SPEC 8). Returns the function that ends it all.
 */
export function whileSeen(act: (left: AbortSignal) => Promise<void>): () => void {
  let left = new AbortController();
  const onSight = (): void => {
    left.abort();
    left = new AbortController();
    if (!document.hidden) void act(left.signal);
  };
  document.addEventListener('visibilitychange', onSight);
  addEventListener('online', onSight);
  onSight();
  return () => {
    document.removeEventListener('visibilitychange', onSight);
    removeEventListener('online', onSight);
    left.abort();
  };
}

const EVERY_MILLISECONDS = 15_000;

function useResource<Value>(
  path: string | undefined,
  read: Read<Value>,
  { round, isRefreshed }: { readonly round: number; readonly isRefreshed: boolean },
): FetchedAgain<Value> {
  const [fetched, setFetched] = useState<Fetched<Value>>({ kind: 'loading' });
  const [ownRound, setOwnRound] = useState(0);
  useEffect(() => {
    if (path === undefined) return undefined;
    let get = getFromApi;
    const ask = async (left: AbortSignal): Promise<void> => {
      for (let failures = 0; !left.aborted; ) {
        const response = await get(path, left);
        if (left.aborted) return;
        // A page that is left open leads to no login by itself.
        const isEnded = response.kind === 'login-needed' && get === getAutomatically;
        get = getAutomatically;
        failures = response.kind === 'ok' ? 0 : failures + 1;
        if (response.kind === 'ok') setFetched({ kind: 'ready', value: read(response.body, response.link) });
        else {
          const problem = isEnded ? words.explore.live['login-needed'] : problemOf(response);
          const status = response.kind === 'refused' ? response.status : undefined;
          setFetched((was) =>
            isRefreshed && was.kind === 'ready' ? { ...was, stale: problem } : { kind: 'failed', problem, status },
          );
        }
        if (!isRefreshed || isEnded) return;
        await pause(Math.max(EVERY_MILLISECONDS, failures > 0 ? pauseAfter(failures, Math.random()) : 0));
      }
    };
    if (isRefreshed) return whileSeen(ask);
    const controller = new AbortController();
    void ask(controller.signal);
    return () => controller.abort();
  }, [path, ownRound, round]);
  return [fetched, () => setOwnRound((was) => was + 1)];
}
