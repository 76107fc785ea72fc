/** What no client should send, and an NVR that is not there: a clear answer each time, and the instance lives on (SPEC 4.1, 5). */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { ADMIN_PERSON, VERA } from '../support/people.ts';
import { rawRequest } from '../support/raw-request.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

const NOBODY_LISTENS = 'http://127.0.0.1:1';

let instance: Runtime;
before(async () => {
  instance = await startInstance({
    config: {
      nvr: { url: NOBODY_LISTENS, cameras: ['cam1', 'cam2'] },
      auth: { failed_login_rate_limit: null, roles: { front_only: ['cam1'] } },
    },
  });
});
after(() => instance.close());

/** The same process serves the next one. */
afterEach(async () => {
  const { name: user, password } = VERA;
  const init = { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ user, password }) };
  assert.equal((await fetch(`${instance.url}/api/login`, init)).status, 200);
  assert.deepEqual(
    instance.log.filter(({ level }) => level === 'error' || level === 50),
    [],
  );
});

const JSON_TYPE = { 'Content-Type': 'application/json' };
const CREDENTIALS = JSON.stringify({ user: ADMIN_PERSON.name, password: ADMIN_PERSON.password });

interface Answer {
  readonly status: number;
  readonly cookies: readonly string[];
  readonly message: unknown;
}

async function logIn(
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = JSON_TYPE,
): Promise<Answer> {
  const answer = await fetch(`${instance.url}/api/login`, { method: 'POST', headers, body });
  const { success, message } = (await answer.json()) as { success?: unknown; message?: unknown };
  assert.equal(success, false);
  return { status: answer.status, cookies: answer.headers.getSetCookie(), message };
}

describe('A login', () => {
  it('of a megabyte is too large, and is not read to its end', async () => {
    const body = JSON.stringify({ user: 'admin', password: 'a'.repeat(1_000_000) });
    assert.deepEqual(await logIn(body), { status: 413, cookies: [], message: 'The request body is too large.' });
  });

  it('of a megabyte that does not say so is cut as well', async () => {
    const chunk = `4000\r\n${'a'.repeat(0x4000)}\r\n`;
    const head =
      'POST /api/login HTTP/1.1\r\nHost: nvr\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
    assert.equal((await rawRequest(instance.port, `${head}${chunk.repeat(64)}`)).status, 413);
  });

  const wrongShapes: [sentence: string, body: string][] = [
    ['that is cut off', '{"user":"admin","password":'],
    ['that is empty', ''],
    ['that is null', 'null'],
    ['that is a list', '["admin","IronsPassw0rd!!"]'],
    ['that is a number', '5'],
    ['that is no JSON', 'user=admin'],
    ['without a password', '{"user":"admin"}'],
    ['with a list for a user', '{"user":["admin"],"password":"IronsPassw0rd!!"}'],
    ['with an object for a user', '{"user":{"$ne":null},"password":"IronsPassw0rd!!"}'],
    ['with an object for a password', '{"user":"admin","password":{"$gt":""}}'],
    ['nested a thousand deep', `${'['.repeat(4000)}${']'.repeat(4000)}`],
    ['with half a character', '{"user":"admin","password":"\\ud800aaaaaaaaaaa"}'],
    ['with a byte order mark', `\ufeff${CREDENTIALS}`],
  ];
  for (const [sentence, body] of wrongShapes) {
    it(`${sentence} is 422, with words`, async () => {
      const { status, cookies, message } = await logIn(body);
      assert.deepEqual([status, cookies], [422, []]);
      assert.ok(typeof message === 'string' && message.length > 0);
    });
  }

  it('in bytes that are no text is 422', async () => {
    const { status } = await logIn(Uint8Array.from(Buffer.from(CREDENTIALS, 'utf16le')));
    assert.equal(status, 422);
  });

  const wrongTypes: [sentence: string, headers: Record<string, string>][] = [
    ['as a form', { 'Content-Type': 'application/x-www-form-urlencoded' }],
    ['as text, which a form can send', { 'Content-Type': 'text/plain' }],
    ['in another alphabet', { 'Content-Type': 'application/json; charset=utf-7' }],
    ['packed', { ...JSON_TYPE, 'Content-Encoding': 'gzip' }],
  ];
  for (const [sentence, headers] of wrongTypes) {
    it(`${sentence} is 415`, async () => {
      const { status, cookies } = await logIn(CREDENTIALS, headers);
      assert.deepEqual([status, cookies], [415, []]);
    });
  }

  for (const name of ['admin ', 'ADMIN', 'аdmin', 'ａdmin', "admin' OR '1'='1", 'admin\u0000', 'nobody']) {
    it(`as ${JSON.stringify(name)} logs no user in`, async () => {
      const answer = await logIn(JSON.stringify({ user: name, password: ADMIN_PERSON.password }));
      assert.deepEqual(answer, { status: 401, cookies: [], message: 'Login failed' });
    });
  }

  for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
    it(`by ${method} is 405 and names POST`, async () => {
      const answer = await fetch(`${instance.url}/api/login?user=admin&password=${ADMIN_PERSON.password}`, { method });
      assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'POST']);
      assert.ok(!JSON.stringify(instance.log).includes(ADMIN_PERSON.password), 'the password is not logged');
    });
  }
});

