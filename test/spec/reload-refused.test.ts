/** A configuration that cannot be taken, or not all of it: what is said, where, and what stays (SPEC 1, 8, 9). */
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { configSchema } from '../../src/app/resources/features.ts';
import { loadServiceConfig } from '../../src/config/service-config.ts';
import type { ServiceStatus } from '../../src/gateway/readiness.ts';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, VERA } from '../support/people.ts';
import type { ConfigTree, Runtime } from '../support/start-instance.ts';
import { scrape } from '../telemetry/support/exposition.ts';
import { auth, reload, said, startedInstance } from './support/reloading.ts';

let nvr: FakeNvr;
before(async () => {
  nvr = await startFakeNvr();
});
after(() => nvr.close());

const warningsAt = async (at: Runtime): Promise<ServiceStatus['warnings']> => {
  const answer = await at.ask('/api/status', { token: await at.logIn(ADMIN_PERSON) });
  const { warnings } = (await answer.json()) as ServiceStatus;
  return (warnings ?? []).filter(({ key }) => key !== 'auth.hash_iterations'); // the tests' own
};
const isInUse = async (at: Runtime): Promise<number | undefined> =>
  (await scrape(at.telemetryUrl)).get('postern_config_last_reload_successful');

describe('A configuration that is bad', () => {
  it('is told in full, with key and line, and the one before stays', async (t) => {
    const at = await startedInstance(t, nvr);
    const token = await at.logIn(CARL);
    const file = join(at.directory, 'config.yaml');
    writeFileSync(file, 'auth:\n  roles: { front_only: [cam2] }\n  session_lenght: 60\nnvr:\n  url: nowhere\n');
    assert.equal((await at.postern.reload()).isTaken, false);

    const errors = at.log.filter(({ level }) => level === 'error').map(({ key, line, msg }) => [key, line, msg]);
    assert.deepEqual(errors, [
      ['auth.session_lenght', 3, `${file}:3:3 auth.session_lenght: unknown key: did you mean session_length?`],
      ['nvr.url', 5, errors[1]?.[2]],
      [undefined, undefined, 'configuration not reloaded, the previous one stays active: correct the file'],
    ]);
    assert.match(String(errors[1]?.[2]), /config\.yaml:5:8 nvr\.url: is not the address of a server/);
    assert.equal((await at.ask('/api/cam1/latest.jpg', { token })).status, 200);
    assert.equal(await isInUse(at), 0);
    const [first, second, third, ...others] = await warningsAt(at);
    assert.deepEqual([first?.key, second?.key, third?.key, others], [null, 'auth.session_lenght', 'nvr.url', []]);
    assert.match(first?.message ?? '', /config\.yaml: configuration not reloaded, the previous one stays active/);

    await reload(at, nvr, { auth: auth({ roles: { front_only: ['cam2'] } }) });
    assert.equal((await at.ask('/api/cam1/latest.jpg', { token })).status, 403);
    assert.equal(await isInUse(at), 1);
    assert.deepEqual(await warningsAt(at), []);
  });

  // biome-ignore format: a table
  const BAD: [sentence: string, config: (directory: string) => ConfigTree, message: RegExp][] = [
    ['names a route table that is bad',     () => ({ nvr: { policy: './routes.yaml' } }),                               /^routes\.yaml routes\[0\]\.route: is missing/],
    ['names a route table that is gone',    () => ({ nvr: { policy: './absent.yaml' } }),                               /nvr\.policy: "\S+absent\.yaml" cannot be read/],
    ['names an authority that is gone',     () => ({ nvr: { ca: 'absent.pem' } }),                                      /absent\.pem/],
    ['names a secret that is gone',         () => ({ nvr: { auth_secret_file: 'absent' } }),                            /nvr\.auth_secret_file: cannot read "absent"/],
    ['names an NVR database that is gone',  () => ({ events: { source: 'nvr-database', nvr_database: 'absent.db' } }),  /absent\.db/],
  ];
  for (const [sentence, config, message] of BAD) {
    it(`because it ${sentence} is refused, and leaves nothing behind`, async (t) => {
      const at = await startedInstance(t, nvr);
      writeFileSync(join(at.directory, 'routes.yaml'), 'version: 1\nroutes: [{path: nonsense}]\n');
      const { isTaken, files } = await at.reload({ auth: auth({ roles: {} }), ...config(at.directory) });
      assert.deepEqual([isTaken, files.includes(join(at.directory, 'config.yaml'))], [false, true]);
      assert.match(said(at, 'error')[0] ?? '', message);
      assert.equal(await isInUse(at), 0);
      assert.equal((await at.ask('/api/cam1/latest.jpg', { token: await at.logIn(CARL) })).status, 200);
    });
  }

  it('because it is gone is refused, and none is put in its place', async (t) => {
    const at = await startedInstance(t, nvr);
    const file = join(at.directory, 'config.yaml');
    rmSync(file);
    const read = () =>
      loadServiceConfig({ directory: at.directory, schema: configSchema, env: {}, whenMissing: 'refuse' });
    const { isTaken, files } = await at.postern.reload();
    assert.deepEqual([isTaken, files.includes(file)], [false, true]);
    assert.match(said(at, 'error')[0] ?? '', /: config\.yaml is gone from .*: put it back$/);
    assert.equal((await read()).kind, 'invalid');
  });
});

