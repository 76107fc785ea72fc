/** A service that is killed under load: what was told is there, the chain is whole, and the command line finds what was changed (SPEC 14). */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { configSchema } from '../../../src/app/resources/features.ts';
import { cutOff } from '../../../src/features/ledger/spans.ts';
import { openForLedger } from '../../../src/features/ledger/whole-ledger.ts';
import { type FakeNvr, startFakeNvr } from '../../support/fake-nvr.ts';
import { newDirectory, runPostern, servePostern } from '../../support/run-postern.ts';
import { until } from '../../support/until.ts';
import { openStore } from '../../support/whole-store.ts';

/** More by hand: `POSTERN_KILLS=20`. */
const KILLS = Number(process.env['POSTERN_KILLS'] ?? 2);

interface Shown {
  readonly id: string;
  readonly kind: string;
  readonly from: number;
  readonly hash: string | null;
}

let nvr: FakeNvr;
const directory = newDirectory();
before(async () => {
  nvr = await startFakeNvr();
});
after(() => nvr.close());

const place = { directory, schema: configSchema, env: {}, clock: { now: () => Date.now() } };

async function verified(noted: readonly { chain: string; seq: number; hash: string }[] = []) {
  const command = await openForLedger(place);
  try {
    return await command.verify(noted, () => {});
  } finally {
    await command.close();
  }
}

describe('A service that is killed', () => {
  const told = new Map<string, string>();

  it(`${KILLS} times under load has in its ledger what it told, in a chain that is whole`, {
    timeout: 600_000,
  }, async () => {
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const serving = await servePostern({
        directory,
        env: { POSTERN__NVR__URL: nvr.url, POSTERN__TLS__ENABLED: 'false' },
      });
      const list = async (): Promise<readonly Shown[]> =>
        (await (await fetch(`${serving.internalUrl}/api/ledger?limit=1000`)).json()) as Shown[];
      const begun = Date.now() / 1000;
      let isOver = false;
      const load = async (): Promise<void> => {
        for (let at = 0; !isOver; at += 1) {
          await fetch(`${serving.internalUrl}/api/cam${(at % 2) + 1}/latest.jpg`).catch(() => {});
          const asked = {
            method: 'PUT',
            body: '{"cameras":["cam1"]}',
            headers: { 'content-type': 'application/json' },
          };
          await fetch(`${serving.internalUrl}/api/roles/r${at % 5}`, asked)
            .then((response) => response.arrayBuffer())
            .catch(() => {});
        }
      };
      const loads = [load(), load(), load()];
      await until('records of this life are told', async () => {
        const shown = await list();
        for (const { id, hash } of shown) if (hash !== null) told.set(id, hash);
        const ofThisLife = shown.filter(({ from }) => from >= begun);
        const ended = ofThisLife.filter(({ hash }) => hash !== null);
        return ofThisLife.some(({ kind, hash }) => kind === 'live' && hash === null) && ended.length >= 5;
      });
      await serving.end('SIGKILL');
      isOver = true;
      await Promise.all(loads);
      assert.deepEqual((await verified()).misfits, [], `after kill ${kill}`);
    }
    const command = await openForLedger(place);
    const kept = new Map<string, Shown>();
    const count = await command.export(
      'ndjson',
      async (line) => {
        const record = JSON.parse(line) as Shown;
        kept.set(record.id, record);
      },
      () => {},
    );
    await command.close();
    assert.equal(count, kept.size);
    for (const [id, hash] of told) assert.equal(kept.get(id)?.hash, hash, id);
    const store = await openStore({ url: `sqlite:${directory}/postern.db` });
    const later = Date.now() / 1000 + 100;
    const left = await store.ledger.left(later);
    assert.ok(left.length >= KILLS, 'each life left something open');
    await store.ledger.append({ ended: left.map(cutOff), open: [] }, later);
    await store.close();
    assert.deepEqual((await verified()).misfits, []);
  });

  it('has its ledger verified and exported by the command line, which names what was changed', async () => {
    const [head] = (await verified()).chains;
    assert.ok(head);
    const whole = await runPostern(['ledger', 'verify', '--head', `store1:${head.seq}:${head.hash}`], { directory });
    assert.deepEqual([whole.code, whole.stdout.includes('Every record fits.')], [0, true], whole.stderr);
    const database = new DatabaseSync(join(directory, 'postern.db'));
    const change = (statement: string): void => void database.exec(statement);
    const first = async (noted: Parameters<typeof verified>[0] = []) => (await verified(noted)).misfits[0]?.id;
    const third = 'store1-000000000003';
    for (const column of ['user_name', 'detail', 'camera', 'hash']) {
      change(
        `begin; update ledger_records set ${column} = coalesce(${column}, '') || 'x' where id = '${third}'; commit`,
      );
      assert.equal(await first(), third, column);
      change(
        `update ledger_records set ${column} = nullif(substr(${column}, 1, length(${column}) - 1), '') where id = '${third}'`,
      );
    }
    assert.equal(await first(), undefined, 'it is as it was');
    change(
      `create table kept as select * from ledger_records where id = '${third}'; delete from ledger_records where id = '${third}'`,
    );
    const missing = await runPostern(['ledger', 'verify'], { directory });
    assert.deepEqual([missing.code, missing.stderr.includes(`record ${third} is missing`)], [1, true], missing.stderr);
    change('insert into ledger_records select * from kept');
    const last = `store1-${String(head.seq).padStart(12, '0')}`;
    change(`delete from ledger_records where id = '${last}'`);
    assert.equal(await first(), last, 'the end was cut');
    change(`update ledger_chains set seq = seq - 1, hash = (select hash from ledger_records order by id desc limit 1)`);
    assert.equal(await first(), undefined, 'the file alone cannot know');
    assert.equal(await first([head]), last, 'the head of the log can');
    database.close();
  });
});
