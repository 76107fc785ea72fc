/** Figures of defaults that documents and files for operators repeat are those of the schema (SPEC 1). */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { describe, it } from 'node:test';
import { configSchema } from '../../src/app/resources/features.ts';
import { jsonSchema, type KeySchema } from '../published/generated-files.ts';
import { readText } from './documents.ts';

const REPEATED = /\b(?<key>[a-z]+\.[a-z_]+)`? \((?:default )?(?<number>\d+) s\)/g;
const FILES = ['*.md', 'docs/**/*.md', 'deploy/**/*.{md,yml,yaml,service}', 'conf/**/*.yaml'].flatMap((files) =>
  globSync(files).filter((file) => file !== 'CHANGELOG.md'),
);

const SCHEMA = jsonSchema(await configSchema());

const defaultOf = (key: string): unknown =>
  key.split('.').reduce<KeySchema | undefined>((part, step) => part?.properties?.[step], SCHEMA)?.default;

describe('A default in brackets behind its key', () => {
  const repeated = FILES.flatMap((file) =>
    [...readText(file).matchAll(REPEATED)].map(({ groups }) => ({ file, ...groups })),
  ) as { file: string; key: string; number: string }[];
  for (const { file, key, number } of repeated)
    it(`${key} in ${file}`, () => assert.equal(Number(number), defaultOf(key), `the default is ${defaultOf(key)}`));
});
