import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { stringify } from 'yaml';
import { createGrantMemory } from '../../src/accounts/grants/grants.ts';
import type { StoreUse } from '../../src/accounts/http/route-commands.ts';
import { createStoreGrace } from '../../src/accounts/sessions/store-grace.ts';
import { createApiTokens } from '../../src/accounts/tokens/api-tokens.ts';
import { openForCommands } from '../../src/app/commands.ts';
import { configSchema } from '../../src/app/resources/features.ts';
import { parseExpiry } from '../../src/domain/moment.ts';
import type { UserName } from '../../src/domain/names.ts';
import { openStore } from '../../src/store/open-store.ts';
import { handClock, IN_FORCE, NOW, person } from '../accounts/support/people.ts';
import { tempDirectory } from '../accounts/support/temp-directory.ts';
import { typed } from '../support/terminal.ts';

/** A command line over a store with an admin, and gus, who is a gardener. */
async function terminal(t: TestContext, authEnabled = true) {
  const directory = tempDirectory(t);
  const auth = { enabled: authEnabled, roles: { gardener: ['garden'] } };
  writeFileSync(join(directory, 'config.yaml'), stringify({ auth }));
  const clock = handClock();
  const place = { directory, schema: configSchema, env: {}, clock };
  await (await openForCommands(place)).close();
  const store = await openStore({ url: `sqlite:${join(directory, 'postern.db')}` });
  t.after(store.close);
  for (const [name, role] of [
    ['admin', 'admin'],
    ['gus', 'gardener'],
  ] as const)
    await store.accounts.addUser(await person(name, { role }));
  const opens = async (token: string): Promise<string> => {
    const grants = createGrantMemory({ store, clock, grace: createStoreGrace() });
    const tokens = createApiTokens({ grants, clock, roles: () => IN_FORCE, authEnabled });
    const verdict = await tokens.verify(token.trim(), 'bearer');
    return verdict.kind === 'valid' ? `${verdict.caller.name} as ${verdict.caller.role}` : verdict.reason;
  };
  const run = async (...words: string[]) => {
    let isClosed = false;
    const openCommands = async (use?: StoreUse) => {
      const open = await openForCommands(place, use);
      const close = async (): Promise<void> => {
        isClosed = true;
        await open.close();
      };
      return { ...open, close };
    };
    const printed = await typed(['tokens', ...words], place, { openStore: openCommands });
    return { ...printed, isClosed };
  };
  return { run, store, opens };
}

const refused = (err: string) => ({ out: '', err: `${err}\n`, code: 1, isClosed: true });

