/** The body of a row as it is written, as a shape: a map of fields, a list of one form, or the name of a form (SPEC 5). */
import { type BodyField, type BodyShape, VALUE_FORMS } from '../../domain/policy/body-shape.ts';
import { err, ok, type Result } from '../../domain/result.ts';

const TEXT = /^text(?::(?<longest>\d{1,5}))?$/;
const WORDS = /^[\w-]+(?:\|[\w-]+)+$/;
const FIELD = /^(?<name>\w+)(?<isRequired>!?)$/;
const USUAL_LONGEST_TEXT = 256;

/** The error says what is wrong, and where. */
export function parseBodyForm(written: unknown): Result<BodyShape | 'any', string> {
  return written === 'any' ? ok(written) : shapeOf(written, 'body');
}

function shapeOf(written: unknown, place: string): Result<BodyShape, string> {
  if (typeof written === 'string') return formNamed(written, place);
  if (Array.isArray(written)) {
    if (written.length !== 1) return err(`${place} must have one form in its list: write for example [id]`);
    const of = shapeOf(written[0], `${place}[]`);
    return of.ok ? ok({ kind: 'list', of: of.value }) : of;
  }
  if (typeof written !== 'object' || written === null) return err(`${place} is no form: ${HOW}`);
  const fields: Record<string, BodyField> = {};
  for (const [key, form] of Object.entries(written)) {
    const { name, isRequired } = FIELD.exec(key)?.groups ?? {};
    if (name === undefined) return err(`${place} has ${JSON.stringify(key)}, which is not the name of a field`);
    const shape = shapeOf(form, `${place}.${name}`);
    if (!shape.ok) return shape;
    fields[name] = { shape: shape.value, isRequired: isRequired === '!' };
  }
  return ok({ kind: 'object', fields });
}

const HOW = `write a map of fields, a list of one form, text:<letters>, words such as "on|off", or ${VALUE_FORMS.join(', ')}`;

function formNamed(written: string, place: string): Result<BodyShape, string> {
  const text = TEXT.exec(written);
  if (text) return ok({ kind: 'text', longest: Number(text.groups?.['longest'] ?? USUAL_LONGEST_TEXT) });
  const kind = VALUE_FORMS.find((form) => form === written);
  if (kind) return ok({ kind });
  if (WORDS.test(written)) return ok({ kind: 'word', words: written.split('|') });
  return err(`${place} has ${JSON.stringify(written)}, which is no form: ${HOW}`);
}
