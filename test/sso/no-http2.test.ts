/**
 * Where a proxy's headers say who calls, HTTP/2 is not offered: Node's HTTP/2 drops a header whose value it dislikes, in
 * silence, and a role header that is not there gives the default role (interface 5.5; RFC 9113 section 8.2.1).
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { http2Client } from '../support/http2-client.ts';
import { VERA } from '../support/people.ts';
import { type ConfigTree, type Runtime, startInstance } from '../support/start-instance.ts';

const SECRET = 'correct-horse-battery';

let nvr: FakeNvr;
before(async () => {
  nvr = await startFakeNvr();
});
after(() => nvr.close());
beforeEach(() => {
  nvr.received.length = 0;
});

const start = (config: ConfigTree): Promise<Runtime> =>
  startInstance({ config: { tls: { enabled: true }, nvr: { url: nvr.url, cameras: ['cam1'] }, ...config } });

const certificateOf = ({ directory }: Runtime): string => readFileSync(join(directory, 'tls/fullchain.pem'), 'utf8');

function handshake(instance: Runtime, protocols: string[]): TLSSocket {
  const socket = connect({
    port: instance.port,
    host: '127.0.0.1',
    ca: certificateOf(instance),
    ALPNProtocols: protocols,
  });
  return socket.on('error', () => {});
}

describe('In proxy mode', () => {
  let instance: Runtime;
  before(async () => {
    instance = await start({
      auth: { enabled: false },
      proxy: {
        auth_secret: SECRET,
        header_map: { user: 'X-Forwarded-User', role: 'Remote-Groups' },
        default_role: 'admin',
      },
    });
  });
  after(() => instance?.close());

  it('a client that speaks both is given HTTP/1.1', async () => {
    const socket = handshake(instance, ['h2', 'http/1.1']);
    await once(socket, 'secureConnect');
    assert.equal(socket.alpnProtocol, 'http/1.1');
    socket.destroy();
  });

  it('a client that speaks HTTP/2 alone gets no connection', async () => {
    const socket = handshake(instance, ['h2']);
    const outcome = await new Promise((resolve) => {
      socket.once('error', resolve).once('secureConnect', () => resolve(`connected with ${socket.alpnProtocol}`));
    });
    socket.destroy();
    assert.match(String(outcome), /no application protocol/i);
  });

  // biome-ignore format: a table
  const rows: readonly (readonly [sentence: string, role: string, outcome: RegExp, told: string[]])[] = [
    ['as it should be is believed',         'viewer',      /^HTTP\/1\.1 200 /, ['viewer']],
    ['with a blank behind it is believed',  'viewer ',     /^HTTP\/1\.1 200 /, ['viewer']],
    ['with a control byte is refused',      'viewer\u0001', /^HTTP\/1\.1 400 /, []],
    ['with a tab inside denies',            'view\ter',    /^HTTP\/1\.1 403 /, []],
  ];
  for (const [sentence, role, outcome, told] of rows) {
    it(`a role header ${sentence}, and is no reason for the default role`, async () => {
      const socket = handshake(instance, ['http/1.1']);
      await once(socket, 'secureConnect');
      const lines = ['Host: nvr', `X-Proxy-Secret: ${SECRET}`, 'X-Forwarded-User: vera', `Remote-Groups: ${role}`];
      socket.write(`${['GET /api/version HTTP/1.1', ...lines, '', ''].join('\r\n')}`, 'latin1');
      const [answer] = await once(socket, 'data');
      assert.match(String(answer), outcome);
      assert.deepEqual(nvr.lastHeader('remote-role'), told);
      socket.destroy();
    });
  }
});

describe('With accounts of its own', () => {
  it('HTTP/2 is offered, and a credential with a blank behind it is not dropped', async () => {
    const instance = await start({});
    const client = await http2Client(instance.url.replace('http:', 'https:'), certificateOf(instance));
    try {
      const body = JSON.stringify({ user: VERA.name, password: VERA.password });
      const login = await client.ask('/api/login', { ':method': 'POST', 'content-type': 'application/json' }, body);
      const cookie = String(login.headers['set-cookie']).split(';', 1)[0];
      assert.equal((await client.ask('/api/version', { cookie: `${cookie} ` })).status, 200);
      assert.equal((await client.ask('/api/version', { cookie, authorization: 'Bearer pst_x ' })).status, 401);
    } finally {
      client.close();
      await instance.close();
    }
  });
});
