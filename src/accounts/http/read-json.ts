/** The JSON body of a request to the account routes (SPEC 4.1). */
import type { IncomingMessage } from 'node:http';
import { type BodyLimits, readBody } from '../../domain/read-body.ts';
import { err, ok, type Result } from '../../domain/result.ts';

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
  const body = await readBody(request, limits);
  if (body.ok) return parse(body.value);
  // No response reaches a client that is gone: any status will do.
  return err(body.error === 'gone' ? 'too-slow' : body.error);
}

function isJson({ headers }: IncomingMessage): boolean {
  const type = JSON_TYPE.exec(headers['content-type']?.trim() ?? '');
  const encoding = headers['content-encoding'] ?? 'identity';
  return type !== null && !OTHER_CHARSET.test(type.groups?.['parameters'] ?? '') && encoding === 'identity';
}

function parse(body: Buffer): Result<unknown, BodyFault> {
  try {
    return ok(JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)));
  } catch {
    return err('not-json');
  }
}
