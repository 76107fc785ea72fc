/** The whole instance behind TLS: its own certificate and the operator's, logins and revocation over HTTP/2 (SPEC 1, 4.2, 9). */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { CONNECTION_REFUSALS } from '../../../src/domain/refusal.ts';
import { makeSelfSigned } from '../../../src/gateway/certificates/certificates.ts';
import { movableClock } from '../../support/clock.ts';
import { answerLikeAnNvr, type FakeNvr, startFakeNvr } from '../../support/fake-nvr.ts';
import { answerOf, type Http2Client, http2Client } from '../../support/http2-client.ts';
import { ADMIN_PERSON, type Person, VERA } from '../../support/people.ts';
import { type ConfigTree, type Runtime, startInstance } from '../../support/start-instance.ts';
import { until } from '../../support/until.ts';

const DAY_MS = 86_400_000;

let nvr: FakeNvr;
before(async () => {
  nvr = await startFakeNvr();
});
after(() => nvr.close());

const behindTls = (tls: ConfigTree = {}): ConfigTree => ({
  tls: { enabled: true, ...tls },
  nvr: { url: nvr.url, cameras: ['cam1', 'cam2'] },
  events: { source: 'nvr' },
});

const filesOf = (directory: string) => ({
  certificate: join(directory, 'tls', 'fullchain.pem'),
  privateKey: join(directory, 'tls', 'privkey.pem'),
});

interface Files {
  readonly certificate: string;
  readonly privateKey: string;
}
const textOf = ({ certificate, privateKey }: Files): Files => ({
  certificate: readFileSync(certificate, 'utf8'),
  privateKey: readFileSync(privateKey, 'utf8'),
});

/** An operator's own: like ours, but for its name. */
async function operators(now = Date.now()): Promise<Files> {
  return makeSelfSigned({ names: ['localhost', '127.0.0.1'], now, name: 'CN=nvr.example' });
}

function put(directory: string, pair: Files): Files {
  const files = filesOf(directory);
  mkdirSync(join(directory, 'tls'), { recursive: true });
  writeFileSync(files.certificate, pair.certificate);
  writeFileSync(files.privateKey, pair.privateKey);
  return files;
}

const clientOf = (instance: Runtime, ca: string): Promise<Http2Client> =>
  http2Client(`https://127.0.0.1:${instance.port}`, ca);

const sentences = (instance: Runtime): unknown[] => instance.log.map(({ msg }) => msg);
const endInMetrics = async (instance: Runtime): Promise<number> => {
  const text = await (await fetch(`${instance.telemetryUrl}/metrics`)).text();
  return Number(/^postern_tls_certificate_expiry_timestamp_seconds (\S+)$/m.exec(text)?.[1]) * 1000;
};
const endOf = (pem: string): number => new X509Certificate(pem).validToDate.getTime();

async function logIn(client: Http2Client, { name, password }: Person): Promise<string> {
  const body = JSON.stringify({ user: name, password });
  const { status, headers } = await client.ask(
    '/api/login',
    { ':method': 'POST', 'content-type': 'application/json' },
    body,
  );
  assert.equal(status, 200);
  return String(headers['set-cookie']);
}

