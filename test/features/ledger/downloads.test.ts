/** A download of the ledger is in nobody's way: read page by page as the client takes it, with a turn for others between, one for each person (SPEC 14). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { describe, it } from 'node:test';
import { oneAtATime } from '../../../src/domain/async.ts';
import { streamRecords } from '../../../src/features/ledger/ledger-query.ts';
import type { LedgerStore } from '../../../src/features/ledger/ledger-store.ts';
import type { ListedRecord } from '../../../src/features/ledger/records.ts';
import { batchOf } from '../../support/own-entries.ts';
import { ADMIN_PERSON, VERA } from '../../support/people.ts';
import { newDirectory } from '../../support/run-postern.ts';
import { startInstance } from '../../support/start-instance.ts';
import { until } from '../../support/until.ts';
import { openStore } from '../../support/whole-store.ts';

const RECORDS = 20_000;
const PAGES = 50;

const recordAt = (at: number): ListedRecord => ({
  id: `main-${String(at).padStart(12, '0')}`,
  kind: 'live',
  user: 'vera',
  credential: 'session',
  address: '192.0.2.1',
  camera: 'cam1',
  from: at,
  to: at,
  watchedFrom: null,
  watchedTo: null,
  detail: null,
  hash: '0'.repeat(64),
});

/** Answers at once, as SQLite does. */
function fullStore() {
  let asked = 0;
  const store: Pick<LedgerStore, 'find'> = {
    async find(_, limit) {
      asked += 1;
      return asked > PAGES ? [] : Array.from({ length: limit }, (_, at) => recordAt(at));
    },
  };
  return { store, asked: () => asked };
}
const ALL = { question: { sight: undefined }, format: 'ndjson', limit: undefined, cursor: undefined } as const;

describe('A download of the ledger', () => {
  it('gives others a turn after each page', async () => {
    const { store, asked } = fullStore();
    let turns = 0;
    let isOver = false;
    const turn = (): void => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    for await (const page of streamRecords(ALL, store)) assert.ok(String(page).length > 0);
    isOver = true;
    assert.ok(turns >= PAGES, `${turns} turns beside ${asked()} pages`);
  });

  it('reads no further than its client', async () => {
    const { store, asked } = fullStore();
    const stream = streamRecords(ALL, store);
    await once(stream, 'readable');
    for (let turn = 0; turn < 2 * PAGES; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    assert.ok(asked() <= 3, `${asked()} pages`);
    stream.destroy();
  });

  it('is one at a time for each person, until its stream is closed', async () => {
    const turns = oneAtATime();
    const begin = (person: string) => {
      const leave = turns(person);
      return leave && streamRecords(ALL, fullStore().store).once('close', leave);
    };
    const [first, other] = [begin('vera'), begin('carl')];
    assert.ok(first && other);
    assert.equal(begin('vera'), undefined);
    const closed = once(first, 'close');
    first.destroy();
    await closed;
    const again = begin('vera');
    assert.ok(again);
    for (const stream of [again, other]) stream.destroy();
  });

  it('is refused while the same person has another one, with 429 and a sentence, and every page is in it once', async () => {
    const directory = newDirectory();
    const postern = await startInstance({ directory });
    const store = await openStore({ url: `sqlite:${directory}/postern.db` });
    try {
      const since = postern.clock.now() / 1000 + 100; // when vera's account was made already
      const entries = Array.from({ length: RECORDS }, (_, at) => recordAt(since + at / 10));
      for (let at = 0; at < RECORDS; at += 1000) await store.ledger.append(batchOf(entries.slice(at, at + 1000)), 0);
      const [admin, vera] = [await postern.logIn(ADMIN_PERSON), await postern.logIn(VERA)];
      const csv = '/api/ledger?format=csv&kind=live';
      const begun = await new Promise<IncomingMessage>((resolve) => {
        get(`${postern.url}${csv}`, { headers: { authorization: `Bearer ${admin}` } }, resolve);
      });
      assert.equal(begun.statusCode, 200);
      begun.pause();
      const refused = await postern.ask(csv, { token: admin });
      assert.equal(refused.status, 429);
      assert.match(
        ((await refused.json()) as { message: string }).message,
        /download of the ledger by you is under way/,
      );
      assert.ok(Number(refused.headers.get('retry-after')) > 0);
      assert.equal((await postern.ask('/api/ledger', { token: admin })).status, 200, 'pages are no download');
      const lines = (await (await postern.ask(csv, { token: vera })).text()).trim().split('\r\n');
      assert.deepEqual([lines.length, new Set(lines).size], [RECORDS + 1, RECORDS + 1]);
      begun.destroy();
      await until('the place is free again', async () => {
        const answer = await postern.ask(`${csv}&limit=1`, { token: admin });
        await answer.text();
        return answer.status === 200;
      });
    } finally {
      await store.close();
      await postern.close();
    }
  });
});