describe('What holds from the next start on', () => {
  it('is kept as it was, and named with its key in the log and on the status page', async (t) => {
    const at = await startedInstance(t, nvr);
    await reload(at, nvr, {
      server: { external: '127.0.0.1:1', internal: false, telemetry: '127.0.0.1:0', shutdown_grace: 1 },
      store: { url: 'sqlite:elsewhere.db' },
      auth: auth({ session_length: 60 }),
    });
    const keys = ['server.external', 'server.internal', 'store.url'];
    const warnings = said(at, 'warn').filter((text) => text.includes('restart to apply it'));
    assert.deepEqual(
      warnings.map((text) => text.replace(/^\S+config\.yaml:\d+:\d+ /, '')),
      keys.map((key) => `${key}: was changed: restart to apply it`),
    );
    assert.equal((await at.ask('/api/version', { token: await at.logIn(VERA) })).status, 200);
    assert.equal((await fetch(`${at.internalUrl}/api/version`)).status, 200);
    assert.deepEqual(
      await warningsAt(at),
      keys.map((key) => ({ key, message: 'was changed: restart to apply it' })),
    );
    const info = at.log.find(({ msg }) => msg === 'configuration reloaded');
    assert.deepEqual(info?.['changed'], ['auth.session_length']);
    await reload(at, nvr, { auth: auth({ session_length: 60 }) });
    assert.deepEqual(await warningsAt(at), []);
  });
});

describe('Reloads that come at once', () => {
  it('are taken one after another, and what was written last holds', async (t) => {
    const at = await startedInstance(t, nvr);
    const token = await at.logIn(CARL);
    const roles = [['cam2'], ['cam1', 'cam2'], 'nonsense', ['cam2']];
    const reloads = roles.map((cameras) =>
      at.reload({ nvr: { url: nvr.url, cameras: ['cam1', 'cam2'] }, auth: auth({ roles: { front_only: cameras } }) }),
    );
    assert.deepEqual((await Promise.all(reloads)).at(-1)?.isTaken, true);
    const profile = (await (await at.ask('/api/profile', { token })).json()) as { allowed_cameras: string[] };
    assert.deepEqual(profile.allowed_cameras, ['cam2']);
  });
});

describe('Users after a reload', () => {
  it('whose role is gone are viewers, in the store too', async (t) => {
    const at = await startedInstance(t, nvr);
    await reload(at, nvr, { auth: auth({ roles: {} }) });
    const profile = (await (await at.ask('/api/profile', { token: await at.logIn(CARL) })).json()) as object;
    assert.deepEqual(profile, { username: 'carl', role: 'viewer', allowed_cameras: ['cam1', 'cam2'] });
  });
});
