import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createGrantMemory } from '../../src/accounts/grants/grants.ts';
import { createRoleRegistry } from '../../src/accounts/roles/roles.ts';
import { createStoreGrace } from '../../src/accounts/sessions/store-grace.ts';
import { createApiTokens, mayGive, newTokenText } from '../../src/accounts/tokens/api-tokens.ts';
import { NEW_GRANT } from '../../src/domain/accounts/grant.ts';
import { ALL_CAMERAS, maySee } from '../../src/domain/camera-scope.ts';
import type { Role, UserName } from '../../src/domain/names.ts';
import { Queries } from '../../src/store/engine/rows.ts';
import type { ApiToken } from '../../src/store/engine/tables.ts';
import { handClock, IN_FORCE, NOW, openInstanceStore, person } from './support/people.ts';

const CAMERAS = ['garden', 'patio_1', 'street'];

/** A store with vera, who has one token of her own role, but for what is changed. */
async function instance(t: TestContext, changes: Partial<ApiToken> = {}, ownerRole = 'viewer', authEnabled = true) {
  const store = await openInstanceStore(t);
  const clock = handClock();
  await store.accounts.addUser(await person('vera', { role: ownerRole }));
  await store.accounts.addUser(await person('root', { role: 'admin' }));
  const { text, id, secretHash } = newTokenText();
  const own = {
    user: 'vera' as UserName,
    userCreatedAt: NOW - 1000,
    role: 'viewer' as Role,
    cameras: null,
    managesAccounts: false,
  };
  await store.grants.add('api-token', {
    ...NEW_GRANT,
    id,
    secretHash,
    name: 'ha',
    ...own,
    createdAt: NOW,
    ...changes,
  });
  const grace = createStoreGrace({ version: store.version });
  const { active: roles } = createRoleRegistry({ store: store.roles, fixed: IN_FORCE, grace });
  const tokens = createApiTokens({ grants: createGrantMemory({ store, clock, grace }), clock, roles, authEnabled });
  const outcome = async (token = text): Promise<string> => {
    const verdict = await tokens.verify(token, 'bearer');
    if (verdict.kind === 'invalid') return verdict.reason;
    const { role, scope } = verdict.caller;
    return `${role}: ${CAMERAS.filter((camera) => maySee(scope, camera)).join(' ')}`;
  };
  return { store, clock, text, id, tokens, outcome };
}

describe('An API token', () => {
  it('has its cameras worked out once, until the token or a role changes', async (t) => {
    const entries = Array.from({ length: 20 }, (_, index) => `*${index}*`);
    const { text, tokens, store } = await instance(t, { role: 'patio' as Role, cameras: entries }, 'patio');
    await store.roles.changeRoles({
      saved: [{ role: 'patio' as Role, cameras: entries.map((entry) => `${entry}_`) }],
      deleted: [],
    });
    const scopeNow = async () => {
      const verdict = await tokens.verify(text, 'bearer');
      assert.ok(verdict.kind === 'valid');
      return verdict.caller.scope;
    };
    const first = await scopeNow();
    assert.equal(await scopeNow(), first);
    assert.ok(maySee(first, 'x7_'));
    await store.roles.changeRoles({ saved: [{ role: 'patio' as Role, cameras: ['garden'] }], deleted: [] });
    assert.ok(!maySee(await scopeNow(), 'x7_'));
  });

  it('says whose it is, and how it came', async (t) => {
    const { text, id, tokens } = await instance(t);
    assert.match(text, /^pst_[0-9a-f]{16}_[0-9a-f]{64}$/);
    assert.deepEqual(await tokens.verify(text, 'basic'), {
      kind: 'valid',
      caller: {
        name: 'vera',
        role: 'viewer',
        scope: ALL_CAMERAS,
        credential: { kind: 'api-token', tokenId: id, carriedBy: 'basic' },
      },
    });
  });

  it('is kept as a digest alone', async (t) => {
    const { store, id, text } = await instance(t);
    const kept = JSON.stringify(await store.grants.find('api-token', { id: id }));
    assert.equal(kept.includes(text.split('_')[2] ?? text), false);
  });

  const other = newTokenText().text.split('_')[2];
  // biome-ignore format: a table
  const bad: [sentence: string, change: (text: string) => string, reason: string][] = [
    ['with another secret is unknown',           (text) => text.replace(/[^_]+$/, other ?? ''), 'unknown'],
    ['with one letter changed is unknown',       (text) => text.slice(0, -1) + (text.endsWith('0') ? '1' : '0'), 'unknown'],
    ['of another id is unknown',                 (text) => text.replace(/_[^_]+_/, '_0123456789abcdef_'), 'unknown'],
    ['without its secret is no token',           (text) => text.replace(/[^_]+$/, ''), 'malformed'],
    ['in upper case is no token',                (text) => text.toUpperCase().replace('PST', 'pst'), 'malformed'],
    ['with something behind is no token',        (text) => `${text}0`, 'malformed'],
    ['with a line break behind is no token',     (text) => `${text}\n`, 'malformed'],
    ['of kilobytes is no token',                 () => `pst_${'0'.repeat(9000)}`, 'malformed'],
  ];
  for (const [sentence, change, reason] of bad) {
    it(sentence, async (t) => {
      const { text, outcome } = await instance(t);
      assert.equal(await outcome(change(text)), reason);
    });
  }

  it('is good until the second of its end', async (t) => {
    const { clock, outcome } = await instance(t, { expiresAt: NOW + 10 });
    clock.advance(9);
    assert.equal(await outcome(), 'viewer: garden patio_1 street');
    clock.advance(1);
    assert.equal(await outcome(), 'expired');
  });

  it('is over with the next question when it is revoked', async (t) => {
    const { store, id, outcome } = await instance(t);
    assert.equal(await outcome(), 'viewer: garden patio_1 street');
    await store.grants.revoke('api-token', { id: id }, 0);
    assert.equal(await outcome(), 'unknown');
  });

  it('dies with its user, and is not valid for a new user of the same name (SPEC 11)', async (t) => {
    const { store, text, outcome } = await instance(t);
    const row = await store.grants.find('api-token', { id: text.split('_')[1] ?? '' });
    await store.accounts.deleteUser('vera' as UserName);
    assert.equal(await outcome(), 'unknown');
    await store.accounts.addUser(await person('vera', { createdAt: NOW }));
    assert.equal(await outcome(), 'unknown');
    assert.ok(row);
    await new Queries(store.db).insert('grants', row, { kind: 'api-token' });
    await new Queries(store.db).insert('token_rights', row);
    assert.equal(await outcome(), 'user-gone', 'even when its row came back');
  });

  it('outlives a change of password: it is no session', async (t) => {
    const { store, outcome } = await instance(t);
    await store.accounts.setPassword('vera' as UserName, 'pbkdf2_sha256$10$other$x', NOW);
    assert.equal(await outcome(), 'viewer: garden patio_1 street');
  });

  it('of a proxy’s user needs no account, and counts only while a proxy says who its users are', async (t) => {
    const token = { user: 'jörg' as UserName, userCreatedAt: null };
    assert.equal(await (await instance(t, token, 'viewer', false)).outcome(), 'viewer: garden patio_1 street');
    const { outcome, tokens, id } = await instance(t, token, 'viewer', true);
    assert.equal(await outcome(), 'user-gone');
    const credential = { kind: 'api-token', tokenId: id } as const;
    const caller = { name: token.user, role: 'viewer' as Role, scope: ALL_CAMERAS, credential };
    assert.equal(await tokens.recheck(caller), undefined);
  });
});

