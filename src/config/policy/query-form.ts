/** The query of a row as it is written, as forms: a map of parameters, each with the name of its form (SPEC 5). */
import { PARAMETER_FORMS, type ParameterForms, type ParameterShape } from '../../domain/policy/query-shape.ts';
import { err, ok, type Result } from '../../domain/result.ts';

const TEXT = /^text(?::(?<longest>\d{1,4}))?$/;
const WORDS = /^[\w-]+(?:\|[\w-]+)+$/;
const PARAMETER = /^(?<name>\w+)(?<isRequired>!?)$/;
const USUAL_LONGEST_TEXT = 256;

/** The error says what is wrong, and where. */
export function parseQueryForms(written: Readonly<Record<string, string>>): Result<ParameterForms, string> {
  const forms: Record<string, ParameterForms[string]> = {};
  for (const [key, form] of Object.entries(written)) {
    const { name, isRequired } = PARAMETER.exec(key)?.groups ?? {};
    if (name === undefined) return err(`query has ${JSON.stringify(key)}, which is not the name of a parameter`);
    const shape = formNamed(form);
    if (!shape) return err(`query.${name} has ${JSON.stringify(form)}, which is no form: ${HOW}`);
    forms[name] = { shape, isRequired: isRequired === '!' };
  }
  return ok(forms);
}

const HOW = `write text:<letters>, words such as "on|off", or ${PARAMETER_FORMS.join(', ')}`;

function formNamed(written: string): ParameterShape | undefined {
  const text = TEXT.exec(written);
  if (text) return { kind: 'text', longest: Number(text.groups?.['longest'] ?? USUAL_LONGEST_TEXT) };
  const kind = PARAMETER_FORMS.find((form) => form === written);
  if (kind) return { kind };
  return WORDS.test(written) ? { kind: 'word', words: written.split('|') } : undefined;
}
