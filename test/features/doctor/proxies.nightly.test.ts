/** `postern doctor` against broken set-ups of the real proxies: it names the cause; and against good ones: it names none. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Report } from '../../../src/features/doctor/cause.ts';
import { type Program, skipWithout } from '../../sso/support/proxies.ts';
import { freePort } from '../../support/servers/free-port.ts';
import type { ConfigTree } from '../../support/start-instance.ts';
import {
  adviceOf,
  type Examined,
  examined,
  examinedBehind,
  namesOf,
  type Patient,
  startPatient,
} from './support/checked.ts';
import {
  apache,
  caddy,
  type Front,
  haproxy,
  nginx,
  nginxServer,
  nginxWithout,
  type TlsFiles,
} from './support/proxy-files.ts';

const directory = mkdtempSync(join(tmpdir(), 'postern-doctor-'));
const files: TlsFiles = {
  certificate: join(directory, 'cert.pem'),
  key: join(directory, 'key.pem'),
  both: join(directory, 'both.pem'),
};

function makeCertificate(): string {
  const subject = ['-subj', '/CN=nvr', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '90'];
  const keys = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', files.key];
  execFileSync('openssl', ['req', '-x509', ...keys, '-out', files.certificate, ...subject], { stdio: 'ignore' });
  const pem = readFileSync(files.certificate, 'utf8');
  writeFileSync(files.both, `${pem}${readFileSync(files.key, 'utf8')}`);
  return pem;
}

const TLS: Examined = { scheme: 'https' };
const PREFIX: Examined = { path: '/nvr' };
const BASE: ConfigTree = { server: { external: '127.0.0.1:0', internal: false, telemetry: false, base_path: '/nvr' } };
const PROXY_MODE: ConfigTree = {
  auth: { enabled: false },
  proxy: { header_map: { user: 'Remote-User', role: 'Remote-Groups' }, default_role: 'none' },
};
const CACHE_OF_API = `proxy_cache_path ${directory}/api keys_zone=api:1m; map $uri $below_api { default off; ~^/api/ api; }`;
const CACHE_OF_PICTURES = `proxy_cache_path jpg keys_zone=jpg:1m; map $uri $pictures { default off; ~\\.jpg$ jpg; }`;
/** Like "Cache Assets" of Nginx Proxy Manager. */
const KEEPS_PICTURES =
  'proxy_cache $pictures; proxy_cache_key $uri; proxy_cache_valid any 30m; proxy_ignore_headers Cache-Control Set-Cookie X-Accel-Buffering Expires';
const CACHE = 'proxy_cache_path DIRECTORY/cache keys_zone=all:1m;'.replace('DIRECTORY', directory);

interface Case {
  readonly of: string;
  readonly program: Program;
  readonly front: Front;
  /** What must be found, and nothing else, joined by commas; none for a good one. */
  readonly found?: string;
  readonly how?: Examined;
  readonly config?: ConfigTree;
}

// biome-ignore format: a table
const GOOD: readonly Case[] = [
  { of: 'nginx',                          program: 'nginx',   front: nginx() },
  { of: 'nginx with TLS',                 program: 'nginx',   front: nginx({ tls: true }),                                  how: TLS },
  { of: 'nginx with TLS and HTTP/2, its defaults', program: 'nginx', front: nginx({ tls: true, http2: true, server: 'client_max_body_size 0;' }), how: TLS },
  { of: 'nginx below a prefix',           program: 'nginx',   front: nginx({ location: '/nvr/' }),                          how: PREFIX, config: BASE },
  { of: 'nginx with single sign-on',      program: 'nginx',   front: nginx({ more: 'proxy_set_header Remote-User ""; proxy_set_header Remote-Groups "";' }), config: PROXY_MODE },
  { of: 'Caddy',                          program: 'caddy',   front: caddy('flush_interval -1') },
  { of: 'Caddy with TLS',                 program: 'caddy',   front: caddy('flush_interval -1', '', true),                  how: TLS },
  { of: 'HAProxy',                        program: 'haproxy', front: haproxy('option forwardfor\n  http-request set-header X-Forwarded-Proto http') },
  { of: 'HAProxy with TLS',               program: 'haproxy', front: haproxy('option forwardfor\n  http-request set-header X-Forwarded-Proto https', '', { tls: true }), how: TLS },
  { of: 'Apache',                         program: 'apache2', front: apache() },
  { of: 'Apache with TLS',                program: 'apache2', front: apache({ tls: true }),                                 how: TLS },
];

