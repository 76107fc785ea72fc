/** What the gate tells itself: its status, and of events their counts and changes, and zones where no events backend tells them (SPEC 8). */
import type { Next } from 'koa';
import { z } from 'zod';
import { viewOf } from '../../access/camera-view.ts';
import { EVENTS_PATH } from '../../domain/events/event-paths.ts';
import type { ServiceStatus } from '../../domain/status.ts';
import type { OwnRoute, RouteContext } from '../../routes/own-route.ts';
import { named, STATUS, TEXT } from '../../routes/shapes.ts';
import type { Rules } from '../decision/admit.ts';

const CAMERAS_QUERY = { cameras: 'Only of these cameras, joined by commas' };
const COUNTS_QUERY = {
  cameras: `Names, with commas; every other filter of ${EVENTS_PATH} holds, too`,
  after: 'Unix seconds',
  before: 'Unix seconds',
  until: 'Unix seconds: slices go on to here when after is given',
  timezone: 'Where days begin, such as Europe/Berlin; UTC when not given',
  slices: 'The most slices of time, 2 to 1000; 96 when not given',
  series: 'So many of the most frequent cameras, or labels, are told slice by slice; 8 when not given',
  by: 'camera, or label: then there are labels in the place of cameras; camera when not given',
};
const COUNTS = named(
  'EventCounts',
  z.object({
    total: z.int(),
    complete: z.boolean().meta({ description: 'false: older events were not counted' }),
    seconds: z.int().meta({ description: 'How long a slice is' }),
    starts: z.array(z.number()).meta({ description: 'Unix seconds: where each slice begins' }),
    end: z.number().nullable().meta({ description: 'Unix seconds: where the last slice ends' }),
    cameras: z.array(z.object({ camera: TEXT, total: z.int(), counts: z.array(z.int()).optional() })),
    labels: z.array(z.object({ label: TEXT, total: z.int(), counts: z.array(z.int()).optional() })).optional(),
    others: z.array(z.int()).meta({ description: 'All cameras, or labels, without counts, one a slice' }),
  }),
);

export interface ZonesRouteDeps {
  /** Then the request is forwarded to it. */
  readonly hasEventsBackend: boolean;
  readonly surroundings: Rules['surroundings'];
}

/** The counts and the changes of events are answered by the events backend, or of what the NVR lists. */
// biome-ignore format: a table
export const EVENT_ROUTES: readonly OwnRoute<ZonesRouteDeps>[] = [
  { route: 'GET /api/events/counts', access: 'any', cameras: ['query:camera', 'query:cameras'], narrow: 'rewrite:cameras', times: ['query:after'], verb: 'history', view_as: true, forwarded: true, compressed: true,
    empty: { total: 0, complete: true, seconds: 0, starts: [], end: null, cameras: [], others: [] },
    summary: `How many events there are, by camera or label and slice of time; filters as in ${EVENTS_PATH}`, query: COUNTS_QUERY, yes: [200, COUNTS], no: [422, 502] },
  { route: 'GET /api/events/changes', access: 'any', cameras: ['query:camera', 'query:cameras'], narrow: 'rewrite:cameras', times: ['query:after'], verb: 'history', forwarded: true,
    summary: 'A stream: an event "newest" with {"id"} when it begins, and whenever the newest events of the caller have changed', query: CAMERAS_QUERY, yes: [200], no: [404], type: 'text/event-stream' },
  { route: 'GET /api/zones', access: 'any', cameras: ['query:camera', 'query:cameras'], narrow: 'rewrite:cameras', times: ['query:after'], verb: 'history', view_as: true, forwarded: true,
    summary: 'Names of zones, on the cameras that the caller sees', query: CAMERAS_QUERY, yes: [200, z.array(TEXT)], handler: zones },
];

async function zones(ctx: RouteContext, { hasEventsBackend, surroundings }: ZonesRouteDeps, next: Next): Promise<void> {
  if (hasEventsBackend) return next();
  const { caller } = ctx.state;
  const { layout, now } = surroundings();
  if (!caller || !layout) return void Object.assign(ctx, { body: [] });
  const view = viewOf(caller, now, layout);
  const seen = [...view.layout.zones].filter(([, cameras]) => cameras.some(view.sees));
  ctx.set('Cache-Control', 'no-store');
  ctx.body = seen.map(([zone]) => zone).sort();
}

// biome-ignore format: a table
export const STATUS_ROUTES: readonly OwnRoute<() => Promise<ServiceStatus>>[] = [
  { route: 'GET /api/status', access: 'admin', note: 'addresses, warnings and failures of the service', summary: 'State of the service', yes: [200, STATUS],
    handler: async (ctx, status) => {
      ctx.set('Cache-Control', 'no-store');
      ctx.body = await status();
    } },
];
