/** A configuration file that is empty or cut still parses: what it lacks must not widen rights (SPEC 4.3). */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { ServiceStatus } from '../../src/gateway/readiness.ts';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL } from '../support/people.ts';
import { runPostern, servePostern } from '../support/run-postern.ts';
import { type ConfigTree, type Runtime, startInstance } from '../support/start-instance.ts';
import { auth, reload, said, startedInstance } from './support/reloading.ts';

let nvr: FakeNvr;
before(async () => {
  nvr = await startFakeNvr();
});
after(() => nvr.close());

const BOTH_WAYS =
  /auth\.roles: is missing, but 1 user has a role that nothing else defines \(front_only\): put auth\.roles back, or write "roles: \{\}" below "auth:"/;

/** What is read in place of the file. */
async function rewrite(at: Runtime, text: string): Promise<boolean> {
  writeFileSync(join(at.directory, 'config.yaml'), text);
  return (await at.postern.reload()).isTaken;
}

const camerasOf = async (at: Runtime): Promise<unknown> => {
  const profile = await (await at.ask('/api/profile', { token: await at.logIn(CARL) })).json();
  const { role, allowed_cameras } = profile as { role: string; allowed_cameras: string[] };
  return [role, allowed_cameras];
};
const statusOf = async (at: Runtime): Promise<ServiceStatus> =>
  (await (await at.ask('/api/status', { token: await at.logIn(ADMIN_PERSON) })).json()) as ServiceStatus;