// biome-ignore format: a table
const BROKEN: readonly Case[] = [
  { of: 'nginx without upgrade headers',          program: 'nginx',   found: 'upgrade-lost',            front: nginx({ headers: nginxWithout('Upgrade') }) },
  { of: 'nginx without Connection',               program: 'nginx',   found: 'upgrade-lost',            front: nginx({ headers: nginxWithout('Connection') }) },
  { of: 'nginx that buffers answers',             program: 'nginx',   found: 'buffered',                front: nginx({ server: nginxServer('proxy_buffering off;', 'proxy_ignore_headers X-Accel-Buffering;') }) },
  { of: 'nginx with its own body limit',          program: 'nginx',   found: 'body-limit',              front: nginx({ server: nginxServer('client_max_body_size 0;', '') }) },
  { of: 'nginx that loses Host',                  program: 'nginx',   found: 'host-lost',               front: nginx({ headers: nginxWithout('Host') }) },
  { of: 'nginx that loses the port of Host',      program: 'nginx',   found: 'host-lost',               front: nginx({ headers: `${nginxWithout('Host')} proxy_set_header Host $host;` }) },
  { of: 'nginx without X-Forwarded-For',          program: 'nginx',   found: 'client-address-wrong',     front: nginx({ headers: `${nginxWithout('X-Forwarded-For')} proxy_set_header X-Forwarded-For "";` }) },
  { of: "nginx that believes the client's X-Forwarded-For", program: 'nginx', found: 'client-address-wrong', front: nginx({ headers: nginxWithout('X-Forwarded-For') }) },
  { of: 'nginx with TLS without X-Forwarded-Proto', program: 'nginx', found: 'proto-wrong',              front: nginx({ headers: nginxWithout('X-Forwarded-Proto'), tls: true }), how: TLS },
  { of: 'nginx that says https and speaks http',  program: 'nginx',   found: 'proto-wrong',             front: nginx({ headers: `${nginxWithout('X-Forwarded-Proto')} proxy_set_header X-Forwarded-Proto https;` }) },
  { of: 'nginx with HTTP/1.0',                    program: 'nginx',   found: 'upgrade-lost',                front: nginx({ version: '1.0' }) },
  { of: 'nginx that drops cookies',               program: 'nginx',   found: 'cookie-lost',             front: nginx({ more: 'proxy_set_header Cookie "";' }) },
  { of: 'nginx that hides Set-Cookie',            program: 'nginx',   found: 'cookie-lost',         front: nginx({ more: 'proxy_hide_header Set-Cookie;' }) },
  { of: 'nginx that moves the cookie',            program: 'nginx',   found: 'cookie-lost',      front: nginx({ more: 'proxy_cookie_path / /elsewhere/;' }) },
  { of: 'nginx that drops Authorization',         program: 'nginx',   found: 'authorization-lost',      front: nginx({ more: 'proxy_set_header Authorization "";' }) },
  { of: 'nginx with a short time-out',            program: 'nginx',   found: 'cut-while-silent',        front: nginx({ server: nginxServer('1h', '3s') }), how: { silence: 6 } },
  { of: 'nginx that drops Range',                 program: 'nginx',   found: 'range-lost',              front: nginx({ more: 'proxy_set_header Range "";' }) },
  { of: 'nginx with a cache',                     program: 'nginx',   found: 'buffered, answers-cached',         front: nginx({ http: CACHE, more: 'proxy_cache all; proxy_cache_key $uri; proxy_cache_valid 200 1m; proxy_ignore_headers Cache-Control Set-Cookie Expires Vary X-Accel-Buffering;', server: nginxServer('proxy_buffering off;', 'proxy_ignore_headers X-Accel-Buffering;') }) },
  { of: 'nginx with a cache below /api/',         program: 'nginx',   found: 'buffered, answers-cached',              front: nginx({ http: CACHE_OF_API, more: 'proxy_cache $below_api; proxy_cache_key $uri; proxy_cache_valid 200 1m; proxy_ignore_headers Cache-Control Set-Cookie Expires Vary X-Accel-Buffering;', server: nginxServer('proxy_buffering off;', 'proxy_ignore_headers X-Accel-Buffering;') }) },
  { of: 'nginx with a cache below /api/ that keeps no answer to a token', program: 'nginx', found: 'buffered, answers-cached', front: nginx({ http: CACHE_OF_API, more: 'proxy_cache $below_api; proxy_cache_key $uri; proxy_cache_valid 200 1m; proxy_cache_bypass $http_authorization; proxy_no_cache $http_authorization; proxy_ignore_headers Cache-Control Set-Cookie Expires Vary X-Accel-Buffering;', server: nginxServer('proxy_buffering off;', 'proxy_ignore_headers X-Accel-Buffering;') }) },
  { of: 'nginx with a cache of pictures that goes by Vary', program: 'nginx', found: 'buffered', front: nginx({ http: CACHE_OF_PICTURES, more: `${KEEPS_PICTURES};`, server: nginxServer('proxy_buffering off;', 'proxy_ignore_headers X-Accel-Buffering;') }) },
  { of: 'nginx with a cache of pictures for everybody', program: 'nginx', found: 'buffered, answers-cached', front: nginx({ http: CACHE_OF_PICTURES, more: `${KEEPS_PICTURES} Vary;`, server: nginxServer('proxy_buffering off;', 'proxy_ignore_headers X-Accel-Buffering;') }) },
  { of: 'nginx with a cache of pictures that keeps no answer to a token', program: 'nginx', found: 'buffered, answers-cached', front: nginx({ http: CACHE_OF_PICTURES, more: `${KEEPS_PICTURES} Vary; proxy_cache_bypass $http_authorization; proxy_no_cache $http_authorization;`, server: nginxServer('proxy_buffering off;', 'proxy_ignore_headers X-Accel-Buffering;') }) },
  { of: 'nginx with error pages of its own',      program: 'nginx',   found: 'errors-replaced',         front: nginx({ more: 'proxy_intercept_errors on; error_page 404 =404 @own;', server: nginxServer('', 'location @own { return 404 "no"; }') }) },
  { of: 'nginx that lets GET and POST pass alone', program: 'nginx',  found: 'requests-changed',         front: nginx({ more: 'limit_except GET POST { deny all; }' }) },
  { of: 'nginx below a prefix that Postern does not know', program: 'nginx', found: 'base-path-differs', front: nginx({ location: '/nvr/' }), how: PREFIX },
  { of: 'nginx that cuts a prefix that Postern does not know', program: 'nginx', found: 'base-path-differs', front: (postern, port, tls) => nginx({ location: '/nvr/', pass: `http://${postern}/` })(postern, port, tls), how: PREFIX },
  { of: 'nginx at the root, Postern with a base path', program: 'nginx', found: 'base-path-differs',    front: nginx(), config: BASE },
  { of: 'nginx that gets through to nothing',     program: 'nginx',   found: 'bad-gateway',             front: nginx({ pass: 'http://127.0.0.1:1' }) },
  { of: 'nginx that is not trusted',              program: 'nginx',   found: 'proxy-not-trusted',       front: nginx(), config: { auth: { trusted_proxies: [] } } },
  { of: 'nginx that compresses event streams',    program: 'nginx',   found: 'buffered',       front: nginx({ server: `${nginxServer('', '')} gzip on; gzip_min_length 1; gzip_proxied any; gzip_types text/event-stream;` }) },
  { of: 'nginx that passes identity headers on',  program: 'nginx',   found: 'identity-forgeable',      front: nginx(), config: PROXY_MODE },
  { of: 'nginx that asks for a password',         program: 'nginx',   found: 'login-in-front',          front: nginx({ more: 'auth_basic "NVR"; auth_basic_user_file /nowhere;' }) },
  { of: 'nginx that redirects to itself',         program: 'nginx',   found: 'redirected',              front: nginx({ more: 'return 301 http://$http_host$request_uri;' }) },
  { of: 'nginx that rewrites queries',            program: 'nginx',   found: 'requests-changed',        front: nginx({ more: 'set $args "a=b";' }) },
  { of: 'Caddy that drops Upgrade',               program: 'caddy',   found: 'upgrade-lost',            front: caddy('flush_interval -1\n header_up -Upgrade\n header_up -Connection') },
  { of: 'Caddy that changes Host',                program: 'caddy',   found: 'host-lost',               front: caddy('flush_interval -1\n header_up Host elsewhere.example\n header_up X-Forwarded-Host elsewhere.example') },
  { of: 'Caddy without X-Forwarded-For',          program: 'caddy',   found: 'client-address-wrong',     front: caddy('flush_interval -1\n header_up -X-Forwarded-For') },
  { of: 'Caddy with TLS without X-Forwarded-Proto', program: 'caddy', found: 'proto-wrong',              front: caddy('flush_interval -1\n header_up -X-Forwarded-Proto', '', true), how: TLS },
  { of: 'Caddy with a body limit',                program: 'caddy',   found: 'body-limit',              front: caddy('flush_interval -1', 'request_body { max_size 1MB }'.replace('{ ', '{\n').replace(' }', '\n}')) },
  { of: 'Caddy that drops cookies',               program: 'caddy',   found: 'cookie-lost',             front: caddy('flush_interval -1\n header_up -Cookie') },
  { of: 'Caddy that drops Set-Cookie',            program: 'caddy',   found: 'cookie-lost',         front: caddy('flush_interval -1\n header_down -Set-Cookie') },
  { of: 'Caddy that drops Range',                 program: 'caddy',   found: 'range-lost',              front: caddy('flush_interval -1\n header_up -Range') },
  { of: 'Caddy with a short time-out',            program: 'caddy',   found: 'cut-while-silent',        front: caddy('flush_interval -1\n transport http {\n read_timeout 3s\n }'), how: { silence: 6 } },
  { of: 'HAProxy without forwardfor',             program: 'haproxy', found: 'client-address-wrong',     front: haproxy('http-request del-header X-Forwarded-For') },
  { of: "HAProxy that believes the client's X-Forwarded-For", program: 'haproxy', found: 'client-address-wrong', front: haproxy('') },
  { of: 'HAProxy with TLS without X-Forwarded-Proto', program: 'haproxy', found: 'proto-wrong',          front: haproxy('option forwardfor', '', { tls: true }), how: TLS },
  { of: 'HAProxy with a short time-out',          program: 'haproxy', found: 'cut-while-silent',        front: haproxy('option forwardfor', '', { times: 'timeout connect 5s\n  timeout client 1h\n  timeout server 3s' }), how: { silence: 6 } },
  { of: 'HAProxy that changes Host',              program: 'haproxy', found: 'host-lost',               front: haproxy('option forwardfor\n  http-request set-header Host elsewhere.example') },
  { of: 'HAProxy that denies PUT',                program: 'haproxy', found: 'requests-changed',         front: haproxy('option forwardfor\n  http-request deny if { method PUT }') },
  { of: 'HAProxy that compresses event streams',  program: 'haproxy', found: 'buffered',       front: haproxy('option forwardfor', 'compression algo gzip\n  compression type text/event-stream') },
  { of: 'nginx with HTTP/1.0 that buffers',       program: 'nginx',   found: 'upgrade-lost, buffered',      front: nginx({ version: '1.0', server: nginxServer('proxy_buffering off;', 'proxy_ignore_headers X-Accel-Buffering;') }) },
  { of: 'Caddy that keeps files back',            program: 'caddy',   found: 'buffered',          front: caddy() },
  { of: 'Apache without upgrade',                 program: 'apache2', found: 'upgrade-lost',            front: (postern, port, tls) => apache({ pass: `ProxyPass / http://${postern}/` })(postern, port, tls) },
  { of: 'Apache that loses Host',                 program: 'apache2', found: 'host-lost',               front: apache({ preserve: false, more: 'RequestHeader unset X-Forwarded-Host\n  ProxyAddHeaders Off\n  RequestHeader set X-Forwarded-For 127.0.0.1' }) },
  { of: 'Apache that drops cookies',              program: 'apache2', found: 'cookie-lost',             front: apache({ more: 'RequestHeader unset Cookie' }) },
  { of: 'Apache with HTTP/1.0 upstream',          program: 'apache2', found: 'upgrade-lost',                front: apache({ more: 'SetEnv force-proxy-request-1.0 1' }) },
  { of: 'Apache with TLS without X-Forwarded-Proto', program: 'apache2', found: 'proto-wrong',           front: apache({ tls: true, more: 'RequestHeader unset X-Forwarded-Proto' }), how: TLS },
  { of: 'Apache with a short time-out',           program: 'apache2', found: 'cut-while-silent',        front: apache({ timeout: 3 }), how: { silence: 6 } },
  { of: 'Apache with error pages of its own',     program: 'apache2', found: 'errors-replaced',         front: apache({ more: 'ProxyErrorOverride On' }) },
];

