/** The alerts fire when they should, says Debian's promtool, and its Prometheus finds their metrics at an instance (SPEC 9). */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parse, stringify } from 'yaml';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { VERA } from '../support/people.ts';
import { freePort } from '../support/servers/free-port.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';
import { missing, run } from './support/debian.ts';

const DEPLOYED = join(import.meta.dirname, '../../deploy/prometheus');
const RULES = join(DEPLOYED, 'postern.rules.yml');
const skip = missing('promtool', 'prometheus');

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
  it('sees every alert fire when it should, and not when it should not', async () => {
    const { code, output } = await run('promtool', ['test', 'rules', join(DEPLOYED, 'postern.rules.test.yml')]);
    assert.equal(code, 0, output);
  });
});

describe('Prometheus', { skip: missing('prometheus', 'prometheus') }, () => {
  it('scrapes a running instance, and its rules find their metrics', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'postern-prometheus-'));
    const address = `127.0.0.1:${await freePort()}`;
    const shipped = parse(readFileSync(join(DEPLOYED, 'prometheus.yml'), 'utf8'));
    const [job] = shipped.scrape_configs;
    const config = {
      ...shipped,
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: [RULES],
      scrape_configs: [{ ...job, static_configs: [{ targets: [new URL(instance.telemetryUrl).host] }] }],
    };
    writeFileSync(join(directory, 'prometheus.yml'), stringify(config));
    const server = spawn(
      'prometheus',
      [
        `--config.file=${join(directory, 'prometheus.yml')}`,
        `--storage.tsdb.path=${directory}`,
        `--web.listen-address=${address}`,
      ],
      { stdio: 'ignore' },
    );
    try {
      const query = async (
        expression: string,
      ): Promise<{ metric: Record<string, string>; value: [number, string] }[]> => {
        const answer = await fetch(`http://${address}/api/v1/query?query=${encodeURIComponent(expression)}`);
        return ((await answer.json()) as { data: { result: [] } }).data.result;
      };
      const logins = await patiently(() => query('postern_logins_total{result="success"}'));
      assert.deepEqual(
        logins.map(({ value: [, value] }) => value),
        ['1'],
      );
      const [up] = await query('up{job="postern"}');
      assert.equal(up?.value[1], '1');
      const series = await query('count({__name__=~"postern_.+"})');
      assert.ok(Number(series[0]?.value[1]) > 1000, 'with all series');
      const answer = await fetch(`http://${address}/api/v1/targets`);
      const { data } = (await answer.json()) as { data: { activeTargets: { lastError: string; health: string }[] } };
      assert.deepEqual(
        data.activeTargets.map(({ health, lastError }) => [health, lastError]),
        [['up', '']],
      );
    } finally {
      server.kill();
      await once(server, 'exit');
      rmSync(directory, { recursive: true, force: true });
    }
  });
});

/** Until it has started, scraped and looked: a hang is then the failure. */
async function patiently<Found>(ask: () => Promise<Found[]>): Promise<Found[]> {
  const end = Date.now() + 20_000;
  for (;;) {
    const found = await ask().catch((): Found[] => []);
    if (found.length > 0 || Date.now() > end) return found;
    await new Promise((done) => setTimeout(done, 50));
  }
}
