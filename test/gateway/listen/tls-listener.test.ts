/** The TLS port as clients find it: versions, suites, plain HTTP told so, garbage, a certificate swapped under way (SPEC 1, `tls`). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, request } from 'node:https';
import { connect as connectPlain, type Socket } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { WebSocket } from 'ws';
import type { ServedCertificate } from '../../../src/gateway/listen/tls-server.ts';
import { answerLikeAnNvr, type FakeNvr, startFakeNvr } from '../../support/fake-nvr.ts';
import { http2Client } from '../../support/http2-client.ts';
import { type ChangingCertificate, changing, makeServed } from '../../support/served-certificate.ts';
import { type StartedGate, startGate, upstreamAt } from '../../support/start-gate.ts';
import { until } from '../../support/until.ts';

let nvr: FakeNvr;
let gate: StartedGate;
let impatient: StartedGate;
let first: ServedCertificate;
let certificates: ChangingCertificate;

before(async () => {
  nvr = await startFakeNvr();
  first = await makeServed();
  certificates = changing(first);
  gate = await startGate(upstreamAt(nvr.url), {}, undefined, { tls: certificates });
  impatient = await startGate(upstreamAt(nvr.url), {}, undefined, { tls: changing(first), timeoutHeaders: 0.3 });
});
after(async () => {
  await gate.close();
  await impatient.close();
  await nvr.close();
});
beforeEach(() => {
  nvr.received.length = 0;
  nvr.answer = answerLikeAnNvr;
});

/** Undefined when no handshake came about. */
async function handshake(options: ConnectionOptions): Promise<TLSSocket | undefined> {
  const socket = connect({ port: gate.port, host: '127.0.0.1', ca: first.certificate, ...options });
  const outcome = await Promise.race([
    once(socket, 'secureConnect').then(() => socket),
    once(socket, 'error').then(() => undefined),
  ]).catch(() => undefined);
  socket.on('error', () => {});
  return outcome;
}

/** Everything that comes back until the connection is closed. */
async function plainly(port: number, pieces: readonly (string | Buffer)[], isPatient = true): Promise<string> {
  const socket = connectPlain(port, '127.0.0.1').on('error', () => {});
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
  });
  for (const piece of pieces) {
    await new Promise((resolve) => socket.write(piece, 'latin1', resolve));
    if (isPatient) await turn();
  }
  await until('the connection is closed', () => socket.closed);
  return text;
}