describe('An instance over HTTP/2', () => {
  let instance: Runtime;
  let client: Http2Client;
  before(async () => {
    instance = await startInstance({ config: behindTls() });
    client = await clientOf(instance, textOf(filesOf(instance.directory)).certificate);
  });
  after(async () => {
    client.close();
    await instance.close();
  });

  it('logs people in with a cookie for TLS only, and knows them by any of its crumbs', async () => {
    const cookie = await logIn(client, VERA);
    assert.match(cookie, /^frigate_token=[^;]+;.*; ?Secure/i);
    const profile = await client.ask('/api/profile', { cookie: ['theme=dark', cookie.split(';')[0] ?? '', 'x=y'] });
    assert.deepEqual([profile.status, JSON.parse(profile.body.toString()).username], [200, VERA.name]);
    assert.equal((await client.ask('/api/profile')).status, 401);
  });

  it('lets a page of its own log out, and refuses one of another site', async () => {
    const cookie = (await logIn(client, VERA)).split(';')[0] ?? '';
    const logout = (origin: string) => client.ask('/api/logout', { ':method': 'POST', cookie, origin });
    assert.equal((await logout('https://evil.example')).status, 403);
    assert.equal((await logout(`https://127.0.0.1:${instance.port}`)).status, 303);
    assert.equal((await client.ask('/api/profile', { cookie })).status, 401);
  });

  it('ends the streams of a session that is over', async () => {
    nvr.answer = (_request, response) => void response.write('begun');
    const cookie = (await logIn(client, VERA)).split(';')[0] ?? '';
    const stream = client.open('/api/cam1', { cookie });
    const answer = answerOf(stream);
    await once(stream, 'data');
    const other = (await logIn(client, ADMIN_PERSON)).split(';')[0] ?? '';
    const path = `/api/users/${VERA.name}/password`;
    const body = JSON.stringify({ password: 'another-password-of-hers' });
    const changed = await client.ask(
      path,
      { ':method': 'PUT', cookie: other, 'content-type': 'application/json' },
      body,
    );
    assert.equal(changed.status, 200);
    assert.equal((await answer).end, 'NGHTTP2_INTERNAL_ERROR');
    nvr.answer = answerLikeAnNvr;
    assert.equal((await client.ask('/api/profile', { cookie })).status, 401);
  });

  it('writes the same lines about requests as over HTTP/1, and of TLS that plain HTTP came', async () => {
    await client.ask('/api/profile');
    await client.ask('/api/../x', { ':method': 'HEAD' });
    const line = (path: string) => instance.log.findLast((entry) => entry['path'] === path);
    await until('the line is written', () => line('/api/../x') !== undefined);
    const brief = ({ listener, method, status, aborted, address }: Record<string, unknown> = {}) => ({
      listener,
      method,
      status,
      aborted,
      address,
    });
    const about = { listener: 'external', aborted: undefined, address: '127.0.0.1' };
    assert.deepEqual(brief(line('/api/profile')), { ...about, method: 'GET', status: 401 });
    assert.deepEqual(brief(line('/api/../x')), { ...about, method: 'HEAD', status: 400 });
    await fetch(`http://127.0.0.1:${instance.port}/`);
    assert.deepEqual(
      sentences(instance).filter((text) => /tls|ssl|handshake/i.test(String(text))),
      [CONNECTION_REFUSALS.plain_http],
    );
  });

  it('says nothing of HTTPS for ever with a certificate of its own making', async () => {
    const { headers } = await client.ask('/api/profile');
    assert.equal(headers['strict-transport-security'], undefined);
  });
});

