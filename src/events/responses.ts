/** The backend's responses: always JSON, and a refusal says what is wrong (interface 7). */
import { Readable } from 'node:stream';
import type { Context } from 'koa';
import { REFUSALS, type RefusalReason } from '../domain/refusal.ts';
import type { BadParameter } from './read-query.ts';

/** The NVR's file is back in less, after a restart or a restored backup. */
const RETRY_SECONDS = '5';

export function sendRefusal(ctx: Context, reason: RefusalReason): void {
  const { status, message } = REFUSALS[reason];
  ctx.status = status;
  if (reason === 'events-unreadable') ctx.set('Retry-After', RETRY_SECONDS);
  ctx.body = { success: false, message };
}

/** JSON that is written already, or that is being written. */
export function sendJson(ctx: Context, json: string | Iterable<string | Buffer> | AsyncIterable<string>): void {
  ctx.type = 'application/json';
  ctx.body = typeof json === 'string' ? json : Readable.from(json);
}

/** All of them at once, each with its reason; `detail` is what the reference sends, `message` what its pages show. */
export function sendBadParameters(ctx: Context, bad: readonly BadParameter[]): void {
  const sentences = bad.map(({ name, message }) => `${name}: ${message}`);
  ctx.status = 422;
  ctx.body = {
    success: false,
    message: `The query is not valid. ${sentences.join('. ')}.`,
    detail: bad.map(({ name, type, message, input }) => ({ type, loc: ['query', name], msg: message, input })),
  };
}

/** The reference says this with a bare JSON string, and its clients read it so. */
export function sendNoSuchEvent(ctx: Context): void {
  ctx.status = 404;
  sendJson(ctx, '"Event not found"');
}
