/** The events worker cannot be reached, or cannot read: /readyz says so, requests are 503, and it is started again (SPEC 7, 9). */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { event } from '../events/support/event.ts';
import { makeNvrDatabase } from '../events/support/nvr-file.ts';
import { VERA } from '../support/people.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';
import { until } from '../support/until.ts';
import { scrape } from '../telemetry/support/exposition.ts';

type NvrFile = Awaited<ReturnType<typeof makeNvrDatabase>>;
const temporary = mkdtempSync(join(tmpdir(), 'postern-temporary-'));
const before_ = process.env['TMPDIR'];
let file: NvrFile;
let instance: Runtime;
let vera: string;

before(async () => {
  file = await makeNvrDatabase([JSON.stringify(event({ id: '1-a' }))]);
  process.env['TMPDIR'] = temporary;
  instance = await startInstance({
    config: { nvr: { cameras: ['cam1', 'front'] }, events: { source: 'nvr-database', nvr_database: file.path } },
  });
  vera = await instance.logIn(VERA);
});
after(async () => {
  await instance.close();
  await file.close();
  if (before_ === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = before_;
  rmSync(temporary, { recursive: true, force: true });
});

const events = () => instance.ask('/api/events', { token: vera });
const ready = async () => {
  const answer = await fetch(`${instance.telemetryUrl}/readyz`);
  const { events: part } = (await answer.json()) as { events: { kind: string; reason?: string } };
  return { status: answer.status, ...part };
};

describe("The NVR's database", () => {
  it('that is away for a while makes requests 503, and /readyz names the file', async () => {
    assert.equal((await events()).status, 200);
    renameSync(file.path, `${file.path}.away`);
    const answer = await events();
    assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '5']);
    const told = await ready();
    assert.deepEqual([told.status, told.kind], [503, 'failed']);
    assert.ok(told.reason?.includes(file.path), told.reason);
    renameSync(`${file.path}.away`, file.path);
    await until(
      'the fault is counted',
      async () =>
        Number((await scrape(instance.telemetryUrl)).get('postern_store_faults_total{kind="unreachable"}')) > 0,
    );
    assert.equal((await events()).status, 200);
    assert.equal((await ready()).status, 200);
  });
});

describe('The socket of the events worker', () => {
  const socketDirectory = (): string => {
    const [name] = readdirSync(temporary).filter((found) =>
      readdirSync(join(temporary, found)).includes('events.sock'),
    );
    return join(temporary, name ?? assert.fail('there is no socket'));
  };

  for (const [sentence, remove] of [
    [
      'that is removed is missed, and another worker listens at its place',
      (path: string) => rmSync(join(path, 'events.sock')),
    ],
    ['is missed when its whole directory is cleaned away', (path: string) => rmSync(path, { recursive: true })],
  ] as const) {
    it(sentence, { timeout: 300_000 }, async () => {
      const restarts = async () => Number((await scrape(instance.telemetryUrl)).get('postern_events_restarts_total'));
      const known = await restarts();
      remove(socketDirectory());
      const told = await ready();
      assert.deepEqual([told.status, told.kind], [503, 'failed']);
      await until('it runs again', async () => (await ready()).status === 200);
      assert.equal((await events()).status, 200);
      assert.equal(await restarts(), known + 1);
    });
  }
});
