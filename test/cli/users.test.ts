import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PassThrough, Readable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { stringify } from 'yaml';
import { createRoleRegistry } from '../../src/accounts/roles/roles.ts';
import { openForCommands } from '../../src/app/commands.ts';
import { configSchema } from '../../src/app/resources/features.ts';
import type { Role } from '../../src/domain/names.ts';
import { handClock, IN_FORCE, person, quickHasher, ROLES } from '../accounts/support/people.ts';
import { tempDirectory } from '../accounts/support/temp-directory.ts';
import { nvrDatabaseFile } from '../support/recorded.ts';
import { typed as runTyped } from '../support/terminal.ts';
import { openStore } from '../support/whole-store.ts';

const NEW = 'a new password';
const PEOPLE = [
  ['admin', 'admin'],
  ['vera', 'viewer'],
] as const;

/** Standard input of a person at a terminal, who types when there is a question. */
const atTerminal = () => Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });

interface Typing {
  readonly piped?: string | Buffer;
  readonly typed?: readonly string[];
}

/** A command line over a store with an admin, and vera. */
async function terminal(t: TestContext, people: readonly (readonly [name: string, role: string])[] = PEOPLE) {
  const directory = tempDirectory(t);
  writeFileSync(
    join(directory, 'config.yaml'),
    stringify({ auth: { hash_iterations: 10, roles: Object.fromEntries(ROLES) } }),
  );
  const records = await openStore({ url: `sqlite:${join(directory, 'postern.db')}` });
  t.after(records.close);
  const store = records.accounts;
  for (const [name, role] of people) await store.addUser(await person(name, { role }));
  const opens = async (name: string, password: string): Promise<boolean> =>
    (await quickHasher().check(password, (await store.findUser(name))?.passwordHash)) === 'match';
  const place = { directory, schema: configSchema, env: {}, clock: handClock() };

  const run = async (line: string, { piped = '', typed }: Typing = {}) => {
    let isClosed = false;
    const stdin = typed ? atTerminal() : Readable.from([piped]);
    const lines = [...(typed ?? [])];
    const open = async () => {
      const opened = await openForCommands(place);
      const close = async (): Promise<void> => {
        isClosed = true;
        await opened.close();
      };
      return { ...opened, close };
    };
    const printed = await runTyped(['users', ...line.split(' ')], place, {
      openStore: open,
      stdin,
      onError: (text) => text.endsWith(': ') && stdin.push(lines.shift() ?? ''),
    });
    return { ...printed, isClosed };
  };
  const roles = createRoleRegistry({ store: records.roles, fixed: IN_FORCE }).latest;
  const told = async () => {
    const found = await records.ledger.find({ sight: undefined }, 100);
    return found.toReversed().map(({ detail }) => JSON.parse(detail ?? '{}'));
  };
  return { run, store, signIns: records.signIns, opens, roles, told };
}

const said = (out: string) => ({ out, err: '', code: 0, isClosed: true });
const refused = (err: string) => ({ out: '', err, code: 1, isClosed: true });

