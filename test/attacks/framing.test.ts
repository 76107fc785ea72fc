/** Bytes that two servers could cut into requests differently: refused before any other check (SPEC 5, RFC 9112). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { VERA } from '../support/people.ts';
import { openConnection } from './support/raw-connection.ts';
import { asRole, claimsIn, HOST, head, UPGRADE, watchInstance } from './support/watched-instance.ts';

const watched = await watchInstance();
const bearer = await watched.bearerOf(VERA);

const JSON_TYPE = 'Content-Type: application/json';
const POST = 'POST /api/reviews/viewed HTTP/1.1';
const CHUNKS = 'a\r\n{"ids":[]}\r\n0\r\n\r\n';
const SMUGGLED =
  'PUT /api/config/set HTTP/1.1\r\nHost: nvr\r\nremote-user: eve\r\nremote-role: admin\r\nContent-Length: 0\r\n\r\n';
const CHUNKED_SMUGGLED = `${SMUGGLED.length.toString(16)}\r\n${SMUGGLED}\r\n0\r\n\r\n`;

/** The statuses of all answers; a connection that ends without one gives none. */
async function statusesOf(bytes: string, count = 1): Promise<number[]> {
  const connection = await openConnection(watched.instance.port);
  await connection.send(bytes);
  await connection.settled(count);
  connection.close();
  return connection.answers().map(({ status }) => status);
}

interface Attack {
  readonly lines: readonly string[];
  readonly body?: string;
  readonly statuses?: readonly number[];
}

function neverArrives(story: string, { lines, body = '', statuses = [400] }: Attack): void {
  it(`${story}: never arrives`, async () => {
    const connection = await openConnection(watched.instance.port);
    await connection.send(`${head(lines[0] ?? '', HOST, bearer, lines.slice(1))}${body}`);
    await connection.settled();
    connection.close();
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(connection.text())?.[1]);
    assert.ok(statuses.includes(status), `answered ${status}`);
    assert.deepEqual(watched.nvr.received, []);
  });
}

describe('A body whose chunks hide a second request', () => {
  for (const method of ['DELETE', 'OPTIONS', 'GET', 'HEAD']) {
    for (const more of [[], ['Connection: Upgrade, x'], ['Connection: keep-alive']]) {
      neverArrives(`behind ${[method, ...more].join(', ')}`, {
        lines: [`${method} /api/review/1/viewed HTTP/1.1`, 'Transfer-Encoding: chunked', ...more],
        body: CHUNKED_SMUGGLED,
      });
    }
  }
  neverArrives('beside a length that ends before it', {
    lines: [POST, JSON_TYPE, 'Content-Length: 6', 'Transfer-Encoding: chunked'],
    body: `0\r\n\r\n${SMUGGLED}`,
  });
});

describe('A transfer coding', () => {
  // biome-ignore format: a table
  const codings: [story: string, ...lines: string[]][] = [
    ['that is unknown',               'Transfer-Encoding: xchunked'],
    ['before chunked',                'Transfer-Encoding: gzip, chunked'],
    ['before chunked, in two lines',  'Transfer-Encoding: cow', 'Transfer-Encoding: chunked'],
    ['after chunked',                 'Transfer-Encoding: chunked, identity'],
    ['in quotes',                     'Transfer-Encoding: "chunked"'],
    ['on a line of its own',          'Transfer-Encoding:', ' chunked'],
    ['with a tab in front',           'Transfer-Encoding: \x0bchunked'],
    ['with a blank behind the name',  'Transfer-Encoding : chunked'],
    ['with an underscore',            'Transfer_Encoding: chunked', 'Content-Length: 20'],
    ['said twice',                    'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'],
    ['said twice in a line',          'Transfer-Encoding: chunked, chunked'],
  ];
  for (const [story, ...lines] of codings) {
    neverArrives(story, { lines: [POST, JSON_TYPE, ...lines], body: CHUNKS, statuses: [400, 501] });
  }
  neverArrives('in the days of HTTP/1.0', {
    lines: [POST.replace('1.1', '1.0'), JSON_TYPE, 'Transfer-Encoding: chunked'],
    body: CHUNKS,
  });
});

