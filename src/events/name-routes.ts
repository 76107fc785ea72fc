/** Which labels, sub-labels, zones and plates there are, on the cameras that the caller sees (SPEC 7). */

import { NEWEST_FIRST } from '../domain/events/event-filters.ts';
import type { DistinctColumn } from '../domain/events/event-question.ts';
import { parseDecimal, parseWhole } from '../domain/events/parse-value.ts';
import { eventsSince, namedCameras } from './caller.ts';
import type { EventsHandler } from './event-routes.ts';
import { readParameters } from './read-query.ts';
import { refused } from './responses.ts';

/** `exists`: whether a camera is listed, or has events. */
export const listLabels =
  (exists: (camera: string) => Promise<boolean>): EventsHandler =>
  async (ctx) => {
    const { after: since } = readParameters(ctx, { after: parseDecimal });
    const named = new URLSearchParams(ctx.querystring).getAll('camera').filter((camera) => camera !== '');
    const asked = named.at(-1);
    const cameras = await ctx.state.seen(asked === undefined ? null : [asked], named);
    // As the reference has it, a camera that does not exist is refused here, to admins as well.
    if (asked !== undefined && (cameras?.length === 0 || !(await exists(asked)))) throw refused('camera-not-in-role');
    // The gate asks in its own name for a caller who sees no further back.
    const events = since === undefined ? ctx.state.events : eventsSince(ctx.state.events, since);
    ctx.body = [...(await events.distinct('label', cameras))].sort();
  };

/** Names that may be joined in one event; `split_joined` takes them apart. */
export const listJoinedNames =
  (column: DistinctColumn): EventsHandler =>
  async (ctx) => {
    const { split_joined: isSplit } = readParameters(ctx, { split_joined: parseWhole });
    const names = await ctx.state.events.distinct(column, await ctx.state.seen(null));
    ctx.body = [...(isSplit ? new Set(names.flatMap(elements)) : names)].sort();
  };

/** The span of the newest events whose zones are listed: a zone that was renamed long ago is no choice any more. */
const ZONES_OF_SECONDS = 30 * 86_400;
const UTC = [{ since: 0, seconds: 0 }];

export const listZones: EventsHandler = async (ctx) => {
  const { events, seen } = ctx.state;
  const named = namedCameras(new URLSearchParams(ctx.querystring), ['camera', 'cameras']);
  const cameras = await seen(named.length > 0 ? named : null, named);
  const [newest] = await events.find({ cameras, conditions: [], sort: NEWEST_FIRST, limit: 1 });
  const until = (newest?.value ?? 0) + 1;
  const from = until - ZONES_OF_SECONDS;
  const groups = newest ? await events.groups({ cameras, conditions: [], offsets: UTC, from, until }) : [];
  ctx.body = [...new Set(groups.flatMap(({ zonesJson }) => zonesIn(zonesJson)))].sort();
};

function zonesIn(json: string): readonly string[] {
  const zones: unknown = JSON.parse(json);
  return Array.isArray(zones) ? zones.filter((zone) => typeof zone === 'string') : [];
}

const elements = (joined: string): string[] =>
  joined
    .split(',')
    .map((element) => element.trim())
    .filter((element) => element !== '');
