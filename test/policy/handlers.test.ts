/** The column that says what the NVR's handler behind a row does: complete for each supported release, and kept by nobody (SPEC 5). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { parsePolicy, tableSchema } from '../../src/config/policy/load-policy.ts';

const FILE = new URL('../../conf/policies/frigate.yaml', import.meta.url);
const text = readFileSync(FILE, 'utf8');
const { nvr, handlers = [], routes } = tableSchema.parse(parse(text));
const forOthers = routes.filter(({ access }) => access !== 'admin' && access !== 'none');

describe("What the NVR's handler does", () => {
  it('was read for the release that the table was made for, and for those before it that people run', () => {
    assert.deepEqual(handlers, ['0.16', '0.17', '0.18']);
    assert.ok(handlers.includes(nvr ?? ''));
  });

  it('stands in each row that others than admins may use, for each of these releases', () => {
    assert.ok(forOthers.length > 100);
    const lacking = forOthers.filter(
      ({ handler }) => JSON.stringify(handler?.checked) !== JSON.stringify(handlers) || handler?.does.trim() === '',
    );
    assert.deepEqual(
      lacking.map(({ route }) => route),
      [],
    );
  });

  it('has its answer in the row where it looks up by the beginning of a name, or by a pattern', () => {
    const byName = forOthers.filter(({ handler }) => /beginning of|begins? with/.test(handler?.does ?? ''));
    const unanswered = byName.filter(
      ({ by_prefix, cameras = [] }) => !by_prefix && !cameras.some(({ kind }) => kind === 'frames'),
    );
    assert.deepEqual([byName.length, unanswered.map(({ route }) => route)], [10, []]);
    const byPattern = forOthers.filter(({ handler }) => /\bGLOB\b/.test(handler?.does ?? ''));
    const foreign = byPattern.filter(
      ({ narrow, route }) => !narrow?.how.startsWith('rewrite') && !/\{\w+:id\}/.test(route),
    );
    assert.deepEqual(
      foreign.map(({ route }) => route),
      [],
    );
  });

  it('is for the readers of the file: no row keeps it in memory', () => {
    const table = parsePolicy(text, 'frigate.yaml');
    assert.ok(table.ok);
    assert.ok(table.value.rows.every((row) => !('handler' in row)));
  });

  // biome-ignore format: a table
  const wrong: [why: string, handler: string, message: RegExp][] = [
    ['without a release',          '{ checked: [], does: "x" }',              /checked/],
    ['with a number',              '{ checked: [0.18], does: "x" }',          /checked/],
    ['that says nothing',          '{ checked: ["0.18"], does: "" }',         /does/],
    ['with a key of another name', '{ checked: ["0.18"], do: "x" }',          /does|do/],
  ];
  for (const [why, handler, message] of wrong)
    it(`is refused ${why}`, () => {
      const table = parsePolicy(
        `version: 1\nroutes:\n  - { route: "GET /x", access: any, handler: ${handler} }\n`,
        'mine.yaml',
      );
      assert.ok(!table.ok);
      assert.ok(table.error.some((problem) => message.test(`${problem.path} ${problem.message}`)));
    });
});
