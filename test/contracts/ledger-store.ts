/** What every store must do with the ledger, whatever the engine: chains stay whole, and readers find what they may see, newest first (SPEC 14). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { type Kysely, sql } from 'kysely';
import { isPictureKind } from '../../src/domain/policy.ts';
import { headText, misfitSentences } from '../../src/features/ledger/chain.ts';
import type { LedgerQuestion, LedgerStore } from '../../src/features/ledger/ledger-store.ts';
import { listNotices } from '../../src/features/ledger/notices.ts';
import {
  LEDGER_KINDS,
  type LedgerEntry,
  type ListedRecord,
  type StoredRecord,
} from '../../src/features/ledger/records.ts';
import { checkLedger, type Misfit } from '../../src/features/ledger/whole-ledger.ts';
import type { Tables } from '../../src/store/engine/tables.ts';
import { batchOf, liveAt } from '../support/own-entries.ts';

interface Opened {
  readonly db: Kysely<Tables>;
  readonly ledger: LedgerStore;
  close(): Promise<void>;
}

const DAY = 86_400;
const NOW = 1_800_000_000;
const LATER = NOW + 10 * DAY;
const [PEOPLE, CAMERAS] = [
  ['ann', 'bob'],
  ['porch', 'garden', 'attic'],
];

const entry = fc.record<LedgerEntry>({
  kind: fc.constantFrom(...LEDGER_KINDS),
  user: fc.constantFrom(...(PEOPLE ?? []), null),
  credential: fc.constantFrom('session', 'token:7', null),
  address: fc.constantFrom('192.0.2.1', null),
  camera: fc.constantFrom(...(CAMERAS ?? []), null),
  from: fc.integer({ min: NOW - 20 * DAY, max: NOW }).map((at) => at / 1),
  to: fc.constant(0),
  watchedFrom: fc.constant(null),
  watchedTo: fc.constantFrom(null, 1.001),
  detail: fc.constantFrom(null, '{"seen":"question"}'),
});
const entries = fc
  .array(fc.tuple(entry, fc.nat(2 * 3600)), { minLength: 60, maxLength: 60 })
  .map((all) => all.map(([one, length]): LedgerEntry => ({ ...one, to: one.from + length })));

const question = fc.record<LedgerQuestion>({
  kinds: fc.option(fc.uniqueArray(fc.constantFrom(...LEDGER_KINDS), { maxLength: 3 }), { nil: undefined }),
  user: fc.option(fc.constantFrom(...(PEOPLE ?? [])), { nil: undefined }),
  cameras: fc.option(fc.uniqueArray(fc.constantFrom(...(CAMERAS ?? [])), { maxLength: 2 }), { nil: undefined }),
  after: fc.option(fc.integer({ min: NOW - 20 * DAY, max: NOW }), { nil: undefined }),
  before: fc.option(fc.integer({ min: NOW - 20 * DAY, max: NOW }), { nil: undefined }),
  sight: fc.option(
    fc.record({
      own: fc.constantFrom('ann', 'nobody'),
      cameras: fc.option(fc.uniqueArray(fc.constantFrom(...(CAMERAS ?? [])), { maxLength: 2 }), { nil: undefined }),
      others: fc.boolean(),
    }),
    { nil: undefined },
  ),
});

/** The same question, asked of a list. */
function isAskedFor(one: LedgerEntry, { kinds, user, cameras, after, before, sight }: LedgerQuestion): boolean {
  if (kinds && !kinds.includes(one.kind)) return false;
  if (user !== undefined && one.user !== user) return false;
  if (cameras && !cameras.some((camera) => camera === one.camera)) return false;
  if (after !== undefined && one.to < after) return false;
  if (before !== undefined && one.from > before) return false;
  if (!sight) return true;
  const isSeen = one.camera !== null && (sight.cameras?.includes(one.camera) ?? true);
  const isOwn = one.user === sight.own && (one.camera === null || isSeen);
  return isOwn || (sight.others && isPictureKind(one.kind) && (isSeen || !sight.cameras));
}

