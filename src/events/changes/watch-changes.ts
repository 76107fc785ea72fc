/** Tells open streams when the newest events of their cameras have changed: one look for all streams that see the same (SPEC 7). */
import { setTimeout as delay } from 'node:timers/promises';

/** The newest events as one caller sees them. */
export interface Newest {
  /** Undefined when there are none. */
  readonly id: string | undefined;
  /** A text that differs when one of them is new, is over, or is gone. */
  readonly text: string;
}

/** What a stream looks at, as of now. */
export interface ChangeLook {
  /** Streams of one key share a look. */
  readonly key: string;
  readonly newest: () => Promise<Newest>;
}

export interface ChangeStream {
  /** Streams of one owner are counted together. */
  readonly owner: string;
  /** Undefined: the caller sees nothing any more. */
  readonly look: () => Promise<ChangeLook | undefined>;
  /** First when the stream begins, then after each change. */
  readonly tell: (newest: Newest) => void;
  /** So that a dead connection is noticed, and a proxy does not take the stream for idle. */
  readonly beat: () => void;
  readonly end: () => void;
}

export interface ChangeWatch {
  /** Rejects when the first look fails. Returns the function to call when the stream has ended by itself. */
  add(stream: ChangeStream): Promise<() => void>;
  /** Ends every stream. */
  close(): void;
}

export interface ChangeWatchDeps {
  /** Grows with every write to events; null where writes are not counted: then each look is a look at the events. */
  readonly writes: () => Promise<number | null>;
  readonly onFault: (fault: unknown) => void;
  readonly everyMs?: number;
  readonly beatEveryMs?: number;
}

const EVERY_MS = 1000;
const BEAT_EVERY_MS = 15_000;
/** The most streams, in all and of one user: beyond either the oldest ends, and its page connects again later. */
const MOST_STREAMS = 1000;
const MOST_OF_ONE_OWNER = 40;

interface WatchedStream {
  readonly stream: ChangeStream;
  text: string;
}

export function createChangeWatch(deps: ChangeWatchDeps): ChangeWatch {
  const { writes, onFault, everyMs = EVERY_MS, beatEveryMs = BEAT_EVERY_MS } = deps;
  /** The open streams, in the order in which they began. */
  const open = new Set<WatchedStream>();
  let isWatching = false;
  let lastWrites: number | null = null;

  const endAll = (): void => {
    for (const { stream } of [...open]) stream.end();
    open.clear();
  };
  const endOldest = (owner: string): void => {
    const own = [...open].filter(({ stream }) => stream.owner === owner);
    const [oldest] = own.length > MOST_OF_ONE_OWNER ? own : open.size > MOST_STREAMS ? open : [];
    if (!oldest) return;
    open.delete(oldest);
    oldest.stream.end();
  };
  const lookAt = async (told: WatchedStream, looks: Map<string, Promise<Newest>>): Promise<void> => {
    const look = await told.stream.look();
    if (!look) {
      open.delete(told);
      return told.stream.end();
    }
    const looking = looks.get(look.key) ?? look.newest();
    looks.set(look.key, looking);
    const newest = await looking;
    if (newest.text === told.text || !open.has(told)) return;
    told.text = newest.text;
    told.stream.tell(newest);
  };
  const lookAtAll = async (): Promise<void> => {
    const now = await writes();
    if (now !== null && now === lastWrites) return;
    const looks = new Map<string, Promise<Newest>>();
    for (const told of [...open]) await lookAt(told, looks);
    lastWrites = now; // only now: after a fault everything is looked at again
  };
  /**
   * Looks for changes until no stream is left. A fault ends the streams: their pages come again, and are told what is wrong.
   */
  const watch = async (): Promise<void> => {
    if (isWatching) return;
    isWatching = true;
    for (let waited = 0; open.size > 0; waited += everyMs) {
      await delay(everyMs, undefined, { ref: false });
      try {
        await lookAtAll();
      } catch (fault) {
        onFault(fault);
        endAll();
      }
      if (waited % beatEveryMs < everyMs) for (const { stream } of open) stream.beat();
    }
    isWatching = false;
  };

  return {
    async add(stream) {
      const told: WatchedStream = { stream, text: '' };
      // A write between this look and the next one is found by that: it compares the texts.
      lastWrites = null;
      open.add(told);
      endOldest(stream.owner);
      try {
        await lookAt(told, new Map());
      } catch (fault) {
        open.delete(told);
        throw fault;
      }
      void watch();
      return () => void open.delete(told);
    },
    close: endAll,
  };
}
