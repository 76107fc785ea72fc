/** A row of a route table: its keys as they are written, the words for a bad value, and as requests are judged by it (SPEC 5). */
import { z } from 'zod';
import {
  ACCESS_LEVELS,
  type BodyField,
  type BodyShape,
  PARAMETER_FORMS,
  type ParameterForms,
  RESPONSE_FORMS,
  SIGNALLING,
  STARTED_KINDS,
  VALUE_FORMS,
  VERBS,
  VIEWS,
} from '../domain/policy.ts';
import { err, ok, type Result } from '../domain/result.ts';
import { parseLocator, parseNarrowing, parsePrefixPlace, parseTimePlace } from './parse-terms.ts';
import { formed, type Loose, parsed } from './shapes.ts';

/** A term of the row: text that `read` knows, or a problem in these words. */
const term = <Term>(read: (text: string) => Term | undefined, wrong: string) =>
  parsed((text) => {
    const known = read(text);
    return known === undefined ? err(`${JSON.stringify(text)} ${wrong}`) : ok(known);
  });

/** A release of the NVR: `0.18`. */
export const releaseSchema = z.string().regex(/^\d+\.\d+$/);

/** A member of JSON, or a parameter of the query. */
const memberName = z.string().regex(/^\w+$/);

// biome-ignore format: a table
export const rowSchema = z.strictObject({
  /** Methods and path: GET stands for HEAD too; `WS` is a WebSocket upgrade; `ANY` every method. `/api/{camera}/latest.{extension}`: `{name}` is one segment or a part of one, `{name:shape}` one of that shape, `{name...}` the remainder, or one segment and more before others. */
  route: z.string(),
  access: z.enum(ACCESS_LEVELS),
  cameras: z.array(term(parseLocator, 'is not a camera locator: write for example "path:camera" or "query:cameras"')).min(1).exactOptional(),
  /** Absent: named cameras are judged, and nothing else is narrowed. */
  narrow: term(parseNarrowing, 'is not a way to narrow a response: write for example check or "rewrite:cameras"').exactOptional(),
  /** What the answer looks like, where the answer itself is narrowed. */
  answer: z.enum(RESPONSE_FORMS).exactOptional(),
  /** The member of the answer's objects that names their camera; absent: `camera`. */
  named_by: memberName.exactOptional(),
  /** The members of the answer, at any depth, that only admins get. */
  hidden: z.array(memberName).min(1).exactOptional(),
  /** The members of the answer, at any depth, that hold addresses of the server itself: they are written below its prefix. */
  addresses: z.array(memberName).min(1).exactOptional(),
  /** How the list comes in pages: members of the answer (elements, how many there are on all pages, how many pages), parameters of the query (how many elements a page has, its number from 0), and how many a page has where none is asked for. */
  paging: z.strictObject({ list: memberName, count: memberName, pages: memberName, size: memberName, number: memberName, usual: z.int().min(1) }).exactOptional(),
  /** Where the row names times. Without it a caller who sees back to a moment is refused. */
  times: z.array(term(parseTimePlace, 'does not say where times stand: write for example "query:after" or "path:start"')).min(1).exactOptional(),
  by_prefix: z.array(term(parsePrefixPlace, 'does not say when the NVR looks up by the beginning of a name: write for example always or "recent:path:start"')).min(1).exactOptional(),
  /** The response body when the caller may see none of it; default: an empty list. */
  empty: z.unknown().exactOptional(),
  /** The verb that a role may be denied. */
  verb: z.enum(VERBS).exactOptional(),
  /** What a role gets that is denied the verb: `empty`, the empty response. Absent: a refusal. */
  denied: z.literal('empty').exactOptional(),
  /** What the response shows, for records; absent: no pictures and no sound. */
  views: z.enum(VIEWS).exactOptional(),
  /** What the JSON body may hold; `any`: it is not read. Of Postern's own rows the route itself judges it. */
  body: formed(z.unknown(), parseBodyForm).exactOptional(),
  /** The parameters that all but admins may send, each once; absent: any. */
  query: formed(z.record(z.string(), z.string()), parseQueryForms).exactOptional(),
  /** Fields of a JSON body, at any depth, that only an admin may send. */
  admin_fields: z.array(z.string().min(1)).min(1).exactOptional(),
  /** Query parameters that only an admin may send. */
  admin_parameters: z.array(z.string().min(1)).min(1).exactOptional(),
  /** Offers of live pictures: those in the body, or in the messages of a WebSocket, are judged for all but admins. */
  signalling: z.union([z.boolean(), z.enum(SIGNALLING)]).exactOptional(),
  /**
   * The response names something of the row's cameras that is started: `job`, in the JSON field `job_id`; `session`, in the
   * parameter `id` of the addresses of a playlist; `whep`, a session of live pictures, whose secret ends `Location`.
   */
  starts: z.enum(STARTED_KINDS).exactOptional(),
  /** The streams and cameras that are named must be known ones, for all but admins. */
  known: z.literal(true).exactOptional(),
  /** Changes state, though not for admins only. */
  writes: z.boolean().exactOptional(),
  /** A parameter right behind a fixed start is a camera name, and fixed routes come first. */
  dynamic: z.boolean().exactOptional(),
  /** Credentials are presented here, so the proxy secret is asked for although the route is public. */
  secret: z.boolean().exactOptional(),
  /** A caller who must set up a second factor first needs it for that, or to leave. */
  enrolment: z.boolean().exactOptional(),
  /** Whether an admin may read it as another person would get it. */
  view_as: z.literal(true).exactOptional(),
  /** A page to begin at: the first that a person may open is the start page. A camera that it names is the person's first. */
  page: z.literal(true).exactOptional(),
  /** Whether a credential that does not use all rows may use the row of Postern's own. */
  few: z.literal(true).exactOptional(),
  /** The right of a feature: an API token that was made for it may use the row of Postern's own, and no row without it. */
  right: memberName.exactOptional(),
  /** The path stands for one of the NVR, which is judged in its place. */
  stands_for: z.literal('nvr').exactOptional(),
  /** The exception: Postern takes its part of the request and forwards the rest. */
  forwarded: z.boolean().exactOptional(),
  /**
   * Whether the response is compressed (Postern's own rows): it holds no secret beside text of a stranger, so its length may
   * tell of its content.
   */
  compressed: z.boolean().exactOptional(),
  note: z.string().exactOptional(),
  handler: z.strictObject({ checked: z.array(releaseSchema).min(1), does: z.string().min(1) }).exactOptional(),
});

