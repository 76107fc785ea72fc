/** Sliding windows of attempts on a Redis or Valkey, one script for each question (SPEC 4.5, 10). */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../domain/clock.ts';
import type { AttemptWindow, SharedPlace, SharedWindows } from '../domain/shared-windows.ts';
import type { Connection } from './redis-connection.ts';
import { createRedisLink } from './redis-link.ts';
import { KEEP, RELEASE, RESERVE } from './scripts.ts';

export interface RedisWindowsDeps {
  readonly connect: (onLost: (fault: Error) => void) => Promise<Connection>;
  /** The time that the server is told. Undefined: its own, which all replicas share. */
  readonly clock?: Clock | undefined;
  /** Undefined: the server can be used again. */
  readonly onChange: (fault: Error | undefined) => void;
}

export interface RedisWindows extends SharedWindows {
  /** Resolves after the first attempt to connect, whatever came of it. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Before every key: other programs may use the same server. */
const PREFIX = 'postern:limits:';
/** Places that wait to be given back; of more, the oldest stay taken until they leave their window. */
const MOST_WAITING = 1000;
const ATTEMPT_BYTES = 12;

interface Attempt {
  readonly name: string;
  readonly keys: readonly string[];
}

export function createRedisWindows({ connect, clock, onChange }: RedisWindowsDeps): RedisWindows {
  const listeners: (() => void)[] = [];
  let waiting: Attempt[] = [];
  const link = createRedisLink({
    connect,
    probeKey: `${PREFIX}{probe}`,
    onChange(fault) {
      for (const tell of listeners) tell();
      onChange(fault);
      if (!fault) for (const attempt of waiting.splice(0)) void giveBack(attempt);
    },
  });

  const giveBack = async (attempt: Attempt): Promise<void> => {
    const isDone = (await link.run(RELEASE, attempt.keys, [attempt.name])) !== undefined;
    if (!isDone) waiting = [...waiting, attempt].slice(-MOST_WAITING);
  };
  const placeOf = (attempt: Attempt): SharedPlace => {
    const once = onlyOnce();
    return {
      kind: 'reserved',
      release: () => once(() => void giveBack(attempt)),
      keep: () => once(() => void link.run(KEEP, attempt.keys, [attempt.name])),
    };
  };

  return {
    start: link.start,
    isUp: link.isUp,
    close: link.close,
    onChange: (tell) => void listeners.push(tell),
    async reserve(windows) {
      if (!link.isUp()) return UNAVAILABLE;
      const attempt = {
        name: randomBytes(ATTEMPT_BYTES).toString('base64url'),
        keys: windows.map(({ key }) => `${PREFIX}${key}`),
      };
      const time = clock ? String(Math.round(clock.now())) : '';
      const answer = await link.run(RESERVE, attempt.keys, [attempt.name, time, ...windows.flatMap(clauseValues)]);
      // The server may have counted it, or will when it goes on: the present caller counts it too.
      const judged = judgedBy(answer, windows);
      if (judged === 'reserved') return placeOf(attempt);
      if (judged.kind === 'unavailable') void giveBack(attempt);
      return judged;
    },
  };
}

const UNAVAILABLE = { kind: 'unavailable' } as const;

const clauseValues = ({ clauses }: AttemptWindow): readonly string[] => [
  String(clauses.length),
  ...clauses.flatMap(({ count, windowSeconds }) => [String(count), String(windowSeconds * 1000)]),
];

/** An answer of another form is no place: only the script may give one. */
function judgedBy(answer: unknown, windows: readonly AttemptWindow[]): 'reserved' | Exclude<SharedPlace, Reserved> {
  if (!Array.isArray(answer)) return UNAVAILABLE;
  const [window = Number.NaN, clauseNumber = 0, wait = 0, underWay = 0] = answer.map(Number);
  if (window === 0) return 'reserved';
  const clause = windows[window - 1]?.clauses[clauseNumber - 1];
  if (!clause) return UNAVAILABLE;
  const retryAfterSeconds = Math.ceil(wait / 1000);
  return { kind: 'full', window: window - 1, clause, retryAfterSeconds, isUnderWay: underWay === 1 };
}

type Reserved = Extract<SharedPlace, { kind: 'reserved' }>;

function onlyOnce(): (act: () => void) => void {
  let isDone = false;
  return (act) => {
    if (!isDone) act();
    isDone = true;
  };
}
