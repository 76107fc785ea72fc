/** The pure core of the ledger: the chain shows every change of it, and spans are what was watched (SPEC 14). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import pino from 'pino';
import { canonicalText, deletionEntry, emptyHead, linkEntries, NO_HASH } from '../../../src/features/ledger/chain.ts';
import { actRecord } from '../../../src/features/ledger/ledger.ts';
import type { LedgerEntry, LedgerRecord, OwnEntry } from '../../../src/features/ledger/records.ts';
import { createSpans, cutOff, type Span, type Spans, type Subject } from '../../../src/features/ledger/spans.ts';
import { toSubject } from '../../../src/features/ledger/viewings.ts';
import { checkChain } from '../../../src/features/ledger/whole-ledger.ts';
import { createLedgerWriter, ledgerMetrics } from '../../../src/features/ledger/writer.ts';
import { liveAt } from '../../support/own-entries.ts';

const chained = (count: number): readonly LedgerRecord[] =>
  linkEntries(
    emptyHead('main'),
    Array.from({ length: count }, (_, at) => liveAt(1000 + at, { detail: `{"n":"${at}"}` })),
  );
const headOf = (records: readonly LedgerRecord[]) => records.at(-1) ?? emptyHead('main');

function firstMisfit(
  records: readonly LedgerRecord[],
  head = headOf(records),
  { closings = [], noted = [], now = 1e9 }: Partial<Omit<Parameters<typeof checkChain>[0], 'chain'>> = {},
) {
  const check = checkChain({ chain: 'main', closings, noted, now });
  for (const record of records) {
    const misfit = check.take(record);
    if (misfit) return misfit;
  }
  return check.end(head)[0];
}

describe('The chain of the ledger', () => {
  it('has a text of each record that can be written down by hand', () => {
    assert.equal(
      canonicalText(liveAt(1.5), { chain: 'main', seq: 1 }, NO_HASH),
      `[1,"main",1,"${NO_HASH}","live","ann","session","192.0.2.1","porch",1.5,6.5,null,null,null]`,
    );
    assert.equal(
      linkEntries(emptyHead('main'), [liveAt(1.5)])[0]?.hash,
      '308dc7bc3f7c92d00cdd3296cc40e63bcbf9810def2ddce72d448778fb74f914',
    );
  });

  it('of this version tells the site, and has a form of its own', () => {
    const entry = liveAt(1.5, { site: 'barn' });
    const text = `[2,"store1",7,"${NO_HASH}","barn","live","ann","session","192.0.2.1","porch",1.5,6.5,null,null,null]`;
    assert.equal(canonicalText(entry, { chain: 'store1', seq: 7 }, NO_HASH), text);
    const records = linkEntries(emptyHead('store1'), [entry, liveAt(2)]);
    const verify = (changed: readonly LedgerRecord[]) => {
      const check = checkChain({ chain: 'store1', closings: [], noted: [], now: 1e9 });
      return changed.map((record) => check.take(record)?.id).find((id) => id !== undefined);
    };
    assert.equal(verify(records), undefined);
    for (const site of [{ site: 'house' }, {}])
      assert.equal(
        verify(
          records.map(({ site: own = '', ...record }, at) => ({ ...record, ...(at === 0 ? site : { site: own }) })),
        ),
        'store1-000000000001',
      );
  });

  it('fits when nothing was changed, in one piece or several', () => {
    const records = chained(20);
    const [first = emptyHead('main')] = records;
    assert.equal(firstMisfit(records), undefined);
    assert.deepEqual(
      linkEntries(
        first,
        records.slice(1).map(({ chain: _, seq: __, hash: ___, ...entry }) => entry),
      ),
      records.slice(1),
    );
  });

  it('names the record of any character that is changed', () => {
    const records = chained(8);
    const fields = ['kind', 'user', 'credential', 'address', 'camera', 'from', 'to', 'detail', 'hash'] as const;
    fc.assert(
      fc.property(fc.nat(7), fc.constantFrom(...fields), fc.nat(), (at, field, where) => {
        const changed = records.map((record, index) => (index === at ? spoiled(record, field, where) : record));
        assert.equal(firstMisfit(changed, headOf(records))?.id, `main-${String(at + 1).padStart(12, '0')}`);
      }),
      { numRuns: 300 },
    );
  });

  it('names the first record that is missing, or stands elsewhere', () => {
    const records = chained(8);
    fc.assert(
      fc.property(fc.nat(7), fc.nat(7), (one, other) => {
        const first = Math.min(one, other);
        const without = records.filter((_, index) => index !== one);
        assert.equal(firstMisfit(without, headOf(records))?.id, `main-${String(one + 1).padStart(12, '0')}`);
        if (one === other) return;
        const swapped = records.map((record, index) => {
          const from = index === one ? other : index === other ? one : index;
          return { ...(records[from] ?? record), seq: record.seq };
        });
        assert.equal(firstMisfit(swapped, headOf(records))?.id, `main-${String(first + 1).padStart(12, '0')}`);
      }),
    );
  });

  it('shows that its end was cut: by its own head, and by one that was noted elsewhere when the head was written anew', () => {
    const records = chained(8);
    const cut = records.slice(0, 5);
    assert.match(firstMisfit(cut, headOf(records))?.why ?? '', /missing, and all behind it/);
    assert.equal(firstMisfit(cut), undefined, 'the file alone cannot know');
    assert.equal(firstMisfit(cut, headOf(cut), { noted: [headOf(records)] })?.id, 'main-000000000008');
    const anew = linkEntries(
      cut[4] ?? emptyHead('main'),
      [1, 2, 3].map((at) => liveAt(at)),
    );
    assert.match(firstMisfit([...cut, ...anew], headOf(anew), { noted: [headOf(records)] })?.why ?? '', /written anew/);
  });

  const DAY = 86_400;
  const WHY = { at: 2000 + DAY, before: 2000, day: '2026-11-22', retentionDays: 1 };
  /** Eight records, of which the first three were deleted, and the record of that. */
  const cutAtThree = (why = WHY, behind: readonly LedgerEntry[] = []) => {
    const records = chained(8);
    const closing = { ...(records[2] ?? emptyHead('main')), day: '2026-11-22', records: 3 };
    const kept = [...records.slice(3), ...linkEntries(headOf(records), [deletionEntry(closing, why), ...behind])];
    return { records, closing, kept };
  };

  it('goes on behind what was deleted, by the hash that was kept and a record of the deletion', () => {
    const { closing, kept, records } = cutAtThree();
    const closings = [closing];
    assert.equal(firstMisfit(kept, headOf(kept), { closings }), undefined);
    assert.equal(firstMisfit(kept.slice(1), headOf(kept), { closings })?.id, 'main-000000000004');
    const forged = { ...closing, hash: NO_HASH };
    assert.equal(firstMisfit(kept, headOf(kept), { closings: [forged] })?.id, 'main-000000000004');
    const untold = firstMisfit(records.slice(3), headOf(records), { closings });
    assert.deepEqual([untold?.id, /no record behind it says so/.test(untold?.why ?? '')], ['main-000000000003', true]);
    const later = { ...(records[4] ?? closing), day: '2026-11-23', records: 2 };
    const more = firstMisfit(kept.slice(2), headOf(kept), { closings: [closing, later] });
    assert.match(more?.why ?? '', /no record behind it says so/, 'more was deleted than the record tells');
  });

  it('compares a noted head with the hash of what was deleted, or says that it cannot', () => {
    const { closing, kept, records } = cutAtThree();
    const check = (noted: (typeof records)[number] | undefined) =>
      firstMisfit(kept, headOf(kept), { closings: [closing], noted: noted ? [noted] : [] })?.why;
    assert.equal(check(records[2]), undefined);
    assert.equal(check(records[3]), undefined);
    const other = { ...(records[2] ?? assert.fail()), hash: NO_HASH };
    assert.match(check(other) ?? '', /another hash than was noted/);
    assert.match(check(records[1]) ?? '', /cannot be verified: the records up to main-000000000003 were deleted/);
  });

  it('tells what was deleted before its time: by its own record, by a record behind it, and by the clock now', () => {
    const tell = (why: typeof WHY, behind: readonly LedgerEntry[] = [], now = 1e9) => {
      const { closing, kept } = cutAtThree(why, behind);
      return firstMisfit(kept, headOf(kept), { closings: [closing], now });
    };
    const tenth = liveAt(WHY.at);
    assert.equal(tell(WHY, [tenth]), undefined);
    assert.match(tell({ ...WHY, before: WHY.before + 1 })?.why ?? '', /says itself that they were not as old/);
    const ahead = { ...WHY, at: WHY.at + 3650 * DAY };
    const found = tell(ahead, [tenth]);
    assert.equal(found?.id, 'main-000000000009');
    assert.match(found?.why ?? '', /before their time: .* main-000000000010 behind it ended .* the clock was ahead/);
    assert.match(tell(ahead, [], WHY.at)?.why ?? '', /it is 1970-.* now/);
    assert.equal(tell(ahead, [], ahead.at), undefined);
  });
});

