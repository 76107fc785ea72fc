/** What `postern check` tells beside the problems: warnings, two listeners at one address, variables that are nearly a key (SPEC 1). */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { certificateWarning } from '../../src/features/check/check.ts';
import { newDirectory, runPostern } from '../support/run-postern.ts';
import { load, problemsOf } from './config-place.ts';

describe('Variables that are no key, and nearly one', () => {
  // biome-ignore format: a table
  const rows: [name: string, meant: string | undefined][] = [
    ['POSTERN_NVR__URL',               'POSTERN__NVR__URL'],
    ['POSTERN__NVR_URL',               'POSTERN__NVR__URL'],
    ['POSTERN_NVR_URL',                'POSTERN__NVR__URL'],
    ['POSTERN__AUTH_SESSION_LENGTH',   'POSTERN__AUTH__SESSION_LENGTH'],
    ['POSTERN__PROXY_HEADER_MAP_USER', 'POSTERN__PROXY__HEADER_MAP__USER'],
    ['POSTERN_CONFIG_DIR',             undefined],
    ['POSTERN_REVISION',               undefined],
    ['NVR__URL',                       undefined],
  ];
  for (const [name, meant] of rows)
    it(name, async () =>
      assert.deepEqual(
        await problemsOf('', { env: { [name]: 'x' } }),
        meant ? [`${name}: is not a key: write ${meant}`] : [],
      ),
    );
});

describe('Two listeners at one address', () => {
  // biome-ignore format: a table
  const rows: [yaml: string, problems: string[]][] = [
    ['server: {internal: "127.0.0.1:8971"}',  ['config.yaml:1:20 server.internal: port 8971 is that of server.external too: choose another']],
    ['server: {external: "127.0.0.1:9871"}',  ['config.yaml:1:20 server.external: port 9871 is that of server.telemetry too: choose another']],
    ['server: {telemetry: "[::]:5000"}',      ['config.yaml:1:21 server.telemetry: port 5000 is that of server.internal too: choose another']],
    ['server: {external: "127.0.0.2:5000"}',  []],
    ['server: {external: "127.0.0.1:0", internal: "127.0.0.1:0"}', []],
    ['server: {internal: false, external: "0.0.0.0:5000"}', []],
  ];
  for (const [yaml, problems] of rows) it(yaml, async () => assert.deepEqual(await problemsOf(yaml), problems));
});

describe('Warnings', () => {
  it('are told beside the problems', async () => {
    const outcome = await load('auth: {session_length: 0, cookie_name: 7}\nnvr: {port: 1}\n');
    assert.equal(outcome.kind, 'invalid');
    assert.deepEqual(
      outcome.warnings?.map(({ path }) => path),
      ['auth.session_length'],
    );
  });

  it('by the command in one run', async () => {
    const directory = newDirectory('auth: {session_length: 0}\nnvr: {port: 1}\n');
    const { code, stdout, stderr } = await runPostern(['check'], { directory });
    assert.equal(code, 1);
    assert.match(stdout, /^warning: .*auth\.session_length: 0, so a login lasts only a few seconds/);
    assert.match(stderr, /nvr\.port: unknown key/);
  });
});

describe('A certificate', () => {
  const directory = newDirectory();
  const certificate = join(directory, 'cert.pem');
  const keys = [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-keyout',
    join(directory, 'key.pem'),
  ];
  execFileSync('openssl', ['req', '-x509', ...keys, '-out', certificate, '-subj', '/CN=nvr', '-days', '90'], {
    stdio: 'ignore',
  });
  const told = async (file: string, days: number): Promise<string[]> => {
    const outcome = await load(`tls: {certificate: ${file}}`);
    assert.equal(outcome.kind, 'loaded');
    const found = await certificateWarning(outcome.settings, Date.now() + days * 86_400_000);
    return found.map(({ path, message }) => `${path.join('.')}: ${message.replace(/\d{4}-\d\d-\d\d/, 'DAY')}`);
  };
  it('that is good is not mentioned', async () => assert.deepEqual(await told(certificate, 0), []));
  it('that is not there yet is not either', async () => assert.deepEqual(await told('/nowhere.pem', 0), []));
  it('that ends soon is a warning', async () =>
    assert.deepEqual(await told(certificate, 80), [
      'tls.certificate: the certificate ends on DAY: put a new certificate there before that day',
    ]));
  it('that has ended is a warning', async () =>
    assert.deepEqual(await told(certificate, 91), [
      'tls.certificate: the certificate ended on DAY and browsers refuse it: put a valid certificate there',
    ]));
});