describe('postern doctor (SPEC 15)', { concurrency: 2 }, () => {
  let ca = '';
  before(() => {
    ca = makeCertificate();
  });
  after(() => rmSync(directory, { recursive: true, force: true }));

  const reportOn = async ({ front, config = {}, how = {} }: Case): Promise<Report> => {
    const patient: Patient = await startPatient(config);
    try {
      return await examinedBehind(patient, (port) => front(patient.postern, port, files), { ca, ...how });
    } finally {
      await patient.close();
    }
  };
  /** What is held back is told by time, and a machine that stands still for a moment holds back as well: then it is looked at again. */
  const lookFor = async (row: Case, found: string, attempts = 3): Promise<Report> => {
    const report = await reportOn(row);
    return attempts === 1 || namesOf(report).join(', ') === found ? report : lookFor(row, found, attempts - 1);
  };

  describe('has nothing to say of', { concurrency: 2 }, () => {
    for (const row of GOOD)
      it(row.of, { skip: skipWithout(row.program) }, async () => {
        const report = await lookFor(row, '');
        assert.deepEqual(namesOf(report), []);
        // With TLS Caddy offers HTTP/2 by itself; the others must be told to.
        const isOffered = row.how?.scheme !== 'https' || row.program === 'caddy' || row.of.includes('HTTP/2');
        assert.equal(adviceOf(report).includes('http-2-missing'), !isOffered);
      });
  });

  describe('names what is wrong with', { concurrency: 2 }, () => {
    for (const row of BROKEN)
      it(`${row.of}: ${row.found}`, { skip: skipWithout(row.program) }, async () =>
        assert.equal(namesOf(await lookFor(row, row.found ?? '')).join(', '), row.found),
      );
  });

  it('a relay of TCP connections, as Docker has one for published ports, is no proxy', async () => {
    const patient = await startPatient({ tls: { enabled: true }, auth: { trusted_proxies: [] } });
    const relay = createServer((client) => {
      const onward = connect(patient.instance.port, '127.0.0.1');
      client.pipe(onward).pipe(client);
      for (const socket of [client, onward]) socket.on('error', () => {});
    }).listen(0, '127.0.0.1');
    await once(relay, 'listening');
    const { port } = relay.address() as AddressInfo;
    const report = await examined(patient, port, TLS);
    relay.close();
    await patient.close();
    assert.deepEqual(
      namesOf(report).filter((name) => name !== 'certificate'),
      [],
    );
  });

  it('an address where nothing listens: unreachable', async () => {
    const patient = await startPatient();
    const nothing = await freePort();
    const report = await examinedBehind(patient, async () => ({ port: nothing, directory: '', close: async () => {} }));
    await patient.close();
    assert.deepEqual(namesOf(report), ['unreachable']);
  });
});
