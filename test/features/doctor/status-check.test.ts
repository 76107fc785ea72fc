/** Doctor on the status page: for admins, at `server.public_url` and nowhere else, one run at a time (SPEC 15). */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { Report } from '../../../src/features/doctor/cause.ts';
import { ADMIN_PERSON, CARL, VERA } from '../../support/people.ts';
import { type Runtime, startInstance } from '../../support/start-instance.ts';
import { until } from '../../support/until.ts';

/** The public address: leads to Postern, or keeps a request until it is let go. */
interface Front {
  readonly url: string;
  readonly asked: string[];
  hold(): void;
  release(): void;
  close(): void;
}

async function startFront(): Promise<Front> {
  const asked: string[] = [];
  let isHeld = false;
  const held: (() => void)[] = [];
  const server: Server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const answer = (): void => void response.writeHead(200, { server: 'nginx' }).end('hello');
    if (isHeld) held.push(answer);
    else answer();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    hold: () => {
      isHeld = true;
    },
    release: () => {
      isHeld = false;
      for (const answer of held.splice(0)) answer();
    },
    close: () => server.close(),
  };
}

const LISTENERS = { external: '127.0.0.1:0', internal: '127.0.0.1:0', telemetry: false };

describe('POST /api/status/doctor', () => {
  let front: Front;
  let instance: Runtime;
  let admin: string;
  const PATH = '/api/status/doctor';
  before(async () => {
    front = await startFront();
    instance = await startInstance({ config: { server: { ...LISTENERS, public_url: front.url } } });
    admin = await instance.logIn(ADMIN_PERSON);
  });
  after(async () => {
    await instance?.close();
    front?.close();
  });
  const check = (token?: string, init: RequestInit = {}): Promise<Response> =>
    instance.ask(PATH, { method: 'POST', ...init, ...(token === undefined ? {} : { token }) });
  const tokens = async (): Promise<unknown> => (await instance.ask('/api/tokens', { token: admin })).json();

  it('tells an admin what is wrong at server.public_url, and takes its token back', async () => {
    const answer = await check(admin);
    const report = (await answer.json()) as Report;
    assert.deepEqual([answer.status, report.url, report.proxy], [200, `${front.url}/`, 'nginx']);
    assert.deepEqual(
      report.findings.map(({ name }) => name),
      ['not-postern', 'second-factor'],
    );
    assert.ok(front.asked.length > 0 && front.asked.every((line) => line.startsWith('GET /postern/api/doctor/')));
    assert.deepEqual(await tokens(), []);
  });

  it('makes its token in the name of the admin who asks, and of no other', async () => {
    const zoe = { name: 'zoe', role: 'admin', password: 'MagnesiumLamp77!' };
    const body = JSON.stringify({ username: zoe.name, password: zoe.password, role: zoe.role });
    const headers = { 'content-type': 'application/json' };
    assert.equal((await instance.ask('/api/users', { method: 'POST', token: admin, headers, body })).status, 200);
    const before = instance.log.length;
    assert.equal((await check(await instance.logIn(zoe))).status, 200);
    const made = instance.log.slice(before).filter(({ what }) => what === 'token-created');
    assert.deepEqual(
      made.map(({ who, user }) => [who, user]),
      [['zoe', 'zoe']],
    );
    instance.log.splice(before);
  });

  it('has the token in the audit log, with the admin who asked, and its text nowhere', () => {
    const acts = instance.log.filter(({ what }) => /^token-/.test(String(what)));
    assert.deepEqual(
      acts.map(({ what, who, from }) => [what, who, from]),
      [
        ['token-created', ADMIN_PERSON.name, '127.0.0.1'],
        ['token-revoked', ADMIN_PERSON.name, '127.0.0.1'],
      ],
    );
    assert.doesNotMatch(JSON.stringify(instance.log), /pst_/);
  });

  describe('asks nothing and nowhere for', () => {
    const narrowed = async (): Promise<string> => {
      const body = JSON.stringify({ name: 'narrow', cameras: ['cam1'] });
      const headers = { 'Content-Type': 'application/json' };
      const made = await instance.ask('/api/tokens', { method: 'POST', token: admin, body, headers });
      const { id, token } = (await made.json()) as { id: string; token: string };
      narrowedId = id;
      return token;
    };
    let narrowedId = '';
    after(() => instance.ask(`/api/tokens/${narrowedId}`, { method: 'DELETE', token: admin }));
    const COOKIE = (session: string): RequestInit => ({ headers: { cookie: `frigate_token=${session}` } });
    // biome-ignore format: a table
    const rows: [sentence: string, asked: () => Promise<Response>, status: number][] = [
      ['nobody',                         () => check(),                                               401],
      ['a viewer',                       async () => check(await instance.logIn(VERA)),               403],
      ['a custom role',                  async () => check(await instance.logIn(CARL)),               403],
      ["an admin's token for one camera", async () => check(await narrowed()),                        403],
      ["a page of another site, with an admin's cookie", () => check(undefined, { headers: { ...COOKIE(admin).headers, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' } }), 403],
      ['another method',                 () => instance.ask(PATH, { token: admin }),                  404],
    ];
    for (const [sentence, asked, status] of rows) {
      it(sentence, async () => {
        const before = front.asked.length;
        assert.deepEqual([(await asked()).status, front.asked.length - before], [status, 0]);
      });
    }
  });

  it('takes no address from a request: not of its body, query or headers', async () => {
    const other = await startFront();
    const host = new URL(other.url).host;
    const answer = await instance.ask(`${PATH}?url=${other.url}`, {
      method: 'POST',
      token: admin,
      body: JSON.stringify({ url: other.url, server: { public_url: other.url } }),
      headers: { 'Content-Type': 'application/json', 'X-Forwarded-Host': host, 'X-Original-URL': other.url },
    });
    assert.equal(((await answer.json()) as Report).url, `${front.url}/`);
    assert.deepEqual(other.asked, []);
    other.close();
  });

  it('runs once at a time, also across a reload', async () => {
    front.hold();
    const before = front.asked.length;
    const first = check(admin);
    await until('the first run has asked', () => front.asked.length > before);
    const second = await check(admin);
    await instance.reload({ server: { ...LISTENERS, public_url: front.url }, auth: { session_length: 3600 } });
    const third = await check(admin);
    assert.deepEqual([second.status, third.status, second.headers.get('retry-after')], [409, 409, '10']);
    front.release();
    assert.equal((await first).status, 200);
    assert.equal((await check(admin)).status, 200);
  });

  it('looks at this machine alone where server.public_url is not set', async () => {
    const before = front.asked.length;
    await instance.reload({ server: LISTENERS, nvr: { url: 'http://127.0.0.1:1' } });
    const { url, findings } = (await (await check(admin)).json()) as Report;
    assert.deepEqual([url, findings.map(({ name }) => name)], [null, ['nvr', 'second-factor']]);
    assert.equal(front.asked.length, before);
  });

  it('finds nothing wrong where the address leads to this Postern', async () => {
    await instance.reload({ server: { ...LISTENERS, public_url: instance.url } });
    const { findings } = (await (await check(admin)).json()) as Report;
    assert.deepEqual(
      findings.map(({ name }) => name),
      ['second-factor'],
    );
  });
});