describe('What an API token may see', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, owner: string, role: string, cameras: string[] | null, outcome: string][] = [
    ['is what its role sees',                            'admin',    'admin',    null,                  'admin: garden patio_1 street'],
    ['is less where it was narrowed',                    'viewer',   'viewer',   ['street'],            'viewer: street'],
    ['is less where an admin’s was narrowed',            'admin',    'admin',    ['patio_*'],           'admin: patio_1'],
    ['never is more than its role sees',                 'gardener', 'gardener', ['street', 'garden'],  'gardener: garden'],
    ['is what both patterns hold',                       'gardener', 'gardener', ['*_1'],               'gardener: patio_1'],
    ['is a custom role’s, given by a viewer',            'viewer',   'gardener', null,                  'gardener: garden patio_1'],
    ['shrinks with its owner: an admin who is a viewer', 'viewer',   'admin',    null,                  'viewer: garden patio_1 street'],
    ['shrinks with its owner to the cameras of both',    'gardener', 'viewer',   ['street', 'garden'],  'gardener: garden'],
    ['is nothing when its role is not defined any more', 'admin',    'ghost',    null,                  'ghost: '],
  ];
  for (const [sentence, owner, role, cameras, expected] of rows) {
    it(sentence, async (t) => {
      const { outcome } = await instance(t, { role: role as Role, cameras }, owner);
      assert.equal(await outcome(), expected);
    });
  }

  it('follows its owner’s role from one question to the next', async (t) => {
    const { store, outcome } = await instance(t, { role: 'admin' as Role }, 'admin');
    assert.equal(await outcome(), 'admin: garden patio_1 street');
    await store.accounts.setRole('vera' as UserName, 'gardener' as Role);
    assert.equal(await outcome(), 'gardener: garden patio_1');
  });

  // biome-ignore format: a table
  const gifts: [own: string, wanted: string, may: boolean][] = [
    ['admin', 'admin', true],      ['admin', 'viewer', true],  ['admin', 'gardener', true],
    ['viewer', 'admin', false],    ['viewer', 'viewer', true], ['viewer', 'gardener', true],
    ['gardener', 'admin', false],  ['gardener', 'viewer', false], ['gardener', 'gardener', true], ['gardener', 'guard', false],
  ];
  for (const [own, wanted, may] of gifts)
    it(`${own} ${may ? 'may' : 'may not'} give ${wanted}`, () =>
      assert.equal(mayGive(own as Role, wanted as Role), may));
});

describe('An API token that is looked at again', () => {
  it('is over when revoked or expired, and otherwise its holder is who that is now', async (t) => {
    const { store, clock, id, text, tokens } = await instance(t, { expiresAt: NOW + 10 });
    const verdict = await tokens.verify(text, 'bearer');
    const caller = verdict.kind === 'valid' ? verdict.caller : assert.fail();
    assert.deepEqual(await tokens.recheck(caller), caller);
    await store.accounts.setRole('vera' as UserName, 'gardener' as Role);
    assert.equal((await tokens.recheck(caller))?.role, 'gardener');
    clock.advance(10);
    assert.equal(await tokens.recheck(caller), undefined);
    clock.at(NOW);
    await store.grants.revoke('api-token', { id: id }, 0);
    assert.equal(await tokens.recheck(caller), undefined);
  });
});