describe('A handshake', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, options: ConnectionOptions, expected: string | undefined][] = [
    ['of TLS 1.3 succeeds',                                 { minVersion: 'TLSv1.3' },                                                             'TLSv1.3'],
    ['of TLS 1.2 succeeds with forward secrecy',            { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' },                   'TLSv1.2'],
    ['of TLS 1.2 succeeds with ChaCha20',                   { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-CHACHA20-POLY1305' },                   'TLSv1.2'],
    ['of TLS 1.1 fails',                                    { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },         undefined],
    ['with CBC fails',                                      { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA256:ECDHE-ECDSA-AES128-SHA' }, undefined],
    ['for a protocol that is not spoken here fails',        { ALPNProtocols: ['h3', 'spdy/3.1'] },                                                 undefined],
  ];
  for (const [sentence, options, expected] of rows) {
    it(sentence, async () => {
      const socket = await handshake(options);
      assert.equal(socket?.getProtocol() ?? undefined, expected);
      socket?.destroy();
    });
  }

  // biome-ignore format: a table
  const agreed: [offered: string[], expected: string | false][] = [
    [['h2', 'http/1.1'], 'h2'],
    [['http/1.1', 'h2'], 'h2'],
    [['http/1.1'],       'http/1.1'],
    [[],                 false],
  ];
  for (const [offered, expected] of agreed) {
    it(`of a client that offers ${offered.join(', ') || 'nothing'} agrees on ${expected || 'HTTP/1.1'}`, async () => {
      const socket = await handshake({ ALPNProtocols: offered });
      assert.equal(socket?.alpnProtocol, expected);
      socket?.destroy();
    });
  }

  it('cannot be asked for a second time', async () => {
    const socket = await handshake({ maxVersion: 'TLSv1.2', ALPNProtocols: ['http/1.1'] });
    assert.ok(socket);
    const refused = await new Promise((resolve) => {
      socket.once('error', () => resolve('refused'));
      socket.once('close', () => resolve('refused'));
      if (!socket.renegotiate({ rejectUnauthorized: false }, (fault) => resolve(fault ? 'refused' : 'done')))
        resolve('refused');
    });
    assert.equal(refused, 'refused');
    socket.destroy();
  });

  // biome-ignore format: a table
  const silent: [sentence: string, bytes: Buffer][] = [
    ['that never begins',        Buffer.alloc(0)],
    ['that stops after a byte',  Buffer.of(0x16)],
    ['that stops in its middle', Buffer.from('160301020001', 'hex')],
  ];
  for (const [sentence, bytes] of silent) {
    it(`${sentence} is cut off in the time that a head has`, async () => {
      assert.equal(await plainly(impatient.port, bytes.length > 0 ? [bytes] : []), '');
    });
  }

  it('that succeeds and is followed by silence, or by half a head, is cut off', async () => {
    for (const text of ['', 'GET / HTTP/1.1\r\nHost: ']) {
      const socket = connect({
        port: impatient.port,
        host: '127.0.0.1',
        ca: first.certificate,
        ALPNProtocols: ['http/1.1'],
      });
      socket.on('error', () => {}).resume();
      await once(socket, 'secureConnect');
      socket.write(text);
      await until('the connection is ended', () => socket.closed);
    }
  });
});

describe('Plain HTTP on the TLS port', () => {
  const WORDS = 'This port speaks HTTPS: write https:// in the place of http:// in the address.\n';
  const HEAD =
    'HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 79\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n';
  const asked = 'GET /api/x HTTP/1.1\r\nHost: nvr\r\nRemote-Role: admin\r\n\r\n';
  // biome-ignore format: a table
  const rows: [sentence: string, pieces: string[]][] = [
    ['in one piece',        [asked]],
    ['byte by byte',        [...asked]],
    ['with a large body',   [`POST /api/x HTTP/1.1\r\nHost: nvr\r\nContent-Length: 3000000\r\n\r\n`, ...Array.from({ length: 30 }, () => 'x'.repeat(100_000))]],
    ['that never ends',     ['DELETE /api']],
    ['of HTTP/2',           ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n']],
  ];
  for (const [sentence, pieces] of rows) {
    it(`${sentence} is told to use https`, async () => {
      assert.equal(await plainly(gate.port, pieces), HEAD + WORDS);
      assert.deepEqual(nvr.received, []);
    });
  }

  it('is understood by an ordinary client', async () => {
    const answer = await fetch(`http://127.0.0.1:${gate.port}/`, { method: 'POST', body: 'x'.repeat(300_000) });
    assert.deepEqual([answer.status, await answer.text()], [400, WORDS]);
  });

  // biome-ignore format: a table
  const garbage: [sentence: string, bytes: Buffer][] = [
    ['zeros',              Buffer.alloc(100)],
    ['a binary protocol',  Buffer.from('0300002f2ae00000', 'hex')],
    ['small letters',      Buffer.from('get / http/1.1\r\n\r\n')],
    ['SSLv2',              Buffer.from('802e0100020015', 'hex')],
    ['a broken handshake', Buffer.concat([Buffer.from('1603010005', 'hex'), Buffer.from('hello')])],
  ];
  for (const [sentence, bytes] of garbage) {
    it(`is not taken for ${sentence}: the connection is closed without a word of HTTP`, async () => {
      assert.doesNotMatch(await plainly(gate.port, [bytes]), /HTTP/);
    });
  }

  it('and clients that leave at once do no harm', async () => {
    const leave = async (bytes: string): Promise<void> => {
      const socket: Socket = connectPlain(gate.port, '127.0.0.1').on('error', () => {});
      await once(socket, 'connect');
      if (bytes) await new Promise((resolve) => socket.write(bytes, 'latin1', resolve));
      socket.resetAndDestroy();
    };
    await Promise.all(
      ['', 'G', '\x16', '\x16\x03\x01', 'GET / HTTP/1.1\r\n\r\n', '\0'].flatMap((bytes) =>
        Array.from({ length: 10 }, () => leave(bytes)),
      ),
    );
    const client = await http2Client(gate.url, first.certificate);
    assert.equal((await client.ask('/api/version')).status, 200);
    client.close();
  });
});

describe('HTTP/1.1 over TLS', () => {
  const encrypted = async (text: string): Promise<string> => {
    const socket = await handshake({ ALPNProtocols: ['http/1.1'] });
    let answer = '';
    socket?.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1');
    });
    socket?.write(text, 'latin1');
    await until('the connection is closed', () => socket?.closed === true);
    return answer;
  };

  // biome-ignore format: a table
  const rows: [sentence: string, text: string, status: string][] = [
    ['is answered',                          'GET /api/version HTTP/1.1\r\nHost: nvr\r\nConnection: close\r\n\r\n',                              'HTTP/1.1 200 '],
    ['is refused as over plain HTTP',        'GET /api/../x HTTP/1.1\r\nHost: nvr\r\nConnection: close\r\n\r\n',                                 'HTTP/1.1 400 '],
    ['that says HTTP/2.0 in text is refused', 'GET /api/x HTTP/2.0\r\nHost: nvr\r\nConnection: close\r\n\r\n',                                   'HTTP/1.1 400 '],
    ['that is malformed is refused',         'GET /api/x HTTP/1.1\r\nHost: nvr\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',      'HTTP/1.1 400 '],
    ['with 33 KB of headers is refused',     `GET /api/x HTTP/1.1\r\nHost: nvr\r\nX-A: ${'a'.repeat(33_000)}\r\n\r\n`,                           'HTTP/1.1 431 '],
    ['that is a CONNECT is closed',          'CONNECT evil:443 HTTP/1.1\r\nHost: evil:443\r\n\r\n',                                              ''],
  ];
  for (const [sentence, text, status] of rows) {
    it(sentence, async () => {
      assert.equal((await encrypted(text)).slice(0, status.length || 10), status);
    });
  }

  it('carries a WebSocket beside HTTP/2', async () => {
    const client = await http2Client(gate.url, first.certificate);
    const socket = new WebSocket(`${gate.url.replace('https', 'wss')}/ws`, { ca: first.certificate });
    await once(socket, 'open');
    socket.send('hello');
    const [[message], { status }] = await Promise.all([once(socket, 'message'), client.ask('/api/version')]);
    assert.deepEqual([String(message), status], ['hello', 200]);
    socket.terminate();
    client.close();
  });

  it('takes an upload, and its 100 Continue', async () => {
    const outgoing = request({
      port: gate.port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/api/x',
      ca: first.certificate,
      headers: { expect: '100-continue', 'content-length': 5 },
    });
    outgoing.flushHeaders();
    await once(outgoing, 'continue');
    outgoing.end('hello');
    const [answer] = await once(outgoing, 'response');
    assert.deepEqual([answer.statusCode, nvr.received[0]?.body], [200, 'hello']);
    answer.destroy();
  });
});

describe('Strict-Transport-Security', () => {
  const said = async (): Promise<readonly unknown[]> => {
    const { certificate: ca } = certificates.current();
    const client = await http2Client(gate.url, ca);
    const over2 = await client.ask('/api/version');
    const refused = await client.ask('/api/../x');
    client.close();
    const [over1] = await once(
      get({ port: gate.port, host: '127.0.0.1', path: '/api/version', ca, agent: false }),
      'response',
    );
    over1.resume();
    return [over2.headers, refused.headers, over1.headers].map((headers) => headers['strict-transport-security']);
  };

  it('is not said with a certificate that was made here, and said with another, for as long as is configured', async () => {
    assert.deepEqual(await said(), [undefined, undefined, undefined]);
    certificates.change(await makeServed(31_536_000));
    assert.deepEqual(await said(), ['max-age=31536000', 'max-age=31536000', 'max-age=31536000']);
    certificates.change(await makeServed(0));
    assert.deepEqual(await said(), ['max-age=0', 'max-age=0', 'max-age=0']);
    certificates.change(first);
  });
});

describe('A certificate that is swapped', () => {
  it('is served from the next connection on, and closes no open connection', async () => {
    let finish = (): void => {};
    nvr.answer = (_request, response) => {
      response.write('begun');
      finish = () => response.end('whole');
    };
    const client = await http2Client(gate.url, first.certificate);
    const socket = new WebSocket(`${gate.url.replace('https', 'wss')}/ws`, { ca: first.certificate });
    await once(socket, 'open');
    const streaming = client.ask('/api/stream');
    await until('the request arrives', () => nvr.received.length === 2);
    const next = await makeServed();
    certificates.change(next);

    assert.equal(await handshake({}), undefined, 'the first certificate is not served any more');
    const fresh = await handshake({ ca: next.certificate });
    assert.equal(fresh?.authorized, true);
    assert.equal(fresh?.getProtocol(), 'TLSv1.3', 'as strict as before');
    fresh?.destroy();
    assert.equal(
      await handshake({ ca: next.certificate, maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA256' }),
      undefined,
    );

    finish();
    assert.equal((await streaming).body.toString(), 'begunwhole');
    nvr.answer = answerLikeAnNvr;
    assert.equal((await client.ask('/api/version')).status, 200);
    socket.send('still there');
    assert.equal(String((await once(socket, 'message'))[0]), 'still there');
    socket.terminate();
    client.close();
    certificates.change(first);
  });
});

describe('A listener that is closed', () => {
  it('tells HTTP/2 clients so, lets their streams end, and takes no new ones', async () => {
    const closing = await startGate(upstreamAt(nvr.url), {}, undefined, { tls: changing(first) });
    let finish = (): void => {};
    nvr.answer = (_request, response) => {
      response.write('begun');
      finish = () => response.end('whole');
    };
    const [busy, idle] = [
      await http2Client(closing.url, first.certificate),
      await http2Client(closing.url, first.certificate),
    ];
    const streaming = busy.ask('/api/stream');
    await until('the request arrives', () => nvr.received.length === 1);
    const told = [once(busy.session, 'goaway'), once(idle.session, 'close')];
    const closed = closing.listener.close(10);
    await Promise.all(told);
    finish();
    assert.deepEqual([(await streaming).body.toString(), (await streaming).end], ['begunwhole', 'NGHTTP2_NO_ERROR']);
    await closed;
    assert.equal(nvr.received.length, 1);
    await closing.close();
  });

  it('breaks what is left when its grace is over', async () => {
    const closing = await startGate(upstreamAt(nvr.url), {}, undefined, { tls: changing(first) });
    nvr.answer = (_request, response) => void response.write('begun');
    const client = await http2Client(closing.url, first.certificate);
    const streaming = client.ask('/api/stream');
    await until('the request arrives', () => nvr.received.length === 1);
    await closing.listener.close(0.05);
    assert.notEqual((await streaming).end, 'NGHTTP2_NO_ERROR');
    await closing.close();
  });
});
