/** What the command line does to accounts stands in the ledger, beside what the service does (SPEC 14). */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { stringify } from 'yaml';
import { importUsers } from '../../src/accounts/users/import-users.ts';
import { openForCommands } from '../../src/app/commands.ts';
import { configSchema } from '../../src/app/resources/features.ts';
import { openForLedger } from '../../src/features/ledger/whole-ledger.ts';
import { handClock, NOW, person } from '../accounts/support/people.ts';
import { tempDirectory } from '../accounts/support/temp-directory.ts';
import { openStore } from '../support/whole-store.ts';

const NEW = 'a new password';

/** A command over an empty store, and the details of the records that it adds to the ledger. */
async function commands(t: TestContext, { notify = {} as object, ledger = {} as object, enabled = true } = {}) {
  const directory = tempDirectory(t);
  const auth = { enabled, hash_iterations: 10, roles: { gardener: ['garden'] } };
  writeFileSync(join(directory, 'config.yaml'), stringify({ auth, notify, ledger }));
  const warnings: string[] = [];
  const warn = (sentence: string): void => void warnings.push(sentence);
  const open = await openForCommands({ directory, schema: configSchema, env: {}, clock: handClock(), warn });
  const added = async (): Promise<Record<string, unknown>[]> => {
    await open.close();
    const store = await openStore({ url: `sqlite:${join(directory, 'postern.db')}` });
    const found = await store.ledger.find({ sight: undefined }, 100);
    await store.close();
    return found
      .toReversed()
      .map(({ kind, address, credential, detail }) => ({ kind, address, credential, ...JSON.parse(detail ?? '{}') }));
  };
  /** Changes of users, by the routes of the service; a refusal is no matter here. */
  const change = async (route: string, user: string, body?: object): Promise<void> =>
    open.ask(route, { params: { user }, body }).then(
      () => {},
      () => {},
    );
  const add = (username: string, role: string): Promise<void> =>
    change('POST /api/users', '', { username, role, password: NEW });
  const invite = (user: string, role?: string) =>
    open.ask<{ url: string; expires_at: number; note?: string }>('POST /api/users/{user}/invitation', {
      params: { user },
      body: { role },
    });
  return { ...open, change, add, invite, directory, added, warnings };
}

describe('The ledger, after a command', () => {
  it('has a record for each change of users, whether it is done or refused', async (t) => {
    const { ask, add, change, added } = await commands(t);
    await add('admin', 'admin');
    await add('vera', 'viewer');
    await add('eve', 'nobody');
    await change('PUT /api/users/{user}/password', 'vera', { password: 'short' });
    await change('PUT /api/users/{user}/password', 'vera', { password: `${NEW}2` });
    await change('PUT /api/users/{user}/role', 'vera', { role: 'gardener' });
    await change('DELETE /api/users/{user}', 'admin');
    await change('DELETE /api/users/{user}', 'vera');
    await ask('GET /api/users');
    const lines = await added();
    assert.deepEqual(
      lines.map(({ what, user, kind, reason }) => [what, user, kind, reason]),
      [
        ['user-created', 'admin', 'change', undefined],
        ['user-created', 'vera', 'change', undefined],
        ['user-created', 'eve', 'refusal', 'role-unknown'],
        ['password-changed', 'vera', 'refusal', 'password-unfit'],
        ['password-changed', 'vera', 'change', undefined],
        ['role-changed', 'vera', 'change', undefined],
        ['user-deleted', 'admin', 'refusal', 'last-admin'],
        ['user-deleted', 'vera', 'change', undefined],
      ],
    );
    assert.ok(lines.every(({ address, credential }) => address === 'command-line' && credential === null));
    assert.deepEqual([...new Set(lines.map((line) => Object.keys(line)[3]))], ['what'], 'the act comes first');
    assert.equal(JSON.stringify(lines).includes(NEW), false);
  });

  it('has a record for each invitation, and none holds its secret; the link is a path while server.public_url is not set', async (t) => {
    const { invite, added } = await commands(t);
    const made = await invite('nora', 'gardener');
    assert.deepEqual([made.note !== undefined, made.expires_at], [true, NOW + 72 * 3600]);
    assert.match(made.url, /^\/invitation\/[\w-]{43}$/);
    await assert.rejects(invite('nora', 'gardener'), /exists already/, 'she is there now');
    await invite('nora');
    await assert.rejects(invite('ghost'), /User not found/);
    const lines = await added();
    assert.deepEqual(
      lines.map(({ what, user, reason }) => [what, user, reason]),
      [
        ['invitation-made', 'nora', undefined],
        ['invitation-made', 'nora', 'name-taken'],
        ['invitation-made', 'nora', undefined],
        ['invitation-made', 'ghost', 'user-absent'],
      ],
    );
    assert.equal(JSON.stringify(lines).includes(made.url.slice(-43)), false);
  });

  it('has a record for an invitation that no login could follow, and the command names the key', async (t) => {
    const { invite, added } = await commands(t, { enabled: false });
    await assert.rejects(
      invite('nora', 'viewer'),
      /^Error: auth\.enabled is false: users log in at the authentication/,
    );
    assert.deepEqual(
      (await added()).map(({ what, user, reason }) => [what, user, reason]),
      [['invitation-made', 'nora', 'user-absent']],
    );
  });

  it('has a record for each API token that is made or revoked, and none of its secret', async (t) => {
    const { add, ask, added } = await commands(t);
    await add('admin', 'admin');
    const make = (owner: string, role: string) =>
      ask<{ id: string; token: string }>('POST /api/tokens', { owner, body: { name: 'ha', role } });
    const { id, token } = await make('admin', 'viewer');
    await assert.rejects(make('ghost', 'viewer'));
    await assert.rejects(make('admin', 'nobody'));
    await ask('DELETE /api/tokens/{id}', { params: { id } });
    await assert.rejects(ask('DELETE /api/tokens/{id}', { params: { id } }));
    const lines = await added();
    assert.deepEqual(
      lines.slice(1).map(({ what, user, tokenId, reason }) => [what, user, tokenId, reason]),
      [
        ['token-created', 'admin', id, undefined],
        ['token-created', 'ghost', undefined, 'user-absent'],
        ['token-created', 'admin', undefined, 'role-unknown'],
        ['token-revoked', 'admin', id, undefined],
      ],
    );
    assert.equal(JSON.stringify(lines).includes(token.slice(-64)), false);
  });

  it('has a record for each imported user, and none for existing users', async (t) => {
    const { add, store, settings, importing, directory, added } = await commands(t);
    await add('vera', 'viewer');
    const nvr = new DatabaseSync(join(directory, 'nvr.db'));
    nvr.exec('create table user (username text, password_hash text, role text)');
    for (const name of ['vera', 'nina', 'no name'])
      nvr.prepare('insert into user values (?, ?, ?)').run(name, (await person('x')).passwordHash, 'viewer');
    nvr.close();
    await importUsers({ store, settings, importing }, { file: join(directory, 'nvr.db') });
    assert.deepEqual(
      (await added()).map(({ what, user }) => [what, user]),
      [
        ['user-created', 'vera'],
        ['user-created', 'nina'],
      ],
    );
  });
});

