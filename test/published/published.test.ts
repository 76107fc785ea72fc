/**
 * Published holes, replayed: the recorder behind has the hole, the attack on it works there, and through Postern it does
 * not arrive. Each file of the folders here is one; docs/generated/published-holes.md is made from them.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, describe, it } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import { startFakeNvr } from '../support/fake-nvr.ts';
import { CARL, type Person, VERA } from '../support/people.ts';
import { rawRequest } from '../support/raw-request.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';
import { allHoles } from './all-holes.ts';
import type { Attack, Attacker, MessageAttack, PublishedHole, RequestAttack } from './hole.ts';

const MARK = 'secret-of-the-recorder';
const MUTE: Person = { name: 'mute', role: 'silent', password: 'MutePassw0rd!!!' };
const PEOPLE: Readonly<Record<Attacker, Person | undefined>> = {
  unknown: undefined,
  viewer: VERA,
  restricted: CARL,
  silent: MUTE,
};

const nvr = await startFakeNvr();
/** What came over WebSockets. */
let told: string[] = [];
const sockets = new WebSocketServer({ noServer: true });
nvr.answerUpgrade = (request, socket) =>
  sockets.handleUpgrade(request, socket, Buffer.alloc(0), (client) => {
    client.on('message', (bytes) => {
      told.push(bytes.toString());
      sockets.emit('told');
    });
  });

const start = (policy: string): Promise<Runtime> =>
  startInstance({
    config: {
      nvr: { url: nvr.url, policy, cameras: ['cam1', 'cam2'] },
      events: { source: 'nvr' },
      auth: {
        failed_login_rate_limit: null,
        roles: { front_only: ['cam1'], silent: { cameras: ['cam1'], deny: ['talk'] } },
      },
    },
    people: [VERA, CARL, MUTE],
  });
const instances = { frigate: await start('frigate'), strict: await start('strict') };
after(async () => {
  await Promise.all(Object.values(instances).map(({ close }) => close()));
  await nvr.close();
});

const tokens = new Map<string, Promise<string>>();
function tokenOf(by: Attacker, policy: keyof typeof instances): Promise<string> | undefined {
  const person = PEOPLE[by];
  const key = `${policy} ${by}`;
  if (person && !tokens.has(key)) tokens.set(key, instances[policy].logIn(person));
  return tokens.get(key);
}

function behind({ isUsedBy, leak = (mark) => mark, otherwise = '{}' }: PublishedHole): void {
  nvr.received.length = 0;
  told = [];
  nvr.answer = (request, response, received) => {
    request.on('end', () => {
      const ownQuestion = /^\/api\/events\/[^/]+$/.test(received.target);
      const honest = ownQuestion ? '{"camera":"cam2"}' : otherwise;
      const body = isUsedBy(received) ? leak(MARK) : honest;
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    });
    request.resume();
  };
}

function bytesOf({ method = 'GET', target, headers = [], body }: RequestAttack, token?: string): string {
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...(headers.some((line) => /^host:/i.test(line)) ? [] : ['Host: nvr.test']),
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
    ...(body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
    ...headers,
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`;
}

const CALLERS_OWN = (by: Attacker): unknown => {
  const person = PEOPLE[by];
  return person === undefined
    ? []
    : [
        ['remote-user', person.name],
        ['remote-role', person.role],
      ];
};

async function replayRequest(hole: PublishedHole, attack: RequestAttack): Promise<void> {
  const { by, arrives = 'nothing', asks = [] } = attack;
  const policy = hole.policy ?? 'frigate';
  const isUpgrade = attack.headers?.includes('Upgrade: websocket') ?? false;
  const direct = await rawRequest(nvr.port, bytesOf(attack));
  if (isUpgrade) assert.equal(direct.status, 101, 'the recorder has not the hole');
  else assert.ok(direct.text.includes(MARK), `the recorder has not the hole: ${direct.text.slice(0, 200)}`);

  behind(hole);
  const { status = 0, text } = await rawRequest(instances[policy].port, bytesOf(attack, await tokenOf(by, policy)));
  assert.ok(!text.includes(MARK), text);
  const reached = nvr.received.map(({ target }) => target);
  if (arrives === 'nothing') {
    assert.deepEqual(reached, asks);
    assert.ok(status >= 400 || status === 302, `answered ${status}`);
  } else {
    assert.deepEqual([status, reached.length], [200, 1]);
    const claims = nvr.received[0]?.headers.filter(([name]) => /^remote[-_.]/.test(name));
    assert.deepEqual(claims, CALLERS_OWN(by));
  }
}

async function replayMessage(hole: PublishedHole, { by, socket, message, honest }: MessageAttack): Promise<void> {
  const say = async (port: number, token?: string): Promise<void> => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const client = new WebSocket(`ws://127.0.0.1:${port}${socket}`, { headers });
    await once(client, 'open');
    client.send(message);
    client.send(honest);
    while (!told.includes(honest)) await once(sockets, 'told');
    client.terminate();
  };
  await say(nvr.port);
  assert.deepEqual(told, [message, honest], 'the recorder has not the hole');
  behind(hole);
  await say(instances[hole.policy ?? 'frigate'].port, await tokenOf(by, hole.policy ?? 'frigate'));
  assert.deepEqual(told, [honest]);
}

const sentenceOf = (attack: Attack): string =>
  'socket' in attack
    ? `${attack.by} sends ${attack.message.slice(0, 40)} on ${attack.socket}`
    : `${attack.by} sends ${attack.method ?? 'GET'} ${attack.target} ${(attack.headers ?? []).join(', ')}`.trim();

for (const { hole } of await allHoles()) {
  describe(`${hole.id} (${hole.product})`, () => {
    for (const attack of hole.attacks)
      it(`${sentenceOf(attack)}: does not work`, async () => {
        behind(hole);
        await ('socket' in attack ? replayMessage(hole, attack) : replayRequest(hole, attack));
      });
  });
}
