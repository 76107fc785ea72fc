/** Parts that the shapes of Postern's own API are made of, and the shapes that have a name in its description. */
import { z } from 'zod';
import { decidedByName } from '../domain/bounded.ts';
import type { Result } from '../domain/result.ts';

export const SHAPES = z.registry<{ id: string }>();

/** The same shape, described once under that name. */
export function named<Shape extends z.ZodType>(id: string, shape: Shape): Shape {
  SHAPES.add(shape, { id });
  return shape;
}

/** An object of these fields, described once under that name. */
export const described = <Fields extends z.ZodRawShape>(id: string, fields: Fields) => named(id, z.object(fields));

export const TEXT = z.string();
export const TIME = z.int().meta({ description: 'Unix seconds' });
export const CAMERAS = z.array(TEXT);

export const ANY = named('Any', z.unknown());
export const SUCCESS = described('Success', { success: z.literal(true) });
export const REFUSAL = described('Refusal', {
  success: z.literal(false).optional(),
  message: TEXT,
  reason: TEXT.meta({ description: 'What was refused, as a code that stays the same' }).optional(),
  values: z
    .looseObject({})
    .meta({ description: 'What a text of the reason names, such as the seconds to wait' })
    .optional(),
  second_factor: z
    .array(z.enum(['totp', 'passkey']))
    .meta({ description: 'After the right password: what is asked for' })
    .optional(),
});

export const STATUS = named('Status', z.looseObject({}).meta({ description: 'State of the service' }));

/** Statuses of a body that is not accepted. */
export const BODY_NO: readonly number[] = [400, 413, 415, 422];

type Camel<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : Name;
export type Loose<Value> = Value extends readonly (infer Item)[] ? readonly Item[] : Value;
/** A field that may be absent may be undefined. */
type InCamel<Fields> = {
  readonly [Name in keyof Fields as Camel<Name>]:
    | Loose<Fields[Name]>
    | (object extends Pick<Fields, Name> ? undefined : never);
};

/** The fields of the shape, of a record that has their names in camel case. */
export const answer = <Shape extends z.ZodObject>(shape: Shape, record: InCamel<z.output<Shape>>): z.output<Shape> =>
  Object.fromEntries(Object.keys(shape.shape).map((name) => [name, Object(record)[inCamel(name)]])) as z.output<Shape>;

const inCamel = decidedByName((name) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()));

/** A value that `parse` makes of another one, or a problem in its words. */
export const formed = <Written, Form>(written: z.ZodType<Written>, parse: (written: Written) => Result<Form, string>) =>
  written.transform((value, context) => {
    const form = parse(value);
    if (form.ok) return form.value;
    context.addIssue({ code: 'custom', message: form.error });
    return z.NEVER;
  });

/** Text that becomes something better. */
export const parsed = <Value>(parse: (text: string) => Result<Value, string>) =>
  formed(z.string({ error: ({ input }) => numberWords(input, parse) }), parse);

/** The text of a number: YAML reads `external: 8971` and `max_upload: 20` as numbers, and the parser says what is missing. */
function numberWords(input: unknown, parse: (text: string) => Result<unknown, string>): string | undefined {
  const result = typeof input === 'number' ? parse(String(input)) : undefined;
  return result?.ok === false ? result.error : undefined;
}