describe('A configuration without auth.roles, while a user has a role of the file', () => {
  // biome-ignore format: a table
  const ROWS: [sentence: string, text: string, message: RegExp][] = [
    ['empty',                         '',                                          /config\.yaml: is empty, but held a configuration before: restore the file .* or write \{\} into it/],
    ['only comments',                 '# auth:\n#   roles: {}\n',                  /is empty, but held a configuration/],
    ['an empty map',                  '{}\n',                                      BOTH_WAYS],
    ['cut behind the section',        'auth:\n',                                   BOTH_WAYS],
    ['cut behind the key',            'auth:\n  hash_iterations: 1000\n  roles:\n',  BOTH_WAYS],
    ['cut before the key',            'auth:\n  hash_iterations: 1000\n',          BOTH_WAYS],
  ];
  for (const [sentence, text, message] of ROWS) {
    it(`is refused at a reload: ${sentence}`, async (t) => {
      const at = await startedInstance(t, nvr);
      const file = readFileSync(join(at.directory, 'config.yaml'), 'utf8');
      assert.equal(await rewrite(at, text), false);
      assert.match(said(at, 'error')[0] ?? '', message);
      assert.deepEqual(await camerasOf(at), ['front_only', ['cam1']]);
      assert.equal(await rewrite(at, file), true);
      assert.deepEqual(await camerasOf(at), ['front_only', ['cam1']]);
    });

    it(`is refused at a start: ${sentence}`, async (t) => {
      const directory = await usedDirectory(t);
      const env = { POSTERN__TLS__ENABLED: 'false', ...PORTS };
      await assert.rejects(startInstance({ directory, people: [], text, env }), message);
      const at = await startInstance({
        directory,
        people: [],
        config: { auth: auth(), nvr: { url: nvr.url, cameras: ['cam1', 'cam2'] } },
      });
      t.after(at.close);
      assert.deepEqual(await camerasOf(at), ['front_only', ['cam1']]);
    });
  }

  it('ends a start with exit code 1, and says what to do', async (t) => {
    const directory = await usedDirectory(t);
    writeFileSync(join(directory, 'config.yaml'), 'auth:\n  hash_iterations: 1000\n');
    const env = { POSTERN__TLS__ENABLED: 'false', ...PORTS };
    const { code, stderr } = await runPostern(['serve'], { directory, env });
    assert.equal(code, 1);
    assert.match(stderr, BOTH_WAYS);
  });

  it('is refused at a reload wherever it ends, within a line or behind one; blanks at the end are no change', async (t) => {
    const at = await startedInstance(t, nvr);
    const file = readFileSync(join(at.directory, 'config.yaml'), 'utf8');
    for (let end = 0; end < file.trimEnd().length; end++) {
      for (const rest of end % 10 === 0 ? ['', '\n', '  \r\n\n'] : [''])
        assert.equal(await rewrite(at, `${file.slice(0, end)}${rest}`), false, JSON.stringify(file.slice(0, end)));
    }
    assert.ok(
      said(at, 'error').some((text) => /config\.yaml: is cut off: .* add a comment as the last line/.test(text)),
    );
    assert.deepEqual(await camerasOf(at), ['front_only', ['cam1']]);
    assert.equal(await rewrite(at, file.trimEnd()), true);
    assert.equal(await rewrite(at, `${file}\n\n`), true);
    assert.equal(await rewrite(at, file), true);
  });

  it('is taken without its end when a comment says that this is on purpose', async (t) => {
    const at = await startedInstance(t, nvr);
    const file = readFileSync(join(at.directory, 'config.yaml'), 'utf8');
    assert.equal(await rewrite(at, `${file}logger: {default: debug}\n`), true);
    assert.equal(await rewrite(at, file), false);
    assert.equal(await rewrite(at, `${file}# end\n`), true);
  });

  it('is refused when its route table is cut', async (t) => {
    const directory = newDirectory(t);
    writeFileSync(join(directory, 'routes.yaml'), TABLE);
    const policy = { nvr: { url: nvr.url, cameras: ['cam1', 'cam2'], policy: './routes.yaml' } };
    const at = await startedInstance(t, nvr, policy, { directory });
    const file = readFileSync(join(at.directory, 'config.yaml'), 'utf8');
    writeFileSync(join(at.directory, 'routes.yaml'), TABLE.slice(0, TABLE.indexOf('  - {route: GET /api/stats')));
    assert.equal(await rewrite(at, file), false);
    assert.match(said(at, 'error')[0] ?? '', /routes\.yaml: is cut off/);
    writeFileSync(join(at.directory, 'routes.yaml'), `${TABLE}# more\n`);
    assert.equal(await rewrite(at, file), true);
  });

  it('makes viewers when it says so by an empty map of roles', async (t) => {
    const at = await startedInstance(t, nvr);
    await reload(at, nvr, { auth: auth({ roles: {} }) });
    assert.deepEqual(await camerasOf(at), ['viewer', ['cam1', 'cam2']]);
  });

  it('is taken when the role was made in the console', async (t) => {
    const at = await startedInstance(t, nvr);
    const token = await at.logIn(ADMIN_PERSON);
    const tell = (method: string, path: string, body: object) =>
      at.ask(path, { token, method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
    assert.equal((await tell('PUT', '/api/roles/gardener', { cameras: ['cam2'] })).status, 200);
    assert.equal((await tell('PUT', `/api/users/${CARL.name}/role`, { role: 'gardener' })).status, 200);
    assert.equal(
      await rewrite(
        at,
        `tls: {enabled: false}\nauth: {hash_iterations: 1000}\nnvr: {url: '${nvr.url}', cameras: [cam1, cam2]}\n`,
      ),
      true,
    );
    assert.deepEqual(await camerasOf(at), ['gardener', ['cam2']]);
  });

  it('is found by check when it is empty; an empty file at the first start is accepted', async (t) => {
    const directory = await usedDirectory(t);
    writeFileSync(join(directory, 'config.yaml'), '');
    const { code, stderr } = await runPostern(['check'], { directory });
    assert.deepEqual([code, /is empty, but held a configuration/.test(stderr)], [1, true]);
    const fresh = newDirectory(t);
    writeFileSync(join(fresh, 'config.yaml'), '# nothing yet\n');
    const env = { POSTERN__TLS__ENABLED: 'false', POSTERN__AUTH__HASH_ITERATIONS: '1000' };
    for (const _ of ['first', 'second']) assert.equal(await (await servePostern({ directory: fresh, env })).end(), 0);
  });
});

const TABLE =
  'version: 1\nextends: frigate\nroutes:\n  - {route: GET /api/version, access: admin}\n  - {route: GET /api/stats, access: admin}\n';

const PORTS = {
  POSTERN__SERVER__EXTERNAL: '127.0.0.1:0',
  POSTERN__SERVER__INTERNAL: '127.0.0.1:0',
  POSTERN__SERVER__TELEMETRY: '127.0.0.1:0',
};

function newDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'postern-cut-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Where an instance was run, with carl, who has a role of the file. */
async function usedDirectory(t: TestContext): Promise<string> {
  const directory = newDirectory(t);
  const config = { auth: auth(), nvr: { url: nvr.url, cameras: ['cam1', 'cam2'] } };
  const at = await startInstance({ directory, config });
  await at.close();
  return directory;
}

describe('A reload that would believe identity from more places', () => {
  const proxied = (proxy: object, changes: object = {}): ConfigTree => ({
    auth: auth({ enabled: false, ...changes }),
    proxy: { header_map: { user: 'Remote-User', role: 'Remote-Groups' }, default_role: 'none', ...proxy },
  });
  const SECRET = 'between the two of us';
  const ELSEWHERE = ['192.0.2.0/24'];
  const groups = { role_map: { admin: ['nvr-admins'] } };
  const encoded = { ...groups, header_map: { user: 'Remote-User', role: 'Remote-Groups', encoding: 'percent' } };
  const forged = { 'remote-user': 'x', 'remote-groups': 'nvr-admins' };
  const plain = { 'remote-user': 'x', 'remote-groups': 'admin' };
  const stranger = { 'remote-user': 'x', 'remote-groups': 'strangers' };

  // biome-ignore format: a table
  const ROWS: [sentence: string, before: ConfigTree, after: ConfigTree, keys: string[], headers: Record<string, string>, status: number][] = [
    ['lacks proxy.auth_secret',         proxied({ auth_secret: SECRET, ...groups }),          proxied(groups),                                           ['proxy.auth_secret'],   forged, 401],
    ['lacks proxy.trusted_peers',       proxied({ trusted_peers: ELSEWHERE, ...groups }),        proxied(groups),                                           ['proxy.trusted_peers'], forged, 401],
    ['has wider proxy.trusted_peers',   proxied({ trusted_peers: ELSEWHERE, ...groups }),        proxied({ trusted_peers: ['127.0.0.0/8'], ...groups }),    ['proxy.trusted_peers'], forged, 401],
    ['lacks auth.trusted_proxies',      proxied(groups, { trusted_proxies: ELSEWHERE }),         proxied(groups),                                           ['auth.trusted_proxies'], forged, 401],
    ['lacks proxy.role_map',            proxied(groups),                                      proxied({}),                                               ['proxy.role_map'],      plain, 403],
    ['lacks proxy.default_role',        proxied(groups),                                      proxied({ ...groups, default_role: undefined }),           ['proxy.default_role'],  stranger, 403],
    ['lacks proxy.header_map.role',     proxied(groups),                                      proxied({ ...groups, header_map: { user: 'Remote-User' } }), ['proxy.header_map'],  forged, 200],
    ['lacks proxy.header_map.encoding', proxied(encoded),                                     proxied(groups),                                           ['proxy.header_map'],  { ...forged, 'remote-groups': 'nvr%2Dadmins' }, 200],
    ['switches auth.enabled off',       { auth: auth() },                                     proxied(groups),                                           ['auth.enabled', 'proxy.default_role', 'proxy.header_map', 'proxy.role_map'], forged, 401],
  ];
  for (const [sentence, before, after, keys, headers, status] of ROWS) {
    it(`waits for a restart, and says so, when it ${sentence}`, async (t) => {
      const at = await startedInstance(t, nvr, before, { people: before['proxy'] ? [] : [ADMIN_PERSON, CARL] });
      const ask = async () => (await at.ask('/api/version', { headers })).status;
      assert.equal(await ask(), status);
      await reload(at, nvr, after);
      assert.equal(await ask(), status);
      const held = said(at, 'warn').filter((text) => text.includes('the previous value stays active'));
      assert.deepEqual(
        held.map((text) => /(\w+\.\w+): was changed or removed/.exec(text)?.[1]),
        keys,
      );
      await reload(at, nvr, before);
    });
  }

  it('switches to accounts of its own at the next start only', async (t) => {
    const at = await startedInstance(t, nvr, proxied({ ...groups, auth_secret: SECRET }), { people: [] });
    const { newAdminPassword } = await at.reload({ nvr: { url: nvr.url }, auth: auth() });
    assert.equal(newAdminPassword, undefined);
    const headers = { ...forged, 'x-proxy-secret': SECRET };
    assert.equal((await at.ask('/api/version', { headers })).status, 200);
  });

  it('takes a new secret, fewer peers and another mapping at once', async (t) => {
    const at = await startedInstance(
      t,
      nvr,
      proxied({ auth_secret: SECRET, trusted_peers: ['127.0.0.0/8'], ...groups }),
      {
        people: [],
      },
    );
    const other = 'another long secret';
    await reload(
      at,
      nvr,
      proxied({ auth_secret: other, trusted_peers: ['127.0.0.1'], role_map: { admin: ['chiefs'] } }),
    );
    const ask = async (secret: string, role: string) =>
      (
        await at.ask('/api/version', {
          headers: { 'x-proxy-secret': secret, 'remote-user': 'x', 'remote-groups': role },
        })
      ).status;
    assert.deepEqual(
      [await ask(SECRET, 'chiefs'), await ask(other, 'nvr-admins'), await ask(other, 'chiefs')],
      [401, 403, 200],
    );
  });

  it('tells at warn and in the status that auth.trusted_proxies is gone', async (t) => {
    const at = await startedInstance(t, nvr, { auth: auth({ trusted_proxies: ['127.0.0.1'] }) });
    await reload(at, nvr, { auth: auth() });
    const message = /was 127\.0\.0\.1 and was removed: behind a proxy all clients now have the address of the proxy/;
    assert.equal(said(at, 'warn').filter((text) => message.test(text)).length, 1);
    const { warnings } = await statusOf(at);
    assert.deepEqual(
      warnings?.filter((warning) => message.test(warning.message)).map(({ key }) => key),
      ['auth.trusted_proxies'],
    );
  });
});

describe('Files of the configuration', () => {
  for (const key of ['certificate', 'private_key'] as const) {
    it(`that tls.${key} names must be there: no self-signed one takes their place`, async (t) => {
      const directory = newDirectory(t);
      const file = join(directory, 'operators.pem');
      writeFileSync(join(directory, 'config.yaml'), `tls: { ${key}: ${file} }\nauth: { hash_iterations: 1000 }\n`);
      for (const command of ['check', 'serve']) {
        const { code, stderr } = await runPostern([command], { directory, env: PORTS });
        assert.equal(code, 1);
        assert.match(
          stderr,
          new RegExp(
            `config\\.yaml:1:\\d+ tls\\.${key}: there is no file \\S+operators\\.pem: put it there, or remove the key`,
          ),
        );
      }
      assert.throws(() => statSync(file), { code: 'ENOENT' });
    });
  }

  it('are written for their owner alone', async (t) => {
    const directory = newDirectory(t);
    const at = await servePostern({ directory, env: { POSTERN__AUTH__HASH_ITERATIONS: '1000' } });
    await at.end();
    assert.equal(statSync(join(directory, 'config.yaml')).mode & 0o777, 0o600);
  });
});
