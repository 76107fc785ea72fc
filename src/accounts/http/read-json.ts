/** The JSON body of a request to the account routes (SPEC 4.1). */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isNestedTooDeep } from '../../domain/json.ts';
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

/** Whether a request that may be the form of a page is a program's. */
export const isJson = ({ req }: { readonly req: IncomingMessage }): boolean =>
  /^application\/json/i.test(req.headers['content-type'] ?? '');

/** `untyped`: a body without a Content-Type is JSON, too, where no browser has sent it. */
export async function readJson(
  request: IncomingMessage,
  { untyped = false, ...limits }: BodyLimits & { readonly untyped?: boolean },
): Promise<Result<unknown, BodyFault>> {
  if (!isTyped(request, untyped)) return err('not-json-type');
  const body = await readBody(request, limits);
  if (body.ok) return parse(body.value);
  // No response reaches a client that is gone: any status will do.
  return err(body.error === 'gone' ? 'too-slow' : body.error);
}

function isTyped({ headers }: IncomingMessage, untyped: boolean): boolean {
  const given =
    headers['content-type'] ?? (untyped && hasBody(headers) && !isOfBrowser(headers) ? 'application/json' : '');
  const type = JSON_TYPE.exec(given.trim());
  const encoding = headers['content-encoding'] ?? 'identity';
  return type !== null && !OTHER_CHARSET.test(type.groups?.['parameters'] ?? '') && encoding === 'identity';
}

export const hasBody = (headers: IncomingHttpHeaders): boolean =>
  Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined;

/** A browser says from where it posts; a page of another site can leave out the type alone. */
const isOfBrowser = (headers: IncomingHttpHeaders): boolean =>
  headers.origin !== undefined || headers['sec-fetch-site'] !== undefined;

function parse(body: Buffer): Result<unknown, BodyFault> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
    return isNestedTooDeep(text) ? err('not-json') : ok(JSON.parse(text));
  } catch {
    return err('not-json');
  }
}
