/** Responses and WebSockets under way, by session, token or user: ended when its rights end (SPEC 4.2). */

import { isDeepStrictEqual } from 'node:util';
import type { Obligations, Surroundings } from '../../access/access-verdict.ts';
import { authorize } from '../../access/authorize.ts';
import { locate } from '../../access/camera-locators.ts';
import { type Ending, sharedRun } from '../../domain/async.ts';
import { type Caller, hasSameBesideDrawn, type IdentitySource, lostRights } from '../../domain/caller.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import { callerEnd, holderId } from '../../domain/credentials.ts';
import { REFUSALS, type RefusalReason } from '../../domain/refusal.ts';
import type { RequestFacts } from '../../domain/request.ts';
import { findStoreFault } from '../../domain/store/store-fault.ts';
import { watchFault } from '../../telemetry/readiness.ts';
import type { RequestWatch } from '../../telemetry/watch-gate.ts';
import { type Admitted, admit, type Rules } from '../decision/admit.ts';
import type { Gate } from '../gate.ts';

/** Why a stream is ended, as a WebSocket close code: from the range for applications (RFC 6455 7.4.2), or 1013, "try again later". */
const CLOSED_FOR = { 'caller-gone': 4401, 'rights-changed': 4403, 'store-unreachable': 1013 } as const;
/** What a request is answered with whose response has not begun. */
export const REFUSED_FOR = {
  4401: 'token-invalid',
  4403: 'rights-changed',
  1013: 'store-unavailable',
} as const satisfies Record<CloseCode, RefusalReason>;
type CloseCode = (typeof CLOSED_FOR)[keyof typeof CLOSED_FOR];

/** The request of a stream, as it was sent and as it was admitted: that of a visitor stands for another one. */
export interface Admittance {
  readonly request: RequestFacts;
  readonly admission: Pick<Admitted, 'target' | 'route' | 'obligations'>;
}

export interface HeldStream extends Admittance {
  readonly caller: Caller;
}

/** `by`: the rights were revoked, the session or token has expired, or the store could not be asked for too long. */
export type EndStream = (code: CloseCode, by: 'revoked' | 'expired' | 'error') => void;

export type OpenStreams = ReturnType<typeof createOpenStreams>;

interface OpenStream extends HeldStream {
  readonly end: EndStream;
  /** When the store last confirmed its holder, in milliseconds of the grace's clock. */
  confirmedAt: number;
  /** Unix seconds: when its holder's session or token is over, as far as is known. */
  endsAt: number;
  /** Its index in the list of its holder. */
  at: number;
}

const CHECK_INTERVAL_MS = 500;
/** The NVR may be silent when it is asked whose a stream is. */
const REVIEW_MS = 5_000;