describe("An operator's certificate", () => {
  it('is served with a word for browsers; a good new pair takes its place, a bad one does not', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'postern-tls-'));
    const first = await operators();
    const files = put(directory, first);
    const instance = await startInstance({ config: behindTls(), directory });
    const before = await clientOf(instance, first.certificate);
    assert.equal((await before.ask('/api/profile')).headers['strict-transport-security'], 'max-age=31536000');

    assert.equal(await endInMetrics(instance), endOf(first.certificate));

    const second = await operators(Date.now() - 10 * DAY_MS);
    writeFileSync(files.certificate, second.certificate);
    writeFileSync(files.privateKey, second.privateKey);
    await until('the new pair is served', () => sentences(instance).includes('a new certificate is served'));
    const now = await clientOf(instance, second.certificate);
    const admin = (await logIn(now, ADMIN_PERSON)).split(';')[0] ?? '';
    const status = JSON.parse((await now.ask('/api/status', { cookie: admin })).body.toString());
    assert.deepEqual(
      [status.certificate.expiresAt * 1000, await endInMetrics(instance), (await before.ask('/api/profile')).status],
      [endOf(second.certificate), endOf(second.certificate), 401],
    );

    put(directory, await operators(Date.now() - 900 * DAY_MS));
    const stays = (text: unknown): boolean =>
      /fullchain\.pem ended on \d{4}-\d\d-\d\d: put a valid certificate there; the previous certificate stays in use$/.test(
        String(text),
      );
    await until('the pair that has ended is complained of', () => sentences(instance).some(stays));
    const ready = await fetch(`${instance.telemetryUrl}/readyz`);
    const { certificate } = (await ready.json()) as { certificate: { kind: string; reason: string } };
    assert.deepEqual([ready.status, certificate.kind], [200, 'degraded']);
    assert.match(certificate.reason, /fullchain\.pem ended on .*: put a valid certificate there$/);
    const still = await clientOf(instance, second.certificate);
    assert.equal((await still.ask('/api/profile')).status, 401);
    for (const client of [before, now, still]) client.close();
    await instance.close();
    rmSync(directory, { recursive: true });
  });

  it('for a time that is configured', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'postern-tls-'));
    const pair = await operators();
    put(directory, pair);
    const instance = await startInstance({ config: behindTls({ hsts: 0 }), directory });
    const client = await clientOf(instance, pair.certificate);
    assert.equal((await client.ask('/api/profile')).headers['strict-transport-security'], 'max-age=0');
    client.close();
    await instance.close();
    rmSync(directory, { recursive: true });
  });

  it('that does not fit its key ends the start, with what to do', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'postern-tls-'));
    const [one, other] = [await operators(), await operators()];
    put(directory, { ...one, privateKey: other.privateKey });
    await assert.rejects(
      startInstance({ config: behindTls(), directory }),
      /privkey\.pem is not the key of .*fullchain\.pem: provide a certificate and its own key$/,
    );
    rmSync(directory, { recursive: true });
  });

  it('that has ended is served all the same, with a warning', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'postern-tls-'));
    put(directory, await operators(Date.now() - 900 * DAY_MS));
    const instance = await startInstance({ config: behindTls(), directory });
    assert.ok(
      sentences(instance).some((text) =>
        /fullchain\.pem ended on .* and browsers refuse it: put a valid certificate there$/.test(String(text)),
      ),
    );
    await instance.close();
    rmSync(directory, { recursive: true });
  });
});

describe('The certificate that is made here', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, daysLater: number, isRenewed: boolean][] = [
    ['is kept while it is good',             700, false],
    ['is renewed in its last thirty days',   800, true],
    ['is renewed when it has ended',         900, true],
  ];
  for (const [sentence, daysLater, isRenewed] of rows) {
    it(`${sentence}, with the same key`, async () => {
      const directory = mkdtempSync(join(tmpdir(), 'postern-tls-'));
      const clock = movableClock();
      await (await startInstance({ config: behindTls(), directory, clock })).close();
      const files = filesOf(directory);
      const made = textOf(files);
      clock.advance((daysLater * DAY_MS) / 1000);
      const instance = await startInstance({ config: behindTls(), directory, clock, people: [] });
      const now = textOf(files);
      assert.deepEqual([now.certificate !== made.certificate, now.privateKey === made.privateKey], [isRenewed, true]);
      const { subjectAltName, validToDate } = new X509Certificate(now.certificate);
      assert.match(subjectAltName ?? '', /DNS:localhost.*IP Address:127\.0\.0\.1/);
      assert.ok(validToDate.getTime() - clock.now() > 100 * DAY_MS);
      assert.equal(statSync(files.privateKey).mode & 0o777, 0o600);
      assert.equal(await endInMetrics(instance), validToDate.getTime());
      await instance.close();
      rmSync(directory, { recursive: true });
    });
  }

  it('of an operator is never renewed, however like ours', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'postern-tls-'));
    const pair = await operators(Date.now() - 820 * DAY_MS);
    const files = put(directory, pair);
    await (await startInstance({ config: behindTls(), directory })).close();
    assert.deepEqual(textOf(files), pair);
    rmSync(directory, { recursive: true });
  });
});
