/** GET /api/events/changes: a stream that says when the newest events of the caller's cameras have changed (SPEC 7). */
import { PassThrough } from 'node:stream';
import { repeated } from '../domain/async.ts';
import { NEWEST_FIRST } from '../domain/events/event-filters.ts';
import type { EventSource } from '../store/events/events-table.ts';
import { maySeeAll, namedCameras } from './caller.ts';
import type { EventsHandler } from './event-routes.ts';
import { refused } from './responses.ts';

export const CHANGES_PATH = '/api/events/changes';

/** A page of events: a change further back is not told. */
const NEWEST = 60;
/** Bytes that a client may leave unread; a message has some fifty. */
const MOST_UNREAD = 64 * 1024;

/** Tells nothing of an event but the id of the newest: the page asks for the list, which is narrowed as ever. */
export function eventChanges(watch: ChangeWatch): EventsHandler {
  return async (ctx) => {
    const named = namedCameras(new URLSearchParams(ctx.querystring), ['camera', 'cameras']);
    const asked = named.length > 0 ? named : null;
    const look: ChangeStream['look'] = async () => {
      const view = ctx.state.viewNow();
      if (!view || !maySeeAll(view.scope, named)) return undefined;
      const cameras = await view.seen(asked);
      return {
        key: JSON.stringify([cameras, ctx.get('remote-since')]),
        newest: () => findNewest(cameras, view.events),
      };
    };
    if (!(await look())) throw refused('camera-not-in-role');
    ctx.status = 200;
    ctx.set({ 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    if (ctx.method === 'HEAD') return;
    const stream = new PassThrough();
    const stop = await watch.add({
      owner: ctx.get('remote-user'),
      look,
      tell: ({ id }) => write(stream, `event: newest\ndata: ${JSON.stringify({ id: id ?? null })}\n\n`),
      beat: () => write(stream, ':\n\n'),
      end: () => stream.end(),
    });
    ctx.res.once('close', stop);
    if (ctx.res.destroyed) stop();
    ctx.body = stream;
  };
}

function write(stream: PassThrough, text: string): void {
  if (stream.writableLength + stream.readableLength > MOST_UNREAD) stream.destroy();
  if (!stream.destroyed) stream.write(text);
}

async function findNewest(cameras: readonly string[] | null, events: EventSource) {
  const found = await events.find({ cameras, conditions: [], sort: NEWEST_FIRST, limit: NEWEST });
  const ids = found.map(({ id }) => id);
  const rows = await events.read(ids, { thumbnails: false });
  const told = rows.map(({ id, end_time, label, sub_label, has_clip, has_snapshot }) =>
    [id, end_time, label, sub_label, has_clip, has_snapshot].join(' '),
  );
  return { id: ids[0], text: `${told.length}\n${told.join('\n')}` };
}

/** The newest events as one caller sees them: the id of the newest, and a text that differs when one of them is new, is over, or is gone. */
export type Newest = Awaited<ReturnType<typeof findNewest>>;

interface ChangeStream {
  /** Streams of one owner are counted together. */
  readonly owner: string;
  /** What it looks at, as of now: streams of one key share a look. Undefined: the caller sees nothing any more. */
  readonly look: () => Promise<{ readonly key: string; readonly newest: () => Promise<Newest> } | undefined>;
  /** First when the stream begins, then after each change. */
  readonly tell: (newest: Newest) => void;
  /** So that a dead connection is noticed, and a proxy does not take the stream for idle. */
  readonly beat: () => void;
  readonly end: () => void;
}

const EVERY_MS = 1000;
const BEAT_EVERY_MS = 15_000;
/** The most streams, in all and of one user: beyond either the oldest ends, and its page connects again later. */
const MOST_STREAMS = 1000;
const MOST_OF_ONE_OWNER = 40;

/** A number that grows with every write to events; null where writes are not counted. */
export async function countWrites(events: EventSource): Promise<number | null> {
  const byDay = await events.writesByDay();
  return byDay && [...byDay.values()].reduce((sum, count) => sum + count, 0);
}

type WatchedStream = { readonly stream: ChangeStream; text: string };
export type ChangeWatch = ReturnType<typeof createChangeWatch>;

/**
 * One look for all streams that see the same. `writes` grows with every write to events; null where writes are not counted: then each
 * look is a look at the events.
 */
export function createChangeWatch(
  writes: () => Promise<number | null>,
  onFault: (fault: unknown) => void,
  everyMs = EVERY_MS,
) {
  /** The open streams, in the order in which they began. */
  const open = new Set<WatchedStream>();
  let waited = 0;
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
  /** Looks for changes until no stream is left. A fault ends the streams: their pages come again, and are told what is wrong. */
  const watching = repeated(async () => {
    await lookAtAll().catch((fault: unknown) => {
      onFault(fault);
      endAll();
    });
    if (waited % BEAT_EVERY_MS < everyMs) for (const { stream } of open) stream.beat();
    waited += everyMs;
    return open.size > 0 ? everyMs : undefined;
  });

  return {
    /** Rejects when the first look fails. Returns the function to call when the stream has ended by itself. */
    async add(stream: ChangeStream): Promise<() => void> {
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
      watching.after(everyMs);
      return () => void open.delete(told);
    },
    /** Ends every stream. */
    close: endAll,
  };
}
