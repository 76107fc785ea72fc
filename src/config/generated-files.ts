/** What is generated from the schema alone: the JSON Schema that editors complete by, and the commented example file (SPEC 1). */
import { stringify } from 'yaml';
import { z } from 'zod';
import { DURATION_PATTERN } from '../domain/clock.ts';
import { TRAITS } from './schema/keys.ts';
import { KEYS, settingsSchema } from './schema/schema.ts';

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
      for (const trait of TRAITS) delete key[trait];
      if (key['duration']) asDuration(key);
      if (key['example'] === undefined) return;
      key.examples = [key['example']];
      delete key['example'];
    },
  }) as KeySchema;
  for (const [place, { isTwin }] of KEYS) if (isTwin) addTwin(made, place.split('.'));
  return made;
}

/** Every secret may be given by a file: a rule of the loader, which editors must know. */
function addTwin(schema: KeySchema, path: readonly string[]): void {
  const section = path
    .slice(0, -1)
    .reduce<KeySchema | undefined>((part, step) => (step === '*' ? part?.items : part?.properties?.[step]), schema);
  const secret = path
    .join('.')
    .replace('*.', '')
    .replace(/_file$/, '');
  const twin = { type: 'string', description: `File that contains ${secret}.` };
  Object.assign(section?.properties ?? {}, { [path.at(-1) ?? '']: twin });
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

const HEAD = `# yaml-language-server: $schema=config.schema.json
#
# Every key of Postern's configuration, with its meaning and its default; a commented key has no default.
# Generated from src/config/schema/schema.ts by "npm run generate": change it there.
#
# Any key can come from the environment: POSTERN__AUTH__SESSION_LENGTH=3600, lists and maps as JSON.
# Any secret, such as nvr.auth_secret, may be given by the name of a file instead: nvr.auth_secret_file.
# In a secret, {SERVICE_X} is replaced by the environment variable SERVICE_X, or by the file of that name in
# the directory that CREDENTIALS_DIRECTORY names (/run/secrets).
`;
const WIDTH = 118;

export function exampleFile(schema: KeySchema): string {
  const sections = Object.entries(schema.properties ?? {}).map(([name, section]) => renderSection(name, section, ''));
  return [HEAD, ...sections].join('\n');
}

/** An object with an example is one key: it is written whole, or not at all. */
function renderSection(name: string, section: KeySchema, indent: string): string {
  const below = `${indent}  `;
  const { properties = {} } = section;
  const own = Object.entries(properties).filter(
    ([key]) => !(key.replace(/_file$/, '') in properties && key.endsWith('_file')),
  );
  const keys = own.map(([key, part]) =>
    part.properties && !part.examples ? renderSection(key, part, below) : renderKey(key, part, below),
  );
  return `${comment(section.description, indent)}${indent}${name}:\n${keys.join('')}`;
}

function renderKey(name: string, key: KeySchema, indent: string): string {
  const example = key.examples?.[0];
  const isSet = key.default !== undefined;
  const lines = [
    isSet ? `${indent}${line(name, key.default)}` : `${indent}# ${line(name, example ?? null)}`,
    ...(isSet && example !== undefined ? [`${indent}# ${line(name, example)}`] : []),
  ];
  return `${comment(key.description, indent)}${lines.join('\n')}\n`;
}

const line = (name: string, value: unknown): string =>
  `${name}: ${stringify(value, { collectionStyle: 'flow', lineWidth: 0, flowCollectionPadding: false }).trimEnd()}`;

/** A description as comment lines, wrapped at the width of the file. */
function comment(sentence: string | undefined, indent: string): string {
  const lines: string[] = [];
  for (const word of (sentence ?? '').split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && indent.length + last.length + word.length < WIDTH)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`# ${word}`);
  }
  return lines.map((text) => `${indent}${text}\n`).join('');
}
