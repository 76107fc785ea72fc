/** Own routes of the gate: its status; days, changes and zones of events, as far as the events backend does not answer them (SPEC 8). */
import type { Next } from 'koa';
import { z } from 'zod';
import { createCameraView } from '../../access/camera-view.ts';
import type { Services } from '../../app/services.ts';
import type { OwnRoute, RouteContext } from '../../routes/own-route.ts';
import { named, STATUS, TEXT } from '../../routes/shapes.ts';

const CAMERAS_QUERY = { cameras: 'Only of these cameras, joined by commas' };
const DAYS_QUERY = {
  ...CAMERAS_QUERY,
  labels: 'Only of these labels, joined by commas',
  after: 'Unix seconds, at most 400 days before the end; the newest 90 days when not given',
  before: 'Unix seconds',
  timezone: 'Whose days are counted, such as Europe/Berlin; UTC when not given',
};
const DAYS = named(
  'EventDays',
  z.array(
    z.object({
      day: z.string().meta({ description: 'YYYY-MM-DD; days without events are left out' }),
      camera: TEXT.optional().meta({ description: 'Absent where the NVR counts' }),
      count: z.int(),
    }),
  ),
);

type ZoneServices = Pick<Services, 'hasEventsBackend' | 'surroundings'>;

/** The days and the changes of events are answered by the events backend, or of what the NVR tells. */
// biome-ignore format: a table
export const EVENT_ROUTES: readonly OwnRoute<ZoneServices>[] = [
  { route: 'GET /api/events/days', access: 'any', cameras: ['query:cameras'], narrow: 'rewrite:cameras', times: ['own-data'], verb: 'history', view_as: true, forwarded: true, compressed: true, empty: [],
    summary: 'How many events a day, by camera; where the NVR keeps the events: how many reviews a day, of the last 30', query: DAYS_QUERY, yes: [200, DAYS], no: [422, 502, 503] },
  { route: 'GET /api/events/changes', access: 'any', cameras: ['query:camera', 'query:cameras'], narrow: 'rewrite:cameras', times: ['query:after'], verb: 'history', forwarded: true,
    summary: 'A stream: an event "newest" with {"id"} when it begins, and whenever the newest events of the caller have changed', query: CAMERAS_QUERY, yes: [200], no: [404], type: 'text/event-stream' },
  { route: 'GET /api/zones', access: 'any', cameras: ['query:camera', 'query:cameras'], narrow: 'rewrite:cameras', times: ['query:after'], verb: 'history', view_as: true, forwarded: true,
    summary: 'Names of zones, on the cameras that the caller sees', query: CAMERAS_QUERY, yes: [200, z.array(TEXT)], handler: zones },
];

async function zones(ctx: RouteContext, { hasEventsBackend, surroundings }: ZoneServices, next: Next): Promise<void> {
  if (hasEventsBackend) return next();
  const { caller } = ctx.state;
  const around = surroundings();
  if (!caller || !around.layout) return void Object.assign(ctx, { body: [] });
  const view = createCameraView(caller, around);
  const seen = [...view.layout.zones].filter(([, cameras]) => cameras.some(view.sees));
  ctx.set('Cache-Control', 'no-store');
  ctx.body = seen.map(([zone]) => zone).sort();
}

// biome-ignore format: a table
export const STATUS_ROUTES: readonly OwnRoute<Pick<Services, 'status'>>[] = [
  { route: 'GET /api/status', access: 'admin', note: 'addresses, warnings and failures of the service', summary: 'State of the service', yes: [200, STATUS],
    handler: async (ctx, { status }) => {
      ctx.set('Cache-Control', 'no-store');
      ctx.body = await status();
    } },
];