export type RowText = z.output<typeof rowSchema>;

type Read<Row> = { readonly [Key in keyof Row]: Loose<Row[Key]> };
export type PolicyRow = Read<Omit<RowText, 'route' | 'handler'>> & {
  readonly methods: readonly string[];
  readonly path: string;
  /** A row of Postern's own table: Postern serves the path itself, and no request for it reaches the NVR. */
  readonly own?: boolean;
  /** Where the row stands. */
  readonly file?: string;
  readonly line: number;
};
export type Paging = NonNullable<PolicyRow['paging']>;

/** `GET,WS /api/{camera}` as its methods and its path. */
export function splitRoute(route: string): { methods: readonly string[]; path: string } {
  const [methods = '', path = ''] = route.split(' ', 2);
  return { methods: methods.split(','), path };
}

/** The body and the query of a row as they are written, as shapes: fields or parameters, each with the name of its form (SPEC 5). */
const WORDS = /^[\w-]+(?:\|[\w-]+)+$/;
const NAME = /^(?<name>\w+)(?<isRequired>!?)$/;
const USUAL_LONGEST_TEXT = 256;
const LONGEST = { body: /^text(?::(?<longest>\d{1,5}))?$/, query: /^text(?::(?<longest>\d{1,4}))?$/ } as const;

/** A text of some length, one of some words, or a kind that has a name. */
function formNamed<Kind extends string>(written: string, kinds: readonly Kind[], place: keyof typeof LONGEST) {
  const text = LONGEST[place].exec(written);
  if (text) return { kind: 'text', longest: Number(text.groups?.['longest'] ?? USUAL_LONGEST_TEXT) } as const;
  const kind = kinds.find((form) => form === written);
  if (kind) return { kind };
  return WORDS.test(written) ? ({ kind: 'word', words: written.split('|') } as const) : undefined;
}

const IN_BODY = `write a map of fields, a list of one form, text:<letters>, words such as "on|off", or ${VALUE_FORMS.join(', ')}`;
const IN_QUERY = `write text:<letters>, words such as "on|off", or ${PARAMETER_FORMS.join(', ')}`;

/** The error says what is wrong, and where. */
function parseBodyForm(written: unknown): Result<BodyShape | 'any', string> {
  return written === 'any' ? ok(written) : parseShape(written, 'body');
}

function parseShape(written: unknown, place: string): Result<BodyShape, string> {
  if (typeof written === 'string') {
    const shape = formNamed(written, VALUE_FORMS, 'body');
    return shape ? ok(shape) : err(`${place} has ${JSON.stringify(written)}, which is no form: ${IN_BODY}`);
  }
  if (Array.isArray(written)) {
    if (written.length !== 1) return err(`${place} must have one form in its list: write for example [id]`);
    const of = parseShape(written[0], `${place}[]`);
    return of.ok ? ok({ kind: 'list', of: of.value }) : of;
  }
  if (typeof written !== 'object' || written === null) return err(`${place} is no form: ${IN_BODY}`);
  const fields: Record<string, BodyField> = {};
  for (const [key, form] of Object.entries(written)) {
    const { name, isRequired } = NAME.exec(key)?.groups ?? {};
    if (name === undefined) return err(`${place} has ${JSON.stringify(key)}, which is not the name of a field`);
    const shape = parseShape(form, `${place}.${name}`);
    if (!shape.ok) return shape;
    fields[name] = { shape: shape.value, isRequired: isRequired === '!' };
  }
  return ok({ kind: 'object', fields });
}

function parseQueryForms(written: Readonly<Record<string, string>>): Result<ParameterForms, string> {
  const forms: Record<string, ParameterForms[string]> = {};
  for (const [key, form] of Object.entries(written)) {
    const { name, isRequired } = NAME.exec(key)?.groups ?? {};
    if (name === undefined) return err(`query has ${JSON.stringify(key)}, which is not the name of a parameter`);
    const shape = formNamed(form, PARAMETER_FORMS, 'query');
    if (!shape) return err(`query.${name} has ${JSON.stringify(form)}, which is no form: ${IN_QUERY}`);
    forms[name] = { shape, isRequired: isRequired === '!' };
  }
  return ok(forms);
}