describe('The ledger', () => {
  it('has a record for each of these acts, in a chain of the command line beside that of a server', async (t) => {
    const { add, change, ask, directory, close } = await commands(t);
    await add('admin', 'admin');
    await change('PUT /api/users/{user}/role', 'admin', { role: 'viewer' });
    const body = { name: 'ha', role: 'viewer' };
    const token = await ask<{ id: string; token: string }>('POST /api/tokens', { owner: 'admin', body });
    const what = { live: { camera: 'garden' } };
    const made = await ask<{ id: string }>('POST /api/links', { owner: 'admin', body: { what } });
    await ask('DELETE /api/links/{id}', { params: { id: made.id } });
    const server = await openStore({ url: `sqlite:${join(directory, 'postern.db')}` });
    t.after(server.close);
    await close();
    const found = await server.ledger.find({ sight: undefined }, 100);
    const told = found.map(({ id, kind, user, address, detail }) => [
      id,
      kind,
      user,
      address,
      JSON.parse(detail ?? ''),
    ]);
    const at = 'command-line';
    assert.deepEqual(told.reverse(), [
      ['store1-000000000001', 'change', null, at, { what: 'user-created', user: 'admin' }],
      ['store1-000000000002', 'refusal', null, at, { what: 'role-changed', user: 'admin', reason: 'last-admin' }],
      ['store1-000000000003', 'change', null, at, { what: 'token-created', user: 'admin', tokenId: token.id }],
      ['store1-000000000004', 'link', null, at, { what: 'link-created', user: 'admin', linkId: made.id }],
      ['store1-000000000005', 'link', null, at, { what: 'link-revoked', user: 'admin', linkId: made.id }],
    ]);
    assert.equal(JSON.stringify(told).includes(token.token.slice(-64)), false);
    const ledger = await openForLedger({ directory, schema: configSchema, env: {}, clock: handClock() });
    const { misfits, chains } = await ledger.verify([], () => {});
    assert.deepEqual([misfits, chains.map(({ chain, records }) => [chain, records])], [[], [['store1', 5]]]);
    await ledger.close();
  });

  it('has none where it is turned off, and a command that cannot write it says so and does its work', async (t) => {
    const off = await commands(t, { ledger: { retention: 0 } });
    await off.add('admin', 'admin');
    await off.close();
    const { add, directory, close, warnings } = await commands(t);
    await add('admin', 'admin');
    const database = new DatabaseSync(join(directory, 'postern.db'));
    t.after(() => database.close());
    database.exec('drop table ledger_records');
    await close();
    assert.match(warnings.join(), /^the ledger has no record of it \(.*\); it was done all the same$/);
    assert.equal(database.prepare('select count(*) as count from users').get()?.['count'], 1);
    const untouched = new DatabaseSync(join(off.directory, 'postern.db'));
    t.after(() => untouched.close());
    assert.equal(untouched.prepare('select count(*) as count from ledger_records').get()?.['count'], 0);
  });
});

describe('The webhook', () => {
  it('is told what a command did to an account before the command ends, or the command says that it was not', async (t) => {
    const got: { event: string; user: string; by: string | null; address: string }[] = [];
    const receiver = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        got.push(JSON.parse(body));
        response.writeHead(got.length < 3 ? 204 : 400).end();
      });
    });
    await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
    t.after(() => receiver.close());
    const notify = { webhook: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/` };
    const { add, change, invite, close, warnings } = await commands(t, { notify });
    await add('vera', 'viewer');
    await change('PUT /api/users/{user}/password', 'vera', { password: `${NEW}2` });
    await invite('vera');
    await invite('vera');
    await close();
    assert.deepEqual(
      got.map(({ event, user, by, address }) => [event, user, by, address]),
      [
        ['password-changed', 'vera', null, 'command-line'],
        ['invitation-made', 'vera', null, 'command-line'],
        ['invitation-made', 'vera', null, 'command-line'],
      ],
    );
    assert.match(warnings.join(), /^notify\.webhook was not told of it \(status 400\)/);
  });
});
