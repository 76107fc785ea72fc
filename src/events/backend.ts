/** The events backend: an HTTP service of its own, which trusts the gate's headers for user and role (SPEC 7). */
import type { RequestListener } from 'node:http';
import Koa, { type Middleware } from 'koa';
import Router from 'koa-router';
import { compressResponse } from '../compress/compress.ts';
import type { CustomRoles } from '../domain/camera-scope.ts';
import { DAYS_PATH } from '../domain/events/event-paths.ts';
import type { BoundedEventSource, Deadline, EventSource } from '../domain/events/event-question.ts';
import { isOutOfTime } from '../domain/events/out-of-time.ts';
import { createZoneOffsets } from '../domain/events/zone-offsets.ts';
import { messageOf } from '../domain/message-of.ts';
import type { CameraName } from '../domain/names.ts';
import { storeFaultOf } from '../domain/store/store-fault.ts';
import { type ChangeWatch, createChangeWatch } from './changes/watch-changes.ts';
import { CHANGES_PATH, eventChanges } from './changes-route.ts';
import { countDays } from './days-route.ts';
import { type EventDeps, type EventsState, listEvents, oneEvent } from './event-routes.ts';
import { exploreEvents } from './explore-route.ts';
import { eventThumbnail, listByIds } from './id-routes.ts';
import { listJoinedNames, listLabels, listZones } from './name-routes.ts';
import { callerScope, callerSince } from './remote-role.ts';
import { sendRefusal } from './responses.ts';
import { seenCameras } from './seen-cameras.ts';
import { eventsSince } from './since.ts';
import { summarizeEvents } from './summary-route.ts';
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
      if (isOutOfTime(fault)) return sendRefusal(ctx, 'query-too-slow');
      options.onFault(fault);
      sendRefusal(ctx, storeFaultOf(fault) ? 'events-unreadable' : 'internal-error');
    }
  });
  app.use(privateRoutes(options.events).routes());
  app.use(async (ctx, next) => {
    const scopeNow = () => callerScope(ctx.req.headers, options.roles());
    const scope = scopeNow();
    if (!scope) return sendRefusal(ctx, 'no-credentials');
    const seconds = ctx.path === DAYS_PATH ? Math.min(DAYS_SECONDS, options.queryTimeout) : options.queryTimeout;
    const deadlineNow = () => ({ at: options.now() + seconds * 1000 });
    const deadline = deadlineNow();
    ctx.res.once('close', () => {
      deadline.at = Number.NEGATIVE_INFINITY; // the client left: the query is not needed any more
    });
    const since = callerSince(ctx.req.headers);
    const seenUntil = (end: Deadline): EventSource => {
      const events = options.events.until(end);
      return since === undefined ? events : eventsSince(events, Number.isNaN(since) ? Number.MAX_SAFE_INTEGER : since);
    };
    const events = seenUntil(deadline);
    Object.assign(ctx.state, { scope, events, scopeNow, eventsNow: () => seenUntil(deadlineNow()) });
    await next();
  });
  const routes = eventRoutes(depsOf(options), changeWatch(options));
  app.use(routes.routes());
  app.use((ctx) =>
    sendRefusal(ctx, routes.match(ctx.path, ctx.method).path.length > 0 ? 'method-not-allowed' : 'path-not-found'),
  );
  const handle = app.callback();
  return (request, response) => void handle(request, response);
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
        ctx.body = messageOf(fault);
      }
    });
}

function changeWatch({ events, onFault, stopping }: EventsBackendOptions): ChangeWatch {
  const watch = createChangeWatch({
    async writes() {
      const byDay = await events.writesByDay();
      return byDay && [...byDay.values()].reduce((sum, count) => sum + count, 0);
    },
    onFault,
  });
  stopping?.addEventListener('abort', watch.close, { once: true });
  return watch;
}

/** A response of these holds no secret: what is in it is all that may be learnt from its length. The gate passes it on as it is. */
const compressed: Middleware = async (ctx, next) => {
  await next();
  await compressResponse(ctx);
};

function eventRoutes(deps: EventDeps, watch: ChangeWatch): Router<EventsState> {
  return new Router<EventsState>()
    .get('/api/events', compressed, listEvents(deps))
    .get('/api/events/summary', compressed, summarizeEvents(deps))
    .get('/api/events/explore', compressed, exploreEvents(deps))
    .get(DAYS_PATH, compressed, countDays(deps))
    .get(CHANGES_PATH, eventChanges(deps, watch))
    .get('/api/events/:id', compressed, oneEvent(deps))
    .get('/api/events/:id/thumbnail.:extension', eventThumbnail(deps))
    .get('/api/event_ids', compressed, listByIds(deps))
    .get('/api/labels', compressed, listLabels(deps))
    .get('/api/zones', compressed, listZones(deps))
    .get('/api/sub_labels', compressed, listJoinedNames('sub_label', deps))
    .get('/api/recognized_license_plates', compressed, listJoinedNames('plate', deps));
}

function depsOf({ events, cameras, showsUnlisted = false, startedAt, now }: EventsBackendOptions): EventDeps {
  const began = now();
  const isListed = (camera: string): boolean => cameras()?.some((known) => known === camera) ?? false;
  return {
    exists: async (camera) =>
      isListed(camera) || ((showsUnlisted || cameras() === null) && (await events.cameras()).includes(camera)),
    ticks: now,
    time: () => startedAt + (now() - began) / 1000,
    offsetsOf: createZoneOffsets(startedAt),
    seen: (scope, asked, named) =>
      seenCameras(asked, named, { scope, known: cameras(), showsUnlisted, stored: events.cameras }),
  };
}
