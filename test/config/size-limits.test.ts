/** A configuration that is too large is refused before it is parsed: parsing it would hold up every request (SPEC 1, reload). */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { configSchema } from '../../src/app/resources/features.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { loadPolicy, parsePolicy } from '../../src/config/policy/load-policy.ts';
import { formatProblem } from '../../src/config/problems/problems.ts';
import { beyondLimits, entriesIn, readYaml } from '../../src/config/problems/read-yaml.ts';
import { problemsOf, settingsOf, withDirectory } from './config-place.ts';

const lines = (count: number, line: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => line(at)).join('');

const bomb = (width: number, levels: number): string =>
  `${lines(
    levels,
    (at) =>
      `k${at}: &a${at} [${Array(width)
        .fill(at === 0 ? 'x' : `*a${at - 1}`)
        .join(', ')}]\n`,
  )}`;

const ENTRIES = /has more than 20000 entries/;
const ALIASES =
  /has more than 100 aliases|Excessive alias count|has more than 20000 entries, with what its aliases stand for/;
const LEVELS = /is nested deeper than 32 levels/;

// biome-ignore format: a table
const TEXTS: [sentence: string, yaml: string, message: RegExp][] = [
  ['has 300,000 entries of a list on one line',     `nvr: {cameras: [${Array(300_000).fill('a').join(',')}]}\n`,          ENTRIES],
  ['has 50,000 lines of a list',                    `nvr:\n  cameras:\n${lines(50_000, (at) => `    - a${at}\n`)}`,        ENTRIES],
  ['has 30,000 roles',                              `auth:\n  roles:\n${lines(30_000, (at) => `    r${at}: [a]\n`)}`,      ENTRIES],
  ['has 30,000 unknown keys',                       lines(30_000, (at) => `k${at}: 1\n`),                                  ENTRIES],
  ['is a bomb of ten levels',                       bomb(10, 10),                                                          ALIASES],
  ['is a bomb of few aliases',                      bomb(9, 9),                                                            ALIASES],
  ['names one large list by many aliases',          `a: &a [${Array(900).fill('x').join(',')}]\n${lines(99, (at) => `k${at}: *a\n`)}`, ALIASES],
  ['is nested by brackets',                         `a: ${'['.repeat(5000)}${']'.repeat(5000)}\n`,                         LEVELS],
  ['is nested by braces',                           `a: ${'{a: '.repeat(3000)}1${'}'.repeat(3000)}\n`,                     LEVELS],
  ['is nested by indentation',                      lines(400, (at) => `${' '.repeat(at)}k:\n`),                           LEVELS],
  ['is nested by lists on one line',                `a:\n  ${'- '.repeat(5000)}x\n`,                                       LEVELS],
  ['is larger than 1 MiB',                          `# ${'x'.repeat(2 ** 20)}\n`,                                          /config\.yaml in \S+ is larger than 1048576 bytes/],
];

describe('A configuration that', () => {
  for (const [sentence, yaml, message] of TEXTS) {
    it(`${sentence} is refused, with the reason`, async () => {
      const problems = await problemsOf(yaml);
      assert.equal(problems.length, 1);
      assert.match(problems[0] ?? '', message);
    });
  }

  it('says by the line where it is too much', () => {
    assert.equal(beyondLimits(lines(20_001, (at) => `k${at}: 1\n`))?.line, 20_001);
  });

  it('is large, and within its limits, is read', async () => {
    const { auth } = await settingsOf(
      `auth:\n  roles:\n${lines(2000, (at) => `    r${at}: [a, b, c, "d [[[[ it's"]\n`)}`,
    );
    assert.equal(auth.roles.size, 2000);
    const many = `&a [x]\n${lines(40, () => '')}`;
    assert.ok(readYaml(`a: ${many}b: [*a, *a, *a]\n`).ok);
  });

  it('has many problems lists the first hundred', async () => {
    const problems = await problemsOf(lines(500, (at) => `k${at}: 1\n`));
    assert.equal(problems.length, 101);
    assert.ok(problems.some((text) => text.includes('400 more problems are not listed')));
  });

  it('comes by the environment has the same limits', async () =>
    withDirectory({ 'config.yaml': '{}\n' }, async (directory) => {
      const POSTERN__AUTH__ROLES = JSON.stringify({ guest: Array(30_000).fill('a') });
      const outcome = await loadConfig({ directory, schema: configSchema, env: { POSTERN__AUTH__ROLES } });
      assert.equal(outcome.kind, 'invalid');
      assert.match(outcome.problems.map((problem) => formatProblem('c', problem)).join(), ENTRIES);
    }));

  it('names a secret that is larger than 64 KiB, or has no end, is refused', async () =>
    withDirectory({ 'config.yaml': 'proxy: {auth_secret_file: secret}\n' }, async (directory) => {
      writeFileSync(join(directory, 'secret'), 'x'.repeat(64 * 1024 + 1));
      const said = async () => {
        const outcome = await loadConfig({ directory, schema: configSchema, env: {} });
        return outcome.kind === 'invalid' ? outcome.problems.map(({ message }) => message).join() : 'loaded';
      };
      assert.match(await said(), /cannot read "secret": it is larger than 65536 bytes/);
      writeFileSync(join(directory, 'config.yaml'), 'proxy: {auth_secret_file: /dev/zero}\n');
      assert.match(await said(), /cannot read "\/dev\/zero": it is larger than 65536 bytes/);
    }));
});

describe('A route table that', () => {
  it('is too large is refused', async () => {
    const rows = lines(20_001, (at) => `  - {route: GET /api/r${at}, access: admin}\n`);
    const table = parsePolicy(`version: 1\nroutes:\n${rows}`, 'a.yaml');
    assert.ok(!table.ok && ENTRIES.test(table.error[0]?.message ?? ''));
    await withDirectory({ 'routes.yaml': `# ${'x'.repeat(2 ** 20)}\n` }, async (directory) => {
      const outcome = await loadPolicy('./routes.yaml', directory);
      assert.equal(outcome.kind, 'invalid');
    });
  });
});

describe('Entries of a tree', () => {
  it('are counted where they stand, also in several places; a tree that holds itself has no end', () => {
    const shared = { one: 1, two: [2, 3] };
    assert.equal(entriesIn({ here: shared, there: shared }), 11);
    const round: Record<string, unknown> = {};
    round['self'] = round;
    assert.equal(entriesIn(round), Number.POSITIVE_INFINITY);
  });
});