describe('A length', () => {
  // biome-ignore format: a table
  const lengths: [story: string, ...lines: string[]][] = [
    ['said twice',              'Content-Length: 3', 'Content-Length: 3'],
    ['said in two ways',        'Content-Length: 3', 'Content-Length: 4'],
    ['in a list',               'Content-Length: 3, 3'],
    ['with a sign',             'Content-Length: +3'],
    ['below nothing',           'Content-Length: -1'],
    ['in another base',         'Content-Length: 0x3'],
    ['left empty',              'Content-Length:'],
    ['in two words',            'Content-Length: 1 2'],
    ['beyond every number',     'Content-Length: 18446744073709551619'],
  ];
  for (const [story, ...lines] of lengths) neverArrives(story, { lines: [POST, JSON_TYPE, ...lines], body: 'abc' });
});

describe('A chunk', () => {
  // biome-ignore format: a table
  const chunks: [story: string, body: string][] = [
    ['whose size ends in a line feed alone',  '3\nabc\r\n0\r\n\r\n'],
    ['that does not end',                     '3\r\nabc0\r\n\r\n'],
    ['whose size is in another spelling',     '0x3\r\nabc\r\n0\r\n\r\n'],
    ['whose size is below nothing',           '-3\r\nabc\r\n0\r\n\r\n'],
    ['whose size is beyond every number',     '10000000000000003\r\nabc\r\n0\r\n\r\n'],
    ['with 20 KB of extensions',              `3;${'a'.repeat(20_000)}\r\nabc\r\n0\r\n\r\n`],
    ['whose extension holds a line feed',     '3;a\nbc\r\nabc\r\n0\r\n\r\n'],
  ];
  for (const [story, body] of chunks) {
    it(`${story}: ends the connection, and no login is tried`, async () => {
      const login = head('POST /api/login HTTP/1.1', HOST, JSON_TYPE, 'Transfer-Encoding: chunked');
      const statuses = await statusesOf(`${login}${body}`);
      assert.ok(
        statuses.every((status) => [400, 408, 413].includes(status)),
        `answered ${statuses}`,
      );
      assert.deepEqual(watched.nvr.received, []);
    });
  }
});

describe('A request line', () => {
  // biome-ignore format: a table
  const lines: [story: string, line: string, statuses: number[]][] = [
    ['of HTTP/2 in text',                'GET /api/stats HTTP/2.0',             [400, 505]],
    ['of HTTP/3 in text',                'GET /api/stats HTTP/3.0',             [400, 505]],
    ['of no version',                    'GET /api/stats',                      [400, 505]],
    ['with another host',                'GET http://127.0.0.1:5000/api/stats HTTP/1.1', [400]],
    ['with a host alone',                'GET nvr:5000 HTTP/1.1',               [400]],
    ['for the server as a whole',        'OPTIONS * HTTP/1.1',                  [400, 405]],
    ['that asks for a tunnel',           'CONNECT 127.0.0.1:5000 HTTP/1.1',     [400, 405]],
    ['that asks to be echoed',           'TRACE /api/stats HTTP/1.1',           [400, 405]],
    ['of a file share',                  'PROPFIND /api/stats HTTP/1.1',        [400, 405]],
    ['of a cache',                       'PURGE /api/stats HTTP/1.1',           [400, 405]],
    ['of an unknown name',               'FOO /api/stats HTTP/1.1',             [400, 405]],
    ['that begins HTTP/2',               'PRI * HTTP/2.0',                      [400, 405]],
  ];
  for (const [story, line, statuses] of lines) {
    it(`${story}: never arrives`, async () => {
      const answers = await statusesOf(head(line, HOST, bearer));
      assert.ok(
        answers.every((status) => statuses.includes(status)),
        `answered ${answers}`,
      );
      assert.deepEqual(watched.nvr.received, []);
    });
  }
});

