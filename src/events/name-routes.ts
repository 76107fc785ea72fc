/** Which labels, sub-labels, zones and plates there are, on the cameras that the caller sees (SPEC 7). */

import { NEWEST_FIRST } from '../domain/events/event-filters.ts';
import type { DistinctColumn } from '../domain/events/event-question.ts';
import { parseDecimal, parseWhole } from '../domain/events/parse-value.ts';
import type { EventDeps, EventsHandler } from './event-routes.ts';
import { createParameters } from './read-parameters.ts';
import { sendBadParameters, sendRefusal } from './responses.ts';
import { namedCameras } from './seen-cameras.ts';
import { eventsSince } from './since.ts';

export function listLabels({ seen, exists }: EventDeps): EventsHandler {
  return async (ctx) => {
    const query = new URLSearchParams(ctx.querystring);
    const parameters = createParameters(query);
    const since = parameters.read('after', parseDecimal);
    if (parameters.bad.length > 0) return sendBadParameters(ctx, parameters.bad);
    const cameras = query.getAll('camera').filter((camera) => camera !== '');
    const asked = cameras.at(-1);
    const visible = await seen(ctx.state.scope, asked === undefined ? null : [asked], cameras);
    if (visible.kind === 'foreign') return sendRefusal(ctx, 'camera-not-in-role');
    // As the reference has it, a camera that does not exist is refused here, to admins as well.
    const isAbsent = asked !== undefined && (visible.cameras?.length === 0 || !(await exists(asked)));
    if (isAbsent) return sendRefusal(ctx, 'camera-not-in-role');
    // The gate asks in its own name for a caller who sees no further back.
    const events = since === undefined ? ctx.state.events : eventsSince(ctx.state.events, since);
    ctx.body = [...(await events.distinct('label', visible.cameras))].sort();
  };
}

/** Names that may be joined in one event; `split_joined` takes them apart. */
export function listJoinedNames(column: DistinctColumn, { seen }: EventDeps): EventsHandler {
  return async (ctx) => {
    const parameters = createParameters(new URLSearchParams(ctx.querystring));
    const isSplit = parameters.read('split_joined', parseWhole);
    if (parameters.bad.length > 0) return sendBadParameters(ctx, parameters.bad);
    const visible = await seen(ctx.state.scope, null, []);
    const names = visible.kind === 'foreign' ? [] : await ctx.state.events.distinct(column, visible.cameras);
    ctx.body = isSplit ? [...new Set(names.flatMap(elements))].sort() : [...names].sort();
  };
}

/** The span of the newest events whose zones are listed: a zone that was renamed long ago is no choice any more. */
const ZONES_OF_SECONDS = 30 * 86_400;
const UTC = [{ since: 0, seconds: 0 }];

export function listZones({ seen }: EventDeps): EventsHandler {
  return async (ctx) => {
    const { events, scope } = ctx.state;
    const named = namedCameras(new URLSearchParams(ctx.querystring), ['camera', 'cameras']);
    const visible = await seen(scope, named.length > 0 ? named : null, named);
    if (visible.kind === 'foreign') return sendRefusal(ctx, 'camera-not-in-role');
    const { cameras } = visible;
    const [newest] = await events.find({ cameras, conditions: [], sort: NEWEST_FIRST, limit: 1 });
    const until = (newest?.value ?? 0) + 1;
    const from = until - ZONES_OF_SECONDS;
    const groups = newest ? await events.groups({ cameras, conditions: [], offsets: UTC, from, until }) : [];
    ctx.body = [...new Set(groups.flatMap(({ zonesJson }) => zonesIn(zonesJson)))].sort();
  };
}

function zonesIn(json: string): readonly string[] {
  const zones: unknown = JSON.parse(json);
  return Array.isArray(zones) ? zones.filter((zone) => typeof zone === 'string') : [];
}

const elements = (joined: string): string[] =>
  joined
    .split(',')
    .map((element) => element.trim())
    .filter((element) => element !== '');
