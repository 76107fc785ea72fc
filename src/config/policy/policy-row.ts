/** A row of a route table as it is written: its keys, and the words for a bad value (SPEC 5). */
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
} from '../../domain/policy.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { formed, parsed } from '../schema/value-types.ts';
import { parseLocator, parseNarrowing, parsePrefixPlace, parseTimePlace } from './parse-terms.ts';

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
  route: z.string(),
  access: z.enum(ACCESS_LEVELS),
  cameras: z.array(term(parseLocator, 'is not a camera locator: write for example "path:camera" or "query:cameras"')).min(1).exactOptional(),
  narrow: term(parseNarrowing, 'is not a way to narrow a response: write for example check or "rewrite:cameras"').exactOptional(),
  answer: z.enum(RESPONSE_FORMS).exactOptional(),
  named_by: memberName.exactOptional(),
  hidden: z.array(memberName).min(1).exactOptional(),
  addresses: z.array(memberName).min(1).exactOptional(),
  paging: z.strictObject({ list: memberName, count: memberName, pages: memberName, size: memberName, number: memberName, usual: z.int().min(1) }).exactOptional(),
  times: z.array(term(parseTimePlace, 'does not say where times stand: write for example "query:after" or "path:start"')).min(1).exactOptional(),
  by_prefix: z.array(term(parsePrefixPlace, 'does not say when the NVR looks up by the beginning of a name: write for example always or "recent:path:start"')).min(1).exactOptional(),
  empty: z.unknown().exactOptional(),
  verb: z.enum(VERBS).exactOptional(),
  denied: z.literal('empty').exactOptional(),
  views: z.enum(VIEWS).exactOptional(),
  body: formed(z.unknown(), parseBodyForm).exactOptional(),
  query: formed(z.record(z.string(), z.string()), parseQueryForms).exactOptional(),
  admin_fields: z.array(z.string().min(1)).min(1).exactOptional(),
  admin_parameters: z.array(z.string().min(1)).min(1).exactOptional(),
  signalling: z.union([z.boolean(), z.enum(SIGNALLING)]).exactOptional(),
  starts: z.enum(STARTED_KINDS).exactOptional(),
  known: z.literal(true).exactOptional(),
  writes: z.boolean().exactOptional(),
  dynamic: z.boolean().exactOptional(),
  secret: z.boolean().exactOptional(),
  enrolment: z.boolean().exactOptional(),
  view_as: z.literal(true).exactOptional(),
  page: z.literal(true).exactOptional(),
  few: z.literal(true).exactOptional(),
  right: memberName.exactOptional(),
  stands_for: z.literal('nvr').exactOptional(),
  forwarded: z.boolean().exactOptional(),
  compressed: z.boolean().exactOptional(),
  note: z.string().exactOptional(),
  handler: z.strictObject({ checked: z.array(releaseSchema).min(1), does: z.string().min(1) }).exactOptional(),
});

export type RowText = z.output<typeof rowSchema>;

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
