/** Clients that ask and do not read, or ask a slow NVR: each is bounded, others are served, and all of it ends. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { MOST_UNDER_WAY } from '../../src/gateway/decision/client-limits.ts';
import { UPSTREAM_SLOTS } from '../../src/outbound/ask-upstream.ts';
import { ADMIN_PERSON, VERA } from '../support/people.ts';
import { sendJson } from '../support/second-factor.ts';
import { until } from '../support/until.ts';
import { scrape } from '../telemetry/support/exposition.ts';
import { answerInForm } from './support/faults.ts';
import { HOST, head, watchInstance } from './support/watched-instance.ts';

const watched = await watchInstance();
const { instance, nvr } = watched;

interface Held {
  readonly socket: Socket;
  text: string;
}
const open: Held[] = [];
afterEach(async () => {
  for (const { socket } of open.splice(0)) socket.destroy();
  nvr.answer = answerInForm;
  await until('nothing is under way at the NVR', () => atNvr.size === 0);
  assert.deepEqual(await placesInUse(), { client: 0, nvr: 0, nvr_waiting: 0 });
});

/** Requests that the NVR has begun to answer, and does not end. What the gate asks for itself, to know whether the NVR works, is not held. */
const atNvr = new Set<ServerResponse>();
function holdAll(): void {
  nvr.answer = (request, response, received) => {
    if (received.target === '/api/version') return answerInForm(request, response, received);
    atNvr.add(response);
    response.once('close', () => atNvr.delete(response));
    response.writeHead(200, { 'content-type': 'video/mp4' }).write('begun');
  };
}

/** Each on a connection of its own. */
function ask(count: number, ...lines: string[]): Held[] {
  const held = Array.from({ length: count }, () => {
    const one: Held = { socket: connect(instance.port, '127.0.0.1').on('error', () => {}), text: '' };
    one.socket.on('data', (bytes: Buffer) => {
      one.text += bytes.toString('latin1');
    });
    one.socket.write(head(...lines, HOST));
    return one;
  });
  open.push(...held);
  return held;
}
const withStatus = (held: readonly Held[], status: number): readonly Held[] =>
  held.filter(({ text }) => text.startsWith(`HTTP/1.1 ${status} `));
const settled = (held: readonly Held[]): Promise<void> =>
  until('each is answered', () => held.every(({ text }) => text !== ''));

/** What the gauge shows. */
async function placesInUse(): Promise<Readonly<Record<string, number | undefined>>> {
  const series = await scrape(instance.telemetryUrl);
  const of = (place: string) => series.get(`postern_places_in_use{of="${place}"}`);
  return { client: of('client'), nvr: of('nvr'), nvr_waiting: of('nvr_waiting') };
}

/** What one caller has of the NVR's connections. */
const OF_CALLER = UPSTREAM_SLOTS.most * UPSTREAM_SLOTS.ofCaller;

const VIDEO = 'GET /vod/cam1/start/1/end/2/big.bin HTTP/1.1';
const PAGE = 'GET /assets/x.js HTTP/1.1';

describe('A caller', () => {
  it('who asks for more than may be under way is told 503, and others are served', async () => {
    const vera = await watched.bearerOf(VERA);
    const admin = await watched.bearerOf(ADMIN_PERSON);
    holdAll();
    const held = ask(MOST_UNDER_WAY.ofCaller + 60, VIDEO, vera);
    await until('all that may be under way are', () => atNvr.size === OF_CALLER && withStatus(held, 503).length === 60);
    assert.equal(withStatus(held, 200).length, OF_CALLER);
    const waiting = MOST_UNDER_WAY.ofCaller - OF_CALLER;
    assert.deepEqual(await placesInUse(), { client: MOST_UNDER_WAY.ofCaller, nvr: OF_CALLER, nvr_waiting: waiting });
    const [refused] = withStatus(held, 503);
    assert.match(refused?.text ?? '', /\r\nretry-after: 5\r\n/i);
    assert.match(refused?.text ?? '', /Too many requests of this client are under way/);
    const others = ask(3, VIDEO, admin);
    await settled(others);
    assert.equal(withStatus(others, 200).length, 3);

    // Neither a WebSocket nor another session is a way round, and a reload forgets nothing.
    const again = await watched.bearerOf(VERA);
    assert.ok((await instance.reload({ nvr: { url: nvr.url, cameras: ['cam1', 'cam2'], timeout_idle: 200 } })).isTaken);
    const more = ask(3, VIDEO, again);
    await settled(more);
    assert.equal(withStatus(more, 503).length, 3);
    const socket = new WebSocket(`${instance.url.replace('http', 'ws')}/live/jsmpeg/cam1`, {
      headers: { authorization: again.slice('Authorization: '.length) },
    });
    const status = await new Promise((resolve) => {
      socket.once('unexpected-response', (_request, response) => resolve(response.statusCode));
      socket.once('error', () => {});
    });
    assert.equal(status, 503);

    for (const { socket: one } of held) one.destroy();
    await until('there is room again', async () => {
      const [one] = ask(1, VIDEO, again);
      await until('it is answered', () => one?.text !== '');
      return one?.text.startsWith('HTTP/1.1 200 ') === true;
    });
  });
});

describe('The links of a caller', () => {
  it('count with it: together they have a quarter of the connections to the NVR, and half of that is left to the maker', async () => {
    const vera = await watched.bearerOf(VERA);
    const [, token = ''] = vera.split('Bearer ');
    const urls = await Promise.all(
      ['one', 'other'].map(async () => {
        const made = await sendJson(instance, '/api/links', { what: { live: { camera: 'cam1' } } }, token);
        return ((await made.json()) as { url: string }).url;
      }),
    );
    holdAll();
    const byLinks = urls.flatMap((url) => ask(150, `GET ${url}/live HTTP/1.1`));
    await until('the links have their part', () => atNvr.size === OF_CALLER / 2);
    const own = ask(200, VIDEO, vera);
    await until('the maker has the rest', () => atNvr.size === OF_CALLER);
    const served = () => [withStatus(byLinks, 200).length, withStatus(own, 200).length];
    await until('their answers are here', () => served().every((count) => count >= OF_CALLER / 2));
    assert.deepEqual(served(), [OF_CALLER / 2, OF_CALLER / 2]);
    const others = ask(3, VIDEO, await watched.bearerOf(ADMIN_PERSON));
    await settled(others);
    assert.equal(withStatus(others, 200).length, 3);
  });
});

describe('Without a login', () => {
  it('fewer are under way at once, and callers from the same address are served', async () => {
    const vera = await watched.bearerOf(VERA);
    holdAll();
    const held = ask(MOST_UNDER_WAY.ofAddressWithoutLogin + 20, PAGE);
    await settled(held);
    assert.deepEqual(
      [withStatus(held, 200).length, withStatus(held, 503).length],
      [MOST_UNDER_WAY.ofAddressWithoutLogin, 20],
    );
    const known = ask(5, PAGE, vera);
    await settled(known);
    assert.equal(withStatus(known, 200).length, 5);
  });

  it('4,000 requests on one connection are one at the NVR', async () => {
    holdAll();
    const [client] = ask(1, PAGE);
    client?.socket.write(head(PAGE, HOST).repeat(4000));
    await settled([client as Held]);
    assert.equal((await instance.ask('/login')).status, 200);
    assert.equal(nvr.received.filter(({ target }) => target === '/assets/x.js').length, 1);
    assert.equal(atNvr.size, 1);
    for (const response of atNvr) response.destroy(); // while so many wait nothing is read, so a client that leaves is not noticed
  });
});