export function createOpenStreams({
  version,
  recheck,
  isBesideDrawn,
  clock,
  grace,
  onFault,
}: {
  /** A text that changes with every change of accounts, roles and tokens. */
  readonly version: () => string;
  /** The caller as of now; undefined when the session or token has ended. */
  readonly recheck: (caller: Caller) => Promise<Caller | undefined>;
  /** Whether the stream goes on for its caller, as of now, when other cameras are drawn alone. */
  readonly isBesideDrawn: (stream: HeldStream, now: Caller) => boolean;
  readonly clock: Clock;
  /** Undefined: a store that fails ends no stream; it goes on until its session ends. */
  readonly grace?:
    | {
        /** `store.grace`. */
        readonly seconds: number;
        /** One that is never set. */
        readonly clock: Clock;
        /** Whether the store can be heard now; else an answer about a caller is a remembered one. */
        readonly isHeard: () => boolean;
      }
    | undefined;
  /** Called once when checks begin to fail: the health of the store says when it works again. */
  readonly onFault: (fault: unknown) => void;
}) {
  /**
   * Arrays instead of Sets: a Set that changes with every request keeps its outgrown tables, and all that they hold, until a
   * full garbage collection. An empty array stays until the next check.
   */
  const byHolder = new Map<string, OpenStream[]>();
  const sockets = new Set<() => void>();
  /** Holders of streams added since the last check: a change between their admission and now was not seen yet. */
  let unchecked = new Set<string>();
  let checkedVersion: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  const state = watchFault<unknown>({ onFault });

  /** While the store is not heard, nothing counts as confirmed: a stream that is opened then ends with the first refusal. */
  const confirmationNow = (): number => (grace?.isHeard() ? grace.clock.now() : Number.NEGATIVE_INFINITY);
  const listOf = (holder: string): OpenStream[] => {
    const known = byHolder.get(holder);
    if (known) return known;
    const streams: OpenStream[] = [];
    byHolder.set(holder, streams);
    return streams;
  };
  const isLeft = (stream: OpenStream, now: Caller): boolean =>
    hasSameBesideDrawn(now, stream.caller) && isBesideDrawn(stream, now);
  const checkHolder = async (streams: readonly OpenStream[]): Promise<void> => {
    if (streams.length === 0) return;
    const latest = streams.reduce((one, other) => (other.endsAt > one.endsAt ? other : one));
    const now = await recheck(latest.caller);
    for (const stream of [...streams]) {
      if (!now) stream.end(CLOSED_FOR['caller-gone'], latest.endsAt <= unixSeconds(clock) ? 'expired' : 'revoked');
      else if (lostRights(now, stream.caller) && !isLeft(stream, now))
        stream.end(CLOSED_FOR['rights-changed'], now.closed ? 'expired' : 'revoked');
      else {
        stream.endsAt = callerEnd(now); // a session may have been renewed meanwhile
        stream.confirmedAt = Math.max(stream.confirmedAt, confirmationNow());
      }
    }
  };
  const endUnconfirmed = (streams: readonly OpenStream[]): void => {
    if (!grace) return;
    const late = grace.clock.now() - grace.seconds * 1000;
    for (const stream of [...streams])
      if (stream.confirmedAt <= late) stream.end(CLOSED_FOR['store-unreachable'], 'error');
  };
  const sweep = async (): Promise<void> => {
    for (const [holder, streams] of byHolder) if (streams.length === 0) byHolder.delete(holder);
    const faults: unknown[] = [];
    const current = await Promise.try(version).catch((fault: unknown) => void faults.push(fault));
    const isChanged = current !== checkedVersion;
    const now = unixSeconds(clock);
    const hasExpired = (streams: readonly OpenStream[]) => streams.some(({ endsAt }) => endsAt <= now);
    const due = [...byHolder].filter(([holder, streams]) => isChanged || unchecked.has(holder) || hasExpired(streams));
    unchecked = new Set();
    // A holder that cannot be checked must not keep the others' streams open: their sessions may be over.
    const checkEach = async (streams: readonly OpenStream[]): Promise<void> => {
      try {
        await checkHolder(streams);
      } catch (fault) {
        faults.push(fault);
        if (findStoreFault(fault) === 'unreachable') endUnconfirmed(streams);
      }
    };
    await Promise.all(due.map(([, streams]) => checkEach(streams)));
    checkedVersion = faults.length === 0 ? (current ?? undefined) : undefined; // else check all again at the next interval
    if (faults.length > 0) throw faults[0];
  };
  const check = sharedRun(async (): Promise<void> => {
    if (byHolder.size === 0) return close();
    await sweep().then(() => state.found(), state.found);
  });
  const close = (): void => {
    clearInterval(timer);
    timer = undefined;
  };

  return {
    /** Checks the streams now instead of at the next interval. */
    sweep,
    close,
    /**
     * Checks the streams under the new rules, after a reload: all at once by the first judge, what is left by the next. A judge
     * gives the code to end a stream with; one that it fails for, or has no answer for in time, is ended. Rejects with the first
     * fault when all is done.
     */
    async review(judges: readonly ((stream: HeldStream) => Promise<CloseCode | undefined>)[]): Promise<void> {
      const faults: unknown[] = [];
      for (const judge of judges) {
        const late = Promise.withResolvers<CloseCode>();
        const timer = setTimeout(() => late.resolve(CLOSED_FOR['rights-changed']), REVIEW_MS);
        const reviewEach = async (stream: OpenStream): Promise<void> => {
          const judged = judge(stream).catch((fault: unknown) => {
            faults.push(fault);
            return CLOSED_FOR['rights-changed'];
          });
          const code = await Promise.race([judged, late.promise]);
          if (code !== undefined) stream.end(code, 'revoked');
        };
        await Promise.all([...byHolder.values()].flat().map(reviewEach));
        clearTimeout(timer);
      }
      if (faults.length > 0) throw faults[0];
    },
    size: (): number => [...byHolder.values()].reduce((sum, streams) => sum + streams.length, 0),
    /** A WebSocket of any caller. `leave` closes it; returns the function to call when it has ended by itself. */
    addSocket(leave: () => void): () => void {
      sockets.add(leave);
      return () => void sockets.delete(leave);
    },
    /** Closes every WebSocket, because the service stops. */
    leaveSockets(): void {
      for (const leave of [...sockets]) leave();
    },
    /** Returns the function to call when the stream has ended by itself. */
    add(caller: Caller, admittance: Admittance, end: EndStream): () => void {
      const holder = holderId(caller);
      if (holder === undefined) return () => {};
      const streams = listOf(holder);
      const { request, admission } = admittance;
      const stream: OpenStream = {
        request,
        admission,
        caller,
        end(code, by) {
          removeFrom(streams, stream); // once: an answer that is on its way would be cut the second time
          end(code, by);
        },
        endsAt: callerEnd(caller),
        confirmedAt: confirmationNow(),
        at: streams.length,
      };
      streams.push(stream);
      unchecked.add(holder);
      timer ??= setInterval(() => void check(), CHECK_INTERVAL_MS).unref();
      return () => removeFrom(streams, stream);
    },
  };
}

