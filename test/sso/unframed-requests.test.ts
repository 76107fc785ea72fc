/** Proxies that cannot tell from a head that no body follows write `Transfer-Encoding: chunked`: Caddy for HTTP/3, nginx and HAProxy for HTTP/2 (SPEC 5). */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { answerOf, http2Client } from '../support/http2-client.ts';
import { ADMIN_PERSON } from '../support/people.ts';
import { makeServed } from '../support/served-certificate.ts';
import { freePort } from '../support/servers/free-port.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';
import { type StartedProxy, skipWithout, startCaddy, startHaproxy, startNginx } from './support/proxies.ts';

/** Debian's Caddy takes every body of HTTP/3 without a length for empty, and drops it: the test needs a later one. */
const CADDY = process.env['CADDY_2_11'] ?? 'caddy';
const isTooOld = /^v?2\.\d\./.test(spawnSync(CADDY, ['version'], { encoding: 'utf8' }).stdout ?? '');
/** A Python that has aioquic. */
const PYTHON = process.env['AIOQUIC_PYTHON'] ?? 'python3';
const hasHttp3 = spawnSync(PYTHON, ['-c', 'import aioquic'], { stdio: 'ignore' }).status === 0;
const skipHttp3 =
  skipWithout('caddy', CADDY) ||
  (isTooOld ? `${CADDY} is older than 2.10` : false) ||
  (hasHttp3 ? false : 'aioquic is not installed');

interface Http3Request {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Http3Answer {
  readonly status: number;
  readonly body: string;
}

async function askByHttp3(port: number, ca: string, requests: readonly Http3Request[]): Promise<Http3Answer[]> {
  const client = spawn(PYTHON, [new URL('../support/http3-client.py', import.meta.url).pathname]);
  const said = Promise.all([text(client.stdout), text(client.stderr), once(client, 'close')]);
  client.stdin.end(JSON.stringify({ port, ca, requests }));
  const [answers, faults] = await said;
  assert.notEqual(answers, '', faults);
  return JSON.parse(answers);
}

let nvr: FakeNvr;
let instance: Runtime;
let cookie = '';
let ca = '';
let directory = '';
let certificate = '';
before(async () => {
  nvr = await startFakeNvr();
  instance = await startInstance({ config: { nvr: { url: nvr.url, cameras: ['cam1'] } } });
  cookie = `frigate_token=${await instance.logIn(ADMIN_PERSON)}`;
  const served = await makeServed();
  certificate = served.certificate;
  directory = mkdtempSync(join(tmpdir(), 'postern-unframed-'));
  ca = join(directory, 'certificate.pem');
  writeFileSync(ca, served.certificate);
  writeFileSync(join(directory, 'key.pem'), served.privateKey);
  writeFileSync(join(directory, 'both.pem'), `${served.certificate}\n${served.privateKey}`);
});
after(async () => {
  await instance?.close();
  await nvr?.close();
  rmSync(directory, { recursive: true, force: true });
});
beforeEach(() => {
  nvr.received.length = 0;
});

const arrived = (): string[] =>
  nvr.received.map(({ method, target, headers }) =>
    [`${method} ${target}`, ...headers.filter(([name]) => /^(?:transfer-encoding|content-length)$/.test(name))].join(
      ' ',
    ),
  );

describe('HTTP/3 through Caddy', { skip: skipHttp3 }, () => {
  it('opens pages, pictures and lists, logs in, changes and deletes', async (test) => {
    const port = await freePort();
    const site = `https://localhost:${port} {
	tls ${ca} ${join(directory, 'key.pem')}
	reverse_proxy 127.0.0.1:${instance.port}
}
`;
    const proxy = await startCaddy(site, port, CADDY);
    test.after(() => proxy.close());
    const known = { cookie };
    const login = JSON.stringify({ user: ADMIN_PERSON.name, password: ADMIN_PERSON.password });
    const asked: [Http3Request, status: number][] = [
      [{ method: 'GET', path: '/login', headers: {} }, 200],
      [{ method: 'GET', path: '/api/version', headers: {} }, 401],
      [{ method: 'POST', path: '/api/login', headers: { 'content-type': 'application/json' }, body: login }, 200],
      [{ method: 'GET', path: '/api/version', headers: known }, 200],
      [{ method: 'HEAD', path: '/api/version', headers: known }, 200],
      [{ method: 'GET', path: '/api/cam1/latest.jpg', headers: known }, 200],
      [{ method: 'DELETE', path: '/api/thing', headers: known }, 200],
      [{ method: 'GET', path: '/api/profile', headers: known }, 200],
      [{ method: 'GET', path: '/auth', headers: known }, 202],
      [{ method: 'GET', path: '/api/version', headers: known, body: 'x' }, 400],
    ];
    const answers = await askByHttp3(
      port,
      ca,
      asked.map(([request]) => request),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      asked.map(([, status]) => status),
    );
    assert.deepEqual(arrived(), [
      'GET /api/version',
      'HEAD /api/version',
      'GET /api/cam1/latest.jpg',
      'DELETE /api/thing',
    ]);
  });
});

describe('HTTP/2 whose head does not say that it is all', () => {
  // biome-ignore format: a table
  const proxies: [name: 'nginx' | 'haproxy', start: (port: number) => Promise<StartedProxy>][] = [
    ['nginx', (port) => startNginx(`server {
  listen 127.0.0.1:${port} ssl http2;
  ssl_certificate ${ca};
  ssl_certificate_key ${join(directory, 'key.pem')};
  location / { proxy_pass http://127.0.0.1:${instance.port}; proxy_http_version 1.1; proxy_set_header Host $http_host; proxy_request_buffering off; }
}`, port)],
    ['haproxy', (port) => startHaproxy(`
defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
frontend front
  bind 127.0.0.1:${port} ssl crt ${join(directory, 'both.pem')} alpn h2
  default_backend postern
backend postern
  server postern 127.0.0.1:${instance.port}
`, port, {})],
  ];
  for (const [name, start] of proxies) {
    it(`passes through ${name} when nothing follows, and not when a byte does`, {
      skip: skipWithout(name),
    }, async (test) => {
      const proxy = await start(await freePort());
      test.after(() => proxy.close());
      const client = await http2Client(`https://localhost:${proxy.port}`, certificate);
      test.after(() => client.close());
      const open = (method: string) =>
        client.session.request({ ':path': '/api/thing', ':method': method, cookie }, { endStream: false });
      for (const method of ['GET', 'DELETE', 'OPTIONS']) {
        const stream = open(method);
        const answered = answerOf(stream);
        stream.end();
        assert.equal((await answered).status, 200, method);
        assert.deepEqual(arrived(), [`${method} /api/thing`]);
        nvr.received.length = 0;
      }
      const stream = open('GET');
      const answered = answerOf(stream);
      stream.end('x');
      assert.equal((await answered).status, 400);
      assert.deepEqual(arrived(), []);
    });
  }
});
