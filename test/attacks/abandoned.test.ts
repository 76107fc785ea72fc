/** Clients that leave while their request waits, wherever it waits: nothing that was taken for them stays taken. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, it } from 'node:test';
import { layoutOfNames } from '../../src/access/recorder-layout.ts';
import { compileRouteTable } from '../../src/access/route-table.ts';
import type { Caller, Credential } from '../../src/domain/caller.ts';
import { toScope } from '../../src/domain/camera-scope.ts';
import type { CameraName, Role, UserName } from '../../src/domain/names.ts';
import { FRIGATE } from '../../src/nvr/frigate/frigate.ts';
import type { GateWatch } from '../../src/telemetry/watch-gate.ts';
import { answerLikeAnNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { row } from '../support/routes.ts';
import { NOBODY_WATCHES, type StartedGate, startGate, upstreamAt } from '../support/start-gate.ts';
import { until } from '../support/until.ts';
import { head, UPGRADE } from './support/watched-instance.ts';

const CLIENTS = 20;
const HOST = 'Host: localhost';
const SESSION: Credential = { kind: 'session', tokenId: '1', issuedAt: 0, expiresAt: 9e9, carriedBy: 'bearer' };
const LINK: Credential = {
  kind: 'link',
  linkId: '1',
  thing: { kind: 'snapshot', camera: 'garden' as CameraName },
  expiresAt: 9e9,
};
const ROUTES = [
  { ...row('GET /api/{camera}/latest.jpg camera path:camera check'), views: 'live' } as const,
  ...[
    'GET /plain any',
    'GET /thumbnail/{id:id} camera event:path:id lookup',
    'GET /labels any query:camera fanout:camera',
    'POST /viewed camera review:body:ids lookup',
    'WS /socket any',
    'WS /socket/{id:id} camera event:path:id lookup',
  ].map(row),
];

/** A place where requests wait until all are let go on. */
function waitingRoom() {
  const gone = Promise.withResolvers<void>();
  let arrived = 0;
  return {
    arrived: () => arrived,
    letGo: gone.resolve,
    async enter(): Promise<void> {
      arrived += 1;
      await gone.promise;
    },
  };
}
type Room = ReturnType<typeof waitingRoom>;

const PICTURE = '/api/garden/latest.jpg';
const PLAIN = head(`GET ${PICTURE} HTTP/1.1`, HOST);
const SOCKET = head('GET /socket HTTP/1.1', HOST, UPGRADE);
const VIEWED = `${head('POST /viewed HTTP/1.1', HOST, 'Content-Type: application/json', 'Content-Length: 13')}{"ids":["1"]}`;

/** What is asked, and what waits: the functions that the gate is given, each made to wait. */
interface Wait {
  readonly asks: string;
  readonly by?: Credential;
  readonly more: (room: Room) => Parameters<typeof startGate>[3];
  /** How many slots of the NVR there are; default: enough. */
  readonly slots?: number;
  readonly nvrHolds?: 'head' | 'body';
}

const holding = (hold: (room: Room) => Parameters<typeof startGate>[3]) => hold;
const NOTHING_HELD = holding(() => ({}));
const identity = holding((room) => ({
  rules: {
    sources: {
      external: [],
      internal: [() => room.enter().then(() => ({ kind: 'identified', caller: callerWith(SESSION) }))],
    },
  },
}));
const curtain = holding((room) => ({ rules: { subtract: (caller) => room.enter().then(() => caller) } }));
const owners = holding((room) => ({ rules: { owners: { denial: () => room.enter().then(() => undefined) } } }));
const recheck = holding((room) => ({ deps: { recheck: (caller) => room.enter().then(() => caller) } }));
const renewal = holding((room) => ({ deps: { renewal: () => room.enter().then(() => undefined) } }));
const enterLink = holding((room) => ({ deps: { enter: () => room.enter().then(() => undefined) } }));
const asksNvr = holding((room) => ({
  deps: {
    askText: () => room.enter().then(() => '[]'),
    ownConfig: () => assert.fail('no configuration is asked for'),
  },
}));

// biome-ignore format: a table
const WAITS: Readonly<Record<string, Wait>> = {
  'for who it is':                           { asks: PLAIN, more: identity },
  'for the curtain':                         { asks: PLAIN, more: curtain },
  'for the owner of an id':                  { asks: head('GET /thumbnail/1.5-a HTTP/1.1', HOST), more: owners },
  'for the owner of an id in its body':      { asks: VIEWED, more: owners },
  'for the rest of its body':                { asks: VIEWED.slice(0, -1), more: NOTHING_HELD },
  'to be looked at once more':               { asks: VIEWED, more: recheck },
  'for a list that is joined':               { asks: head('GET /labels HTTP/1.1', HOST), more: asksNvr },
  'to be let in by a link':                  { asks: PLAIN, by: LINK, more: enterLink },
  'for a renewed cookie':                    { asks: head('GET /plain HTTP/1.1', HOST), more: renewal },
  'for a connection to the NVR':             { asks: PLAIN, more: NOTHING_HELD, slots: 0 },
  'for the head of the response':            { asks: PLAIN, more: NOTHING_HELD, nvrHolds: 'head' },
  'for the end of the response':             { asks: PLAIN, more: NOTHING_HELD, nvrHolds: 'body' },
  'as a WebSocket, for who it is':           { asks: SOCKET, more: identity },
  'as a WebSocket, for the curtain':         { asks: SOCKET, more: curtain },
  'as a WebSocket, for the owner of an id':  { asks: head('GET /socket/1.5-a HTTP/1.1', HOST, UPGRADE), more: owners },
  'as a WebSocket, for a connection':        { asks: SOCKET, more: NOTHING_HELD, slots: 0 },
  'as a WebSocket, for the handshake':       { asks: SOCKET, more: NOTHING_HELD, nvrHolds: 'head' },
};

