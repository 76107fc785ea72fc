/** Two-step login, time zone and public address are set by an admin, and written into the configuration file (SPEC 1, 12). */
import assert from 'node:assert/strict';
import { chmodSync, readdirSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { SecurityAnswer } from '../../src/accounts/security/security-routes.ts';
import { ADMIN_PERSON, VERA } from '../support/people.ts';
import { sendJson } from '../support/second-factor.ts';
import { type InstanceOptions, type Runtime, startInstance } from '../support/start-instance.ts';
import { until } from '../support/until.ts';

const PATH = '/api/status/security';
const TEXT = `# The club's recorder.
server:
  external: 127.0.0.1:0
  internal: 127.0.0.1:0
  telemetry: 127.0.0.1:0
  shutdown_grace: 1
tls: { enabled: false } # behind a proxy
nvr: { warn_open_ports: false }
auth:
  # As fast as a test wants it.
  hash_iterations: 1000
`;

async function start(t: TestContext, options: InstanceOptions = { text: TEXT }): Promise<Runtime & { file: string }> {
  const instance = await startInstance({ people: [ADMIN_PERSON, VERA], ...options });
  t.after(() => instance.close());
  return { ...instance, file: join(instance.directory, 'config.yaml') };
}

const put = (instance: Runtime, token: string, body: object) => sendJson(instance, PATH, body, token, 'PUT');
const fieldsOf = async (answer: Response): Promise<Record<string, string>> => (await answer.json()) as never;
const current = async (instance: Runtime, token: string): Promise<SecurityAnswer> =>
  (await instance.ask(PATH, { token })).json() as never;

describe('The page Security', () => {
  it('writes the keys into the file, which keeps its comments, its mode and its place, and uses them at once', async (t) => {
    const instance = await start(t);
    const { file } = instance;
    chmodSync(file, 0o640);
    const token = await instance.logIn(ADMIN_PERSON);
    const before = { value: 'optional', set_by: null };
    assert.deepEqual(await current(instance, token), {
      file,
      writable: true,
      keys: {
        second_factor: before,
        timezone: { value: null, set_by: null },
        public_url: { value: null, set_by: null },
      },
    });
    const answer = await put(instance, token, { timezone: 'Europe/Berlin', public_url: 'https://nvr.example.com' });
    assert.equal(answer.status, 200, await answer.text());
    const written = TEXT.replace('  external', '  public_url: "https://nvr.example.com"\n  external').replace(
      '  # As fast as a test wants it.\n',
      '  # As fast as a test wants it.\n  timezone: "Europe/Berlin"\n',
    );
    assert.equal(readFileSync(file, 'utf8'), written);
    assert.equal(statSync(file).mode & 0o777, 0o640);
    assert.deepEqual(
      readdirSync(instance.directory).filter((name) => name.startsWith('config')),
      ['config.yaml'],
    );
    const { keys } = await current(instance, token);
    assert.deepEqual([keys.timezone.value, keys.public_url.value], ['Europe/Berlin', 'https://nvr.example.com']);
    const status = await fieldsOf(await instance.ask('/api/status', { token }));
    assert.equal(status['publicUrl'], 'https://nvr.example.com/');
  });

  it('makes admins set up a second step with their next request, and records it', async (t) => {
    const instance = await start(t);
    const token = await instance.logIn(ADMIN_PERSON);
    assert.equal((await put(instance, token, { second_factor: 'admins' })).status, 200);
    const profile = await fieldsOf(await instance.ask('/api/profile', { token }));
    assert.equal(profile['second_factor_required'], true);
    assert.equal((await instance.ask('/api/users', { token })).status, 403);
    const changes = async (): Promise<{ user: string; detail: Record<string, string> }[]> =>
      (await fetch(`${instance.internalUrl}/api/ledger?kind=change`)).json() as never;
    let [record] = await changes();
    await until('the change is recorded', async () => {
      [record] = await changes();
      return record !== undefined;
    });
    assert.deepEqual(
      [record?.user, record?.detail['what'], record?.detail['setting']],
      ['admin', 'setting-changed', 'auth.second_factor'],
    );
  });

  it('writes nothing that a reload would refuse, and says what is wrong', async (t) => {
    const instance = await start(t);
    const token = await instance.logIn(ADMIN_PERSON);
    // biome-ignore format: a table
    const rows: readonly (readonly [body: object, status: number, message: RegExp])[] = [
      [{ timezone: 'Europe/Berlni' },                        400, /auth\.timezone: "Europe\/Berlni" is not a time zone/],
      [{ public_url: 'http://nvr.example.com' },             400, /server\.public_url: .*is not encrypted/],
      [{ public_url: 'https://nvr.example.com/nvr' },        400, /server\.base_path/],
      [{ second_factor: 'sometimes' },                       400, /auth\.second_factor/],
      [{ timezone: 'UTC', public_url: 'x"\nauth: {}\n#' },   400, /server\.public_url/],
      [{ timezone: '' },                                     422, /timezone/],
      [{ roles: {} },                                        422, /roles/],
    ];
    for (const [body, status, message] of rows) {
      const answer = await put(instance, token, body);
      assert.deepEqual(
        [answer.status, answer.headers.get('content-type')?.split(';')[0]],
        [status, 'application/json'],
      );
      assert.match((await fieldsOf(answer))['message'] ?? '', message);
    }
    assert.equal(readFileSync(instance.file, 'utf8'), TEXT);
    assert.deepEqual((await current(instance, token)).keys.timezone.value, null);
  });

  it('leaves a key to the variable that sets it, and a file to the person who wrote it in braces', async (t) => {
    const text = `${TEXT.slice(0, TEXT.indexOf('auth:'))}auth: { hash_iterations: 1000 }\n`;
    const instance = await start(t, { text, env: { POSTERN__AUTH__TIMEZONE: 'UTC' } });
    const token = await instance.logIn(ADMIN_PERSON);
    assert.deepEqual((await current(instance, token)).keys.timezone, {
      value: 'UTC',
      set_by: 'POSTERN__AUTH__TIMEZONE',
    });
    for (const [body, message] of [
      [{ timezone: 'Europe/Berlin' }, /auth\.timezone is set by POSTERN__AUTH__TIMEZONE/],
      [{ second_factor: 'admins' }, /config\.yaml was not changed: .*by hand/],
    ] as const) {
      const answer = await put(instance, token, body);
      assert.equal(answer.status, 409);
      assert.match((await fieldsOf(answer))['message'] ?? '', message);
    }
    assert.equal(readFileSync(instance.file, 'utf8'), text);
  });

  it('changes the file behind a link, and keeps the link', async (t) => {
    const instance = await start(t);
    const target = join(instance.directory, 'real.yaml');
    renameSync(instance.file, target);
    symlinkSync('real.yaml', instance.file);
    const token = await instance.logIn(ADMIN_PERSON);
    assert.equal((await put(instance, token, { timezone: 'UTC' })).status, 200);
    assert.match(readFileSync(target, 'utf8'), /timezone: "UTC"/);
    assert.ok(
      readdirSync(instance.directory, { withFileTypes: true })
        .find(({ name }) => name === 'config.yaml')
        ?.isSymbolicLink(),
    );
  });

  it('loses neither of two changes at once, and no line that was written beside them', async (t) => {
    const instance = await start(t);
    const token = await instance.logIn(ADMIN_PERSON);
    writeFileSync(instance.file, `${TEXT}events:\n  sample: 7 # later\n`);
    const answers = await Promise.all([
      put(instance, token, { timezone: 'UTC' }),
      put(instance, token, { public_url: 'https://a.example' }),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    );
    const text = readFileSync(instance.file, 'utf8');
    for (const part of [/timezone: "UTC"/, /public_url: "https:\/\/a.example"/, /sample: 7 # later/])
      assert.match(text, part);
  });

  it('is for admins who have shown lately that it is they', async (t) => {
    const instance = await start(t);
    const [admin, vera] = [await instance.logIn(ADMIN_PERSON), await instance.logIn(VERA)];
    assert.deepEqual(
      [(await instance.ask(PATH, { token: vera })).status, (await put(instance, vera, { timezone: 'UTC' })).status],
      [403, 403],
    );
    instance.clock.advance(3600);
    const late = await put(instance, admin, { second_factor: 'optional' });
    assert.deepEqual([late.status, (await fieldsOf(late))['reason']], [403, 'reauthentication-required']);
    assert.equal(readFileSync(instance.file, 'utf8'), TEXT);
  });
});