export function ledgerStoreContract(
  engineName: string,
  engine: { open(name?: string): Promise<Opened>; isFile: boolean },
): void {
  describe(`The store of the ledger on ${engineName}`, () => {
    let store: Opened;
    let other: Opened;
    before(async () => {
      store = await engine.open();
      other = await engine.open();
    });
    after(() => Promise.all([store.close(), other.close()]));
    const append = (all: readonly LedgerEntry[], by = store) => by.ledger.append(batchOf(all), NOW);
    const allRecords = (): Promise<readonly StoredRecord[]> => store.ledger.rows('', 10_000);
    const misfits = async (): Promise<readonly Misfit[]> => {
      const [heads, closings] = [await store.ledger.heads(), await store.ledger.closings()];
      const check = checkLedger({ heads, closings, noted: [], now: LATER + 100 * DAY });
      for (let behind = ''; ; ) {
        const rows = await store.ledger.rows(behind, 500);
        for (const row of rows) check.take(row);
        behind = rows.at(-1)?.id ?? '';
        if (rows.length < 500) return check.end(heads);
      }
    };
    const forget = (before: number, day: string) =>
      store.ledger.forgetBefore({ at: before + DAY, before, day, retentionDays: 1 });
    const written: LedgerEntry[] = [];

    it('gives what a process left open to any other 90 s later, and it becomes one record', async () => {
      const begun = { ...liveAt(NOW - 100), detail: '{"a":"ü😀"}' };
      const open = { id: 'open-1', ...begun };
      await store.ledger.append(batchOf([], [open]), NOW);
      await store.ledger.append(batchOf([], [{ ...open, to: NOW }]), NOW + 20);
      assert.deepEqual(await other.ledger.left(NOW + 109), [], 'it was renewed');
      assert.deepEqual(await other.ledger.left(NOW + 111), [{ ...open, to: NOW }]);
      const end = (to: number, by: Opened) => by.ledger.append({ ended: [{ ...open, to }], open: [] }, NOW + 111);
      await Promise.all([end(NOW, store), end(NOW, other)]);
      assert.equal((await allRecords()).length, 1, 'two end it at once');
      assert.deepEqual(await other.ledger.left(NOW + 900), []);
      for (const by of [store, other]) await end(NOW + 30, by);
      const spans = (await allRecords()).map(({ from, to }) => [from - NOW, to - NOW]);
      assert.deepEqual(
        spans,
        [
          [-100, 0],
          [0, 30],
        ],
        'its process was cut off, and tells the rest, once',
      );
    });

    it('records nothing twice after a write whose outcome was not known', async () => {
      const batch = batchOf([liveAt(NOW - 40 * DAY), liveAt(NOW - 40 * DAY)]);
      const first = await store.ledger.append(batch, NOW);
      const more = batchOf([liveAt(NOW - 39 * DAY)]);
      const again = await store.ledger.append({ ...batch, ended: [...batch.ended, ...more.ended] }, NOW);
      assert.deepEqual(
        again.map(({ hash }) => hash).slice(0, 2),
        first.map(({ hash }) => hash),
      );
      assert.equal((await allRecords()).length, 5);
    });

    it('keeps the chain whole that two processes write at once, and loses no record', async () => {
      const some = (by: Opened, from: number) =>
        Promise.all(Array.from({ length: 10 }, (_, at) => append([liveAt(from + at), liveAt(from + at)], by)));
      await Promise.all([some(store, 100), some(other, 200)]);
      assert.deepEqual(await misfits(), []);
      const all = await allRecords();
      assert.equal(all.length, 45);
      assert.deepEqual([...new Set(all.map(({ chain }) => chain))], ['store1']);
      written.splice(0, written.length, ...all);
    });

    it('tells a chain that does not fit: another one begins with a record of it, and each is written and verified as it is', async () => {
      const fresh = await engine.open('fresh');
      try {
        const { ledger, db } = fresh;
        const verify = async () => {
          const [heads, closings] = [await ledger.heads(), await ledger.closings()];
          const check = checkLedger({ heads, closings, noted: [], now: LATER });
          for (const row of await ledger.rows('', 100)) check.take(row);
          return check.end(heads).map(({ id }) => id);
        };
        const of = (entries: readonly LedgerEntry[]) => ledger.append(batchOf(entries), NOW);
        await of([liveAt(1)]);
        await sql`insert into ledger_records (id, chain, kind, from_at, to_at, hash) values ('store1-000000000002', 'store1', 'live', 1, 1, 'x')`.execute(
          db,
        );
        const told = await of([liveAt(2)]);
        const [head] = await ledger.heads();
        assert.deepEqual(
          told.map(({ chain, seq }) => [chain, seq]),
          [
            ['store2', 1],
            ['store2', 2],
          ],
        );
        const [begun] = told;
        assert.deepEqual(JSON.parse(begun?.detail ?? ''), {
          what: 'ledger-begun',
          misfit: 'store1',
          heads: headText(head ?? assert.fail()),
        });
        assert.equal(misfitSentences(told).length, 1);
        assert.deepEqual(await verify(), ['store1-000000000002']);
        await of([liveAt(3)]);
        await sql`delete from ledger_chains`.execute(db);
        assert.deepEqual(
          (await of([liveAt(4)])).map(({ chain }) => chain),
          ['store3'],
          'its head was deleted',
        );
      } finally {
        await fresh.close();
      }
    });

    it('answers each question as a list of all records would, page by page', async () => {
      const [more = []] = fc.sample(entries, { numRuns: 1, seed: 7 });
      await append(more);
      written.push(...more);
      await fc.assert(
        fc.asyncProperty(question, fc.integer({ min: 1, max: 40 }), async (asked, limit) => {
          const found: ListedRecord[] = [];
          for (;;) {
            const last = found.at(-1);
            const page = await store.ledger.find(asked, limit, last && { from: last.from, id: last.id });
            found.push(...page);
            if (page.length < limit) break;
          }
          const expected = written.filter((one) => isAskedFor(one, asked));
          assert.deepEqual(texts(found), texts(expected));
          const times = found.map(({ from }) => from);
          assert.deepEqual(
            times,
            [...times].sort((one, two) => two - one),
            'newest first',
          );
        }),
        { numRuns: engine.isFile ? 150 : 40 },
      );
    });

    it('lists spans that go on, without a hash', async () => {
      const open = { id: 'open-2', ...liveAt(NOW + 5, { user: 'zoe' }) };
      const failed = { id: 'open-4', ...liveAt(NOW + 5, { user: 'zoe', kind: 'login-failed' }) };
      await store.ledger.append(batchOf([], [open, failed]), NOW);
      await store.ledger.append({ ended: [failed], open: [] }, NOW);
      written.push(failed);
      assert.deepEqual(await store.ledger.find({ kinds: ['live'], user: 'zoe', sight: undefined }, 5), [
        { ...open, hash: null },
      ]);
      await store.ledger.append({ ended: [open], open: [] }, NOW);
      const [ended] = await store.ledger.find({ kinds: ['live'], user: 'zoe', sight: undefined }, 5);
      assert.match(ended?.hash ?? '', /^[0-9a-f]{64}$/);
      written.push(open);
    });

    it('finds what a person is told of the own account, and nothing of another: not by a prefix, a case, a text or a former account', async () => {
      const act = (at: number, user: string | null, detail: object): LedgerEntry =>
        liveAt(NOW + 1000 + at, { kind: 'change', user, camera: null, detail: JSON.stringify(detail) });
      const all = [
        act(-500, 'eve_1', { what: 'token-created', tokenId: 'of the former account' }),
        act(1, 'boss', { what: 'password-changed', user: 'eve_1', agent: '{"user":"mallory"}' }),
        act(2, 'eve_1', { what: 'token-created', tokenId: 't1', agent: 'Firefox' }),
        { ...act(3, 'eve_1', { what: 'new-device', agent: 'Firefox' }), kind: 'notice' as const },
        act(4, 'eve_1', { what: 'password-changed', user: 'mallory' }),
        act(5, 'eve_1', { what: 'role-changed', role: 'password-changed' }),
        { ...act(6, 'eve_1', { what: 'password-changed', reason: 'weak' }), kind: 'refusal' as const },
        { ...act(7, 'eve_1', { what: 'unusual-amount' }), kind: 'notice' as const },
        ...['eve', 'eve_11', 'evex1', 'EVE_1'].map((user) => act(8, user, { what: 'token-created', tokenId: user })),
        act(9, null, { what: 'invitation-used', user: 'eve_1' }),
      ];
      await append(all);
      written.push(...all);
      const told = async (user: string) =>
        (await listNotices(user, NOW + 900, other.ledger)).map(({ event, by, detail }) => [event, by, detail]);
      assert.deepEqual(await told('eve_1'), [
        ['invitation-used', null, null],
        ['new-device', 'eve_1', null],
        ['token-created', 'eve_1', 't1'],
        ['password-changed', 'boss', null],
      ]);
      assert.deepEqual(await told('mallory'), [['password-changed', 'eve_1', null]]);
    });

    it('adds up days, and keeps who may not see a camera from its sums', async () => {
      const day = {
        day: '2026-11-21',
        user: 'ann',
        viewer: '',
        kind: 'live',
        camera: 'attic',
        seconds: 30.5,
        records: 1,
      } as const;
      for (let times = 0; times < 2; times += 1)
        await store.ledger.append(batchOf([liveAt(NOW)]), NOW, () => [day, { ...day, user: 'bob' }]);
      const sight = { own: 'ann', cameras: ['porch'], others: true };
      const asked = (question: LedgerQuestion) => store.ledger.days(question, '2026-11-21', '2026-11-21');
      const byToken = { ...day, viewer: 'token:7' };
      await store.ledger.append(batchOf([liveAt(NOW)]), NOW, () => [byToken]);
      assert.deepEqual(await asked({ user: 'ann', sight: undefined }), [{ ...day, seconds: 61, records: 2 }, byToken]);
      assert.deepEqual(await asked({ sight }), []);
      assert.equal((await asked({ sight: { ...sight, cameras: ['attic'] } })).length, 3);
      assert.deepEqual(
        (await asked({ sight: { ...sight, cameras: undefined, others: false } })).map(({ user }) => user),
        ['ann', 'ann'],
      );
      await store.ledger.forgetDaysBefore('2026-11-22');
      assert.deepEqual(await asked({ sight: undefined }), []);
    });

    it('forgets the old end of the chain, keeps its closing hash, and the chain still fits', async () => {
      const { ledger } = store;
      const before = (await allRecords()).length;
      assert.equal(await forget(0, '2026-11-20'), 0, 'nothing is as old');
      await append(Array.from({ length: 1100 }, (_, at) => liveAt(LATER + at)));
      assert.equal(await forget(LATER + 1050, '2026-11-22'), before + 1050 - 5, 'the samples last 5 s');
      assert.deepEqual(await misfits(), []);
      assert.equal((await allRecords()).length, 55 + 2, 'two steps, each with its record');
      assert.equal(await forget(LATER + 1052, '2026-11-22'), 2);
      assert.deepEqual(await misfits(), []);
      const [first] = await allRecords();
      assert.deepEqual(
        (await ledger.closings()).map(({ chain, seq }) => [chain, seq]),
        [['store1', (first?.seq ?? 0) - 1]],
      );
    });
  });
}

const texts = (all: readonly LedgerEntry[]): string[] =>
  all
    .map(({ kind, user, credential, address, camera, from, to, watchedFrom, watchedTo, detail }) =>
      JSON.stringify([kind, user, credential, address, camera, from, to, watchedFrom, watchedTo, detail]),
    )
    .sort();
