/** The configuration keys of the core with type, default and sentence, and the schema of all keys, those of features included (interface 2.5; SPEC 1). */
import { z } from 'zod';
import { about, type Finding, type KeyPath } from '../problems/problems.ts';
import { authSection } from './auth-schema.ts';
import { placeAmong, readKeys } from './keys.ts';
import { eventsSection, nvrSection } from './nvr-schema.ts';
import { proxySection } from './proxy-schema.ts';
import { loggerSection, serverSection, tlsSection, uiSection } from './server-schema.ts';
import { storeSection } from './store-schema.ts';

/** The sections of the core. */
const SECTIONS = {
  server: serverSection,
  tls: tlsSection,
  auth: authSection({}),
  proxy: proxySection,
  nvr: nvrSection,
  events: eventsSection,
  store: storeSection,
  logger: loggerSection,
  ui: uiSection,
} as const;

/** Events come from the NVR where there is one. */
const withSource = (settings: z.output<z.ZodObject<typeof SECTIONS>>) => ({
  ...settings,
  events: { ...settings.events, source: settings.events.source ?? (settings.nvr.url ? 'nvr' : 'store') },
});

/** The configuration, parsed: keys as in the file, defaults filled in, file paths absolute. Durations are seconds, sizes bytes. */
export type Settings = DeepReadonly<ReturnType<typeof withSource>>;

type DeepReadonly<Value> = Value extends string | number | boolean | null | undefined
  ? Value
  : Value extends ReadonlyMap<infer Key, infer Entry>
    ? ReadonlyMap<Key, DeepReadonly<Entry>>
    : Value extends readonly (infer Entry)[]
      ? readonly DeepReadonly<Entry>[]
      : { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> };

/** Keys of features, by name: sections beside those of the core, or keys of one of those. */
export type Sections = Readonly<Record<string, z.ZodType>>;

/** The raw value of a key: a problem between keys is reported together with those of single keys. */
export type Raw = (key: string) => unknown;

/** A rule about a key in the light of others. It stands beside the section of its key; `rules.ts` runs those of the core and of features. */
export interface Rule {
  readonly key: string;
  /** What is wrong. `isWhole`: what the store holds is there too, and nothing else can give what is owed. */
  readonly problems?: (raw: Raw, isWhole: boolean) => readonly Finding[];
  /** What is valid but probably a mistake. */
  readonly warnings?: (settings: Settings) => readonly Finding[];
  /** Whether a reload would trust more than before. `given`: the keys that have a value in the new file. */
  readonly widens?: (running: Settings, read: Settings, given: ReadonlySet<string>) => boolean;
}

type Said = string | false | undefined;

export const fails = (key: string, problem: (raw: Raw, isWhole: boolean) => Said): Rule => ({
  key,
  problems: (raw, isWhole) => about(key.split('.'), problem(raw, isWhole)),
});

export const warns = (key: string, warning: (settings: Settings) => Said): Rule => ({
  key,
  warnings: (settings) => about(key.split('.'), warning(settings)),
});

/** What to do in the place of keys that were removed, by key. A section stands for all of its keys. */
export type Removed = Readonly<Record<string, string>>;

export type Schema = ReturnType<typeof createSchema>;

/** What features add: sections, keys of `auth`, rules, and what is told of keys that were removed. */
export function createSchema(sections: Sections, authKeys: Sections, rules: readonly Rule[], removed: Removed) {
  const file = z.strictObject({ ...SECTIONS, auth: authSection(authKeys), ...sections });
  const keys = readKeys(file);
  return {
    file,
    /** Every key, by its place. */
    keys,
    rules,
    removed,
    /** Its result holds the sections of features, too: they know their types. */
    read: file.transform((settings): Settings => withSource(settings as z.output<z.ZodObject<typeof SECTIONS>>)),
    /** Whether the value at a path is a secret, or an entry of one that is a list. */
    isSecret: (path: KeyPath): boolean =>
      path.some((_, at) => keys.get(placeAmong(keys, path.slice(0, at + 1)))?.isSecret),
  };
}
