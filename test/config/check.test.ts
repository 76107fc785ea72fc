import assert from 'node:assert/strict';
import { chmod, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { configSchema } from '../../src/app/resources/features.ts';
import { typed } from '../support/terminal.ts';
import { withDirectory } from './config-place.ts';

/** What `postern check` says, with the directory called DIRECTORY. */
const check = (files: Readonly<Record<string, string>>, modes: Readonly<Record<string, number>> = {}) =>
  withDirectory(files, async (directory) => {
    for (const [name, mode] of Object.entries(modes)) await chmod(join(directory, name), mode);
    const list = join(directory, 'list.conf');
    const place = {
      directory,
      schema: configSchema,
      env: {},
      clock: { now: () => Date.now() },
      trustedHeadersFile: list,
    };
    const { code, out, err } = await typed(['check'], place);
    const said = { stdout: out.replaceAll(directory, 'DIRECTORY'), stderr: err.replaceAll(directory, 'DIRECTORY') };
    return { code, ...said, files: await readdir(directory) };
  });

describe('postern check (SPEC 1)', () => {
  it('prints every problem, then how many there are, and exits 1', async () => {
    assert.deepEqual(await check({ 'config.yaml': 'auth: {enabled: 1}\nserver: {port: 1}\n' }), {
      code: 1,
      stdout: '',
      stderr: `DIRECTORY/config.yaml:1:17 auth.enabled: 1 is not true or false
DIRECTORY/config.yaml:2:10 server.port: unknown key: remove it
DIRECTORY/config.yaml: 2 problems
`,
      files: ['config.yaml'],
    });
  });

  it('warns of each file with a secret that others can read, with the line that closes it', async () => {
    const files = {
      'config.yaml': 'proxy: {auth_secret_file: secret}\n',
      secret: 'a-secret-of-the-proxy',
      '.jwt_secret': 'x',
    };
    const { code, stdout } = await check(files, { secret: 0o640, '.jwt_secret': 0o604 });
    const warnings = stdout.split('\n').filter((line) => line.includes('holds a secret'));
    assert.deepEqual(
      [code, warnings.map((line) => line.replace(/^.*?(?=DIRECTORY\/[^:]*holds)/, ''))],
      [
        0,
        [
          'DIRECTORY/secret holds a secret that other users of this machine can read (mode 640): run chmod 600 DIRECTORY/secret',
          'DIRECTORY/.jwt_secret holds a secret that other users of this machine can read (mode 604): run chmod 600 DIRECTORY/.jwt_secret',
        ],
      ],
    );
    assert.doesNotMatch((await check(files, { secret: 0o600, '.jwt_secret': 0o400 })).stdout, /holds a secret/);
  });

  it('reads the route table too', async () => {
    const files = { 'config.yaml': 'nvr: {policy: routes.yaml}', 'routes.yaml': 'version: 1' };
    assert.deepEqual(await check(files), {
      code: 1,
      stdout: '',
      stderr: 'routes.yaml routes: is missing: write it\nDIRECTORY/config.yaml: 1 problem\n',
      files: ['config.yaml', 'routes.yaml'],
    });
  });

  it('refuses a server whose prefix is not taken off, and warns of a prefix without a server', async () => {
    const routes = (hls: string) =>
      `nvr: {url: "http://a", policy: mediamtx, routes: {/hls: ${hls}, /webrtc: {url: "http://b", strip: true}}}`;
    assert.deepEqual(await check({ 'config.yaml': routes('"http://b"') }), {
      code: 1,
      stdout: '',
      stderr: `DIRECTORY/config.yaml:1:57 nvr.routes["/hls"]: the server at /hls does not know this prefix: write {url: http://host:port, strip: true}
DIRECTORY/config.yaml: 1 problem
`,
      files: ['config.yaml'],
    });
    const warned = await check({ 'config.yaml': routes('{url: "http://b", strip: true}') });
    assert.equal(warned.code, 0);
    assert.match(warned.stdout, /^warning: .* nvr\.routes: names no server for \/playback, .*: add "\/playback": /m);
  });

  it('prints warnings and exits 0 when there is no problem', async () => {
    assert.deepEqual(await check({ 'config.yaml': 'auth: {session_length: 0}' }), {
      code: 0,
      stdout: `warning: DIRECTORY/config.yaml:1:24 auth.session_length: 0, so a login lasts only a few seconds: write 86400 for a day
DIRECTORY/config.yaml: no problems
`,
      stderr: '',
      files: ['config.yaml'],
    });
  });

  it('writes nothing when there is no configuration yet', async () => {
    const quickstart = join(import.meta.dirname, '../../conf/quickstart.yaml');
    assert.deepEqual(await check({}), {
      code: 0,
      stdout: `${quickstart}: no problems; the first start copies it into DIRECTORY\n`,
      stderr: '',
      files: [],
    });
  });

  const MAPPED = `auth: {enabled: false, trusted_proxies: [10.0.0.1]}
proxy:
  header_map: {user: Remote-User, role: X-Auth-Request-Groups}
`;

  it('warns of a mapped header that is not on the allowlist, as serve does', async () => {
    const shipped = join(import.meta.dirname, '../../trusted-headers/proxy_trusted_headers.conf');
    const { code, stdout } = await check({ 'config.yaml': MAPPED });
    assert.deepEqual(
      [code, stdout],
      [
        0,
        `warning: DIRECTORY/config.yaml:3:41 proxy.header_map.role: "x-auth-request-groups" is not on the allowlist ${shipped}, so it is never trusted: mount trusted-headers/oauth2-proxy.conf at /usr/local/nginx/conf/proxy_trusted_headers.conf, add it there, or map another header
DIRECTORY/config.yaml: no problems
`,
      ],
    );
  });

  it('counts a mapped user header that is not on the allowlist among the problems, with the ready file', async () => {
    const { code, stderr } = await check({ 'config.yaml': MAPPED.replace('Remote-User', 'X-Auth-Request-User') });
    assert.equal(code, 1);
    assert.match(
      stderr,
      /proxy\.header_map\.user: "x-auth-request-user" is not on the allowlist \S+, so it is never trusted and every request would be 401: mount trusted-headers\/oauth2-proxy\.conf at /,
    );
  });

  it('warns of none that is on the list in its place, nor where no header is believed', async () => {
    const list = 'Remote-User\nX-Auth-Request-Groups\n';
    const fine = { code: 0, stdout: 'DIRECTORY/config.yaml: no problems\n', stderr: '' };
    const { files: _, ...mounted } = await check({ 'config.yaml': MAPPED, 'list.conf': list });
    assert.deepEqual(mounted, fine);
    const { files: __, ...native } = await check({ 'config.yaml': 'proxy: {header_map: {user: X-Elsewhere}}' });
    assert.deepEqual(native.code, 0);
    assert.ok(!native.stdout.includes('allowlist'));
  });

  it('counts an allowlist that serve would not start with among the problems', async () => {
    assert.deepEqual(await check({ 'config.yaml': MAPPED, 'list.conf': 'Remote-User\nRemote_Groups\n' }), {
      code: 1,
      stdout: '',
      stderr: `DIRECTORY/list.conf:2: "Remote_Groups" is neither a header name nor "proxy_set_header NAME $http_name;"
DIRECTORY/config.yaml: 1 problem
`,
      files: ['config.yaml', 'list.conf'],
    });
  });
});