/** Removes in constant time: the last stream takes its index. */
function removeFrom(streams: OpenStream[], stream: OpenStream): void {
  if (streams[stream.at] !== stream) return;
  const last = streams.pop();
  if (!last || last === stream) return;
  streams[stream.at] = last;
  last.at = stream.at;
}

/** Ends what is under way for a caller when the caller's rights do (SPEC 4.2, 11). */
export function endWithRights(
  openStreams: Pick<OpenStreams, 'add'>,
  { request, admission }: { readonly request: RequestFacts; readonly admission: Admitted },
  { watch, ending }: { readonly watch: RequestWatch; readonly ending: Ending },
  end: (code: CloseCode) => void,
): void {
  if (!admission.caller) return;
  const forget = openStreams.add(admission.caller, { request, admission }, (code, by) => {
    watch.onEndedBy(by);
    end(code);
  });
  ending.defer(forget);
}

type ReviewRules = Pick<Gate, 'recheck'> & { readonly rules: Rules };

/** The rules by which a decision asks the NVR nothing. */
export const withoutQuestions = (rules: Rules): Rules => ({ ...rules, owners: { denial: async () => undefined } });

/** Takes the decision again, by a new configuration (SPEC 1). Returns the close code to end the stream with; undefined when it goes on. */
export async function reviewStream(stream: HeldStream, deps: ReviewRules): Promise<CloseCode | undefined> {
  const { caller, request, admission } = stream;
  const again = await admit(request, await rulesFor(caller, deps));
  if (again.kind === 'refused' && REFUSALS[again.reason].status === 401) return CLOSED_FOR['caller-gone'];
  if (again.kind !== 'admitted') return CLOSED_FOR['rights-changed'];
  if (!again.caller) return CLOSED_FOR['caller-gone'];
  const isAsBefore = !lostRights(again.caller, caller) && isHeldTo(admission.obligations, again.obligations);
  return isAsBefore ? undefined : CLOSED_FOR['rights-changed'];
}

/** Whether what is drawn leaves the stream (SPEC 19): its route names its cameras, and the caller sees them as before. */
export function isBesideDrawn({ admission }: HeldStream, now: Caller, surroundings: Surroundings): boolean {
  const { route, target, obligations } = admission;
  if (route.kind === 'unlisted' || !surroundings.layout) return false;
  const located = locate(route, target, surroundings.layout);
  if (!located || located.named.length === 0) return false;
  if (located.owners.length + located.inBody.length > 0) return false;
  const verdict = authorize(now, route, target, surroundings);
  return verdict.kind === 'allowed' && isHeldTo(obligations, verdict.obligations);
}

/** Whether what would be done with the stream now is done with it already. */
function isHeldTo(before: Obligations | undefined, now: Obligations | undefined): boolean {
  const { view: _, ...kinds } = now ?? {};
  const isOfMessages = ({ messages, signalling }: Partial<Obligations> = {}) => [messages, signalling];
  return (
    Object.keys(kinds).every((kind) => before !== undefined && kind in before) &&
    isDeepStrictEqual(isOfMessages(now), isOfMessages(before))
  );
}

/** The headers of a proxy are read again from the request; a session may have been renewed since, so it is rechecked instead. */
async function rulesFor(caller: Caller, { rules, recheck }: ReviewRules): Promise<Rules> {
  if (caller.credential.kind === 'proxy-headers') return rules;
  const now = await recheck(caller);
  const known: IdentitySource = () =>
    now ? { kind: 'identified', caller: now } : { kind: 'refused', reason: 'token-invalid' };
  return { ...rules, sources: { ...rules.sources, external: [known] } };
}
