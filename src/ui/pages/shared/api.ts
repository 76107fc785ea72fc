/**
 * Requests to Postern's API, as oneself or in the view of another person: every outcome is a value, and a failure is said in words or
 * leads to the login. At the end: what components read from it.
 */
import { useEffect, useState } from 'preact/hooks';
import { parsedJson } from '../../../domain/json.ts';
import { basePath, baseUrl, store, stored } from './browser.ts';
import { learnProblems, problemText } from './form-faults.ts';
import { pause, pauseAfter } from './line-rules.ts';
import { readText, recordsIn } from './untrusted.ts';
import { loginTarget, nextPage } from './where-to-go.ts';
import { facts, words } from './words.ts';

export type ApiResponse =
  | { readonly kind: 'ok'; readonly body: unknown; readonly link: string | null }
  /** No session, or an expired one; `location` is the response's Location header. */
  | { readonly kind: 'login-needed'; readonly location: string | null; readonly reason?: string | undefined }
  | {
      readonly kind: 'refused';
      readonly status: number;
      /** What is wrong, in the language of the page. */
      readonly message: string;
      readonly reason: string | undefined;
    }
  | { readonly kind: 'unreachable' }
  /** Replaced by a newer request of the page. */
  | { readonly kind: 'aborted' };

/** `path` is relative to the base path: `api/profile`. */
export const getFromApi = (path: string, signal?: AbortSignal): Promise<ApiResponse> =>
  requestApi(path, { ...(signal ? { signal } : {}) });

/** The header of requests that no act of the user asks for: an open page alone must not keep a session alive (SPEC 4.2). */
export const AUTOMATIC = { 'X-Postern-Automatic': '1' } as const;

/** The same as `getFromApi`, without renewing the session. */
export const getAutomatically = (path: string, signal?: AbortSignal): Promise<ApiResponse> =>
  requestApi(path, { headers: AUTOMATIC, ...(signal ? { signal } : {}) });

type Method = 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Sends a change. Before a dangerous one the person is asked for the password or a code, and the request is sent once more. */
export async function sendToApi(method: Method, path: string, body?: object): Promise<ApiResponse> {
  if (viewAs.person !== undefined)
    return { kind: 'refused', status: 403, message: words.viewAs.readOnly, reason: undefined };
  const response = await send(method, path, body);
  const isProofNeeded = response.kind === 'refused' && response.reason === 'reauthentication-required';
  return isProofNeeded && (await isProven()) ? send(method, path, body) : response;
}

/** One request after another, until one is refused. What is gone meanwhile needs none. */
export async function inTurn<Thing>(
  things: readonly Thing[],
  request: (thing: Thing) => Promise<ApiResponse>,
): Promise<ApiResponse | undefined> {
  for (const thing of things) {
    const response = await request(thing);
    if (response.kind !== 'ok' && !(response.kind === 'refused' && response.status === 404)) return response;
  }
  return undefined;
}

