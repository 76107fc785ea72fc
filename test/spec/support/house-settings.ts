/** What holds for the settings of the house on each engine: two-step login, time zone and public address, set by an admin, kept in the store, and felt by all who share it (SPEC 8). */
import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, it } from 'node:test';
import { sql } from 'kysely';
import type { SettingsAnswer } from '../../../src/accounts/settings/house-settings.ts';
import { openForCommands } from '../../../src/app/commands.ts';
import { configSchema } from '../../../src/app/resources/features.ts';
import { checkedAt } from '../../../src/features/check/check.ts';
import { openStore } from '../../../src/store/open-store.ts';
import { BARN, HOUSE, type SharedStore, type Site } from '../../sites/support/two-sites.ts';
import { ADMIN_PERSON, VERA } from '../../support/people.ts';
import { newDirectory } from '../../support/run-postern.ts';
import { sendJson } from '../../support/second-factor.ts';
import type { ConfigTree, Runtime } from '../../support/start-instance.ts';
import { until } from '../../support/until.ts';

const PATH = '/api/settings';
export const PEOPLE = [ADMIN_PERSON, VERA];
export const ADDRESS = 'https://nvr.example.com';
const PROVIDER = { oidc: [{ name: 'home', issuer: 'https://id.example.com', client_id: 'nvr' }] };

export const put = (at: Runtime, token: string, body: object) => sendJson(at, PATH, body, token, 'PUT');
const fieldsOf = async (answer: Response): Promise<Record<string, string>> => (await answer.json()) as never;
export const current = async (at: Runtime, token: string): Promise<SettingsAnswer> =>
  (await at.ask(PATH, { token })).json() as never;
const valuesAt = async (at: Runtime, token: string): Promise<unknown> =>
  Object.fromEntries(Object.entries(await current(at, token)).map(([name, { value }]) => [name, value]));
const isFactorOwed = async (at: Runtime, token: string): Promise<boolean> =>
  (await fieldsOf(await at.ask('/api/profile', { token })))['second_factor_required'] !== undefined;

