/** The JSON body of a request: read, and its fields by the shape that its route declares, or a list of what is wrong with them (SPEC 4.1: 422). */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { z } from 'zod';
import { parseCameraEntry } from '../../domain/camera-scope.ts';
import { boundedJson, isRecord } from '../../domain/json.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { utf8 } from '../../domain/text.ts';
import { type BodyLimits, readBody } from '../../routes/read-body.ts';
import { described } from '../../routes/shapes.ts';

/** One thing that is wrong, as the NVR's own API says it. */
export interface FieldFault {
  readonly loc: readonly string[];
  readonly msg: string;
  readonly type: string;
}

const UNICODE = 'Input should be well-formed Unicode';
/** A text that is given. */
export const GIVEN_TEXT = z.string().refine((text) => text.isWellFormed(), UNICODE);
/** May be absent; null reads as empty. */
export const MAYBE_GIVEN_TEXT = GIVEN_TEXT.nullish().transform((text) => (text === null ? '' : text));

/** The rules of passwords are judged where one is set. */
export const NEW_PASSWORD = GIVEN_TEXT.meta({
  description:
    'At least auth.password_min_length code points (12), at most 1024 bytes; not a common one, and without the name of the user or the service',
});
export const CODE = { description: 'Six digits of an authenticator app, or a recovery code' };
export const ROLE_GIVEN = { description: 'admin, viewer or a custom role' };
export const NAMED = described('Named', { name: GIVEN_TEXT });
export const NAME_SIZE = { minLength: 1, maxLength: 64 };
/** What people call a passkey or a device. */
export const THING_NAME = described('Name', { name: GIVEN_TEXT.meta(NAME_SIZE) });
/** Shown in lists and audit lines. */
const THING = /^[^\p{C}\p{Zl}\p{Zp}]{1,64}$/u;

/** A name as it is kept, or what is wrong with it. */
export function thingName(written: string): Result<string, readonly FieldFault[]> {
  const name = written.trim().normalize();
  const msg = 'A name has 1 to 64 characters, and no control characters';
  return THING.test(name) ? ok(name) : err([{ loc: ['body', 'name'], msg, type: 'value_error' }]);
}

export const NO_CAMERA_LIST: FieldFault = {
  loc: ['body', 'cameras'],
  msg: 'Input should be a list of camera names',
  type: 'list_type',
};

/** Other fields are passed over. */
export function fieldsIn<Shape extends z.ZodType>(
  shape: Shape,
  body: unknown,
): Result<z.output<Shape>, readonly FieldFault[]> {
  const read = shape.safeParse(body, { reportInput: true });
  return read.success ? ok(read.data) : err(fieldFaults(read.error.issues));
}

/** Names and patterns of cameras, each once; or what is wrong with one. */
export function cameraEntriesIn(wanted: readonly unknown[]): Result<readonly string[], string> {
  const cameras = new Set<string>();
  for (const entry of wanted) {
    const camera = typeof entry === 'string' ? parseCameraEntry(entry) : err(`${shown(entry)} is not a camera name`);
    if (!camera.ok) return camera;
    cameras.add(camera.value);
  }
  return ok([...cameras]);
}

/** The fields of an object that the shape does not know; none for what is no object. */
export function unknownFields(shape: z.ZodObject, body: unknown): readonly FieldFault[] {
  const known = Object.keys(shape.shape);
  return Object.keys(isRecord(body) ? body : {})
    .filter((name) => !known.includes(name))
    .map((name) => ({
      loc: ['body', name.slice(0, 100).toWellFormed()],
      msg: `Unknown field: write only ${known.join(', ')}`,
      type: 'extra_forbidden',
    }));
}

/** Texts come first: while one of them is wrong, no other field is told of. */
function fieldFaults(issues: readonly z.core.$ZodIssue[]): readonly FieldFault[] {
  const texts = issues.flatMap(textFault);
  if (texts.length > 0) return texts;
  const others = issues.map(({ path, message: msg, ...issue }) => ({
    loc: ['body', ...path.map(String)],
    msg,
    type: 'expected' in issue && issue.expected === 'int' ? 'int_type' : 'value_error',
  }));
  return [...new Map(others.map((fault) => [fault.loc.join('.'), fault])).values()];
}

function textFault(issue: z.core.$ZodIssue): FieldFault[] {
  const loc = ['body', ...issue.path.map(String)];
  if (issue.path.length === 0) return [{ loc, msg: 'Input should be an object', type: 'model_type' }];
  if (issue.message === UNICODE) return [{ loc, msg: UNICODE, type: 'string_unicode' }];
  if (issue.code !== 'invalid_type' || issue.expected !== 'string') return [];
  return issue.input === undefined
    ? [{ loc, msg: 'Field required', type: 'missing' }]
    : [{ loc, msg: 'Input should be a string', type: 'string_type' }];
}

/** A value of a body for a sentence about it; not what is within it, which may be nested without end. */
export const shown = (value: unknown): string =>
  typeof value === 'object' && value !== null ? 'a list or an object' : String(value);

/** Why there is no value. */
// biome-ignore format: a table
export const BODY_FAULTS = {
  'not-json-type':  { status: 415, reason: 'body-unreadable', message: 'Send JSON: "Content-Type: application/json", in UTF-8, without Content-Encoding.' },
  'too-large':      { status: 413, reason: 'body-too-large', message: 'The request body is too large.' },
  'too-slow':       { status: 408, reason: 'body-too-slow', message: 'The request body took too long to arrive.' },
  'not-json':       { status: 422, reason: 'body-unreadable', message: 'The request body is not JSON in UTF-8.' },
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
): Promise<Result<unknown, keyof typeof BODY_FAULTS>> {
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

function parse(body: Buffer): Result<unknown, 'not-json'> {
  const json = boundedJson(utf8(body) ?? '');
  return json === undefined ? err('not-json') : ok(json);
}
