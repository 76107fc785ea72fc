/** Random viewings through the real gate: the ledger holds what was watched, by whom and when, and nothing else (SPEC 14). */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { WebSocket, WebSocketServer } from 'ws';
import type { ListedRecord } from '../../../src/features/ledger/records.ts';
import { type FakeNvr, startFakeNvr } from '../../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, VERA } from '../../support/people.ts';
import { type Runtime, startInstance } from '../../support/start-instance.ts';
import { until } from '../../support/until.ts';
import { openStore, type Store } from '../../support/whole-store.ts';

const PEOPLE = [ADMIN_PERSON, VERA, CARL];
const RECORDED = 1_700_000_000;

let nvr: FakeNvr;
let postern: Runtime;
let store: Store;
const tokens = new Map<string, string>();
/** Streams that are open at the NVR. */
let streams = 0;
const sockets = new WebSocketServer({ noServer: true });

before(async () => {
  nvr = await startFakeNvr();
  nvr.answer = (asked, response) => {
    const { url = '' } = asked;
    if (url.includes('broken')) return void response.writeHead(500).end();
    if (/^\/api\/cam\d$/.test(url)) {
      response.writeHead(200, { 'content-type': 'multipart/x-mixed-replace; boundary=x' });
      streams += 1;
      response.once('close', () => {
        streams -= 1;
      });
      return void response.write('--x\r\n');
    }
    if (url === '/api/config') return void response.end(JSON.stringify({ cameras: { cam1: {}, cam2: {} } }));
    if (/^\/api\/events\/[\w.-]+$/.test(url)) return void response.end(JSON.stringify({ camera: 'cam2' }));
    response.setHeader('content-type', 'image/jpeg');
    response.end('picture');
  };
  nvr.answerUpgrade = (asked, socket) =>
    sockets.handleUpgrade(asked, socket, Buffer.alloc(0), (client) => {
      streams += 1;
      client.once('close', () => {
        streams -= 1;
      });
    });
  postern = await startInstance({
    config: {
      nvr: { url: nvr.url },
      auth: { hash_iterations: 1000, roles: { front_only: ['cam1'] }, trusted_proxies: ['127.0.0.1/32'] },
    },
  });
  store = await openStore({ url: `sqlite:${postern.directory}/postern.db`, readOnly: true });
  for (const person of PEOPLE) tokens.set(person.name, await postern.logIn(person));
});
after(async () => {
  await store.close();
  await postern.close();
  await nvr.close();
});

const records = (): Promise<readonly ListedRecord[]> => store.ledger.find({ sight: undefined }, 10_000);
const viewings = async (since: number): Promise<readonly ListedRecord[]> =>
  (await records()).filter(({ kind, from }) => ['live', 'history', 'export'].includes(kind) && from >= since);
/** All spans have ended, and are written: a login is written behind them. */
async function settled(): Promise<void> {
  postern.clock.advance(100);
  await postern.logIn(VERA);
  const at = now().toFixed(1);
  await until('the login is in the ledger', async () =>
    (await records()).some(({ kind, from }) => kind === 'login' && from.toFixed(1) === at),
  );
}

describe('Random viewings', () => {
  const act = fc.record({
    who: fc.constantFrom(...PEOPLE.map(({ name }) => name)),
    camera: fc.constantFrom('cam1', 'cam2'),
    what: fc.constantFrom('picture', 'segment', 'later segment', 'mjpeg', 'socket', 'close', 'close', 'broken', 'list'),
    pause: fc.constantFrom(0, 0.2, 1, 5, 29, 59, 61, 200),
  });

  it('become spans that are equal to the truth', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 10, maxLength: 40 }), async (acts) => {
        postern.clock.advance(1000);
        const began = now();
        const seen: Seen[] = [];
        const open: { close: () => Promise<void>; seen: Seen }[] = [];
        const closeOne = async (at: number): Promise<void> => {
          const [stream] = open.splice(at % Math.max(open.length, 1), 1);
          await stream?.close();
          if (stream) stream.seen.to = now();
        };
        for (const [index, { who, camera, what, pause }] of acts.entries()) {
          postern.clock.advance(pause);
          if (what === 'close') await closeOne(index);
          else await watch({ who, camera, what }, seen, open);
        }
        while (open.length > 0) await closeOne(0);
        await settled();
        assert.deepEqual(texts(await viewings(began)), texts(joinedSpans(seen)));
      }),
      { numRuns: 4, endOnFailure: true },
    );
  });
});

