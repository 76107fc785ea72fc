/** Replicas that write one chain on PostgreSQL: one that is frozen, or dies, in the middle of a batch holds up none of the others (SPEC 14). */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { configSchema } from '../../../src/app/resources/features.ts';
import { openForLedger } from '../../../src/features/ledger/whole-ledger.ts';
import { newDirectory } from '../../support/run-postern.ts';
import { startPostgres, type TestPostgres, withoutPostgres } from '../../support/servers/postgres.ts';
import { until } from '../../support/until.ts';

const RECORDS = 50;
/** By hand, at the pace of a service: `POSTERN_PACE=1000 POSTERN_RECORDS=200`. */
const [PACE, SIZE] = [process.env['POSTERN_PACE'] ?? '0', Number(process.env['POSTERN_RECORDS'] ?? RECORDS)];
/** What the others may wait at most. */
const LONGEST_MS = 2000;

interface Writer {
  readonly name: string;
  readonly process: ChildProcess;
  begun: number;
  written: number;
  longest: number;
}

describe('Three replicas that write the ledger', { skip: withoutPostgres, timeout: 300_000 }, () => {
  let postgres: TestPostgres;
  let url: string;
  const writers: Writer[] = [];
  const write = (name: string): Writer => {
    const script = join(import.meta.dirname, 'support/write-batches.ts');
    const child = spawn(process.execPath, [script, url, name, String(SIZE), PACE], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const writer = { name, process: child, begun: 0, written: 0, longest: 0 };
    createInterface({ input: child.stdout ?? assert.fail() }).on('line', (line) => {
      const [word, batch, ms] = line.split(' ');
      if (word === 'writes') writer.begun = Number(batch);
      else Object.assign(writer, { written: Number(batch), longest: Math.max(writer.longest, Number(ms)) });
    });
    writers.push(writer);
    return writer;
  };
  const goOn = (some: readonly Writer[], batches = 10): Promise<void> => {
    const goals = some.map(({ written }) => written + batches);
    return until('they go on', async () => some.every(({ written }, at) => written >= (goals[at] ?? 0)));
  };
  /** In the middle of a batch: it is begun and not written. */
  const inBatch = ({ begun, written }: Writer): boolean => begun > written;

  before(async () => {
    postgres = await startPostgres();
    url = await postgres.newDatabase();
  });
  after(async () => {
    for (const { process: child } of writers) child.kill('SIGKILL');
    await postgres?.stop();
  });

  it('go on while one is frozen and one dies in a batch, lose no record that was written, and keep the chain whole', async (test) => {
    const [frozen, dying, ...others] = ['frozen', 'dying', 'one', 'two'].map(write);
    assert.ok(frozen && dying);
    await goOn([frozen, dying, ...others], 3);
    await until('it is in a batch', async () => inBatch(frozen));
    frozen.process.kill('SIGSTOP');
    for (const other of others) other.longest = 0;
    await goOn([dying, ...others]);
    await until('it is in a batch', async () => inBatch(dying));
    dying.process.kill('SIGKILL');
    await goOn(others);
    const held = new pg.Client({ connectionString: url });
    await held.connect();
    await held.query('begin');
    await held.query('select * from ledger_chains');
    await goOn(others);
    const waited = Math.max(...others.map(({ longest }) => longest));
    test.diagnostic(`the others waited ${waited} ms at most for a batch of ${SIZE}`);
    assert.ok(waited < LONGEST_MS, `${waited} ms`);
    await held.end();
    frozen.process.kill('SIGCONT');
    await goOn([frozen, ...others], 3);
    for (const { process: child } of [frozen, ...others]) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    const place = {
      directory: newDirectory(),
      schema: configSchema,
      env: { POSTERN__STORE__URL: url },
      clock: { now: () => Date.now() },
    };
    const ledger = await openForLedger(place);
    const { chains, misfits } = await ledger.verify([], () => {});
    const batches = new Map<string, number>();
    const count = async (line: string): Promise<void> => {
      const { user, detail } = JSON.parse(line) as { user: string; detail: { batch: string } };
      const of = `${user} ${detail.batch}`;
      batches.set(of, (batches.get(of) ?? 0) + 1);
    };
    await ledger.export('ndjson', count, () => {});
    await ledger.close();
    assert.deepEqual([misfits, chains.map(({ chain }) => chain)], [[], ['store1']]);
    for (const { name, written } of writers)
      for (let batch = 1; batch <= written; batch += 1)
        assert.equal(batches.get(`${name} ${batch}`), SIZE, `${name} ${batch}`);
    for (const [of, records] of batches) assert.equal(records, SIZE, `${of} is there whole, and once`);
  });
});
