/** Connections to one upstream are bounded: who comes later waits in turn, and is told when it takes too long. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { WebSocket } from 'ws';
import type { Sharer } from '../../src/domain/async.ts';
import { createUpstreamSlots, type SlotRules, UPSTREAM_SLOTS } from '../../src/outbound/ask-upstream.ts';
import { answerLikeAnNvr, type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { type StartedGate, startGate, upstreamAt } from '../support/start-gate.ts';
import { until } from '../support/until.ts';

let nvr: FakeNvr;
let gate: StartedGate;
let held: ServerResponse[];
beforeEach(async () => {
  nvr = await startFakeNvr();
  held = [];
  nvr.answer = (_request, response) => void held.push(response);
});
afterEach(async () => {
  await gate.close();
  await nvr.close();
});

const start = async (mostWaiting: number, patienceMs = 60_000): Promise<void> => {
  gate = await startGate(upstreamAt(nvr.url), {}, undefined, {
    upstreamSlots: { most: 2, mostWaiting, ofCaller: 1, kept: 0, patienceMs },
  });
};
const ask = (path: string): Promise<Response> => fetch(`${gate.url}${path}`);
const targets = (): string[] => nvr.received.map(({ target }) => target);
/** Asked one after the other, and each is at the gate before the next. */
async function askInTurn(paths: readonly string[]): Promise<Promise<Response>[]> {
  const asked: Promise<Response>[] = [];
  for (const path of paths) {
    asked.push(ask(path));
    await until('it is at the NVR, or waits', async () => {
      if (targets().includes(path)) return true;
      return asked.length > 2 && (await new Promise((resolve) => setTimeout(() => resolve(true), 50)));
    });
  }
  return asked;
}

describe('An upstream with two slots', () => {
  it('is asked by two, and by the others in the order in which they came', async () => {
    await start(10, 60_000);
    const asked = await askInTurn(['/api/1', '/api/2', '/api/3', '/api/4', '/api/5']);
    assert.deepEqual(targets(), ['/api/1', '/api/2']);
    held[1]?.end('second');
    await until('the third is asked', () => targets().length === 3);
    assert.equal(targets()[2], '/api/3');
    held[0]?.end('first');
    await until('the fourth is asked', () => targets().length === 4);
    nvr.answer = answerLikeAnNvr;
    for (const response of held.slice(2)) response.end('later');
    assert.deepEqual(
      (await Promise.all(asked)).map(({ status }) => status),
      [200, 200, 200, 200, 200],
    );
    assert.equal(targets()[4], '/api/5');
    assert.ok(nvr.connections() <= 3);
  });
});

describe('A request that waits for a slot', () => {
  it('is told when it is one too many, and may try again', async () => {
    await start(1);
    const asked = await askInTurn(['/api/1', '/api/2', '/api/3']);
    const refused = await ask('/api/4');
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '5']);
    assert.match(await refused.text(), /All connections to the NVR are in use/);
    for (const response of held.splice(0)) response.end('done');
    await until('the third is asked', () => held.length === 1);
    held[0]?.end('done');
    for (const answer of await Promise.all(asked)) assert.equal(await answer.text(), 'done');
  });

  it('is told when none comes free in time', async () => {
    await start(10, 200);
    await askInTurn(['/api/1', '/api/2']).then(([first, second]) => void Promise.allSettled([first, second]));
    assert.equal((await ask('/api/3')).status, 503);
    assert.deepEqual(targets(), ['/api/1', '/api/2']);
    assert.deepEqual(gate.failures, ['nvr-busy']);
  });

  it('gives way when its client leaves', async () => {
    await start(1);
    const asked = await askInTurn(['/api/1', '/api/2']);
    const leaving = connect(gate.port, '127.0.0.1');
    leaving.write('GET /api/left HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await until('it waits', async () => (await ask('/api/probe')).status === 503);
    leaving.resetAndDestroy();
    await once(leaving, 'close');
    let next: Promise<Response> | undefined;
    await until('its turn is another one’s', async () => {
      next = ask('/api/next');
      return (
        (await Promise.race([next, new Promise((resolve) => setTimeout(() => resolve('waits'), 100))])) === 'waits'
      );
    });
    held[0]?.end('done');
    await until('the next is asked', () => targets().includes('/api/next'));
    nvr.answer = answerLikeAnNvr;
    for (const response of held) response.end('done');
    assert.equal((await next)?.status, 200);
    assert.ok(!targets().includes('/api/left'));
    await Promise.all(asked);
  });

  it('may be a WebSocket, which waits for one that ends', async () => {
    await start(10);
    const sockets = Array.from({ length: 3 }, () => new WebSocket(`${gate.url.replace('http', 'ws')}/ws`));
    const isOpen = (): number => sockets.filter(({ readyState }) => readyState === WebSocket.OPEN).length;
    await until('two are open', () => isOpen() === 2);
    assert.equal(nvr.received.length, 2);
    sockets.find(({ readyState }) => readyState === WebSocket.OPEN)?.close();
    await until('the third is open', () => nvr.received.length === 3 && isOpen() === 2);
    for (const socket of sockets) socket.terminate();
  });
});