describe('postern users', () => {
  it('list prints names and roles', async (t) => {
    const { run } = await terminal(t);
    assert.deepEqual(await run('list'), said('admin  admin\nvera   viewer\n'));
  });

  it('list prints closed guests of providers, and sign-ins forget opens one', async (t) => {
    const { run, store, signIns } = await terminal(t);
    const walt = await person('walt', { validUntil: 1 });
    const signIn = { provider: 'home', issuer: 'https://id.example.com', subject: 'w-1', user: walt.name };
    await signIns.addUserWithSignIn(walt, { ...signIn, connectedAt: 1, lastUsedAt: 1 });
    await store.deleteUser(walt.name, { endedBefore: 2, at: 1_800_000_000 });
    const { out } = await run('list');
    assert.match(out, /^admin {2}admin\nvera {3}viewer\nclosed guest of home: "w-1" {2}known until 2028-/);
    assert.doesNotMatch(out, /walt/);
    assert.match((await run('sign-ins forget home nobody')).err, /no such closed guest: postern users list shows each/);
    assert.deepEqual(
      await run('sign-ins forget home w-1'),
      said('The guest of home is forgotten, and may sign in as anybody else.\n'),
    );
    assert.deepEqual(await run('list'), said('admin  admin\nvera   viewer\n'));
  });

  it('list prints sign-ins, and who gives the role; one is removed, but not the last way in', async (t) => {
    const { run, signIns } = await terminal(t);
    const walt = await person('walt', { hasNoPassword: true, roleSource: 'home' });
    const signIn = { provider: 'home', issuer: 'https://id.example.com', subject: 'w', user: walt.name };
    await signIns.addUserWithSignIn(walt, { ...signIn, connectedAt: 1, lastUsedAt: 1 });
    await signIns.connect({ ...signIn, provider: 'work', subject: 'x', connectedAt: 2, lastUsedAt: 2 }, walt.createdAt);
    const walts = (line: string): string => `admin  admin\nvera   viewer\nwalt   ${line}\n`;
    assert.equal((await run('list')).out, walts('viewer (by home)  signs in by home, work'));
    assert.deepEqual(
      await run('sign-ins remove walt home'),
      said('walt does not sign in by home any more; open sessions go on.\n'),
    );
    assert.equal((await run('list')).out, walts('viewer  signs in by work'));
    assert.match((await run('sign-ins remove walt work')).err, /only way in of the account/);
    assert.match((await run('sign-ins remove vera home')).err, /no such sign-in/);
  });

  it('invite makes a user, or a link for one who is there unless it is told a role', async (t) => {
    const { run, store } = await terminal(t);
    assert.match((await run('invite nina')).out, /^\/invitation\/[\w-]{43}\n$/);
    assert.equal((await store.findUser('nina'))?.role, 'viewer');
    assert.match((await run('invite vera')).out, /^\/invitation\/[\w-]{43}\n$/);
    assert.equal((await run('invite vera --role admin')).err, 'User vera exists already\n');
  });

  it('list says what to do when there are no users', async (t) => {
    const { run } = await terminal(t, []);
    assert.deepEqual(
      await run('list'),
      said('There are no users yet: the first start of the server creates the admin.\n'),
    );
  });

  it('add makes a viewer, the password piped in', async (t) => {
    const { run, store, opens } = await terminal(t);
    assert.deepEqual(
      await run('add nina', { piped: `${NEW}\r\nsecond line\n` }),
      said('Added nina with the role viewer.\n'),
    );
    assert.deepEqual([(await store.findUser('nina'))?.role, await opens('nina', NEW)], ['viewer', true]);
  });

  it('add takes a role', async (t) => {
    const { run, store } = await terminal(t);
    await run('add nina --role gardener', { piped: NEW });
    assert.equal((await store.findUser('nina'))?.role, 'gardener');
  });

  it('password asks a person twice, and shows nothing of it', async (t) => {
    const { run, opens } = await terminal(t);
    const printed = await run('password vera', { typed: [`${NEW}\r`, `${NEW}\r`] });
    const questions = 'New password of vera: \nThe same again: \n';
    assert.deepEqual(printed, {
      ...said('The password of vera is changed. All sessions of the user have ended.\n'),
      err: questions,
    });
    assert.equal(await opens('vera', NEW), true);
  });

  it('password says why a common password, or one with the name in it, is refused', async (t) => {
    const { run, opens } = await terminal(t);
    const common = await run('password vera', { piped: 'Password1234!\n' });
    const named = await run('password vera', { piped: 'so is vera today\n' });
    assert.match(common.err, /Password is one of the most common ones, or nearly: choose another one\n$/);
    assert.match(named.err, /Password must not contain "vera": attackers try such names first\n$/);
    assert.deepEqual([common.code, named.code, await opens('vera', 'Password1234!')], [1, 1, false]);
  });

  const givenUp: [sentence: string, typed: string[], said: RegExp][] = [
    ['when the two differ', [`${NEW}\r`, 'another password\r'], /the two passwords differ: nothing was changed\n$/],
    ['after Ctrl-C', ['\u0003'], /cancelled: nothing was changed\n$/],
    ['after Ctrl-D', [`${NEW}\r`, '\u0004'], /cancelled: nothing was changed\n$/],
  ];
  for (const [sentence, typed, words] of givenUp) {
    it(`password changes nothing ${sentence}`, async (t) => {
      const { run, opens } = await terminal(t);
      const { err, code } = await run('password vera', { typed });
      assert.match(err, words);
      assert.deepEqual([code, await opens('vera', NEW)], [1, false]);
    });
  }

  it('role changes the role', async (t) => {
    const { run, store } = await terminal(t);
    assert.deepEqual(await run('role vera gardener'), said('vera has the role gardener now.\n'));
    assert.equal((await store.findUser('vera'))?.role, 'gardener');
  });

  it('delete removes the user', async (t) => {
    const { run, store } = await terminal(t);
    assert.deepEqual(await run('delete vera'), said('vera is removed. All sessions of the user have ended.\n'));
    assert.equal(await store.findUser('vera'), undefined);
  });

  it("import brings an NVR's users, whose passwords open here, and can be run again", async (t) => {
    const { run, store, opens } = await terminal(t, [['warden.2', 'viewer']]);
    const file = nvrDatabaseFile();
    const before = await store.findUser('warden.2');
    assert.deepEqual(
      await run(`import ${file}`),
      said(
        [
          '  admin: added with the role admin, sees all cameras',
          '  "broken": not added: the password hash is not of the kind pbkdf2_sha256$iterations$salt$hash',
          '  family: added with the role family, sees no camera, for nothing says what the role "family" may see',
          '  guard_1: added with the role guard, sees no camera, for nothing says what the role "guard" may see',
          '  older: added with the role viewer, sees all cameras',
          '  stranger: added with the role operator, sees no camera, for nothing says what the role "operator" may see',
          '  viewer: added with the role viewer, sees all cameras',
          '  warden.2: exists already, and keeps its role and password',
          'the roles of the NVR were not found: name its config.yml with --config, or give the cameras in auth.roles',
          `${file}: 8 read, 6 added, 1 kept, 1 refused\n`,
        ].join('\n'),
      ),
    );
    assert.deepEqual(await store.findUser('warden.2'), before);
    assert.deepEqual(await Promise.all([opens('older', 'hashed-with-fewer-rounds'), opens('older', 'x')]), [
      true,
      false,
    ]);
    const everybody = await store.listUsers();
    assert.match((await run(`import ${file}`)).out, /8 read, 0 added, 7 kept, 1 refused\n$/);
    assert.deepEqual(await store.listUsers(), everybody);
  });

  /** A database of the NVR with a user for each role, and a configuration beside it. */
  async function nvrWith(t: TestContext, roles: readonly string[], config?: string, iterations = '10') {
    const directory = tempDirectory(t);
    const file = join(directory, 'frigate.db');
    const nvr = new DatabaseSync(file);
    nvr.exec('CREATE TABLE "user" (username VARCHAR(30) PRIMARY KEY, password_hash VARCHAR(120), role VARCHAR(20))');
    const { passwordHash } = await person('somebody');
    const hash = passwordHash.replace('$10$', `$${iterations}$`);
    for (const [at, role] of roles.entries())
      nvr.prepare('INSERT INTO "user" VALUES (?, ?, ?)').run(`user${at}`, hash, role);
    nvr.close();
    if (config !== undefined) writeFileSync(join(directory, 'config.yml'), config);
    return { directory, file };
  }
  const CONFIG = `cameras: {}\nauth:\n  roles:\n    guests: [front]\n    gardener: [everything]\n    watch: [back, 'side door']\n`;

  it('import takes the roles of the configuration beside the database, and says what each user will see', async (t) => {
    const { file, directory } = await nvrWith(t, ['guests', 'gardener', 'watch', 'lost', 'viewer'], CONFIG);
    const { run, store, roles, told } = await terminal(t, []);
    assert.deepEqual((await run(`import ${file}`)).out.split('\n').slice(0, 6), [
      '  user0: added with the role guests, sees front',
      `  user1: added with the role gardener, sees ${ROLES.get('gardener' as Role)?.join(', ')}`,
      '  user2: added with the role watch, sees back, side door',
      '  user3: added with the role lost, sees no camera, for nothing says what the role "lost" may see',
      '  user4: added with the role viewer, sees all cameras',
      `the roles of the NVR are from ${join(directory, 'config.yml')}`,
    ]);
    const active = await roles();
    assert.deepEqual(
      ['guests', 'watch', 'lost'].map((role) => active.get(role as Role)),
      [['front'], ['back', 'side door'], []],
    );
    assert.equal((await store.findUser('user3'))?.role, 'lost');
    assert.deepEqual(
      (await told()).flatMap(({ what, role }) => (what === 'custom-role-changed' ? [role] : [])),
      ['guests', 'watch', 'lost'],
      'the ledger tells of the roles, too',
    );
  });

  it('import takes another configuration, and makes viewers of users of unknown roles only when it is told so', async (t) => {
    const { file, directory } = await nvrWith(t, ['guests', 'lost'], 'auth: {}');
    const other = join(directory, 'other.yaml');
    writeFileSync(other, CONFIG);
    const { run, store } = await terminal(t, []);
    const { out } = await run(`import ${file} --config ${other} --unknown-role viewer`);
    assert.match(
      out,
      /user1: added with the role viewer, sees all cameras, for nothing says what the role "lost" may see/,
    );
    assert.deepEqual(
      (await store.listUsers()).map(({ role }) => role),
      ['guests', 'viewer'],
    );
  });

  // biome-ignore format: a table
  const unsafe: [sentence: string, role: string, iterations: string, reason: RegExp][] = [
    ['a role that looks like admin',        'Admin',     '10',      /the role "Admin" cannot be made: .*differs from the role name "admin" in case only/],
    ['a role that is reserved',             'none',      '10',      /"none" is a reserved role name/],
    ['a role with a slash',                 '../admin',  '10',      /is not a role name/],
    ['a hash that would cost everybody',    'viewer',    '9999999', /more than 600000 iterations: every wrong password would cost as much/],
  ];
  for (const [sentence, role, iterations, reason] of unsafe) {
    it(`import adds no user with ${sentence}`, async (t) => {
      const { file } = await nvrWith(t, [role], undefined, iterations);
      const { run, store } = await terminal(t, []);
      assert.match((await run(`import ${file}`)).err, reason);
      assert.deepEqual(await store.listUsers(), []);
    });
  }

  it('import takes a file of before there were roles, and refuses reserved and hostile names', async (t) => {
    const { run, store } = await terminal(t, []);
    const file = join(tempDirectory(t), 'old.db');
    const nvr = new DatabaseSync(file);
    nvr.exec('CREATE TABLE "user" (username VARCHAR(30) PRIMARY KEY, password_hash VARCHAR(120))');
    const { passwordHash } = await person('somebody');
    for (const name of ['anna', 'anonymous', '\u001b[31mred'])
      nvr.prepare('INSERT INTO "user" VALUES (?, ?)').run(name, passwordHash);
    nvr.close();
    const { out } = await run(`import ${file}`);
    assert.match(out, /"\\u001b\[31mred": not added/);
    assert.match(out, /"anonymous": not added: the user name "anonymous" is reserved/);
    assert.deepEqual(
      (await store.listUsers()).map(({ name, role }) => `${name} ${role}`),
      ['anna admin'],
    );
  });

  it('import says why a file cannot be read', async (t) => {
    const { run } = await terminal(t);
    const file = join(tempDirectory(t), 'empty.db');
    new DatabaseSync(file).close();
    assert.deepEqual(
      await run(`import ${file}`),
      refused(`cannot read the users in ${file}: it has no table "user" with names and password hashes\n`),
    );
  });

  const latin1 = Buffer.from('ein Paßwort für später\n', 'latin1');
  const rows: [line: string, piped: string | Buffer, err: string][] = [
    ['add vera', NEW, 'User vera exists already\n'],
    ['add nina --role operator', NEW, 'Role must be one of: gardener, admin, viewer\n'],
    ['add nina', 'short\n', 'Password must be at least 12 characters long\n'],
    ['add nina', '', 'there is no password on standard input: write one there, followed by a line break\n'],
    ['add nina', latin1, 'the password is not in UTF-8: set the terminal or the file to UTF-8, or use plain letters\n'],
    ['password ghost', NEW, 'User not found\n'],
    ['role admin viewer', '', 'Cannot take the role of admin from the last admin\n'],
    ['delete admin', '', 'Cannot delete the last admin\n'],
    ['delete ghost', '', 'User not found\n'],
  ];
  for (const [line, piped, err] of rows) {
    it(`${line} is refused with "${err.trim()}"`, async (t) => {
      const { run, store } = await terminal(t);
      const before = await store.listUsers();
      assert.deepEqual(await run(line, { piped }), refused(err));
      assert.deepEqual(await store.listUsers(), before);
    });
  }
});
