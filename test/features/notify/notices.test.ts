/** What people are told of their accounts (SPEC 12): on their page and to the webhook of the configuration, never in the way of an answer. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it, type TestContext } from 'node:test';
import { toPlace } from '../../../src/domain/accounts/logins.ts';
import type { ServiceMessage } from '../../../src/domain/accounts/notice.ts';
import { createWebhook, type WebhookDeps } from '../../../src/features/notify/index.ts';
import { ADMIN_PERSON, VERA } from '../../support/people.ts';
import { enrolled, sendJson } from '../../support/second-factor.ts';
import { startInstance } from '../../support/start-instance.ts';
import { until } from '../../support/until.ts';

interface Got {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}
type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Another service, which writes down what it gets. */
async function startReceiver(answer: { now: Answer } = { now: (_, response) => response.writeHead(204).end() }) {
  const got: Got[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      got.push({ headers: request.headers, body });
      answer.now(request, response);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { got, close, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook/s3cret-path` };
}

const SECRET = 'a key of the webhook';
const PUBLIC = 'https://nvr.example.com';
const receiver = await startReceiver();
const at = await startInstance({
  config: {
    server: { public_url: PUBLIC },
    auth: { trusted_proxies: ['127.0.0.1/32'] },
    notify: { webhook: receiver.url, webhook_secret: SECRET },
    ledger: { retention: 0 }, // notices are recorded all the same
  },
});
after(async () => {
  await at.close();
  receiver.close();
});

interface Event {
  readonly id: string;
  readonly event: string;
  readonly user: string;
  readonly by: string | null;
  readonly address: string;
  readonly detail: string | null;
}
const eventsOf = async (token: string, query = ''): Promise<Event[]> =>
  (await (await at.ask(`/api/account/events${query}`, { token })).json()) as Event[];

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const login = (agent: string, address: string): Promise<Response> =>
  at.ask('/api/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': agent, 'x-forwarded-for': address },
    body: JSON.stringify({ user: VERA.name, password: VERA.password }),
  });

describe('The events of an account', () => {
  it('tell of a login from a new device or network, once, of factors, passwords and tokens, to the user and to admins', async () => {
    for (const [agent, address] of [
      [FIREFOX, '192.0.2.1'],
      [FIREFOX.replaceAll('140', '141'), '192.0.2.77'],
      [FIREFOX, '198.51.100.1'],
      ['MyApp/2.0', '192.0.2.1'],
      ['MyApp/2.1', '198.51.100.9'],
    ] as const)
      assert.equal((await login(agent, address)).status, 200);
    const { token } = await enrolled(at, VERA);
    await sendJson(at, '/api/tokens', { name: 'robot' }, token);
    const admin = await at.logIn(ADMIN_PERSON);
    await sendJson(at, '/api/users/vera/invitation', {}, admin);
    await until('the notices arrived', async () => (await eventsOf(admin, '?user=vera')).length >= 7);
    const own = await eventsOf(token);
    assert.deepEqual(own, await eventsOf(admin, '?user=vera'));
    const seen = own.map(({ event, by, address }) => `${event} by ${by} from ${address}`).sort();
    assert.deepEqual(seen, [
      'invitation-made by admin from 127.0.0.1',
      'new-device by vera from 127.0.0.1', // the tests' own program
      'new-device by vera from 192.0.2.1',
      'new-network by vera from 127.0.0.1',
      'new-network by vera from 198.51.100.1',
      'second-factor-added by vera from 127.0.0.1',
      'token-created by vera from 127.0.0.1',
    ]);
    const records = (await (await at.ask('/api/ledger', { token: admin })).json()) as { id: string }[];
    const ids = (all: readonly { id: string }[]): string[] => all.map(({ id }) => id).sort();
    assert.deepEqual(ids(records), ids(own), 'a ledger that is off holds these records alone');
    await until('the webhook has them', () => receiver.got.length >= 7);
    assert.deepEqual(ids(receiver.got.map(({ body }) => JSON.parse(body))), ids(own));
  });

  it('are there for the request that follows what happened', async () => {
    const admin = await at.logIn(ADMIN_PERSON);
    const made = (await (await sendJson(at, '/api/tokens', { name: 'at once' }, admin)).json()) as { id: string };
    const [newest] = (await eventsOf(admin)).filter(({ event }) => event === 'token-created');
    assert.equal(newest?.detail, made.id);
  });

  it('are not told to other users, to API tokens, and to nobody', async () => {
    const admin = await at.logIn(ADMIN_PERSON);
    const made = await sendJson(at, '/api/tokens', { name: 'reader', role: 'viewer' }, admin);
    const { token: robot } = (await made.json()) as { token: string };
    const carl = await at.logIn({ name: 'carl', role: 'front_only', password: 'TinyPassw0rd!!!' });
    const status = async (token?: string, query = '') =>
      (await at.ask(`/api/account/events${query}`, token === undefined ? {} : { token })).status;
    assert.deepEqual([await status(), await status(robot), await status(carl, '?user=vera')], [401, 403, 403]);
    assert.equal(await status(carl), 200);
  });

  it('go to the webhook, signed, without a secret, and the log tells nothing of its address', async () => {
    await until('the notices arrived', () => receiver.got.some(({ body }) => body.includes('token-created')));
    for (const { headers, body } of receiver.got) {
      const [, second, given] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-postern-signature'])) ?? [];
      assert.equal(given, createHmac('sha256', SECRET).update(`${second}.${body}`).digest('hex'));
      const message = JSON.parse(body) as Record<string, unknown>;
      assert.deepEqual(Object.keys(message).sort(), [
        'address',
        'agent',
        'at',
        'by',
        'detail',
        'event',
        'id',
        'service',
        'user',
      ]);
      assert.equal(message['service'], `${PUBLIC}/`);
      for (const secret of [VERA.password, 'pst_', '/invitation/', 'eyJ']) assert.ok(!body.includes(secret), secret);
    }
    assert.doesNotMatch(JSON.stringify(at.log), /s3cret-path|a key of the webhook/);
  });

  it('no request can change where they go: not a field, a header or a role of the API', async () => {
    const evil = await startReceiver();
    const admin = await at.logIn(ADMIN_PERSON);
    const tries = [
      ['/api/config/set', 'PUT', { config_data: { notify: { webhook: evil.url } } }],
      ['/api/users/carl/invitation', 'POST', { webhook: evil.url, url: evil.url }],
      ['/api/tokens', 'POST', { name: evil.url }],
    ] as const;
    const headers = { host: new URL(evil.url).host, 'x-forwarded-host': new URL(evil.url).host, referer: evil.url };
    for (const [path, method, body] of tries) {
      await sendJson(at, path, body, admin, method);
      await at.ask(path, { method, token: admin, headers, body: JSON.stringify(body) });
    }
    const before = receiver.got.length;
    await sendJson(at, '/api/tokens', { name: 'after' }, admin);
    await until('the notices arrived', () => receiver.got.length > before);
    assert.equal(evil.got.length, 0);
    evil.close();
  });
});

describe('A notice', () => {
  it('is recorded and posted at once, whatever the ledger waits for', async (t) => {
    const other = await startReceiver();
    t.mock.timers.enable({ apis: ['setInterval'] }); // the ledger writes at no other time then
    const instance = await startInstance({ config: { notify: { webhook: other.url } } });
    t.after(async () => {
      await instance.close();
      other.close();
    });
    await sendJson(instance, '/api/tokens', { name: 'robot' }, await instance.logIn(ADMIN_PERSON));
    await until('the webhook has it', () => other.got.some(({ body }) => body.includes('token-created')));
  });
});

describe('A place', () => {
  const rows: readonly (readonly [agent: string | undefined, address: string, device: string, network: string])[] = [
    [FIREFOX, '192.0.2.1', 'Firefox, Linux', '192.0.2.0/24'],
    ['HomeAssistant/2026.11.1 aiohttp/3.9', '2001:db8:1:2::3', 'HomeAssistant', '2001:db8:1::/48'],
    ['curl/8.5.0', '::ffff:192.0.2.9', 'curl', '192.0.2.0/24'],
    [undefined, '10.0.0.1', '', '10.0.0.0/24'],
  ];
  for (const [agent, address, device, network] of rows)
    it(`${agent ?? 'no agent'} at ${address}`, () => assert.deepEqual(toPlace(address, agent), { device, network }));
});

const notice = (id: string): ServiceMessage => ({
  id,
  user: 'vera',
  event: 'token-created',
  at: 1,
  by: 'vera',
  address: '192.0.2.1',
  agent: null,
  detail: null,
});

async function startWebhook(t: TestContext, answer: Answer, more: Partial<WebhookDeps> = {}) {
  const other = await startReceiver({ now: answer });
  const heard = { results: [] as string[], failing: [] as string[], working: 0 };
  const webhook = createWebhook({
    target: () => ({ url: other.url, secret: undefined, service: undefined }),
    clock: { now: () => 1_700_000_000_000 },
    onResult: (result) => void heard.results.push(result),
    onFault: (cause) => void heard.failing.push(cause),
    onReturn: () => {
      heard.working += 1;
    },
    retrySeconds: [0, 0],
    // A busy machine must not make a second attempt of a slow answer.
    answerSeconds: 300,
    ...more,
  });
  t.after(async () => {
    await webhook.close();
    other.close();
  });
  return { webhook, heard, got: other.got };
}

describe('The webhook', () => {
  it('is asked again after a failure, in order, and the log hears of the first loss and of the first success after it', async (t) => {
    const statuses = [500, 503, 200, 500, 500, 500, 404, 200];
    const { webhook, heard, got } = await startWebhook(t, (_, response) =>
      response.writeHead(statuses.shift() ?? 200).end(),
    );
    for (const id of ['a', 'b', 'c', 'd']) webhook.send(notice(id));
    await until('the notices arrived', () => heard.results.length === 4);
    assert.deepEqual(heard, { results: ['sent', 'failed', 'failed', 'sent'], failing: ['status 500'], working: 1 });
    assert.equal(got.map(({ body }) => JSON.parse(body).id).join(''), 'aaabbbcd');
    assert.equal(got[0]?.headers['x-postern-signature'], undefined, 'no key, no signature');
  });

  it('follows no redirect, so that the other side cannot send it elsewhere', async (t) => {
    const elsewhere = await startReceiver();
    t.after(elsewhere.close);
    const { webhook, heard } = await startWebhook(t, (_, response) =>
      response.writeHead(307, { location: elsewhere.url }).end(),
    );
    webhook.send(notice('a'));
    await until('the notices arrived', () => heard.results.length === 1);
    assert.deepEqual([heard.results, elsewhere.got.length], [['failed'], 0]);
  });

  it('drops and holds up nothing of other persons for the flood of one, however many they are', async (t) => {
    let held: (() => void) | undefined;
    const { webhook, heard, got } = await startWebhook(t, (_, response) => {
      if (held) response.end();
      else held = () => response.end();
    });
    for (let each = 0; each < 1000; each += 1) webhook.send(notice(`vera ${each}`));
    await until('the first is under way', () => held !== undefined);
    const others = Array.from({ length: 300 }, (_, each) => `person ${each}`);
    for (const user of others) webhook.send({ ...notice(user), user });
    const isTold = () => got.length === 301 && heard.results.length === 799 + 300;
    await until('the others are told beside the one that hangs', isTold);
    assert.deepEqual(heard.results, [...Array(799).fill('failed'), ...Array(300).fill('sent')]);
    held?.();
    await webhook.settled();
    const ids = got.map(({ body }) => JSON.parse(body).id as string);
    assert.deepEqual(ids.slice(1, 301).sort(), others.sort());
    assert.deepEqual(
      [ids[0], ...ids.slice(301)],
      Array.from({ length: 201 }, (_, each) => `vera ${each}`),
    );
  });

  it('holds at most 200 notices of a person while the other side hangs, counts the rest as lost, and ends at once when it is closed', async (t) => {
    const { webhook, heard } = await startWebhook(t, () => {});
    for (let each = 0; each < 210; each += 1) webhook.send(notice(String(each)));
    assert.equal(heard.results.length, 9);
    await webhook.close();
    assert.equal(
      heard.results.every((result) => result === 'failed'),
      true,
    );
    assert.equal(heard.results.length, 210);
  });
});
