/** The events backend: an HTTP service of its own, which trusts the gate's headers for user and role (SPEC 7). */
import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import Koa, { type Middleware } from 'koa';
import Router from 'koa-router';
import { compressResponse } from '../compress/compress.ts';
import type { CustomRoles } from '../domain/camera-scope.ts';
import { DAYS_PATH } from '../domain/events/event-paths.ts';
import { type Deadline, isOutOfTime } from '../domain/events/event-question.ts';
import type { CameraName } from '../domain/names.ts';
import { faultMessage } from '../domain/result.ts';
import { findStoreFault } from '../domain/store/store-fault.ts';
import { createZoneOffsets } from '../domain/zone-offsets.ts';
import type { BoundedEventSource } from '../store/events/events-table.ts';
import { callerScope, callerSince, eventsSince, seenCameras } from './caller.ts';
import { CHANGES_PATH, type ChangeWatch, countWrites, createChangeWatch, eventChanges } from './changes-route.ts';
import { countDays, summarizeEvents } from './count-routes.ts';
import {
  type CallerView,
  type EventsState,
  eventThumbnail,
  listByIds,
  listEvents,
  listJoinedNames,
  listLabels,
  listZones,
  oneEvent,
} from './event-routes.ts';
import { exploreEvents } from './explore-route.ts';
import { sendRefusal, sendThrown } from './responses.ts';
import { HEALTH_PATH } from './worker.ts';

export interface EventsBackendOptions {
  readonly events: BoundedEventSource;
  /** How long one question may take, in seconds. */
  readonly queryTimeout: number;
  /** Milliseconds of a clock that is never set. */
  readonly now: () => number;
  /** The custom roles as they are now. */
  readonly roles: () => CustomRoles;
  /** The known cameras; null when no list is known: then the cameras that have events. */
  readonly cameras: () => readonly CameraName[] | null;
  /**
   * Whether admins and viewers see the events of cameras that are not listed: imported ones may be of any camera. An NVR
   * hides them, and so does the backend that reads its database (false, the default).
   */
  readonly showsUnlisted?: boolean;
  /** Unix seconds; time zones are worked out to a year from here. */
  readonly startedAt: number;
  readonly onFault: (fault: unknown) => void;
  /** Ends the streams of changes, which would keep the server open. */
  readonly stopping?: AbortSignal;
}

/** The days are read beside the list, by a page that does without them. */
const DAYS_SECONDS = 1;

export function createEventsBackend(options: EventsBackendOptions): RequestListener {
  const app = new Koa<EventsState>();
  app.on('error', (fault: unknown) => {
    if (!isClientGone(fault)) options.onFault(fault);
  });
  app.use(async (ctx, next) => {
    try {
      await next();
    } catch (fault) {
      if (sendThrown(ctx, fault)) return;
      if (isOutOfTime(fault)) return sendRefusal(ctx, 'query-too-slow');
      options.onFault(fault);
      sendRefusal(ctx, findStoreFault(fault) ? 'events-unreadable' : 'internal-error');
    }
  });
  app.use(privateRoutes(options.events).routes());
  app.use(async (ctx, next) => {
    const seconds = ctx.path === DAYS_PATH ? Math.min(DAYS_SECONDS, options.queryTimeout) : options.queryTimeout;
    const deadlineNow = () => ({ at: options.now() + seconds * 1000 });
    const deadline = deadlineNow();
    ctx.res.once('close', () => {
      deadline.at = Number.NEGATIVE_INFINITY; // the client left: the query is not needed any more
    });
    const view = callerView(ctx.req.headers, deadline, options);
    if (!view) return sendRefusal(ctx, 'no-credentials');
    Object.assign(ctx.state, view, { viewNow: () => callerView(ctx.req.headers, deadlineNow(), options) });
    await next();
  });
  const watch = createChangeWatch(() => countWrites(options.events), options.onFault);
  options.stopping?.addEventListener('abort', watch.close, { once: true });
  const routes = eventRoutes(options, watch);
  app.use(routes.routes());
  app.use((ctx) =>
    sendRefusal(ctx, routes.match(ctx.path, ctx.method).path.length > 0 ? 'method-not-allowed' : 'path-not-found'),
  );
  const handle = app.callback();
  return (request, response) => void handle(request, response);
}

/** What the caller sees now; undefined without a role. */
function callerView(
  headers: IncomingHttpHeaders,
  deadline: Deadline,
  { events, roles, cameras, showsUnlisted = false }: EventsBackendOptions,
): CallerView | undefined {
  const scope = callerScope(headers, roles());
  if (!scope) return undefined;
  const since = callerSince(headers);
  const all = events.until(deadline);
  return {
    scope,
    events: since === undefined ? all : eventsSince(all, Number.isNaN(since) ? Number.MAX_SAFE_INTEGER : since),
    seen: (asked, named = []) =>
      seenCameras(scope, asked, named, { known: cameras(), showsUnlisted, stored: events.cameras }),
  };
}

/** A client that leaves in the middle of a response is not logged as a fault. */
const isClientGone = (fault: unknown): boolean =>
  fault instanceof Error && 'code' in fault && LEAVINGS.includes(String(fault.code));
const LEAVINGS: readonly string[] = ['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE'];

/** Routes for the gate only: nothing else reaches the socket, and the gate forwards none of these paths. */
function privateRoutes(events: BoundedEventSource): Router {
  return new Router()
    .get('/cameras', async (ctx) => {
      ctx.body = await events.cameras();
    })
    .get(HEALTH_PATH, async (ctx) => {
      try {
        await events.cameras();
        ctx.body = 'ok';
      } catch (fault) {
        ctx.status = 503;
        ctx.body = faultMessage(fault);
      }
    });
}

/** A response of these holds no secret: what is in it is all that may be learnt from its length. The gate passes it on as it is. */
const compressed: Middleware = async (ctx, next) => {
  await next();
  await compressResponse(ctx);
};

function eventRoutes(options: EventsBackendOptions, watch: ChangeWatch): Router<EventsState> {
  const { events, cameras, showsUnlisted = false, startedAt, now } = options;
  const began = now();
  const time = (): number => startedAt + (now() - began) / 1000;
  const offsetsOf = createZoneOffsets(startedAt);
  const exists = async (camera: string): Promise<boolean> =>
    (cameras()?.some((known) => known === camera) ?? false) ||
    ((showsUnlisted || cameras() === null) && (await events.cameras()).includes(camera));
  return new Router<EventsState>()
    .get('/api/events', compressed, listEvents(offsetsOf))
    .get('/api/events/summary', compressed, summarizeEvents(offsetsOf))
    .get('/api/events/explore', compressed, exploreEvents())
    .get(DAYS_PATH, compressed, countDays(offsetsOf, now, time))
    .get(CHANGES_PATH, eventChanges(watch))
    .get('/api/events/:id', compressed, oneEvent)
    .get('/api/events/:id/thumbnail.:extension', eventThumbnail)
    .get('/api/event_ids', compressed, listByIds)
    .get('/api/labels', compressed, listLabels(exists))
    .get('/api/zones', compressed, listZones)
    .get('/api/sub_labels', compressed, listJoinedNames('sub_label'))
    .get('/api/recognized_license_plates', compressed, listJoinedNames('plate'));
}
