/** Strings taken from a JSON body by name, or a list of what is wrong with it (SPEC 4.1: 422). */
import { err, ok, type Result } from '../../domain/result.ts';

/** One thing that is wrong, as the NVR's own API says it. */
export interface FieldFault {
  readonly loc: readonly string[];
  readonly msg: string;
  readonly type: string;
}

/** `optional` fields may be absent; null reads as empty. */
export interface FieldNames<Required extends string, Optional extends string> {
  readonly required: readonly Required[];
  readonly optional?: readonly Optional[];
}

export type Fields<Required extends string, Optional extends string> = Readonly<Record<Required, string>> &
  Readonly<Partial<Record<Optional, string>>>;

/** Other fields are passed over. */
export function stringFields<Required extends string, Optional extends string = never>(
  body: unknown,
  { required, optional = [] }: FieldNames<Required, Optional>,
): Result<Fields<Required, Optional>, readonly FieldFault[]> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return err([NOT_AN_OBJECT]);
  const given = new Map<string, unknown>(Object.entries(body));
  for (const name of optional) if (given.get(name) === null) given.set(name, '');
  const wanted = [...required, ...optional.filter((name) => given.has(name))];
  const faults = wanted.flatMap((name) => faultOf(name, given.get(name)));
  if (faults.length > 0) return err(faults);
  return ok(Object.fromEntries(wanted.map((name) => [name, given.get(name)])) as Fields<Required, Optional>);
}

/** The fields of an object that are not among `known`; none for what is no object. */
export const unknownFields = (body: unknown, known: readonly string[]): readonly FieldFault[] =>
  typeof body !== 'object' || body === null || Array.isArray(body)
    ? []
    : Object.keys(body)
        .filter((name) => !known.includes(name))
        .map((name) => ({
          loc: ['body', name.slice(0, 100).toWellFormed()],
          msg: `Unknown field: write only ${known.join(', ')}`,
          type: 'extra_forbidden',
        }));

const NOT_AN_OBJECT: FieldFault = { loc: ['body'], msg: 'Input should be an object', type: 'model_type' };

function faultOf(name: string, value: unknown): FieldFault[] {
  const loc = ['body', name];
  if (value === undefined) return [{ loc, msg: 'Field required', type: 'missing' }];
  if (typeof value !== 'string') return [{ loc, msg: 'Input should be a string', type: 'string_type' }];
  return value.isWellFormed() ? [] : [{ loc, msg: 'Input should be well-formed Unicode', type: 'string_unicode' }];
}

/** A value of a body for a sentence about it; not what is within it, which may be nested without end. */
export const shown = (value: unknown): string =>
  typeof value === 'object' && value !== null ? 'a list or an object' : String(value);