/** Slots of one upstream, as numbers: who begins, who is refused, and who waits. */
function slotsFor(rules: Partial<SlotRules> = {}) {
  const slots = createUpstreamSlots({ ...UPSTREAM_SLOTS, ...rules });
  const upstream = upstreamAt('http://nvr:5000');
  const ask = (sharer: Sharer) => {
    let state: 'waits' | 'begun' | 'refused' = 'waits';
    const end = slots.take(
      upstream,
      sharer,
      () => {
        state = 'begun';
      },
      () => {
        state = 'refused';
      },
    );
    return { state: () => state, end };
  };
  const askMany = (count: number, sharer: Sharer) => Array.from({ length: count }, () => ask(sharer));
  return { slots, ask, askMany };
}
type Asked = ReturnType<ReturnType<typeof slotsFor>['ask']>;

const PEOPLE: readonly Sharer[] = ['vera', 'carl', 'dora', 'emil', 'fred'].map((name) => [[`name ${name}`, 1]]);
const [VERA = [], CARL = [], DORA = [], EMIL = [], FRED = []] = PEOPLE;
const OF_A_LINK: Sharer = [
  ['lent by vera', 1 / 2],
  ['name vera', 1],
];
const begun = (asked: readonly Asked[]): number => asked.filter(({ state }) => state() === 'begun').length;

describe('Of the 1,024 slots of an upstream', () => {
  it('one caller has a quarter, and the next of its own begins when one of its own ends', () => {
    const { ask, askMany } = slotsFor();
    const asked = askMany(300, VERA);
    assert.equal(begun(asked), 256);
    assert.equal(ask(CARL).state(), 'begun');
    asked[0]?.end();
    assert.equal(begun(asked), 257);
  });

  it('a caller has a quarter of the places where requests wait, too', () => {
    const { askMany } = slotsFor();
    const asked = askMany(600, VERA);
    assert.equal(asked.filter(({ state }) => state() === 'refused').length, 600 - 512);
  });

  it('links and screens have half of what their maker has, and the maker has the rest', () => {
    const { askMany } = slotsFor();
    assert.equal(begun(askMany(200, OF_A_LINK)), 128);
    assert.equal(begun(askMany(200, VERA)), 128);
  });

  it('the last 64 are for callers that have fewer than eight', () => {
    const { ask, askMany } = slotsFor();
    for (const person of [VERA, CARL, DORA]) askMany(256, person);
    assert.equal(begun(askMany(256, EMIL)), 256 - 64);
    assert.equal(ask([]).state(), 'waits', 'a client that nothing names is no caller with few');
    assert.equal(begun(askMany(20, FRED)), 8);
  });

  it('one that comes free goes to the first that may have it, past those whose caller has its share', () => {
    const { askMany } = slotsFor({ most: 8, kept: 0, mostWaiting: 100 });
    const [veras, carls, doras, emils] = [VERA, CARL, DORA, EMIL].map((person) => askMany(3, person));
    assert.deepEqual(
      [veras, carls, doras, emils].map((asked = []) => begun(asked)),
      [2, 2, 2, 2],
    );
    const freds = askMany(2, FRED);
    carls?.[0]?.end();
    assert.deepEqual([begun(carls ?? []), begun(freds)], [3, 0], 'the third of carl came before those of fred');
    carls?.[1]?.end();
    assert.deepEqual([begun(veras ?? []), begun(freds)], [2, 1]);
  });

  it('none stays taken when all that begun or waited are over', () => {
    const { slots, askMany } = slotsFor();
    for (const { end } of askMany(600, VERA)) end();
    assert.deepEqual(slots.inUse(), { taken: 0, waiting: 0 });
  });
});
