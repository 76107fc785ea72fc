/** The body and the query of a row as they are written, as shapes: fields or parameters, each with the name of its form (SPEC 5). */
import { type BodyField, type BodyShape, VALUE_FORMS } from '../../domain/policy/body-shape.ts';
import { PARAMETER_FORMS, type ParameterForms } from '../../domain/policy/query-shape.ts';
import { err, ok, type Result } from '../../domain/result.ts';

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
export function parseBodyForm(written: unknown): Result<BodyShape | 'any', string> {
  return written === 'any' ? ok(written) : shapeOf(written, 'body');
}

function shapeOf(written: unknown, place: string): Result<BodyShape, string> {
  if (typeof written === 'string') {
    const shape = formNamed(written, VALUE_FORMS, 'body');
    return shape ? ok(shape) : err(`${place} has ${JSON.stringify(written)}, which is no form: ${IN_BODY}`);
  }
  if (Array.isArray(written)) {
    if (written.length !== 1) return err(`${place} must have one form in its list: write for example [id]`);
    const of = shapeOf(written[0], `${place}[]`);
    return of.ok ? ok({ kind: 'list', of: of.value }) : of;
  }
  if (typeof written !== 'object' || written === null) return err(`${place} is no form: ${IN_BODY}`);
  const fields: Record<string, BodyField> = {};
  for (const [key, form] of Object.entries(written)) {
    const { name, isRequired } = NAME.exec(key)?.groups ?? {};
    if (name === undefined) return err(`${place} has ${JSON.stringify(key)}, which is not the name of a field`);
    const shape = shapeOf(form, `${place}.${name}`);
    if (!shape.ok) return shape;
    fields[name] = { shape: shape.value, isRequired: isRequired === '!' };
  }
  return ok({ kind: 'object', fields });
}

export function parseQueryForms(written: Readonly<Record<string, string>>): Result<ParameterForms, string> {
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
