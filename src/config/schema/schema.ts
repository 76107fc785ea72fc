/** Every configuration key with its type, default and sentence (interface 2.5; SPEC 1): the one source of conf/. */
import { z } from 'zod';
import { DURATION_PATTERN } from '../../domain/duration.ts';
import { authSection } from './auth-schema.ts';
import { ledgerSection } from './ledger-schema.ts';
import { notifySection } from './notify-schema.ts';
import { eventsSection, nvrSection } from './nvr-schema.ts';
import { proxySection } from './proxy-schema.ts';
import { SECRET_KEYS, twinOf } from './secret-keys.ts';
import { loggerSection, serverSection, tlsSection, uiSection } from './server-schema.ts';
import { storeSection } from './store-schema.ts';
import { wholeSecondsOrZero } from './value-types.ts';
import { type DirectedSchema, directed } from './widening.ts';

/** The keys of links: addresses that show one thing of one camera, without an account. */
const DAY = 86_400;

const linksSection = z
  .strictObject({
    max_lifetime: wholeSecondsOrZero(60, 366 * DAY)
      .prefault(30 * DAY)
      .describe(
        'Seconds for which a link may be made at most. A link shows one event, review, recording or live camera to everybody who has its address, until its end. 0: no link works, those made before too.',
      )
      .meta({ widens: 'higher' }),
  })
  .prefault({})
  .describe('Links: one thing of one camera, shown without an account.');

export const settingsSchema = z
  .strictObject({
    server: serverSection,
    tls: tlsSection,
    auth: authSection,
    proxy: proxySection,
    nvr: nvrSection,
    events: eventsSection,
    store: storeSection,
    links: linksSection,
    notify: notifySection,
    ledger: ledgerSection,
    logger: loggerSection,
    ui: uiSection,
  })
  .transform((settings) => ({
    ...settings,
    events: { ...settings.events, source: settings.events.source ?? (settings.nvr.url ? 'nvr' : 'store') },
  }));

/** The configuration, parsed: keys as in the file, defaults filled in, file paths absolute. Durations are seconds, sizes bytes. */
export type Settings = DeepReadonly<z.output<typeof settingsSchema>>;

type DeepReadonly<Value> = Value extends string | number | boolean | null | undefined
  ? Value
  : Value extends ReadonlyMap<infer Key, infer Entry>
    ? ReadonlyMap<Key, DeepReadonly<Entry>>
    : Value extends readonly (infer Entry)[]
      ? readonly DeepReadonly<Entry>[]
      : { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> };

/** A part of the JSON Schema of the file, as far as this room reads it. */
export interface KeySchema {
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, KeySchema>>;
  readonly items?: KeySchema;
  /** What each value of a map holds whose names are the user's own. */
  readonly additionalProperties?: KeySchema | boolean;
  /** A value that may be written in several ways. */
  readonly anyOf?: readonly KeySchema[];
}

let made: KeySchema | undefined;

/** The JSON Schema that editors complete by. */
export function jsonSchema(): KeySchema {
  made ??= z.toJSONSchema(settingsSchema, {
    io: 'input',
    override: ({ jsonSchema: key }) => {
      delete key['widens'];
      delete key['isFile'];
      if (key['duration']) asDuration(key);
      if (key['example'] === undefined) return;
      key.examples = [key['example']];
      delete key['example'];
    },
  }) as KeySchema;
  for (const path of SECRET_KEYS) addTwin(made, path);
  return made;
}

/** Every secret may be given by a file: a rule of the loader, which editors must know. */
function addTwin(schema: KeySchema, path: readonly string[]): void {
  const section = path
    .slice(0, -1)
    .reduce<KeySchema | undefined>((part, step) => (step === '*' ? part?.items : part?.properties?.[step]), schema);
  const twin = { type: 'string', description: `File that contains ${path.join('.').replace('*.', '')}.` };
  Object.assign(section?.properties ?? {}, { [twinOf(path.at(-1) ?? '')]: twin });
}

/** A number of seconds may be written as `15m`. */
function asDuration(key: z.core.JSONSchema.BaseSchema): void {
  const { description, default: value, anyOf, ...number } = key;
  delete number['duration'];
  for (const name of Object.keys(key)) delete key[name];
  Object.assign(key, {
    ...(description !== undefined && { description }),
    ...(value !== undefined && { default: value }),
    anyOf: [...(anyOf ?? [number]), { type: 'string', pattern: DURATION_PATTERN }],
  });
}

let directions: DirectedSchema | undefined;

/** The keys as in the file, each with the direction in which its value allows more. */
export function keyDirections(): DirectedSchema {
  directions ??= directed(settingsSchema);
  return directions;
}
