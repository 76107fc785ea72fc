/** The one reader of request bodies that are read whole: bounded in size and, where a limit is given, in time (SPEC 4.1, 5). */
import type { IncomingMessage } from 'node:http';
import { err, ok, type Result } from '../domain/result.ts';

/** Bytes (SPEC 4.1). */
// biome-ignore format: a table
export const BODY_LIMITS = {
  /** Names and passwords. */
  credentials:      8 * 1024,
  /** Roles and tokens: a thousand cameras with long names. */
  cameraList:      64 * 1024,
  /** `PUT /api/config/set` of the NVR: the masks and zones of many cameras. */
  nvrConfig: 4 * 1024 * 1024,
} as const;

export interface BodyLimits {
  readonly bytes: number;
  /** Undefined: as long as the connection lives. */
  readonly seconds?: number;
}

/** `gone`: the client closed the connection before the body ended. */
type BodyFault = 'too-large' | 'too-slow' | 'gone';

/** What is left of a body that is refused stays unread: its connection cannot carry another request. */
export function readBody(source: IncomingMessage, { bytes, seconds }: BodyLimits): Promise<Result<Buffer, BodyFault>> {
  if (Number(source.headers['content-length'] ?? 0) > bytes) return Promise.resolve(err('too-large'));
  if (source.readableEnded) return Promise.resolve(ok(Buffer.alloc(0)));
  if (source.destroyed) return Promise.resolve(err('gone'));
  return new Promise((settle) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (outcome: Result<Buffer, BodyFault>): void => {
      clearTimeout(deadline);
      source.off('data', onData);
      source.off('end', onEnd);
      for (const event of ['error', 'close'] as const) source.off(event, onGone);
      source.pause();
      settle(outcome);
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > bytes) finish(err('too-large'));
    };
    const onEnd = (): void => finish(ok(Buffer.concat(chunks)));
    const onGone = (): void => finish(err('gone'));
    const onDeadline = (): void => finish(err('too-slow'));
    const deadline = seconds === undefined ? undefined : setTimeout(onDeadline, seconds * 1000);
    source.on('data', onData);
    source.once('end', onEnd);
    for (const event of ['error', 'close'] as const) source.once(event, onGone);
  });
}

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;

/** The fields of a form, as browsers send them without script, and providers their messages. */
export async function readForm(request: IncomingMessage, limits: BodyLimits) {
  if (!FORM_TYPE.test(request.headers['content-type'] ?? '')) return { kind: 'not-a-form' } as const;
  const body = await readBody(request, limits);
  return body.ok
    ? ({ kind: 'read', fields: new URLSearchParams(body.value.toString()) } as const)
    : { kind: body.error };
}