const send = (method: Method, path: string, body?: object): Promise<ApiResponse> =>
  requestApi(path, {
    method,
    headers: { 'X-CSRF-TOKEN': '1', ...(body ? { 'Content-Type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });

async function requestApi(path: string, { headers, ...options }: RequestInit): Promise<ApiResponse> {
  const person = viewAs.person;
  const viewing = viewAsRequest(person);
  try {
    const response = await fetch(new URL(path, baseUrl), {
      ...options,
      ...viewing,
      headers: { Accept: 'application/json', ...headers, ...viewing.headers },
      redirect: 'manual',
    });
    return await readResponse(response, person);
  } catch {
    return options.signal?.aborted ? { kind: 'aborted' } : { kind: 'unreachable' };
  }
}

/** `person`: whose view was asked for. A refusal to that person is no reason to log in. */
async function readResponse(response: Response, person: string | undefined): Promise<ApiResponse> {
  // A browser hides where a 302 or 307 leads: a proxy in front wants a login, and shows it when the page is loaded anew.
  if (response.type === 'opaqueredirect')
    return { kind: 'login-needed', location: `${location.pathname}${location.search}` };
  const { status, headers } = response;
  const text = await response.text();
  const body = text === '' ? null : parsedJson(text);
  const isAsked = person === undefined || isAsViewed(headers, person);
  // A wrong current password, or a wrong proof, is answered with 401 too: the session is as good as before.
  const isOfBody = ['old-password-wrong', 'not-proven'].includes(Object(body).reason);
  if (status === 401 && !isOfBody && (person === undefined || !isAsked)) {
    return { kind: 'login-needed', location: headers.get('Location'), reason: readText(Object(body).reason) };
  }
  const refused = (message: string): ApiResponse => ({
    kind: 'refused',
    status,
    message,
    reason: readText(Object(body).reason),
  });
  if (!response.ok) {
    await learnProblems(document.documentElement.lang);
    return refused(problemText(body) ?? words.ui.common.status({ status }));
  }
  if (!isAsked) return refused(words.viewAs.notApplied);
  if (body === undefined) return refused(words.ui.common.unreadable);
  return { kind: 'ok', body, link: headers.get('Link') };
}

/** A picture as the address of a blob, where an `<img>` could not say whose it is; undefined when there is none. */
export async function pictureFromApi(url: string, signal: AbortSignal): Promise<string | undefined> {
  const person = viewAs.person;
  const viewing = viewAsRequest(person);
  try {
    const response = await fetch(url, { ...viewing, headers: { ...AUTOMATIC, ...viewing.headers }, signal });
    if (!response.ok || (person !== undefined && !isAsViewed(response.headers, person))) return undefined;
    return URL.createObjectURL(await response.blob());
  } catch {
    return undefined;
  }
}

/** The page, below the path of the console. */
export const VIEW_AS_PATH = '/view-as';

/** The name that each request says, and each response repeats. */
const VIEW_AS_HEADER = 'X-Postern-View-As';

/**
 * Whose view every request asks for; undefined: that of the person who is logged in. `wanted`: when the page opens. No
 * address says it: a page of another origin could open that.
 */
export const viewAs: { person?: string | undefined; wanted?: string | undefined } = {};

/** What makes a request one of that person; a response that the browser has kept may be another person's. */
const viewAsRequest = (name: string | undefined): RequestInit & { readonly headers: Record<string, string> } =>
  name === undefined ? { headers: {} } : { headers: { [VIEW_AS_HEADER]: encodeURIComponent(name) }, cache: 'no-store' };

/** Whether it is the response of that person: something in between may have dropped the header of the request. */
const isAsViewed = (headers: Headers, name: string): boolean =>
  headers.get(VIEW_AS_HEADER) === encodeURIComponent(name);

type AskProof = () => Promise<boolean>;

let ask: AskProof = async () => false;

/** The one dialog that asks; it resolves with whether the proof was given. */
export function askForProofBy(dialog: AskProof): void {
  ask = dialog;
}

let asked: Promise<boolean> | undefined;

/** Requests that are refused together ask once. */
function isProven(): Promise<boolean> {
  asked ??= ask().finally(() => {
    asked = undefined;
  });
  return asked;
}

/** No answer, or one that says nothing of rights: what was shown before may stay. */
export const isOutage = (status = 500): boolean => status === 429 || status >= 500;

export function problemOf(response: Exclude<ApiResponse, { kind: 'ok' }>): string {
  if (response.kind === 'refused') return response.message;
  if (response.kind !== 'login-needed') return words.ui.common.notReached;
  return goToLogin(response.location) === 'leaving' ? words.ui.common.sessionOver : words.ui.common.loopInShort;
}

/** Leads on when what had to be done first is done: to the page that was wanted, which may be this one. */
export function goOn(): void {
  const { href } = location;
  location.assign(nextPage({ page: href, referrer: href.includes('?next=') ? '' : href, basePath }));
}

const TRIPS_KEY = 'postern-login-trips';
const LOOP_MILLISECONDS = 10_000;
const MOST_TRIPS = 2;
/** The requests of one page that are refused together are one visit of the login. */
const TOGETHER_MILLISECONDS = 1000;
let leftAt = Number.NEGATIVE_INFINITY;

/** `loop`: the login does not help, for instance because the browser does not keep the cookie. */
export function goToLogin(location: string | null): 'leaving' | 'loop' {
  if (performance.now() - leftAt < TOGETHER_MILLISECONDS) return 'leaving';
  const kept = parsedJson(stored('sessionStorage', TRIPS_KEY) ?? '');
  const times = (Array.isArray(kept) ? kept : []).filter((time) => typeof time === 'number');
  const trips = times.filter((time) => Date.now() - time < LOOP_MILLISECONDS);
  // A browser that blocks cookies blocks the storage too: the visits cannot be counted, and no login would be kept.
  if (trips.length >= MOST_TRIPS || !navigator.cookieEnabled) return 'loop';
  store('sessionStorage', TRIPS_KEY, JSON.stringify([...trips, Date.now()]));
  leftAt = performance.now();
  window.location.assign(
    loginTarget({ location, here: window.location.href, base: baseUrl.href, loginPath: facts.loginPath }),
  );
  return 'leaving';
}

/** A resource of the API: fetched when a component mounts, and again on demand, or again and again. */
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

/** Reads anew all that a page shows. */
export const together =
  (...reads: (() => void)[]) =>
  () =>
    void reads.map((read) => read());

/** `link`: the header of that name. */
type Read<Value> = (body: unknown, link: string | null) => Value;

/** The answers are Postern's own, of the same build as this page. */
const asItIs = <Value>(body: unknown): Value => body as Value;

/** While it is fetched again, the previous value stays. Without a path nothing is fetched. It is fetched again when `round` changes. */
export const useFetched = <Value>(path: string | false | undefined, read?: Read<Value>, round = 0) =>
  useRefreshed(path, read, round);

/** `Row`: what the route of the list declares. */
export const useList = <Row>(path: string | false) => useFetched(path, recordsIn<Row>);

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
  const seen = new AbortController();
  const { signal } = seen;
  document.addEventListener('visibilitychange', onSight, { signal });
  addEventListener('online', onSight, { signal });
  onSight();
  return () => {
    seen.abort();
    left.abort();
  };
}

const EVERY_MILLISECONDS = 15_000;

/** Again and again while the page is seen, and what was shown stays when a later fetch fails; once for each `round` where there is one. */
export function useRefreshed<Value>(
  path: string | false | undefined,
  read: Read<Value> = asItIs,
  round?: number,
): FetchedAgain<Value> {
  const [fetched, setFetched] = useState<Fetched<Value>>({ kind: 'loading' });
  const [ownRound, setOwnRound] = useState(0);
  useEffect(() => {
    if (!path) return undefined;
    let get = getFromApi;
    const ask = async (left: AbortSignal): Promise<void> => {
      for (let failures = 0; !left.aborted; ) {
        const response = await get(path, left);
        if (left.aborted) return;
        // A page that is left open leads to no login by itself.
        const isEnded = response.kind === 'login-needed' && get === getAutomatically;
        get = getAutomatically;
        if (response.kind === 'ok') {
          failures = 0;
          setFetched({ kind: 'ready', value: read(response.body, response.link) });
        } else {
          failures += 1;
          const problem = isEnded ? words.explore.live['login-needed'] : problemOf(response);
          const status = response.kind === 'refused' ? response.status : undefined;
          setFetched((was) =>
            round === undefined && was.kind === 'ready'
              ? { ...was, stale: problem }
              : { kind: 'failed', problem, status },
          );
        }
        if (round !== undefined || isEnded) return;
        await pause(Math.max(EVERY_MILLISECONDS, pauseAfter(failures, Math.random())));
      }
    };
    if (round === undefined) return whileSeen(ask);
    const controller = new AbortController();
    void ask(controller.signal);
    return () => controller.abort();
  }, [path, ownRound, round]);
  return [fetched, () => setOwnRound((was) => was + 1)];
}