function spoiled(record: LedgerRecord, field: keyof LedgerEntry | 'hash', where: number): LedgerRecord {
  const value = record[field];
  if (typeof value === 'number') return { ...record, [field]: value + 1 / 1000 };
  const text = value ?? '';
  const at = where % text.length;
  return { ...record, [field]: `${text.slice(0, at)}${text[at] === 'a' ? 'b' : 'a'}${text.slice(at + 1)}` };
}

const LIVE: Subject = { kind: 'live', user: 'ann', credential: 'session', address: '192.0.2.1', camera: 'porch' };

/** What is recorded of what is done, second by second. */
function recorded(acts: readonly { at: number; act: (spans: Spans) => void }[], until: number) {
  let ids = 0;
  const spans = createSpans(() => String(++ids));
  const ended: LedgerEntry[] = [];
  for (let now = 0; now <= until; now += 1) {
    for (const { act } of acts.filter(({ at }) => at >= now && at < now + 1)) act(spans);
    ended.push(...spans.settle(now + 1, now === until).ended.map(({ id: _, ...entry }) => entry));
  }
  return ended;
}

describe('Spans of the ledger', () => {
  it('join what follows within 60 s, and part what comes later', () => {
    const at = (seconds: readonly number[]) => seconds.map((at) => ({ at, act: (to: Spans) => to.see(LIVE, at) }));
    const spans = recorded(at([0, 10, 70, 130.5, 200]), 400).map(({ from, to }) => [from, to]);
    assert.deepEqual(spans, [
      [0, 70],
      [130.5, 130.5],
      [200, 200],
    ]);
  });

  it('hold a stream from its begin to its end, through reconnects, and two of them at once', () => {
    const streams: Span[] = [];
    const endFirst = (to: Spans, at: number): void => {
      const stream = streams.shift();
      if (stream) to.end(stream, at);
    };
    const spans = recorded(
      [
        { at: 5.25, act: (to) => streams.push(to.begin(LIVE, 5.25)) },
        { at: 100, act: (to) => streams.push(to.begin(LIVE, 100)) },
        { at: 110.5, act: (to) => endFirst(to, 110.5) },
        { at: 400.75, act: (to) => endFirst(to, 400.75) },
        { at: 430, act: (to) => streams.push(to.begin(LIVE, 430)) },
        { at: 440, act: (to) => endFirst(to, 440) },
      ],
      600,
    );
    assert.deepEqual(
      spans.map(({ from, to }) => [from, to]),
      [[5.25, 440]],
    );
  });

  it('hold a stream together when the clock leaps, whatever else is seen of the same camera, and count each request once', () => {
    const spans = createSpans(() => 'a');
    const exported: Subject = { ...LIVE, kind: 'export' };
    const stream = spans.begin(exported, 0);
    spans.settle(1);
    spans.see(exported, 270);
    spans.see(exported, 400);
    spans.settle(401);
    spans.end(stream, 500);
    assert.deepEqual(
      spans.settle(501, true).ended.map(({ from, to, detail }) => [from, to, detail]),
      [[0, 500, '{"times":"3"}']],
    );
  });

  it('hold a stream that found no room when it began, as soon as there is room', () => {
    const spans = createSpans(() => 'a');
    for (let at = 0; at < 20_000; at += 1) spans.see({ ...LIVE, user: `user ${at % 20}`, camera: `made up ${at}` }, 1);
    const stream = spans.begin(LIVE, 1);
    spans.end(spans.begin({ ...LIVE, user: 'bob' }, 1), 1.5);
    assert.equal(spans.settle(2).dropped, 2);
    assert.equal(spans.settle(65).ended.length, 20_000);
    spans.end(stream, 66.5);
    const { ended, dropped } = spans.settle(67, true);
    assert.deepEqual([ended.map(({ user, from, to }) => [user, from, to]), dropped], [[['ann', 65, 66.5]], 0]);
  });

  it('keep recorded times apart that lie more than an hour from each other', () => {
    const history: Subject = { ...LIVE, kind: 'history' };
    const watch = (at: number, from: number) => ({
      at,
      act: (to: Spans) => to.see(history, at, { from, to: from + 10 }),
    });
    const spans = recorded([watch(1, 50_000), watch(2, 50_010), watch(3, 90_000), watch(4, 50_020)], 200);
    assert.deepEqual(spans.map(({ from, to, watchedFrom, watchedTo }) => [from, to, watchedFrom, watchedTo]).sort(), [
      [1, 4, 50_000, 50_030],
      [3, 3, 90_000, 90_010],
    ]);
  });

  it('end at their last sign of life when the process was killed, and say so', () => {
    const open = { id: 'a', ...liveAt(10, { detail: '{"seen":"question"}' }) };
    assert.deepEqual(cutOff(open), { id: 'a', ...liveAt(10, { detail: '{"seen":"question","ended":"unknown"}' }) });
  });

  it('are written when they begin, every 20 s while they are open, and when they have ended', () => {
    const spans = createSpans(() => 'a');
    const stream = spans.begin(LIVE, 0);
    const given: number[] = [];
    const ended: number[] = [];
    for (let now = 1; now <= 200; now += 1) {
      if (now === 100) spans.end(stream, 100);
      const settled = spans.settle(now);
      if (settled.open.length > 0) given.push(now);
      if (settled.ended.length > 0) ended.push(now);
    }
    assert.deepEqual(given, [1, 21, 41, 61, 81, 101, 121, 141, 161]);
    assert.deepEqual(ended, [164], 'a minute and the late seconds after the stream');
  });

  it('are written on when the clock was set back', () => {
    const spans = createSpans(() => 'a');
    const seen = (at: number) => {
      spans.see(LIVE, at);
      return spans.settle(at).open.length;
    };
    assert.deepEqual([seen(1000), seen(1001), seen(970), seen(971)], [1, 0, 1, 0]);
  });

  it('of this process are never taken for those of one that is gone', async () => {
    const written: LedgerEntry[] = [];
    let open: readonly OwnEntry[] = [];
    let now = 0;
    const writer = createLedgerWriter({
      store: {
        append: async (batch) => {
          written.push(...batch.ended.map(({ id: _, ...entry }) => entry));
          open = batch.open;
          return [];
        },
        left: async () => open,
      },
      now: () => now,
      localDay: () => '2026-11-22',
      metrics: ledgerMetrics(),
      log: pino({ level: 'silent' }),
      messages: { send: () => {}, onMessage: () => {} },
    });
    const stream = writer.begin(LIVE, 0);
    for (now of [0, 40]) await writer.flush();
    writer.end(stream, 50);
    now = 200;
    await writer.close();
    assert.deepEqual(
      written.map(({ from, to, detail }) => [from, to, detail]),
      [[0, 50, null]],
    );
  });

  it('go on in a new record after a day', () => {
    let ids = 0;
    const spans = createSpans(() => String(++ids));
    spans.begin(LIVE, 0);
    const ended: LedgerEntry[] = [];
    for (let now = 0; now <= 200_000; now += 10) {
      ended.push(...spans.settle(now).ended.map(({ id: _, ...entry }) => entry));
    }
    assert.deepEqual(
      ended.map(({ from, to }) => [from, to]),
      [
        [0, 86_400],
        [86_400, 172_800],
      ],
    );
  });
});

