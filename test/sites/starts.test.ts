/** Starts and reloads of services that share a store: what is refused, and what must never happen to users of the other site (SPEC 20). */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { configSchema } from '../../src/app/resources/features.ts';
import type { UserName } from '../../src/domain/names.ts';
import { openStore, type Store } from '../../src/store/open-store.ts';
import { ADMIN_PERSON, type Person } from '../support/people.ts';
import { newDirectory } from '../support/run-postern.ts';
import { sendJson } from '../support/second-factor.ts';
import { typed } from '../support/terminal.ts';
import { BARN, HOUSE, type SharedStore, type Site, sharedStore } from './support/two-sites.ts';

const GARDENER: Person = { name: 'gil', role: 'gardener', password: 'CopperPassw0rd!!' };
const PEOPLE = [ADMIN_PERSON, GARDENER];

describe('Starts of services that share a store', () => {
  let shared: SharedStore;
  beforeEach(() => {
    shared = sharedStore();
  });
  afterEach(() => shared.close());

  const reading = async <Result>(read: (store: Store) => Promise<Result>): Promise<Result> => {
    const store = await openStore({ url: shared.url });
    return read(store).finally(() => store.close());
  };
  const roleOf = (name: string) =>
    reading(async ({ accounts }) => (await accounts.findUser(name as UserName))?.role as string | undefined);
  const logged = ({ postern }: Site, part: RegExp) => postern.log.filter(({ msg }) => part.test(String(msg)));

  it('a service without a name beside others is refused, and told what to do', async () => {
    await shared.start({ ...HOUSE, people: PEOPLE, config: { auth: { roles: { gardener: ['garden'] } } } });
    await assert.rejects(
      shared.start({ ...BARN, name: 'barn', people: [], config: { server: { site: undefined } } }),
      /server\.site: is missing, but the store is that of the site house: give this one a name of its own there, or .*postern sites forget NAME/,
    );
    assert.equal(await roleOf('gil'), 'gardener');
  });

  it('a name beside a service that has none is refused, but for the service itself', async () => {
    const directory = newDirectory();
    const one = { ...HOUSE, directory };
    const first = await shared.start({
      ...one,
      people: PEOPLE,
      config: { server: { site: undefined }, auth: { roles: { gardener: ['garden'] } } },
    });
    const admin = await first.postern.logIn(ADMIN_PERSON);
    const link = { what: { live: { camera: 'garden' } } };
    const { url } = (await (await sendJson(first.postern, '/api/links', link, admin)).json()) as { url: string };
    await assert.rejects(
      shared.start({ ...BARN, people: [] }),
      /server\.site: is "barn", and the store is used by a service without a name: .*postern sites rename - barn/,
    );
    assert.equal((await first.postern.ask(url)).status, 200);
    await first.postern.close();
    const named = await shared.start({ ...one, people: [], config: { auth: { roles: { gardener: ['garden'] } } } });
    assert.equal((await named.postern.ask(url)).status, 200, 'its links are of the named site now');
    assert.equal(await roleOf('gil'), 'gardener');
    const barn = await shared.start({ ...BARN, cameras: ['yard'], people: [] });
    assert.equal((await barn.postern.ask(url)).status, 404);
    rmSync(directory, { recursive: true, force: true });
  });

  it('a site never makes viewers of users whose role is in the file of another one', async () => {
    const house = await shared.start({
      ...HOUSE,
      people: PEOPLE,
      config: { auth: { roles: { gardener: ['garden'] } } },
    });
    const barn = await shared.start({ ...BARN, people: [], config: { auth: { roles: { farmer: ['yard'] } } } });
    assert.equal(await roleOf('gil'), 'gardener');
    assert.ok((await barn.postern.reload(of(barn, { auth: { roles: {} } }, shared))).isTaken);
    assert.equal(await roleOf('gil'), 'gardener', 'after a reload, too');
    const gil = await barn.postern.logIn(GARDENER);
    barn.received();
    assert.equal((await barn.postern.ask('/api/garden/latest.jpg', { token: gil })).status, 403);
    assert.deepEqual(barn.received(), [], 'and the role opens nothing there');
    assert.ok((await house.postern.reload(of(house, { auth: { roles: {} } }, shared))).isTaken);
    assert.equal(await roleOf('gil'), 'viewer', 'the file that had the role has lost it');
  });

  it('a role that two files have makes viewers of its users when the second one has lost it', async () => {
    const auth = { roles: { gardener: ['garden'] } };
    const house = await shared.start({ ...HOUSE, people: PEOPLE, config: { auth } });
    const barn = await shared.start({ ...BARN, people: [], config: { auth } });
    assert.ok((await house.postern.reload(of(house, { auth: { roles: {} } }, shared))).isTaken);
    assert.equal(await roleOf('gil'), 'gardener');
    assert.ok((await barn.postern.reload(of(barn, { auth: { roles: {} } }, shared))).isTaken);
    assert.equal(await roleOf('gil'), 'viewer');
  });

  it('a file without roles is not told to write none: its users would be viewers at every site', async () => {
    const auth = { roles: { gardener: ['garden'] } };
    const house = await shared.start({ ...HOUSE, people: PEOPLE, config: { auth } });
    const { isTaken } = await house.postern.reload(of(house, { auth: { roles: undefined } }, shared));
    assert.equal(isTaken, false);
    const msg = String(logged(house, /auth\.roles: is missing/)[0]?.['msg']);
    assert.match(msg, /put auth\.roles back, or give each of these users another role, with "postern users role/);
    assert.doesNotMatch(msg, /roles: \{\}/);
  });

  it('a file that never had a role leaves its users alone, whatever the store knows', async () => {
    await reading(async ({ accounts }) => {
      const account = { name: 'gil' as UserName, role: 'gardener' as never, passwordHash: 'x' };
      await accounts.addUser({ ...account, passwordChangedAt: null, createdAt: 1 });
    });
    await shared.start({ ...BARN, people: [ADMIN_PERSON] });
    assert.equal(await roleOf('gil'), 'gardener');
  });

  it('the start and check tell cameras of one name, and entries of former times that name a site', async () => {
    const house = await shared.start({ ...HOUSE, people: PEOPLE });
    const admin = await house.postern.logIn(ADMIN_PERSON);
    const named = { cameras: ['barn:yard', 'hall', 'odd:name'] };
    assert.equal((await sendJson(house.postern, '/api/roles/farmer', named, admin, 'PUT')).status, 200);
    const token = { name: 'tv', cameras: ['house:*'] };
    assert.equal((await sendJson(house.postern, '/api/tokens', token, admin)).status, 201);
    assert.deepEqual(logged(house, /names a site|of the same name/), []);
    const directory = newDirectory();
    const config = { auth: { roles: { gardener: ['barn:garden'] } }, nvr: { cameras: ['garden', 'yard'] } };
    const barn = await shared.start({ ...BARN, people: [], directory, config });
    const sentences = [
      /the site house has cameras of the same name \(garden\): for roles, API tokens and all else each name means both/,
      /auth\.roles\.gardener: "barn:garden" names a site, .*: write the name of the camera alone/,
      /the role farmer: "barn:yard" names a site/,
      /the API token "tv" of admin: "house:\*" names a site/,
    ];
    for (const sentence of sentences) assert.equal(logged(barn, sentence)[0]?.['level'], 'warn', String(sentence));
    assert.equal(logged(barn, /names a site/).length, 3);
    const env = { SERVICE_JWT_SECRET: 'f'.repeat(64) };
    const place = { directory, schema: configSchema, env, clock: { now: () => Date.now() } };
    const { code, out, err } = await typed(['check'], place);
    assert.equal(code, 1);
    const told = out + err;
    for (const sentence of sentences) assert.match(told, sentence);
    assert.match(told, /server\.site: the signing secret is not that of the site house/);
    await reading(async ({ db }) =>
      db
        .withTables<{ kysely_migration: { name: string } }>()
        .deleteFrom('kysely_migration')
        .where('name', '>=', '029')
        .execute(),
    );
    const before = await typed(['check'], place);
    assert.match(
      before.out + before.err,
      /the sites were not compared: the tables of the store are those of an older version/,
    );
    rmSync(directory, { recursive: true, force: true });
  });

  it('another secret is told at the start', async () => {
    await shared.start({ ...HOUSE, people: [ADMIN_PERSON] });
    const barn = await shared.start({ ...BARN, people: [], secret: 'e'.repeat(64) });
    const [line] = logged(barn, /signing secret/);
    assert.match(String(line?.['msg']), /is not that of the site house, .*SERVICE_JWT_SECRET/);
  });

  it('the page of roles of an NVR changes what a role sees at its own site alone', async () => {
    const house = await shared.start({ ...HOUSE, people: [ADMIN_PERSON] });
    await shared.start({ ...BARN, people: [] });
    const admin = await house.postern.logIn(ADMIN_PERSON);
    const before = { cameras: ['garden', 'yard'] };
    assert.equal((await sendJson(house.postern, '/api/roles/both', before, admin, 'PUT')).status, 200);
    const { auth } = (await (await house.postern.ask('/api/config', { token: admin })).json()) as {
      auth: { roles: Record<string, string[]> };
    };
    assert.deepEqual(auth.roles['both'], ['garden']);
    const set = { config_data: { auth: { roles: { both: ['garden', 'hall'] } } } };
    const answer = await sendJson(house.postern, '/api/config/set', set, admin, 'PUT');
    assert.equal(answer.status, 200, await answer.text());
    const roles = await reading(({ roles }) => roles.listRoles());
    assert.deepEqual(roles, [{ role: 'both', cameras: ['yard', 'garden', 'hall'] }]);
  });
});

/** The configuration of a site as it was started, with other sections. */
function of({ name, nvr }: Site, config: Record<string, object>, { url }: SharedStore) {
  return {
    ...config,
    store: { url },
    server: { site: name },
    nvr: { url: nvr.url, ...config['nvr'] },
  };
}