const callerWith = (credential: Credential): Caller => ({
  name: 'vera' as UserName,
  role: 'gardener' as Role,
  scope: toScope(['garden', 'yard']),
  credential,
});

let closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing) await close();
  closing = [];
});

async function gateThatWaits({ more, by = SESSION, slots = 1000, nvrHolds }: Wait, room: Room) {
  const nvr = await startFakeNvr();
  let [begun, ended] = [0, 0];
  const watch: GateWatch = {
    onRequest() {
      begun += 1;
      const onEnd = (): void => {
        ended += 1;
      };
      return { ...NOBODY_WATCHES, onEnd };
    },
  };
  if (nvrHolds) {
    nvr.answerUpgrade = () => {};
    nvr.answer = (_request, response) => {
      if (nvrHolds === 'body') response.writeHead(200).write('begun');
    };
  }
  const held = more(room);
  const gate = await startGate(upstreamAt(nvr.url), {}, watch, {
    upstreamSlots: { most: slots, mostWaiting: 1000, ofCaller: 1, kept: 0, patienceMs: 60_000 },
    ...held,
    rules: {
      routes: compileRouteTable(ROUTES, FRIGATE),
      surroundings: () => ({ layout: layoutOfNames(['garden', 'yard', 'attic'] as CameraName[]), now: 0 }),
      sources: {
        external: [],
        internal: [() => ({ kind: 'identified', caller: callerWith(by) })],
      },
      ...held?.rules,
    },
  });
  closing.push(gate.close, nvr.close);
  return { gate, nvr, begun: () => begun, ended: () => ended };
}

async function clients(gate: StartedGate, asks: string): Promise<readonly Socket[]> {
  const sockets = Array.from({ length: CLIENTS }, () => connect(gate.port, '127.0.0.1').on('error', () => {}));
  for (const socket of sockets) {
    await once(socket, 'connect');
    socket.write(asks);
  }
  return sockets;
}

// biome-ignore format: a table
const LEAVES: readonly [sentence: string, leave: (socket: Socket) => void][] = [
  ['by a reset',             (socket) => void socket.resetAndDestroy()],
  ['by the end of their side', (socket) => void socket.end()],
];

describe('Twenty clients that leave while their request waits', () => {
  for (const [sentence, wait] of Object.entries(WAITS))
    for (const [way, leave] of LEAVES)
      it(`${sentence} leave nothing behind, ${way}`, async () => {
        const room = waitingRoom();
        const { gate, nvr, begun, ended } = await gateThatWaits(wait, room);
        const sockets = await clients(gate, wait.asks);
        await until('all wait', () => {
          if (wait.nvrHolds) return nvr.received.length === CLIENTS;
          if (wait.slots === 0) return gate.placesInUse().waiting === CLIENTS;
          return begun() === CLIENTS && (wait.more === NOTHING_HELD || room.arrived() >= CLIENTS);
        });
        for (const socket of sockets) leave(socket);
        await until('all have left', () => ended() === CLIENTS);
        room.letGo();
        // What goes on behind its await has gone on when another request is through.
        nvr.answer = answerLikeAnNvr;
        if (wait.slots !== 0) assert.equal((await fetch(`${gate.url}${PICTURE}`)).status, 200);
        await until('the other request is over', () => ended() === begun());
        assert.deepEqual(gate.placesInUse(), { client: 0, taken: 0, waiting: 0 });
        assert.equal(nvr.received.length, wait.nvrHolds ? CLIENTS + 1 : wait.slots === 0 ? 0 : 1);
      });
});

describe('A request that waits for the owner of an id', () => {
  it('has its place: one more than a caller may have under way is refused before the NVR is asked', async () => {
    const room = waitingRoom();
    const { gate } = await gateThatWaits({ asks: '', more: owners }, room);
    const statuses: number[] = [];
    const asked = Array.from({ length: 513 }, async () => {
      statuses.push((await fetch(`${gate.url}/thumbnail/1.5-a`)).status);
    });
    await until('one is refused, and the others wait', () => statuses.length + room.arrived() === 513);
    assert.deepEqual(statuses, [503]);
    room.letGo();
    await Promise.all(asked);
  });
});
