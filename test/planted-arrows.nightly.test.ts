/** The test of the architecture fails when an import is planted that the layers do not permit: each row in a copy of the tree. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

/** The file that imports, what it imports, and the sentence of the rule that it breaks. */
// biome-ignore format: a table
const PLANTED: readonly (readonly [file: string, imported: string, rule: string])[] = [
  ['src/domain/clock.ts',               '../gateway/gate.ts',              'a file imports its own folder and the layers below it'],
  ['src/store/engine/rows.ts',          '../../accounts/audit.ts',         'a file imports its own folder and the layers below it'],
  ['src/accounts/audit.ts',             './users/users.ts',                'the sub-folders of accounts/ import in one direction, types included'],
  ['src/features/ledger/ledger.ts',     '../links/links.ts',               'a feature imports no other feature, but for those that are named here'],
  ['src/gateway/gate.ts',               '../features/ledger/index.ts',     'a file imports its own folder and the layers below it'],
  ['src/domain/names.ts',               './rights.ts',                     'no file imports itself by way of others, types included'],
  ['src/domain/clock.ts',               'koa',                             'src/domain/clock.ts uses only packages of its folder'],
  ['src/ui/pages/shared/api.ts',        '../explore/explore.tsx',          'the folders of the pages import in one direction, types included'],
  ['src/store/migrate.ts',              '../config/config-file.ts',        'no folders import each other in a circle, at any level, types included: the list of known ones shrinks'],
  ['src/features/ledger/page/index.ts', '../../doctor/page/index.ts',      'a page of a feature imports what pages share, its own folder and pure rules; and types of answers from anywhere'],
];

describe('The test of the architecture', () => {
  const tree = mkdtempSync(join(tmpdir(), 'postern-planted-'));
  before(() => cpSync('src', join(tree, 'src'), { recursive: true }));
  after(() => rmSync(tree, { recursive: true }));
  const test = join(process.cwd(), 'test', 'architecture.test.ts');
  /** The sentences of the rules that are broken. */
  const failures = (): string[] => {
    const { stdout } = spawnSync(process.execPath, ['--test', '--test-isolation=none', '--test-reporter=tap', test], {
      cwd: tree,
      encoding: 'utf8',
      env: { ...process.env, NODE_TEST_CONTEXT: undefined },
    });
    return [...stdout.matchAll(/^ +not ok \d+ - (?<name>.+)$/gm)].map(({ groups }) => groups?.['name'] ?? '');
  };

  it('passes in the copy', () => assert.deepEqual(failures(), []));

  for (const [file, imported, rule] of PLANTED)
    it(`fails when ${file} imports ${imported}`, () => {
      appendFileSync(join(tree, file), `\nimport '${imported}';\nimport type {} from '${imported}';\n`);
      const found = failures();
      cpSync(file, join(tree, file));
      assert.ok(found.includes(rule), `it says: ${found.join('; ')}`);
    });
});