describe('postern tokens', () => {
  it('create prints the token alone on standard output, and it is good', async (t) => {
    const { run, opens, store } = await terminal(t);
    const { out, err, code } = await run(
      'create',
      'Home Assistant',
      '--cameras',
      'garden, patio_*',
      '--expires',
      '90d',
    );
    assert.match(out, /^pst_[0-9a-f]{16}_[0-9a-f]{64}\n$/);
    assert.match(err, /shown only once/);
    assert.deepEqual([code, await opens(out)], [0, 'admin as viewer']);
    const [{ name, cameras, expiresAt, userCreatedAt } = assert.fail()] = await store.grants.list('api-token');
    assert.deepEqual(
      { name, cameras, expiresAt, userCreatedAt },
      {
        name: 'Home Assistant',
        cameras: ['garden', 'patio_*'],
        expiresAt: NOW + 90 * 86_400,
        userCreatedAt: NOW - 1000,
      },
    );
  });

  it('create --login makes one that the login takes, and says as whom', async (t) => {
    const { run, store } = await terminal(t);
    const { code, err } = await run('create', 'ha', '--user', 'gus', '--role', 'gardener', '--login');
    assert.equal(code, 0);
    assert.match(err, /log in as gus with the token as the password/);
    assert.equal((await store.grants.list('api-token'))[0]?.logsIn, true);
    assert.match((await run('list')).out, / gus +gardener, login +/);
  });

  it('create --curtain makes one of an admin that draws and opens the curtain, and no other', async (t) => {
    const { run, store } = await terminal(t);
    assert.equal((await run('create', 'door', '--curtain')).code, 0);
    assert.equal((await store.grants.list('api-token'))[0]?.right, 'curtain');
    assert.match((await run('list')).out, / admin +curtain +none /);
    const refused = await run('create', 'x', '--user', 'gus', '--curtain');
    assert.deepEqual([refused.out, refused.code], ['', 1]);
  });

  it('create --login makes none for a user of a proxy, who has no login here', async (t) => {
    const { run } = await terminal(t, false);
    const { out, code } = await run('create', 'x', '--user', 'gus', '--login');
    assert.deepEqual([out, code], ['', 1]);
  });

  it('create is bound to its user', async (t) => {
    const { run, opens, store } = await terminal(t);
    const { out } = await run('create', 'x', '--user', 'gus', '--role', 'gardener');
    assert.equal(await opens(out), 'gus as gardener');
    await store.accounts.deleteUser('gus' as UserName);
    assert.equal(await opens(out), 'unknown');
  });

  it('create takes any name where users are known to a proxy alone', async (t) => {
    const { run, opens } = await terminal(t, false);
    assert.equal(await opens((await run('create', 'x', '--user', 'jörg')).out), 'jörg as viewer');
  });

  // biome-ignore format: a table
  const rows: [sentence: string, words: string[], message: string][] = [
    ['an unknown user',       ['create', 'x', '--user', 'ghost'], 'There is no user ghost: "postern users list" shows all'],
    ['an unknown role',       ['create', 'x', '--role', 'ghost'], 'Role must be one of: gardener, admin, viewer'],
    ['a role above the user’s', ['create', 'x', '--user', 'gus'], 'The role gardener cannot give the role viewer'],
    ['an invalid time',       ['create', 'x', '--expires', 'soon'], '"soon" is not a time: write 90d, 12h, "2030-01-31 18:00" (local time of this machine), 2030-01-31T12:00:00Z or Unix seconds'],
    ['a past time',           ['create', 'x', '--expires', '2001-01-01'], 'expires_at: that time has passed already'],
    ['an unknown token',      ['revoke', 'abc'], 'There is no token abc: "postern tokens list" shows all'],
  ];
  for (const [sentence, words, message] of rows)
    it(`refuses ${sentence}`, async (t) => assert.deepEqual(await (await terminal(t)).run(...words), refused(message)));

  it('list and revoke', async (t) => {
    const { run, opens } = await terminal(t);
    assert.match((await run('list')).out, /^There are no tokens yet/);
    const { out: token } = await run('create', 'ha', '--role', 'admin');
    const id = token.split('_')[1] ?? '';
    const { out } = await run('list');
    assert.deepEqual(
      out.split('\n').map((line) => line.split(/ {2,}/)),
      [
        ['ID', 'NAME', 'USER', 'ROLE', 'CAMERAS', 'EXPIRES', 'LAST USED'],
        [id, 'ha', 'admin', 'admin', 'all of the role', 'never', 'never'],
        [''],
      ],
    );
    assert.deepEqual(await run('revoke', id), {
      out: `The token ${id} is revoked.\n`,
      err: '',
      code: 0,
      isClosed: true,
    });
    assert.equal(await opens(token), 'unknown');
  });
});

/** Unix seconds of a time of this machine. */
const local = (text: string): number => Date.parse(text) / 1000;

describe('When a token expires', () => {
  // biome-ignore format: a table
  const rows: [text: string, seconds: number | undefined][] = [
    ['90d', NOW + 90 * 86_400], ['12h', NOW + 43_200], ['2030-01-31', local('2030-01-31T00:00')], ['2030-01-31T12:00:00Z', 1_896_091_200],
    ['2030-01-31T12:00:00+02:00', 1_896_084_000], ['2030-01-31 12:00', local('2030-01-31T12:00')], ['2030-02-30', undefined], ['90', undefined], ['', undefined],
    ['2030-13-31', undefined], ['1e3d', undefined],
  ];
  for (const [text, seconds] of rows)
    it(`${JSON.stringify(text)} is ${seconds === undefined ? 'no time' : 'read'}`, () => {
      if (seconds === undefined) assert.throws(() => parseExpiry(text, NOW), /is not a time: write 90d/);
      else assert.equal(parseExpiry(text, NOW), seconds);
    });
});