export function settingsSuite(open: () => Promise<SharedStore>): void {
  let shared: SharedStore;
  let directory: string;
  beforeEach(async () => {
    shared = await open();
    directory = newDirectory();
  });
  afterEach(async () => {
    await shared.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const start = (config: ConfigTree = {}, people = PEOPLE): Promise<Site> =>
    shared.start({ ...HOUSE, config, people, directory });
  const written = (): string => readFileSync(join(directory, 'config.yaml'), 'utf8');
  const withStore = async (act: (store: Awaited<ReturnType<typeof openStore>>) => Promise<unknown>): Promise<void> => {
    const store = await openStore({ url: shared.url });
    await act(store).finally(store.close);
  };

  it('are used at once and after a restart, and leave the file as it is', async () => {
    const { postern } = await start();
    const text = written();
    const token = await postern.logIn(ADMIN_PERSON);
    assert.deepEqual(await current(postern, token), {
      second_factor: { value: 'optional', set_by: null },
      timezone: { value: null, set_by: null },
      public_url: { value: null, set_by: null },
    });
    const answer = await put(postern, token, { timezone: 'Europe/Berlin', public_url: ADDRESS });
    assert.equal(answer.status, 200, await answer.text());
    const values = { second_factor: 'optional', timezone: 'Europe/Berlin', public_url: ADDRESS };
    assert.deepEqual(await valuesAt(postern, token), values);
    assert.equal((await fieldsOf(await postern.ask('/api/status', { token })))['publicUrl'], `${ADDRESS}/`);
    assert.equal(written(), text);
    await postern.close();
    const again = (await start({}, [])).postern;
    assert.deepEqual(await valuesAt(again, token), values);
    assert.equal((await put(again, token, { timezone: null })).status, 200);
    assert.deepEqual(await valuesAt(again, token), { ...values, timezone: null });
  });

  it('make admins set up a second step with their next request, and are recorded', async () => {
    const { postern } = await start();
    const token = await postern.logIn(ADMIN_PERSON);
    assert.equal((await put(postern, token, { second_factor: 'admins' })).status, 200);
    assert.equal(await isFactorOwed(postern, token), true);
    assert.equal((await postern.ask('/api/users', { token })).status, 403);
    let record: { user: string; detail: Record<string, string> } | undefined;
    await until('the change is recorded', async () => {
      [record] = (await (await fetch(`${postern.internalUrl}/api/ledger?kind=change`)).json()) as [typeof record];
      return record !== undefined;
    });
    const { user, detail } = record ?? assert.fail();
    const { what, setting, value } = detail;
    assert.deepEqual([user, what, setting, value], ['admin', 'setting-changed', 'auth.second_factor', 'admins']);
  });

  it('are refused when a reload would refuse them, and nothing is kept', async () => {
    const { postern } = await start();
    const token = await postern.logIn(ADMIN_PERSON);
    // biome-ignore format: a table
    const rows: readonly (readonly [body: object, status: number, message: RegExp])[] = [
      [{ timezone: 'Europe/Berlni' },                        400, /auth\.timezone: "Europe\/Berlni" is not a time zone/],
      [{ public_url: 'http://nvr.example.com' },             400, /server\.public_url: .*is not encrypted/],
      [{ public_url: `${ADDRESS}/nvr` },                     400, /server\.base_path/],
      [{ second_factor: 'sometimes' },                       400, /auth\.second_factor/],
      [{ timezone: 'UTC', public_url: 'x"\nauth: {}\n#' },   400, /server\.public_url/],
      [{ timezone: '' },                                     422, /timezone/],
      [{ roles: {} },                                        422, /roles/],
    ];
    for (const [body, status, message] of rows) {
      const answer = await put(postern, token, body);
      assert.equal(answer.status, status);
      assert.match((await fieldsOf(answer))['message'] ?? '', message);
    }
    await withStore(async ({ settings }) => assert.deepEqual(await settings.readSettings(), {}));
  });

  it('leave a key to the line of the file that sets it, which the page names', async () => {
    const { postern } = await start({ auth: { timezone: 'UTC' } });
    const token = await postern.logIn(ADMIN_PERSON);
    const { value, set_by: place } = (await current(postern, token)).timezone;
    const line = written()
      .split('\n')
      .findIndex((text) => text.includes('timezone'));
    assert.deepEqual([value, place], ['UTC', `${join(directory, 'config.yaml')}:${line + 1}:13`]);
    const answer = await put(postern, token, { timezone: 'Europe/Berlin' });
    assert.equal(answer.status, 409);
    assert.match(
      (await fieldsOf(answer))['message'] ?? '',
      /^auth\.timezone is set by .*config\.yaml:\d+:13: change it/,
    );
    assert.deepEqual((await current(postern, token)).timezone.value, 'UTC');
  });

  it('are felt by a service beside, each with its own address', async () => {
    const [house, barn] = [await start(), await shared.start({ ...BARN, people: [] })];
    const token = await house.postern.logIn(ADMIN_PERSON);
    assert.equal((await put(house.postern, token, { timezone: 'Asia/Tokyo', public_url: ADDRESS })).status, 200);
    await until('the other service takes it up', async () => {
      const { timezone } = await current(barn.postern, token);
      return timezone.value === 'Asia/Tokyo';
    });
    assert.deepEqual(await valuesAt(barn.postern, token), {
      second_factor: 'optional',
      timezone: 'Asia/Tokyo',
      public_url: null,
    });
    assert.equal((await put(house.postern, token, { second_factor: 'everyone' })).status, 200);
    await until('the other service asks for a second step', () => isFactorOwed(barn.postern, token));
  });

  it('lose neither of two changes at once', async () => {
    const { postern } = await start();
    const token = await postern.logIn(ADMIN_PERSON);
    const answers = await Promise.all([
      put(postern, token, { timezone: 'UTC' }),
      put(postern, token, { public_url: ADDRESS }),
    ]);
    for (const { status } of answers) assert.equal(status, 200);
    assert.deepEqual(await valuesAt(postern, token), {
      second_factor: 'optional',
      timezone: 'UTC',
      public_url: ADDRESS,
    });
  });

  it('are for admins who have shown lately that it is they', async () => {
    const { postern } = await start();
    const [admin, vera] = [await postern.logIn(ADMIN_PERSON), await postern.logIn(VERA)];
    assert.deepEqual(
      [(await postern.ask(PATH, { token: vera })).status, (await put(postern, vera, { timezone: 'UTC' })).status],
      [403, 403],
    );
    postern.clock.advance(3600);
    const late = await put(postern, admin, { second_factor: 'optional' });
    assert.deepEqual([late.status, (await fieldsOf(late))['reason']], [403, 'reauthentication-required']);
    await withStore(async ({ settings }) => assert.deepEqual(await settings.readSettings(), {}));
  });

  it('allow no more when a line of the file is lost that allowed less', async () => {
    const { postern } = await start();
    const token = await postern.logIn(ADMIN_PERSON);
    assert.equal((await put(postern, token, { second_factor: 'optional' })).status, 200);
    const config = (auth: object) => ({
      store: { url: shared.url },
      nvr: NVR,
      server: { ...LISTENERS, site: 'house' },
      auth: { hash_iterations: 1000, roles: {}, ...auth },
    });
    assert.equal((await postern.reload(config({ second_factor: 'everyone' }))).isTaken, true);
    assert.equal(await isFactorOwed(postern, token), true);
    assert.equal((await postern.reload(config({}))).isTaken, true);
    assert.equal(await isFactorOwed(postern, token), true, 'it waits for a restart');
    const putInside = (body: object): Promise<Response> =>
      fetch(`${postern.internalUrl}${PATH}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const again = await putInside({ second_factor: 'optional' });
    assert.deepEqual([again.status, /kept, but not in use/.test(await again.text())], [409, true]);
    assert.equal((await putInside({ timezone: 'UTC' })).status, 200, 'another key does not wait');
  });

  it('stay as they were while the store cannot be read', async () => {
    const { postern } = await start();
    const token = await postern.logIn(ADMIN_PERSON);
    assert.equal((await put(postern, token, { timezone: 'Asia/Tokyo' })).status, 200);
    const rename = (from: string, to: string) =>
      withStore(({ db }) => sql.raw(`alter table ${from} rename to ${to}`).execute(db));
    await rename('settings', 'settings_away');
    assert.equal((await postern.postern.reload()).isTaken, true);
    assert.equal((await current(postern, token)).timezone.value, 'Asia/Tokyo');
    assert.equal((await put(postern, token, { timezone: 'UTC' })).ok, false);
    await rename('settings_away', 'settings');
    assert.equal((await put(postern, token, { timezone: 'UTC' })).status, 200);
  });

  it('give what another key needs: a start, the check and the commands read them', async () => {
    await assert.rejects(start({ auth: PROVIDER }), /auth\.oidc: needs the address of this service/);
    const env = {};
    const problems = async () =>
      (
        await checkedAt({ directory, schema: configSchema, env, clock: { now: () => Date.now() } }, async () => false)
      ).problems.filter((text) => /oidc/.test(text));
    assert.equal((await problems()).length, 1);
    await withStore(({ db }) =>
      sql`insert into settings (id, value) values ('server.public_url house', ${ADDRESS})`.execute(db),
    );
    assert.deepEqual(await problems(), []);
    const { postern } = await start({ auth: PROVIDER }, []);
    const [provider] = (await (await postern.ask('/api/login/oidc')).json()) as { name: string }[];
    assert.equal(provider?.name, 'home');
    const command = await openForCommands({ directory, schema: configSchema, env, clock: postern.clock }, 'read');
    assert.equal(command.settings.server.public_url?.hostname, 'nvr.example.com');
    await command.close();
    const token = await postern.logIn(ADMIN_PERSON);
    const refused = await put(postern, token, { public_url: null });
    assert.equal(refused.status, 400);
    assert.match((await fieldsOf(refused))['message'] ?? '', /auth\.oidc: needs the address/);
  });

  it('that fit the file no more keep what holds, and the log says where they stand', async () => {
    const { postern } = await start();
    const token = await postern.logIn(ADMIN_PERSON);
    assert.equal((await put(postern, token, { public_url: ADDRESS })).status, 200);
    const server = { ...LISTENERS, site: 'house', base_path: '/nvr' };
    const { isTaken } = await postern.reload({ store: { url: shared.url }, nvr: NVR, server, auth: { roles: {} } });
    assert.equal(isTaken, false);
    const told = postern.log.map(({ msg }) => String(msg)).find((msg) => msg.includes('server.public_url')) ?? '';
    assert.match(
      told,
      /^\(page Security; the configuration file comes before it\) server\.public_url: has another path/,
    );
  });
}

const NVR = { url: 'http://127.0.0.1:1' };
const LISTENERS = { external: '127.0.0.1:0', internal: '127.0.0.1:0', telemetry: '127.0.0.1:0', shutdown_grace: 1 };
