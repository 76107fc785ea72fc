/** GET /api/events, and one event by its id (interface 4.1). */
import type { Context } from 'koa';
import type { CameraScope } from '../domain/camera-scope.ts';
import { MOST_ROWS } from '../domain/events/event-filters.ts';
import type { EventSource, FoundEvent } from '../domain/events/event-question.ts';
import type { ZoneOffsets } from '../domain/events/zone-offsets.ts';
import { readEventsQuery } from './read-query.ts';
import { sendBadParameters, sendJson, sendNoSuchEvent, sendRefusal } from './responses.ts';
import { namedCameras, type SeenCameras } from './seen-cameras.ts';
import { eventJson, eventsJson } from './write-response.ts';

/** What every route of the backend works with. */
export interface EventDeps {
  readonly offsetsOf: ZoneOffsets;
  /** Milliseconds of a clock that is never set. */
  readonly ticks: () => number;
  /** Unix seconds. */
  readonly time: () => number;
  /** The cameras that the response may hold, of the requested ones (null: of all); `named` must all be visible. */
  readonly seen: (
    scope: CameraScope,
    asked: readonly string[] | null,
    named: readonly string[],
  ) => Promise<SeenCameras>;
  /** Whether a camera is listed, or has events. */
  readonly exists: (camera: string) => Promise<boolean>;
}

/** Set by the backend's first middleware. */
export interface EventsState {
  scope: CameraScope;
  /** The events, with the deadline of this request. */
  events: EventSource;
  /** What the caller may see now, for a response without end; undefined when the role is gone. */
  scopeNow: () => CameraScope | undefined;
  /** Likewise: the events, with a deadline that begins now. */
  eventsNow: () => EventSource;
}

export type EventsHandler = (ctx: Context & { state: EventsState; params: Record<string, string> }) => Promise<void>;

export function listEvents({ offsetsOf, seen }: EventDeps): EventsHandler {
  return async (ctx) => {
    const { events, scope } = ctx.state;
    const parameters = new URLSearchParams(ctx.querystring);
    const query = readEventsQuery(parameters, offsetsOf);
    if (!query.ok) return sendBadParameters(ctx, query.error);
    const { cameras: asked, hasThumbnails, ...question } = query.value;
    const visible = await seen(scope, asked, namedCameras(parameters, ['camera', 'cameras']));
    if (visible.kind === 'foreign') return sendRefusal(ctx, 'camera-not-in-role');
    const limit = Math.min(question.limit, MOST_ROWS);
    // One more than is sent tells whether there is a next page.
    const found = await events.find({ ...question, cameras: visible.cameras, limit: limit && limit + 1 });
    const page = found.slice(0, limit);
    if (found.length > limit) ctx.set('Link', linkBehind(page.at(-1), parameters));
    sendJson(ctx, await eventsJson(page, { thumbnails: hasThumbnails }, events));
  };
}

/** RFC 8288: relative to the address that was asked, whatever stands in front of it. */
function linkBehind(last: FoundEvent | undefined, parameters: URLSearchParams): string {
  const next = new URLSearchParams(parameters);
  next.set('page_after', `${last?.value ?? ''}~${last?.id}`);
  return `<?${next}>; rel="next"`;
}

/**
 * Interface 7: a foreign camera's event is a 403, and so is the event of a camera that no longer exists. To a restricted role
 * an event that does not exist is one too, for a 404 would tell it which foreign events there are.
 */
export function oneEvent({ seen }: EventDeps): EventsHandler {
  return async (ctx) => {
    const [event] = await ctx.state.events.read([ctx.params['id'] ?? ''], { thumbnails: true });
    if (!event && ctx.state.scope.kind === 'only') return sendRefusal(ctx, 'camera-not-in-role');
    if (!event) return sendNoSuchEvent(ctx);
    const visible = await seen(ctx.state.scope, [event.camera], [event.camera]);
    if (visible.kind === 'foreign' || visible.cameras?.length === 0) return sendRefusal(ctx, 'camera-not-in-role');
    sendJson(ctx, eventJson(event));
  };
}