describe('A request', () => {
  const raw = async (target: string, ...lines: string[]): Promise<number | undefined> =>
    (await rawRequest(instance.port, `${[`GET ${target} HTTP/1.1`, 'Host: nvr', ...lines].join('\r\n')}\r\n\r\n`))
      .status;

  it('with 33 KB of headers is 431', async () => {
    assert.equal(await raw('/api/version', `X-A: ${'a'.repeat(33_000)}`), 431);
  });

  it('with a thousand headers and one is 431, however short they are', async () => {
    const tiny = Array.from({ length: 1000 }, (_, at) => `a${at.toString(36)}:`);
    assert.equal(await raw('/api/version', ...tiny), 431); // with Host
  });

  it('with a target of 20 KB is 431', async () => {
    assert.equal(await raw(`/${'a'.repeat(20_000)}`), 431);
  });

  it('with a target of 16 KB that is not plain is 400', async () => {
    assert.equal(await raw(`//${'a'.repeat(16_000)}`), 400);
  });

  it('that is no HTTP is 400', async () => {
    assert.equal((await rawRequest(instance.port, 'SSH-2.0-OpenSSH_9.2\r\n\r\n')).status, 400);
  });

  it('in the words of TLS, on a port without it, is 400', async () => {
    const { status } = await rawRequest(instance.port, '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03');
    assert.equal(status, 400);
  });
});

describe('An NVR that is not there', () => {
  const words = 'The NVR does not answer: check that it runs and that nvr.url is right.';

  it('is 502 at once, in JSON for a script', async () => {
    const answer = await instance.ask('/api/version', { token: await instance.logIn(VERA) });
    assert.deepEqual(
      [answer.status, await answer.json()],
      [502, { success: false, message: words, reason: 'nvr-unreachable' }],
    );
  });

  it('is a page with what to check, for a person', async () => {
    const headers = { Accept: 'text/html', 'Sec-Fetch-Mode': 'navigate' };
    const answer = await instance.ask('/review', { token: await instance.logIn(VERA), headers });
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [502, 'text/html; charset=utf-8']);
    assert.match(await answer.text(), /check that it runs and that nvr\.url is right/);
  });

  it('is an ordinary answer to an upgrade', async () => {
    const token = await instance.logIn(VERA);
    const lines = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
    const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
    const head = ['GET /ws HTTP/1.1', 'Host: nvr', `Authorization: Bearer ${token}`, ...lines, key].join('\r\n');
    assert.match((await rawRequest(instance.port, `${head}\r\n\r\n`)).text, /^HTTP\/1\.1 502 Bad Gateway\r\n/);
  });
});
