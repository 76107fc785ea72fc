/** The backend's responses: always JSON, and a refusal says what is wrong (interface 2.4, 7). */
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from 'koa';
import type { FoundEvent, StoredEvent } from '../domain/events/event-question.ts';
import type { ParameterFault } from '../domain/events/parse-value.ts';
import { REFUSALS, type RefusalReason, refusalBody } from '../domain/refusal.ts';
import type { EventSource } from '../store/events/events-table.ts';

export interface BadParameter extends ParameterFault {
  readonly name: string;
  /** Undefined when it is required and absent. */
  readonly input: string | undefined;
}

/** The NVR's file is back in less, after a restart or a restored backup. */
const RETRY_SECONDS = '5';

/** Thrown by a handler: the backend's first middleware answers. Both have a member that names what is answered. */
export const refused = (refusal: RefusalReason): Error => Object.assign(new Error(refusal), { refusal });
export const badParameters = (bad: readonly BadParameter[]): Error => Object.assign(new Error('bad query'), { bad });

/** Whether the fault was one of these. */
export function sendThrown(ctx: Context, fault: unknown): boolean {
  const { refusal, bad } = Object(fault) as {
    readonly refusal?: RefusalReason;
    readonly bad?: readonly BadParameter[];
  };
  if (refusal !== undefined) sendRefusal(ctx, refusal);
  if (bad !== undefined) sendBadParameters(ctx, bad);
  return refusal !== undefined || bad !== undefined;
}

export function sendRefusal(ctx: Context, reason: RefusalReason): void {
  ctx.status = REFUSALS[reason].status;
  if (reason === 'events-unreadable') ctx.set('Retry-After', RETRY_SECONDS);
  ctx.body = refusalBody(reason);
}

/** JSON that is written already, or that is being written. */
export function sendJson(ctx: Context, json: string | Iterable<string | Buffer> | AsyncIterable<string>): void {
  ctx.type = 'application/json';
  ctx.body = typeof json === 'string' ? json : Readable.from(json);
}

/** All of them at once, each with its reason; `detail` is what the reference sends, `message` what its pages show. */
function sendBadParameters(ctx: Context, bad: readonly BadParameter[]): void {
  const sentences = bad.map(({ name, message }) => `${name}: ${message}`);
  ctx.status = 422;
  ctx.body = {
    success: false,
    message: `The query is not valid. ${sentences.join('. ')}.`,
    reason: 'parameter-refused' satisfies RefusalReason,
    detail: bad.map(({ name, type, message, input }) => ({ type, loc: ['query', name], msg: message, input })),
  };
}

/** The reference says this with a bare JSON string, and its clients read it so. */
export function sendNoSuchEvent(ctx: Context): void {
  ctx.status = 404;
  sendJson(ctx, '"Event not found"');
}

/** So many rows are read at a time: the memory of a response does not grow with its size. */
const ROWS_PER_CHUNK = 200;

/** The interface's seventeen fields; `top_score` and `box` are read by older clients. */
export function eventJson(event: StoredEvent, more = ''): string {
  const { zonesJson, dataJson, ...plain } = event;
  const [zones, data] = [written(zonesJson, '[]'), written(dataJson, '{}')];
  return `${JSON.stringify(plain).slice(0, -1)},"zones":${zones},"data":${data},"top_score":null,"box":null${more}}`;
}

/** Zones or data that cannot be read are null in the source, and empty in a response. */
export const written = (json: string, empty: string): string => (json === 'null' ? empty : json);

/** A response of one chunk is a string, so that it has a length; a longer one is streamed. */
export async function eventsJson(
  found: readonly FoundEvent[],
  include: { readonly thumbnails: boolean },
  events: EventSource,
): Promise<string | AsyncIterable<string>> {
  const ids = found.map(({ id }) => id);
  if (ids.length > ROWS_PER_CHUNK) return chunks(ids, include, events);
  const rows = await events.read(ids, include);
  return `[${rows.map((row) => eventJson(row)).join(',')}]`;
}

async function* chunks(
  ids: readonly string[],
  include: { readonly thumbnails: boolean },
  events: EventSource,
): AsyncIterable<string> {
  let separator = '[';
  for (let at = 0; at < ids.length; at += ROWS_PER_CHUNK) {
    const rows = await events.read(ids.slice(at, at + ROWS_PER_CHUNK), include);
    if (rows.length === 0) continue;
    yield separator + rows.map((row) => eventJson(row)).join(',');
    separator = ',';
    await nextTurn();
  }
  yield separator === '[' ? '[]' : ']';
}
