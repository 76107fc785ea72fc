/** Compares a query with the parameters that its row takes: the first that is unknown, repeated, missing or of another form (SPEC 5). */
import { PATH_SHAPES, type ParameterForms, type ParameterShape } from '../domain/policy.ts';
import { isId } from './camera-locators.ts';
import { queryPairs } from './query.ts';
import { rfc3339 } from './recorded/time-locators.ts';

type Fits = (value: string) => boolean;

/** Forms of a parameter's value, by their names. */
const FORMS: Readonly<Record<Exclude<ParameterShape['kind'], 'text' | 'word'>, Fits>> = {
  id: isId,
  number: (value) => PATH_SHAPES.number.test(value),
  uuid: (value) => PATH_SHAPES.uuid.test(value),
  time: (value) => rfc3339(value) !== undefined,
};

/** Whether a parameter that holds a secret has it in another spelling than the one that is compared: there is no such thing then. */
export const isMisspelt = (query: string, forms: ParameterForms): boolean =>
  queryPairs(query).some(
    ({ name, value }) => Object.hasOwn(forms, name) && forms[name]?.shape.kind === 'uuid' && !FORMS.uuid(value),
  );

/** The name of the parameter, as the client wrote it; undefined when the query fits. */
export function queryFault(query: string, forms: ParameterForms): string | undefined {
  const given = new Set<string>();
  for (const { name, value } of queryPairs(query)) {
    const form = Object.hasOwn(forms, name) ? forms[name] : undefined;
    // Of a repeated one some servers read the first, some the last.
    if (!form || given.has(name) || !isOfForm(value, form.shape)) return name;
    given.add(name);
  }
  return Object.entries(forms).find(([name, { isRequired }]) => isRequired && !given.has(name))?.[0];
}

function isOfForm(value: string, shape: ParameterShape): boolean {
  if (/\p{Cc}/u.test(value)) return false;
  if (shape.kind === 'text') return value.length <= shape.longest;
  if (shape.kind === 'word') return shape.words.includes(value);
  return FORMS[shape.kind](value);
}