describe('A Host', () => {
  // biome-ignore format: a table
  const hosts: [story: string, ...lines: string[]][] = [
    ['that is not there'],
    ['said twice',                'Host: nvr.test', 'Host: evil.test'],
    ['left empty',                'Host:'],
    ['with a user',               'Host: nvr.test@evil.test'],
    ['with a path',               'Host: nvr.test/../x'],
    ['with an invalid port',      'Host: nvr.test:999999'],
  ];
  for (const [story, ...lines] of hosts) {
    it(`${story}: never arrives`, async () => {
      assert.deepEqual(await statusesOf(head('GET /api/stats HTTP/1.1', lines, bearer)), [400]);
      assert.deepEqual(watched.nvr.received, []);
    });
  }
});

describe('An upgrade', () => {
  const key = UPGRADE[3] ?? '';
  // biome-ignore format: a table
  const upgrades: [story: string, line: string, ...lines: string[]][] = [
    ['with a length',          'GET /ws HTTP/1.1', ...UPGRADE, 'Content-Length: 5'],
    ['with chunks',            'GET /ws HTTP/1.1', ...UPGRADE, 'Transfer-Encoding: chunked'],
    ['by POST',                'POST /ws HTTP/1.1', ...UPGRADE],
    ['to two protocols',       'GET /ws HTTP/1.1', 'Connection: Upgrade', 'Upgrade: websocket, h2c', 'Sec-WebSocket-Version: 13', key],
    ['of another version',     'GET /ws HTTP/1.1', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 777', key],
    ['without a key',          'GET /ws HTTP/1.1', ...UPGRADE.slice(0, 3)],
    ['of two keys',            'GET /ws HTTP/1.1', ...UPGRADE, key],
  ];
  for (const [story, ...lines] of upgrades) neverArrives(story, { lines });

  it('with a request behind it: neither arrives', async () => {
    const upgrade = head('GET /ws HTTP/1.1', HOST, bearer, UPGRADE);
    assert.deepEqual(await statusesOf(`${upgrade}${SMUGGLED}`), [400]);
    assert.deepEqual(watched.nvr.received, []);
  });
});

describe('An expectation', () => {
  neverArrives('of more than leave to send', {
    lines: ['GET /api/stats HTTP/1.1', 'Expect: 200-ok'],
    statuses: [417],
  });

  it('of an unknown caller is refused before its body is asked for', async () => {
    const connection = await openConnection(watched.instance.port);
    await connection.send(head(POST, HOST, JSON_TYPE, 'Expect: 100-continue', 'Content-Length: 19000000'));
    await connection.settled();
    connection.close();
    assert.match(connection.text(), /^HTTP\/1\.1 401 /);
    assert.deepEqual(watched.nvr.received, []);
  });
});

describe('Requests on one connection', () => {
  it('are judged one by one: what the first has shown, the second has not', async () => {
    const known = head('GET /api/stats HTTP/1.1', HOST, bearer);
    const stranger = head('GET /api/stats HTTP/1.1', HOST);
    assert.deepEqual(await statusesOf(`${known}${stranger}${known}`, 3), [200, 401, 200]);
    assert.deepEqual(watched.nvr.received.map(claimsIn), [asRole('vera', 'viewer'), asRole('vera', 'viewer')]);
  });

  it('end with the one that says so', async () => {
    const last = head('GET /api/stats HTTP/1.1', HOST, bearer, 'Connection: close');
    assert.deepEqual(await statusesOf(`${last}${SMUGGLED}`), [200]);
    assert.deepEqual(
      watched.nvr.received.map(({ target }) => target),
      ['/api/stats'],
    );
  });

  it('keep a body a body, though it reads like a request', async () => {
    const get = head('GET /api/stats HTTP/1.1', HOST, bearer, `Content-Length: ${SMUGGLED.length}`);
    assert.deepEqual(await statusesOf(`${get}${SMUGGLED}`), [200]);
    assert.deepEqual(
      watched.nvr.received.map(({ target, body }) => [target, body]),
      [['/api/stats', SMUGGLED]],
    );
  });
});
