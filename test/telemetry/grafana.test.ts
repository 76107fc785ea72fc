/** The dashboard: made from its script, well formed, and about metrics that there are (SPEC 9). */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { dashboard } from '../../deploy/grafana/make-dashboard.ts';
import { loadFeatures } from '../../src/app/resources/features.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import type { MetricFamily } from '../../src/telemetry/series.ts';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';
import { missing, run } from './support/debian.ts';
import { textOf } from './support/exposition.ts';

interface Target {
  readonly refId: string;
  readonly expr: string;
}
interface Place {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}
interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: Place;
  readonly targets?: readonly Target[];
}

/** Those of the core and of every feature. */
const families: readonly MetricFamily[] = [
  ...Object.values(createMetrics({ version: '', node: '', roles: [], identityHeaders: [] })),
  ...(await loadFeatures()).flatMap(({ metrics }) => Object.values(metrics?.() ?? {})),
];
const made = JSON.parse(JSON.stringify(dashboard()));
const panels: readonly Panel[] = made.panels;
const targets = panels.flatMap(({ title, targets: of = [] }) => of.map(({ expr }) => [title, expr] as const));

describe('The dashboard', () => {
  it('joins the gauges of several replicas as each gauge says', () => {
    const declared = new Map(families.flatMap((family) => ('over' in family ? [[family.name, family.over]] : [])));
    const joined = targets.flatMap(([, text]) =>
      [...text.matchAll(/\b(sum|min|max)(?: by \((?!instance)\w+\))? ?\((postern_\w+)/g)].map(([, by, name]) => [
        name,
        by,
      ]),
    );
    assert.ok(joined.length > 5);
    assert.deepEqual(
      joined.filter(([name = '', by]) => declared.get(name) !== by),
      [],
    );
  });

  it('has what Grafana asks of a dashboard', () => {
    const { uid, title, schemaVersion, templating, time } = made;
    assert.deepEqual(
      [uid, title, schemaVersion >= 38, time],
      ['postern', 'Postern', true, { from: 'now-6h', to: 'now' }],
    );
    assert.deepEqual(
      templating.list.map(({ name, type }: { name: string; type: string }) => [name, type]),
      [
        ['datasource', 'datasource'],
        ['instance', 'query'],
      ],
    );
  });

  it('has five rows', () =>
    assert.deepEqual(
      panels.filter(({ type }) => type === 'row').map(({ title }) => title),
      ['Now', 'Logins', 'Decisions', 'Traffic', 'Process'],
    ));

  it('has panels with names of their own, beside each other and not on each other', () => {
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
    for (const panel of panels) {
      const { x, w } = panel.gridPos;
      assert.ok(x >= 0 && x + w <= 24, `${panel.title} stands out`);
      const covered = panels.filter((other) => other !== panel && overlaps(panel.gridPos, other.gridPos));
      assert.deepEqual(
        covered.map(({ title }) => title),
        [],
        `${panel.title} lies on another`,
      );
      if (panel.type === 'row') continue;
      assert.match(panel.type, /^(?:stat|timeseries)$/);
      assert.deepEqual(
        panel.targets?.map(({ refId }) => refId),
        [...'ABCDEF'].slice(0, panel.targets?.length),
      );
    }
  });
});

const overlaps = (one: Place, other: Place): boolean =>
  one.x < other.x + other.w && other.x < one.x + one.w && one.y < other.y + other.h && other.y < one.y + one.h;

describe('Metrics and alerts', () => {
  const rules = readFileSync(join(import.meta.dirname, '../../deploy/prometheus/postern.rules.yml'), 'utf8');

  it('are few: 45 families of ours, and 20 alerts', () => {
    assert.ok(families.length <= 45, `${families.length} families`);
    const alerts = rules.match(/^ +- alert: /gm)?.length ?? 0;
    assert.ok(alerts > 0 && alerts <= 20, `${alerts} alerts`);
  });

  it('are used: each family is on the dashboard or in an alert', () => {
    const used = new Set(`${JSON.stringify(made)}${rules}`.match(/\bpostern_\w+/g)?.map(withoutSuffix));
    const unused = families.map(({ name }) => name).filter((name) => !used.has(name));
    assert.deepEqual(unused, []);
  });
});

const withoutSuffix = (name: string): string => name.replace(/_bucket$/, '');

describe('A query of the dashboard', () => {
  let nvr: FakeNvr;
  let instance: Runtime;
  let told: string;
  before(async () => {
    nvr = await startFakeNvr();
    instance = await startInstance({
      config: {
        nvr: { url: nvr.url, cameras: ['cam1'] },
        server: { external: '127.0.0.1:0', internal: false, public_url: 'https://nvr.example.com' },
        auth: { oidc: [{ name: 'home', issuer: 'https://127.0.0.1:9', client_id: 'a', client_secret: 'b' }] },
      },
    });
    told = await textOf(instance.telemetryUrl);
  });
  after(async () => {
    await instance.close();
    await nvr.close();
  });

  for (const [title, expr] of targets) {
    it(`"${title}" asks for metrics and labels that there are: ${expr.slice(0, 60)}`, () => {
      const metrics = [...expr.matchAll(/\b(?:postern|nodejs|process)_\w+/g)].map(([name]) => name);
      assert.ok(metrics.length > 0);
      for (const metric of metrics) {
        const family = metric.replace(/_(?:bucket|sum|count)$/, '');
        assert.ok(told.includes(`# TYPE ${family} `) || told.includes(`# TYPE ${metric} `), `${metric} is not told`);
      }
      const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(', '));
      const chosen = [...expr.matchAll(/[{,](\w+)=~?"/g)].map(([, label = '']) => label);
      for (const label of [...grouped, ...chosen].filter((name) => !['instance', 'job'].includes(name))) {
        assert.ok(
          metrics.some((metric) => new RegExp(`^${metric}\\{.*\\b${label}="`, 'm').test(told)),
          `no ${label}`,
        );
      }
    });
  }

  it('is one that Prometheus understands', { skip: missing('promtool', 'prometheus') }, async () => {
    const exprs = targets.map(([, expr]) => expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'));
    const rules = {
      groups: [{ name: 'dashboard', rules: exprs.map((expr, at) => ({ record: `query:${at}`, expr })) }],
    };
    const directory = mkdtempSync(join(tmpdir(), 'postern-queries-'));
    const file = join(directory, 'rules.json');
    writeFileSync(file, JSON.stringify(rules));
    const { code, output } = await run('promtool', ['check', 'rules', file]);
    rmSync(directory, { recursive: true });
    assert.equal(code, 0, output);
  });
});
