/** GET /api/events/changes: a stream that says when the newest events of the caller's cameras have changed (SPEC 7). */
import { PassThrough } from 'node:stream';
import { NEWEST_FIRST } from '../domain/events/event-filters.ts';
import type { EventSource } from '../domain/events/event-question.ts';
import { maySeeAll, namedCameras } from './caller.ts';
import type { ChangeLook, ChangeWatch, Newest } from './changes/watch-changes.ts';
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
    const look = async (): Promise<ChangeLook | undefined> => {
      const view = ctx.state.viewNow();
      if (!view || !maySeeAll(view.scope, named)) return undefined;
      const cameras = await view.seen(asked);
      return { key: JSON.stringify([cameras, ctx.get('remote-since')]), newest: () => newestOf(cameras, view.events) };
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

async function newestOf(cameras: readonly string[] | null, events: EventSource): Promise<Newest> {
  const found = await events.find({ cameras, conditions: [], sort: NEWEST_FIRST, limit: NEWEST });
  const ids = found.map(({ id }) => id);
  const rows = await events.read(ids, { thumbnails: false });
  const told = rows.map(({ id, end_time, label, sub_label, has_clip, has_snapshot }) =>
    [id, end_time, label, sub_label, has_clip, has_snapshot].join(' '),
  );
  return { id: ids[0], text: `${told.length}\n${told.join('\n')}` };
}
