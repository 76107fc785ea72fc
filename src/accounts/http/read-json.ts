/** The body of a small JSON request, with an end to its size and to the patience it is read with (SPEC 4.1). */
import type { IncomingMessage } from 'node:http';
import { err, ok, type Result } from '../../domain/result.ts';

export interface BodyLimits {
  readonly bytes: number;
  /** `server.timeout_login_body`. */
  readonly seconds: number;
}

/** Why there is no value, as a row of `BODY_FAULTS`. */
export type BodyFault = keyof typeof BODY_FAULTS;

// biome-ignore format: a table
export const BODY_FAULTS = {
  'not-json-type':  { status: 415, message: 'Send JSON: "Content-Type: application/json", in UTF-8, without Content-Encoding.' },
  'too-large':      { status: 413, message: 'The request body is too large.' },
  'too-slow':       { status: 408, message: 'The request body took too long to arrive.' },
  'not-json':       { status: 422, message: 'The request body is not JSON in UTF-8.' },
} as const;

const JSON_TYPE = /^application\/json\s*(?:;(?<parameters>.*))?$/is;
const OTHER_CHARSET = /(?:^|;)\s*charset\s*=\s*(?!"?utf-?8"?\s*(?:;|$))/i;

export async function readJson(request: IncomingMessage, limits: BodyLimits): Promise<Result<unknown, BodyFault>> {
  if (!isJson(request)) return err('not-json-type');
  if (Number(request.headers['content-length'] ?? 0) > limits.bytes) return err('too-large');
  const body = await readBytes(request, limits);
  return body.ok ? parse(body.value) : body;
}

function isJson({ headers }: IncomingMessage): boolean {
  const type = JSON_TYPE.exec(headers['content-type']?.trim() ?? '');
  const encoding = headers['content-encoding'] ?? 'identity';
  return type !== null && !OTHER_CHARSET.test(type.groups?.['parameters'] ?? '') && encoding === 'identity';
}

/** A client that leaves in mid-body counts as slow: nobody is there to read the answer. */
function readBytes(request: IncomingMessage, { bytes, seconds }: BodyLimits): Promise<Result<Buffer, BodyFault>> {
  return new Promise((settle) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (outcome: Result<Buffer, BodyFault>): void => {
      clearTimeout(deadline);
      request.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone).pause();
      settle(outcome);
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > bytes) finish(err('too-large'));
    };
    const onEnd = (): void => finish(ok(Buffer.concat(chunks)));
    const onGone = (): void => finish(err('too-slow'));
    const deadline = setTimeout(onGone, seconds * 1000);
    request.on('data', onData).once('end', onEnd).once('error', onGone).once('close', onGone);
  });
}

function parse(body: Buffer): Result<unknown, BodyFault> {
  try {
    return ok(JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)));
  } catch {
    return err('not-json');
  }
}
