/** Large responses are narrowed beside the event loop, to the same bytes as small ones (SPEC 5). */
import assert from 'node:assert/strict';
import fs, { readdirSync } from 'node:fs';
import { IncomingMessage, ServerResponse } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';
import { getPriority } from 'node:os';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { plainView } from '../../src/access/camera-view.ts';
import type { Upstream } from '../../src/domain/addresses.ts';
import type { Sharer } from '../../src/domain/async.ts';
import { ok } from '../../src/domain/result.ts';
import { askFailure } from '../../src/gateway/decision/upstream-failure.ts';
import { NOTHING_BEGUN } from '../../src/gateway/http1/exchange.ts';
import { HeldBody, turnAt } from '../../src/gateway/narrow/held-body.ts';
import { type NarrowTask, narrowNow } from '../../src/gateway/narrow/narrow-task.ts';
import { createNarrower } from '../../src/gateway/narrow/narrower.ts';
import { createErrorReader, passNarrowed } from '../../src/gateway/narrow/response-filter.ts';
import { FRIGATE } from '../../src/nvr/frigate/frigate.ts';
import { viewOfRole } from '../access/support/views.ts';
import { until } from '../support/until.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const view = plainView(viewOfRole('gardener'));
const rowsOf = (count: number, first = 0): object[] =>
  Array.from({ length: count }, (_, at) => ({
    camera: at % 2 === 0 ? 'garden' : 'garden-house',
    timestamp: first + at,
    text: 'ä'.repeat(40),
  }));
const MANY = 20_000;
const MB = 1024 * 1024;
const bytesOf = (json: unknown): Uint8Array<ArrayBuffer> =>
  new Uint8Array(new TextEncoder().encode(JSON.stringify(json)));

// biome-ignore format: a table
const TASKS: readonly [sentence: string, make: (count: number) => NarrowTask][] = [
  ['a list',                        (count) => ({ kind: 'narrow', form: 'array', body: bytesOf(rowsOf(count)), view })],
  ['a list of another form',        (count) => ({ kind: 'narrow', form: 'array', body: bytesOf({ rows: rowsOf(count) }), view })],
  ['cases',                         (count) => ({ kind: 'narrow', form: 'cases', body: bytesOf(rowsOf(count).map((row, id) => ({ id, row: JSON.stringify(row) }))), view, known: new Set(['3', '4']) })],
  ['streams',                       (count) => ({ kind: 'narrow', form: 'streams', body: bytesOf({ garden_sub: rowsOf(count), house_main: 1 }), view })],
  ['what is no UTF-8',              (count) => ({ kind: 'narrow', form: 'array', body: new Uint8Array(count * 100).fill(255), view })],
  ['what is nested without end',    (count) => ({ kind: 'narrow', form: 'array', body: new Uint8Array(count * 100).fill('['.charCodeAt(0)), view })],
  ['lists of one camera each',      (count) => ({ kind: 'join', form: 'array', lists: [0, 5].map((first) => JSON.stringify(rowsOf(count, first))), view, limit: 7 })],
  ['lists that name no camera',     (count) => ({ kind: 'join', form: undefined, lists: ['["b"]', JSON.stringify(rowsOf(count).map((_, at) => `a${at}`))], view, limit: undefined })],
  ['a list that is cut',            (count) => ({ kind: 'cut', list: 'explore', text: JSON.stringify(rowsOf(count).map((row, at) => ({ ...row, label: `label${at % 3}`, start_time: at }))), limit: 2 })],
  ['addresses',                     (count) => ({ kind: 'addresses', body: bytesOf(rowsOf(count).map((row, at) => ({ ...row, url: `http://hls:8888/${at}` }))), members: ['url'], place: { origin: 'https://a', prefix: '/hls', path: '/', hosts: ['hls:8888'] } })],
  ['a playlist',                    (count) => ({ kind: 'playlist', body: new Uint8Array(new TextEncoder().encode(`#EXTM3U\n${'#EXTINF:1.0,\nseg.ts\n'.repeat(count)}`)), directory: '/vod' })],
  ['an invalid list among them', (count) => ({ kind: 'join', form: undefined, lists: [JSON.stringify(rowsOf(count)), '<p>'], view, limit: undefined })],
];

