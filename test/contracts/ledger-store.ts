/** What every store must do with the ledger, whatever the engine: chains stay whole, and readers find what they may see, newest first (SPEC 14). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type ChainClosing,
  isViewingKind,
  LEDGER_KINDS,
  type LedgerEntry,
  type LedgerQuestion,
  type LedgerStore,
  type ListedRecord,
  type StoredRecord,
} from '../../src/domain/ledger.ts';
import { linkEntries } from '../../src/ledger/chain.ts';
import { deletionEntry, isOfDeletion } from '../../src/ledger/closings.ts';
import { listNotices } from '../../src/ledger/notices.ts';
import type { Misfit } from '../../src/ledger/verify.ts';
import { checkLedger } from '../../src/ledger/verify-all.ts';

interface Opened {
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
  return isOwn || (sight.others && isViewingKind(one.kind) && (isSeen || !sight.cameras));
}

export function ledgerStoreContract(engineName: string, engine: { open(): Promise<Opened>; isFile: boolean }): void {
  describe(`The store of the ledger on ${engineName}`, () => {
    let store: Opened;
    let other: Opened;
    before(async () => {
      store = await engine.open();
      other = await engine.open();
    });
    after(() => Promise.all([store.close(), other.close()]));
    const append = (chain: string, all: readonly LedgerEntry[], at = NOW, by = store) =>
      by.ledger.append(chain, { ended: all.map((one) => ({ entry: one })), open: [] }, [], at, linkEntries);
    const recordsIn = async (chain: string): Promise<readonly StoredRecord[]> =>
      (await store.ledger.rows('', 10_000)).filter((row) => row.chain === chain);
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
    const forget = (chain: string, before: number, day: string) => {
      const cause = { at: before + DAY, before, retentionDays: 1 };
      const recordOf = (closing: ChainClosing) => deletionEntry(closing, cause);
      return store.ledger.forgetBefore({ chain, before, day, now: NOW, recordOf, isOfDeletion, link: linkEntries });
    };
    const written: LedgerEntry[] = [];
    let chain = '';

    it('gives a chain to a process, and back what the last one left open', async () => {
      const first = await store.ledger.claimChain('11111111-a', NOW);
      const open = { id: 'open-1', ...sample(7, { kind: 'live', camera: 'porch', detail: '{"a":"ü😀"}' }) };
      await store.ledger.append(first.chain, { ended: [], open: [open] }, [], NOW, linkEntries);
      await store.ledger.append(first.chain, { ended: [], open: [{ ...open, to: NOW }] }, [], NOW, linkEntries);
      const second = await other.ledger.claimChain('22222222-b', NOW + 91);
      assert.deepEqual(second, { chain: first.chain, left: [{ ...open, to: NOW }] });
      await store.ledger.append(
        first.chain,
        { ended: [{ entry: open, span: open.id }], open: [] },
        [],
        NOW,
        linkEntries,
      );
      written.push(open);
      assert.deepEqual((await other.ledger.claimChain('33333333-c', NOW + 200)).left, []);
      chain = first.chain;
      if (engine.isFile) assert.equal(chain, 'main');
      else assert.notEqual((await other.ledger.claimChain('44444444-d', NOW + 201)).chain, chain, 'one that is in use');
    });

    it('has a chain for commands, which no process claims and no process takes for one that is gone', async () => {
      const [one, two] = await Promise.all([store.ledger.commandChain(NOW), other.ledger.commandChain(NOW)]);
      assert.deepEqual([one, two], ['cli', 'cli']);
      const entries = Array.from({ length: 6 }, () => sample(NOW - 30 * DAY, { kind: 'change', camera: null }));
      await Promise.all(entries.map((entry, at) => append('cli', [entry], NOW, at % 2 ? store : other)));
      assert.equal((await recordsIn('cli')).length, 6);
      assert.deepEqual(await misfits(), []);
      const claims = [
        await store.ledger.claimChain('55555555-e', LATER),
        await other.ledger.claimChain('66666666-f', LATER),
      ];
      for (const claim of claims) {
        assert.notEqual(claim.chain, 'cli');
        await store.ledger.release(claim.chain);
      }
      assert.deepEqual(await store.ledger.abandoned(LATER), []);
      written.push(...entries);
    });

    it('keeps a chain whole that two processes write at once', async () => {
      const some = (by: Opened, from: number) =>
        Promise.all(
          Array.from({ length: 10 }, (_, at) => append(chain, [sample(from + at), sample(from + at)], NOW, by)),
        );
      await Promise.all([some(store, 100), some(other, 200)]);
      assert.deepEqual(await misfits(), []);
      const all = await recordsIn(chain);
      assert.equal(all.length, 41);
      written.splice(0, written.length, ...all, ...(await recordsIn('cli')));
    });

    it('answers each question as a list of all records would, page by page', async () => {
      const [more = []] = fc.sample(entries, { numRuns: 1, seed: 7 });
      await append(chain, more);
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
      const open = { id: 'open-2', ...sample(NOW + 5, { user: 'zoe' }) };
      const failed = { id: 'open-4', ...sample(NOW + 5, { user: 'zoe', kind: 'login-failed' }) };
      await store.ledger.append(chain, { ended: [], open: [open, failed] }, [], NOW, linkEntries);
      const over = [{ entry: failed, span: failed.id }];
      await store.ledger.append(chain, { ended: over, open: [] }, [], NOW, linkEntries);
      written.push(failed);
      assert.deepEqual(await store.ledger.find({ kinds: ['live'], user: 'zoe', sight: undefined }, 5), [
        { ...open, hash: null },
      ]);
      await store.ledger.append(chain, { ended: [{ entry: open, span: open.id }], open: [] }, [], NOW, linkEntries);
      const [ended] = await store.ledger.find({ kinds: ['live'], user: 'zoe', sight: undefined }, 5);
      assert.match(ended?.hash ?? '', /^[0-9a-f]{64}$/);
      written.push(open);
    });

    it('finds what a person is told of the own account, and nothing of another: not by a prefix, a case, a text or a former account', async () => {
      const act = (at: number, user: string | null, detail: object): LedgerEntry =>
        sample(NOW + 1000 + at, { kind: 'change', user, camera: null, detail: JSON.stringify(detail) });
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
      await append(chain, all);
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
      const days = [
        { ...day, hours: 1 },
        { ...day, user: 'bob', hours: 2 },
      ];
      for (const hours of [1, 4])
        await store.ledger.append(
          chain,
          { ended: [], open: [] },
          days.map((one) => ({ ...one, hours })),
          NOW,
          linkEntries,
        );
      const sight = { own: 'ann', cameras: ['porch'], others: true };
      const asked = (question: LedgerQuestion) => store.ledger.days(question, '2026-11-21', '2026-11-21');
      const byToken = { ...day, viewer: 'token:7', hours: 8 };
      await store.ledger.append(chain, { ended: [], open: [] }, [byToken], NOW, linkEntries);
      assert.deepEqual(await asked({ user: 'ann', sight: undefined }), [
        { ...day, seconds: 61, records: 2, hours: 5 },
        byToken,
      ]);
      assert.deepEqual(await asked({ sight }), []);
      assert.equal((await asked({ sight: { ...sight, cameras: ['attic'] } })).length, 3);
      assert.deepEqual(
        (await asked({ sight: { ...sight, cameras: undefined, others: false } })).map(({ user }) => user),
        ['ann', 'ann'],
      );
      await store.ledger.forgetDaysBefore('2026-11-22');
      assert.deepEqual(await asked({ sight: undefined }), []);
    });

    it('forgets the old end of a chain, keeps its closing hash, and the chain still fits', async () => {
      const { ledger } = store;
      const { chain: fresh } = engine.isFile ? { chain } : await ledger.claimChain('55555555-e', NOW + 1);
      const before = (await recordsIn(fresh)).length;
      assert.equal(await forget(fresh, 0, '2026-11-20'), undefined, 'nothing is as old');
      await append(
        fresh,
        Array.from({ length: 1100 }, (_, at) => sample(LATER + at)),
      );
      const closing = await forget(fresh, LATER + 1050, '2026-11-22');
      assert.equal(closing?.records, before + 1050 - 5, 'the samples last 5 s');
      assert.deepEqual(await misfits(), []);
      assert.equal((await recordsIn(fresh)).length, 55 + 2, 'two transactions, each with its record');
      const again = await forget(fresh, LATER + 1052, '2026-11-22');
      assert.equal(again?.records, 2);
      assert.deepEqual(await misfits(), []);
      const [kept] = (await ledger.closings()).filter(({ chain: of }) => of === fresh);
      assert.deepEqual([kept?.seq, kept?.hash], [again?.seq, again?.hash]);
    });

    it('gives what a process that is gone left open to any other, once', { skip: engine.isFile }, async () => {
      const { chain: lost } = await store.ledger.claimChain('66666666-f', NOW + 2);
      const open = { id: 'open-3', ...sample(NOW) };
      await store.ledger.append(lost, { ended: [], open: [open] }, [], NOW + 2, linkEntries);
      assert.deepEqual(await other.ledger.abandoned(NOW + 60), []);
      const found = await Promise.all([store.ledger.abandoned(NOW + 100), other.ledger.abandoned(NOW + 100)]);
      assert.deepEqual(found.flat(), [{ chain: lost, left: [open] }]);
      await store.ledger.release(lost);
    });
  });
}

const sample = (from: number, change: Partial<LedgerEntry> = {}): LedgerEntry => ({
  kind: 'live',
  user: 'ann',
  credential: 'session',
  address: '192.0.2.1',
  camera: 'porch',
  from,
  to: from + 5,
  watchedFrom: null,
  watchedTo: null,
  detail: null,
  ...change,
});

const texts = (all: readonly LedgerEntry[]): string[] =>
  all
    .map(({ kind, user, credential, address, camera, from, to, watchedFrom, watchedTo, detail }) =>
      JSON.stringify([kind, user, credential, address, camera, from, to, watchedFrom, watchedTo, detail]),
    )
    .sort();