interface Seen {
  readonly user: string;
  readonly kind: string;
  readonly camera: string;
  readonly watchedFrom: number | null;
  readonly watchedTo: number | null;
  readonly from: number;
  to: number;
}

const now = (): number => postern.clock.now() / 1000;

/** `carl` may not see cam2: what the gate refuses is no viewing. */
async function watch(
  { who, camera, what }: { who: string; camera: string; what: string },
  seen: Seen[],
  open: { close: () => Promise<void>; seen: Seen }[],
): Promise<void> {
  const token = tokens.get(who) ?? '';
  const isForeign = who === 'carl' && camera === 'cam2';
  const note = (change: Partial<Seen> = {}): Seen => {
    const one = {
      user: who,
      kind: 'live',
      camera,
      watchedFrom: null,
      watchedTo: null,
      from: now(),
      to: now(),
      ...change,
    };
    if (!isForeign) seen.push(one);
    return one;
  };
  const get = async (path: string): Promise<void> => {
    const response = await postern.ask(path, { token });
    await response.arrayBuffer();
    assert.equal(response.status, isForeign ? 403 : path.includes('broken') ? 500 : 200, path);
  };
  const segment = async (start: number): Promise<void> => {
    await get(`/vod/${camera}/start/${start}/end/${start + 600}/seg-1-v1.ts`);
    note({ kind: 'history', watchedFrom: start, watchedTo: start + 600 });
  };
  switch (what) {
    case 'picture':
      await get(`/api/${camera}/latest.jpg`);
      note();
      return;
    case 'segment':
      return segment(RECORDED);
    case 'later segment':
      return segment(RECORDED + 20_000);
    case 'broken':
      return get(`/api/${camera}/latest.jpg?broken`);
    case 'list':
      await (await postern.ask(`/api/review?cameras=${camera}`, { token })).arrayBuffer();
      return;
    case 'mjpeg':
      if (isForeign) return get(`/api/${camera}`);
      open.push({ close: await openPictures(`/api/${camera}`, token), seen: note() });
      return;
    case 'socket':
      if (isForeign) return;
      open.push({ close: await openSocket(`/live/jsmpeg/${camera}`, token), seen: note() });
      return;
  }
}

/** Resolves with the way to leave, which resolves when the NVR has seen it. */
function openPictures(path: string, token: string): Promise<() => Promise<void>> {
  return new Promise((resolve, reject) => {
    const asked = request(`${postern.url}${path}`, { headers: { authorization: `Bearer ${token}` } }, (response) => {
      response.on('error', () => {});
      response.once('data', () => resolve(() => leaving(() => response.destroy())));
    });
    asked.once('error', reject);
    asked.end();
  });
}

async function openSocket(path: string, token: string): Promise<() => Promise<void>> {
  const socket = new WebSocket(`${postern.url.replace('http', 'ws')}${path}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return () => leaving(() => socket.terminate());
}

async function leaving(leave: () => void): Promise<void> {
  const left = streams - 1;
  leave();
  await until(
    'the NVR and the gate see that a client left',
    async () => streams === left && (await openAtTheGate()) === left,
  );
}

async function openAtTheGate(): Promise<number> {
  const text = await (await fetch(`${postern.telemetryUrl}/metrics`)).text();
  return [...text.matchAll(/^postern_streams_open\{[^}]*\} (\d+)$/gm)].reduce((sum, [, open]) => sum + Number(open), 0);
}

/** Moments and streams of one person, camera and recorded time that follow each other within a minute. */
function joinedSpans(seen: readonly Seen[]): readonly Seen[] {
  const spans: Seen[] = [];
  for (const one of [...seen].sort((a, b) => a.from - b.from)) {
    const before = spans.find((span) => subject(span) === subject(one) && one.from - span.to <= 60);
    if (before) before.to = Math.max(before.to, one.to);
    else spans.push({ ...one });
  }
  return spans;
}
const subject = ({ user, kind, camera, watchedFrom }: Seen): string => `${user} ${kind} ${camera} ${watchedFrom}`;

const texts = (spans: readonly (Seen | ListedRecord)[]): readonly string[] =>
  spans
    .map(({ user, kind, camera, watchedFrom, watchedTo, from, to }) =>
      [user, kind, camera, watchedFrom, watchedTo, from.toFixed(1), to.toFixed(1)].join(' '),
    )
    .sort();