/** How often the event loop went round before the work was done. */
async function turnsUntil(work: Promise<unknown>): Promise<number> {
  let isDone = false;
  let turns = 0;
  void work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await nextTurn();
    turns += 1;
  }
  return turns;
}

describe('Small responses', () => {
  it('are narrowed one a turn, however many come at once, and a lone one at once', async () => {
    const narrower = createNarrower();
    const small = (): NarrowTask => ({ kind: 'narrow', form: 'array', body: bytesOf(rowsOf(100)), view });
    assert.ok((await turnsUntil(narrower.narrow(small(), FRIGATE))) <= 1);
    const many = Array.from({ length: 50 }, () => narrower.narrow(small(), FRIGATE));
    assert.ok((await turnsUntil(Promise.all(many))) >= 49);
    const [first, ...others] = await Promise.all(many);
    for (const other of others) assert.deepEqual(other, first);
  });
});

describe('A large response', () => {
  const narrower = createNarrower();

  for (const [sentence, make] of TASKS) {
    it(`that is ${sentence} is narrowed to the same bytes as at once`, async () => {
      assert.deepEqual(await narrower.narrow(make(MANY), FRIGATE), narrowNow(make(MANY), FRIGATE));
      assert.deepEqual(await narrower.narrow(make(3), FRIGATE), narrowNow(make(3), FRIGATE));
    });
  }

  it('is narrowed as well while the thread that was not needed any more ends', async () => {
    const seldom = createNarrower({ idleMs: 0 });
    const body = JSON.stringify(rowsOf(2_000));
    for (let round = 0; round < 40; round += 1) {
      for (let turn = 0; turn < round; turn += 1) await nextTurn();
      const task: NarrowTask = { kind: 'join', form: 'array', lists: [body], view, limit: 3 };
      assert.ok((await seldom.narrow(task, FRIGATE)).ok, `in round ${round}`);
    }
  });

  it('of one list for each camera is read by the names that its row says, and keeps no member for admins', async () => {
    const rows = (count: number, path: string) => Array.from({ length: count }, (_, at) => ({ path, user: 'eve', at }));
    const make = (count: number): NarrowTask => ({
      kind: 'join',
      form: 'array',
      lists: [JSON.stringify([...rows(count, 'garden'), ...rows(1, 'street')])],
      view,
      limit: undefined,
      reading: { namedBy: 'path', hidden: ['user'] },
    });
    for (const count of [3, MANY]) {
      const joined = await narrower.narrow(make(count), FRIGATE);
      const text = joined.ok ? new TextDecoder().decode(joined.value) : '';
      assert.equal((JSON.parse(text) as unknown[]).length, count);
      assert.doesNotMatch(text, /eve|street/);
    }
  });

  /** Gives the turns of the event loop that it takes to read these chunks. `announced`: bytes. */
  const turnsToRead = async (chunks: readonly Buffer[], announced?: number): Promise<number> => {
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    const held = new HeldBody(NOTHING_BEGUN, announced);
    const received = { statusCode: 200, headers: {}, body: held };
    const whole = { received, response, rules: { cookieName: 'a', isPublic: false }, fail: assert.fail };
    let given: Uint8Array | undefined;
    const plan = {
      body: async (body: Uint8Array<ArrayBuffer>) => {
        given = body;
        return ok(new Uint8Array());
      },
      reader: createErrorReader(viewOfRole('gardener')),
      hidesUnknown: false,
      hold: { take: () => true, release() {} },
      turn: () => () => {},
    };
    const work = passNarrowed(whole, plan);
    for (const chunk of chunks) held.add(chunk);
    held.end();
    const turns = await turnsUntil(work);
    assert.ok(Buffer.concat(chunks).equals(given ?? assert.fail()));
    return turns;
  };

  it('is put together while the event loop goes round', async () => {
    const turns = await turnsToRead(Array.from({ length: 200 }, (_, at) => Buffer.alloc(64 * 1024, at)));
    assert.ok(turns > 20, `${turns} turns`);
  });

  it('of many small chunks takes no more turns than its bytes do', async () => {
    const turns = await turnsToRead(Array.from({ length: 20_000 }, (_, at) => Buffer.alloc(100, at)));
    assert.ok(turns < 20, `${turns} turns`);
  });

  it('whose length is known is not copied again', async () => {
    const chunks = Array.from({ length: 200 }, (_, at) => Buffer.alloc(64 * 1024, at));
    const turns = await turnsToRead(chunks, 200 * 64 * 1024);
    assert.ok(turns <= 2, `${turns} turns`);
  });

  it('of which there is a copy in one piece is not kept in pieces', async () => {
    collectGarbage();
    const before = process.memoryUsage().arrayBuffers;
    const held = new HeldBody(NOTHING_BEGUN);
    const reading = held.read(() => undefined);
    for (let at = 0; at < 16; at += 1) held.add(Buffer.alloc(MB));
    held.end();
    const whole = await reading;
    collectGarbage();
    await until('it is there once', () => process.memoryUsage().arrayBuffers - before < 24 * MB);
    assert.ok(whole.ok && whole.value.length === 16 * MB && held);
  });

  /** Bodies of one NVR that were announced as large. What they do to their response is told. */
  const large = (names: string, upstream: Upstream, sharer: Sharer, told: string[]): HeldBody[] =>
    [...names].map((name) => {
      const control = {
        abort: () => void told.push(`${name} aborted`),
        pause: () => void told.push(`${name} paused`),
        resume: () => void told.push(`${name} read`),
      };
      return new HeldBody(control, MB, turnAt(upstream, sharer));
    });
  const begun = (names: string): string[] => [...names].flatMap((name) => [`${name} paused`, `${name} read`]);

  it('waits for its turn until one of four before it is narrowed, and is not read meanwhile', () => {
    const upstream = { kind: 'unix', path: '/turns' } as const;
    const told: string[] = [];
    const [first, ...others] = large('abcdef', upstream, [], told);
    assert.deepEqual(told.splice(0), [...begun('abcd'), 'e paused', 'f paused']);
    first?.end();
    others[3]?.release();
    assert.deepEqual(told.splice(0), ['e aborted'], 'the first is narrowed yet');
    first?.release();
    assert.deepEqual(told.splice(0), ['f read'], 'a client that has left takes no turn');
    for (const other of others) other.release();
    told.splice(0);
    for (const next of large('ghij', upstream, [], told)) next.end();
    assert.deepEqual(told, begun('ghij'));
    new HeldBody(NOTHING_BEGUN, 64 * 1024, () => assert.fail('a small one takes a turn')).end();
  });

  it('of a caller who has two under way waits, and those of others do not', () => {
    const upstream = { kind: 'unix', path: '/callers' } as const;
    const told: string[] = [];
    const bodies = large('abc', upstream, [['name vera', 1]], told);
    bodies.push(...large('de', upstream, [['name carl', 1]], told));
    assert.deepEqual(told, [...begun('ab'), 'c paused', ...begun('de')]);
    for (const body of bodies) body.release();
  });

  it('is read without a turn after ten seconds: those before it may never come', (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const told: string[] = [];
    const bodies = large('abcde', { kind: 'unix', path: '/patience' }, [], told);
    test.mock.timers.tick(9_999);
    assert.deepEqual(told.splice(0), [...begun('abcd'), 'e paused']);
    test.mock.timers.tick(1);
    assert.deepEqual(told, ['e read']);
    for (const body of bodies) body.release();
  });

  it('is narrowed behind the event loop, where processors are short', {
    skip: process.platform !== 'linux',
  }, async () => {
    const body = bytesOf(rowsOf(MANY));
    await narrower.narrow({ kind: 'narrow', form: 'array', body, view }, FRIGATE);
    const threads = readdirSync('/proc/self/task').map((id) => getPriority(Number(id)));
    assert.ok(threads.includes(Math.min(19, getPriority() + 10)), `priorities: ${threads}`);
  });

  it('leaves the priority of every other thread as it is when they could not be told before it began', async (t) => {
    const before = getPriority();
    const read = t.mock.method(fs, 'readdirSync');
    read.mock.mockImplementationOnce(() => assert.fail('too many open files'));
    syncBuiltinESMExports();
    t.after(syncBuiltinESMExports);
    const body = bytesOf(rowsOf(MANY));
    await createNarrower({ idleMs: 0 }).narrow({ kind: 'narrow', form: 'array', body, view }, FRIGATE);
    assert.ok(read.mock.callCount() > 0);
    assert.equal(getPriority(), before);
  });

  it('is narrowed while the event loop goes round', async () => {
    const body = bytesOf(rowsOf(MANY));
    assert.ok((await turnsUntil(narrower.narrow({ kind: 'narrow', form: 'array', body, view }, FRIGATE))) > 2);
  });

  it('that the gate asks for itself is read while the event loop goes round', async () => {
    const events = JSON.stringify(rowsOf(MANY).map((row) => ({ ...row, label: 'dog', start_time: 1 })));
    const asked: string[] = [];
    const askText = async (path: string): Promise<string> => {
      asked.push(path.split('?')[0] ?? '');
      return path.startsWith('/api/labels') ? '["dog"]' : events;
    };
    const task = { kind: 'compose', list: 'explore', view, limit: MANY } as const;
    let text: unknown;
    const work = narrower.ask(task, askText, FRIGATE).then((made) => {
      text = made;
    });
    assert.ok((await turnsUntil(work)) > 2);
    const list = JSON.parse(String(text)) as { camera: string; event_count: number }[];
    assert.deepEqual([list.length, list[0]?.event_count], [MANY / 2, MANY / 2]);
    assert.ok(list.every(({ camera }) => camera === 'garden'));
    assert.deepEqual(asked, ['/api/labels', '/api/events']);
  });

  it('that the NVR does not give the gate fails for that reason, and one of another form as such', async () => {
    const task = { kind: 'know', form: 'cases', view } as const;
    const gone = Object.assign(new Error('gone'), { code: 'ECONNREFUSED' });
    await assert.rejects(
      narrower.ask(task, () => Promise.reject(gone), FRIGATE),
      (fault) => fault === gone,
    );
    for (const odd of ['{}', 'no JSON'])
      await assert.rejects(
        narrower.ask(task, async () => odd, FRIGATE),
        (fault) => askFailure(fault) === 'nvr-unexpected-form',
      );
    const known = await narrower.ask(task, async () => '[{"camera":"garden","export_case":"c1"}]', FRIGATE);
    assert.deepEqual(known, new Set(['c1']));
  });

  it('is narrowed beside others, each to its own', async () => {
    const tasks = TASKS.map(([, make]) => make(MANY / 4));
    const results = await Promise.all(TASKS.map(([, make]) => narrower.narrow(make(MANY / 4), FRIGATE)));
    assert.deepEqual(
      results,
      tasks.map((task) => narrowNow(task, FRIGATE)),
    );
  });

  it('for which there is no memory fails alone: the next one is narrowed', async () => {
    const small = createNarrower({ mostMemory: 16 });
    const list = (count: number): NarrowTask => ({ kind: 'narrow', form: 'array', body: bytesOf(rowsOf(count)), view });
    await assert.rejects(
      small.narrow(list(MANY * 10), FRIGATE),
      (fault: Error) => /memory|ended/.test(fault.message) && askFailure(fault) === 'filter-ended',
    );
    assert.deepEqual(await small.narrow(list(MANY / 10), FRIGATE), narrowNow(list(MANY / 10), FRIGATE));
  });
});
