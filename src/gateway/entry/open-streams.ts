/** Answers and WebSockets that are under way, by who holds them: ended when their holder's rights are (SPEC 4.2). */
import type { Obligations } from '../../access/access-verdict.ts';
import { type Caller, hasSameRights } from '../../domain/caller.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import type { RequestFacts } from '../../domain/request.ts';
import { endOf, holderOf } from './stream-holder.ts';

/** Why a stream is ended, as a WebSocket close code from the range for applications (RFC 6455 7.4.2). */
export const CLOSED_FOR = { 'caller-gone': 4401, 'rights-changed': 4403 } as const;
export type CloseCode = (typeof CLOSED_FOR)[keyof typeof CLOSED_FOR];

export interface OpenStreamDeps {
  /** Another text after any change of accounts, roles and tokens. */
  readonly version: () => string;
  /** Who a caller is now; undefined when the session or token is over. */
  readonly recheck: (caller: Caller) => Promise<Caller | undefined>;
  readonly clock: Clock;
  readonly onFault: (fault: unknown) => void;
}

/** What a stream was admitted for, and on which terms. */
export interface Admittance {
  readonly request: RequestFacts;
  readonly obligations?: Obligations | undefined;
}

export interface HeldStream extends Admittance {
  readonly caller: Caller;
}

/** `by`: whether somebody has ended the rights, or their time is over. */
export type EndStream = (code: CloseCode, by: 'revoked' | 'expired') => void;

export interface OpenStreams {
  /** Gives what to call when the stream has ended by itself. */
  add(caller: Caller, admittance: Admittance, end: EndStream): () => void;
  /** A WebSocket, whoever holds it, with what says goodbye to it; gives what to call when it has ended by itself. */
  addSocket(leave: () => void): () => void;
  /** Says goodbye to every WebSocket, for the service stops. */
  leaveSockets(): void;
  /** Looks at once, without waiting for the next look. */
  sweep(): Promise<void>;
  /** The rules are others now: each stream is looked at by itself. `judge` gives the code to end it with. */
  review(judge: (stream: HeldStream) => Promise<CloseCode | undefined>): Promise<void>;
  size(): number;
  close(): void;
}

interface OpenStream extends HeldStream {
  readonly end: EndStream;
  /** Unix seconds: when its holder's session or token is over, as far as is known. */
  endsAt: number;
  /** Its place among those of its holder. */
  at: number;
}

const BETWEEN_LOOKS_MS = 1_000;

export function createOpenStreams({ version, recheck, clock, onFault }: OpenStreamDeps): OpenStreams {
  /**
   * Lists, and not sets: what a Set or Map has outgrown goes on pointing to what it has become, so that one which changes
   * with every request keeps all that it ever held until a full garbage collection. Empty ones stay until the next look.
   */
  const byHolder = new Map<string, OpenStream[]>();
  const sockets = new Set<() => void>();
  /** Whoever was added since the last look was judged before it: the change may lie in between. */
  let unlooked = new Set<string>();
  let lookedAt: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;

  const listOf = (holder: string): OpenStream[] => {
    const known = byHolder.get(holder);
    if (known) return known;
    const streams: OpenStream[] = [];
    byHolder.set(holder, streams);
    return streams;
  };
  const lookAt = async (streams: readonly OpenStream[]): Promise<void> => {
    const [latest] = streams.toSorted((one, other) => other.endsAt - one.endsAt);
    if (!latest) return;
    const now = await recheck(latest.caller);
    for (const stream of [...streams]) {
      if (!now) stream.end(CLOSED_FOR['caller-gone'], latest.endsAt <= unixSeconds(clock) ? 'expired' : 'revoked');
      else if (!hasSameRights(now, stream.caller)) stream.end(CLOSED_FOR['rights-changed'], 'revoked');
      else stream.endsAt = endOf(now); // a session may have been renewed meanwhile
    }
  };
  const sweep = async (): Promise<void> => {
    for (const [holder, streams] of byHolder) if (streams.length === 0) byHolder.delete(holder);
    const current = version();
    const isChanged = current !== lookedAt;
    const now = unixSeconds(clock);
    const hasExpired = (streams: readonly OpenStream[]) => streams.some(({ endsAt }) => endsAt <= now);
    const due = [...byHolder].filter(([holder, streams]) => isChanged || unlooked.has(holder) || hasExpired(streams));
    unlooked = new Set();
    for (const [, streams] of due) await lookAt(streams);
    lookedAt = current;
  };
  const look = async (): Promise<void> => {
    if (isLooking) return;
    if (byHolder.size === 0) return close();
    isLooking = true;
    try {
      await sweep();
    } catch (fault) {
      lookedAt = undefined; // all of them again at the next look
      onFault(fault);
    } finally {
      isLooking = false;
    }
  };
  const close = (): void => {
    clearInterval(timer);
    timer = undefined;
  };

  return {
    sweep,
    close,
    async review(judge) {
      for (const stream of [...byHolder.values()].flat()) {
        const code = await judge(stream);
        if (code !== undefined) stream.end(code, 'revoked');
      }
    },
    size: () => [...byHolder.values()].reduce((sum, streams) => sum + streams.length, 0),
    addSocket(leave) {
      sockets.add(leave);
      return () => void sockets.delete(leave);
    },
    leaveSockets() {
      for (const leave of [...sockets]) leave();
    },
    add(caller, admittance, end) {
      const holder = holderOf(caller);
      if (holder === undefined) return () => {};
      const streams = listOf(holder);
      const { request, obligations } = admittance;
      const stream: OpenStream = { request, obligations, caller, end, endsAt: endOf(caller), at: streams.length };
      streams.push(stream);
      unlooked.add(holder);
      timer ??= setInterval(() => void look(), BETWEEN_LOOKS_MS).unref();
      return () => removeFrom(streams, stream);
    },
  };
}

/** The last one takes its place. */
function removeFrom(streams: OpenStream[], stream: OpenStream): void {
  if (streams[stream.at] !== stream) return;
  const last = streams.pop();
  if (!last || last === stream) return;
  streams[stream.at] = last;
  last.at = stream.at;
}
