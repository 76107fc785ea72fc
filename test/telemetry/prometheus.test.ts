/** What Debian's promtool says of the metrics and of the files that are shipped, and what each alert tells (SPEC 9). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parse } from 'yaml';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { VERA } from '../support/people.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';
import { missing, run } from './support/debian.ts';
import { textOf } from './support/exposition.ts';

const DEPLOYED = join(import.meta.dirname, '../../deploy/prometheus');
const skip = missing('promtool', 'prometheus');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}
const rules: readonly Rule[] = parse(readFileSync(join(DEPLOYED, 'postern.rules.yml'), 'utf8')).groups.flatMap(
  ({ rules: of }: { rules: Rule[] }) => of,
);

let nvr: FakeNvr;
let instance: Runtime;
before(async () => {
  nvr = await startFakeNvr();
  instance = await startInstance({
    config: { nvr: { url: nvr.url, cameras: ['cam1', 'cam2'] }, events: { source: 'store' } },
  });
  await instance.ask('/api/version', { token: await instance.logIn(VERA) });
});
after(async () => {
  await instance.close();
  await nvr.close();
});

describe('promtool', { skip }, () => {
  it('finds nothing wrong with the metrics', async () =>
    assert.deepEqual(await run('promtool', ['check', 'metrics'], await textOf(instance.telemetryUrl)), {
      code: 0,
      output: '',
    }));

  it('finds nothing wrong with the configuration and the rules', async () => {
    for (const file of ['prometheus.yml', 'postern.rules.yml']) {
      const { code, output } = await run('promtool', [
        'check',
        file.endsWith('rules.yml') ? 'rules' : 'config',
        join(DEPLOYED, file),
      ]);
      assert.equal(code, 0, output);
    }
  });
});

describe('An alert', () => {
  const tests: readonly { name: string }[] = parse(
    readFileSync(join(DEPLOYED, 'postern.rules.test.yml'), 'utf8'),
  ).tests;
  for (const { alert, expr, labels, annotations } of rules) {
    it(`${alert} says how bad it is, what it is about and what to do, and has two cases`, async () => {
      assert.match(labels['severity'] ?? '', /^(?:critical|warning)$/);
      assert.match(labels['component'] ?? '', /^[a-z]+$/);
      assert.match(annotations['summary'] ?? '', /.{20,}/);
      assert.match(annotations['runbook'] ?? '', /.{40,}\.$/);
      assert.ok(tests.filter(({ name }) => name.startsWith(`${alert}: `)).length >= 2);
      const told = await textOf(instance.telemetryUrl);
      for (const [metric] of expr.matchAll(/\b(?:postern|nodejs|process)_\w+/g)) {
        const family = metric.replace(/_(?:bucket|sum|count)$/, '');
        assert.ok(told.includes(`# TYPE ${family} `), `${metric} is no metric of the instance`);
      }
    });
  }
});