describe('Strangers and viewers who make up names', () => {
  it('leave every viewing of others in the ledger, and no record for each name', async () => {
    const written: LedgerEntry[] = [];
    let now = 0;
    const metrics = ledgerMetrics();
    const writer = createLedgerWriter({
      store: {
        append: async ({ ended }) => {
          written.push(...ended.map(({ id: _, ...entry }) => entry));
          return linkEntries(
            emptyHead('store1'),
            ended.map(({ id: _, ...entry }) => entry),
          );
        },
        left: async () => [],
      },
      now: () => now,
      localDay: () => '2026-11-22',
      metrics,
      log: pino({ level: 'warn' }, { write: (line) => assert.fail(line) }),
      messages: { send: () => {}, onMessage: () => {} },
    });
    const failed = (name: string): Subject => ({
      ...LIVE,
      kind: 'login-failed',
      user: null,
      address: `2001:db8::${name}`,
    });
    const ofVera: Subject = { ...LIVE, kind: 'login-failed', user: 'vera', address: '192.0.2.9' };
    for (now = 1; now <= 12; now += 1) {
      for (let at = 0; at < 2000; at += 1) {
        writer.see(failed(`${now}x${at}`), now);
        if (at < 100) writer.see({ ...LIVE, user: 'vic', camera: `none${now}x${at}` }, now);
      }
      writer.see(LIVE, now);
      writer.see(ofVera, now);
      await writer.flush();
    }
    await writer.close();
    const count = (kind: string, user: string | null) =>
      written.filter((entry) => entry.kind === kind && entry.user === user).length;
    assert.equal(count('login-failed', 'vera'), 1, 'a failure of an account is no part of the crowd');
    assert.deepEqual([[...metrics.dropped.samples()][0]?.value, count('live', LIVE.user)], [0, 1]);
    assert.ok(count('login-failed', null) <= 301 && count('live', 'vic') <= 1001, String(written.length));
    const many = written.filter(({ detail }) => detail?.includes('crowd'));
    assert.deepEqual(many.map(({ kind, user }) => [kind, user]).sort(), [
      ['live', 'vic'],
      ['login-failed', null],
    ]);
  });

  it('try a thousand names in ten minutes from one address, and that is one record with their number and the first five', () => {
    const act = { what: 'login', from: '192.0.2.1', verdict: 'refused', reason: 'bad-credentials' } as const;
    const acts = Array.from({ length: 1000 }, (_, at) => ({
      at: at * 0.6,
      act: (to: Spans) => {
        const doing = actRecord({ ...act, who: `name${at}`, unknown: true }, at);
        if (doing.kind === 'repeated') to.see(doing.subject, at * 0.6, undefined, doing.madeUp);
        const known = actRecord({ ...act, who: 'vera' }, at);
        if (known.kind === 'repeated' && at % 100 === 0) to.see(known.subject, at * 0.6);
        const limited = actRecord({ ...act, who: `vera`, reason: 'rate-limited' }, at);
        if (limited.kind === 'repeated') to.see(limited.subject, at * 0.6, undefined, limited.madeUp);
      },
    }));
    const told = recorded(acts, 700).map(({ kind, user, address, detail }) => [kind, user, address, detail]);
    const failed = ['login-failed', null, '192.0.2.1'];
    assert.deepEqual(
      told.sort(),
      [
        [
          ...failed,
          '{"what":"login","reason":"bad-credentials","names":"name0, name1, name2, name3, name4","times":"1000"}',
        ],
        [...failed, '{"what":"login","reason":"rate-limited","times":"1000"}'],
        ['login-failed', 'vera', '192.0.2.1', '{"what":"login","reason":"bad-credentials","times":"10"}'],
      ].sort(),
    );
  });

  it('fill no more records in ten minutes of made-up addresses than in the first one', () => {
    const failed = (at: number): Subject => ({ ...LIVE, kind: 'login-failed', user: null, address: `2001:db8::${at}` });
    const acts = Array.from({ length: 6000 }, (_, at) => ({
      at: at / 10,
      act: (to: Spans) => to.see(failed(at), at / 10),
    }));
    const told = recorded(acts, 700);
    assert.equal(told.length, 301);
    const counts = told.map(({ detail }) => Number(JSON.parse(detail ?? '{}').times ?? 1));
    assert.equal(
      counts.reduce((sum, count) => sum + count),
      6000,
    );
  });

  it('open a link as a thousand programs, and that is one record with their number', () => {
    const spans = createSpans(() => 'a');
    const once: LedgerEntry[] = [];
    for (let at = 0; at < 1000; at += 1) {
      const act = { what: 'link-opened', from: '192.0.2.1', verdict: 'allowed', linkId: 'a', agent: `x${at}` } as const;
      const doing = actRecord(act, at / 100);
      if (doing.kind === 'repeated') spans.see(doing.subject, at / 100);
      else once.push(doing.entry);
    }
    const { ended } = spans.settle(10, true);
    assert.deepEqual(
      [ended.map(({ detail }) => detail), once],
      [['{"what":"link-opened","linkId":"a","times":"1000"}'], []],
    );
  });

  it('write no text that an engine cannot keep: PostgreSQL takes no NUL', () => {
    const viewer = { caller: undefined, address: '192.0.2.1' };
    const { camera } = toSubject(viewer, 'live', `a\0\ud800${'b'.repeat(9000)}`);
    assert.equal(camera, `a\ufffd${'b'.repeat(197)}`);
  });
});
