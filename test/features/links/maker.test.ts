/** The maker of a link as of now: another account of the same name, another mode, or a debt of a second factor is worth nothing (SPEC 13). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createGrantMemory, createMakers, type GrantServices } from '../../../src/accounts/grants/grants.ts';
import { createStoreGrace } from '../../../src/accounts/sessions/store-grace.ts';
import type { User } from '../../../src/domain/accounts/account.ts';
import type { GrantMaker } from '../../../src/domain/accounts/grant.ts';
import type { Role, UserName } from '../../../src/domain/names.ts';
import { parseLimits } from '../../../src/domain/rights.ts';
import { linkCaller } from '../../../src/features/links/links.ts';

const NOW = 1_800_000_000;
const [GUS, GARDENER] = ['gus' as UserName, 'gardener' as Role];
const USER: User = { name: GUS, role: GARDENER, passwordHash: '', passwordChangedAt: null, createdAt: 5 };
const MAKER: GrantMaker = { user: GUS, userCreatedAt: 5, tokenId: null, role: GARDENER };
const limits = parseLimits({ deny: ['ptz'], history_since: '7d' });
const clock = { now: () => NOW * 1000 };
/** As it is kept. */
const withUser = (user: User | undefined) =>
  createGrantMemory({
    store: { accounts: { findUser: async () => user } } as unknown as GrantServices['store'],
    clock,
    grace: createStoreGrace(),
  });
type Services = Omit<GrantServices, 'store'>;
const deps = (change: Partial<Services> = {}, user: User | undefined = USER): Services => ({
  grants: withUser(user),
  clock,
  roles: () => ({
    cameras: new Map([[GARDENER, ['garden', 'yard']]]),
    limits: new Map(limits.ok ? [[GARDENER, limits.value]] : []),
    zone: 'UTC',
  }),
  authEnabled: true,
  owesFactor: () => false,
  callerOfToken: async () => undefined,
  ...change,
});

/** What closes the maker closes its links. */
async function makerNow(maker: GrantMaker, given: Services) {
  const rights = await createMakers(given)(maker);
  return rights?.closed ? undefined : rights;
}

describe('The maker of a link', () => {
  it('is the account of the same time, and what limits it limits the link, to one camera', async () => {
    const rights = await makerNow(MAKER, deps());
    assert.ok(rights);
    const link = { id: 'l', thing: { kind: 'live', camera: 'garden' }, expiresAt: 9e9 } as const;
    const { role, scope, denied, history, credential } = linkCaller(link, rights, 'v');
    assert.deepEqual([role, denied, history], [GARDENER, ['ptz'], { seconds: 7 * 86_400 }]);
    assert.deepEqual(scope, { kind: 'only', names: new Set(['garden']), wildcards: [] });
    assert.deepEqual(credential, { kind: 'link', linkId: 'l', thing: link.thing, expiresAt: 9e9, viewer: 'v' });
    assert.equal(linkCaller({ ...link, thing: { kind: 'live', camera: 'street' } }, rights).scope.kind, 'only');
  });

  // biome-ignore format: a table
  const worthless: readonly (readonly [why: string, maker: Partial<GrantMaker>, deps: Services])[] = [
    ['an account that is gone',                 {},                                  deps({ grants: withUser(undefined) })],
    ['an account made again under that name',   {},                                  deps({}, { ...USER, createdAt: 6 })],
    ['an account, where a proxy logs in',       {},                                  deps({ authEnabled: false })],
    ['an account that owes a second factor',    {},                                  deps({ owesFactor: () => true })],
    ['a guest whose time is over',              {},                                  deps({}, { ...USER, validUntil: NOW })],
    ['a user of a proxy, where accounts log in', { userCreatedAt: null },            deps()],
    ['an API token that no longer holds',       { tokenId: 't' },                    deps()],
  ];
  for (const [why, change, given] of worthless)
    it(`is worth nothing as ${why}`, async () =>
      assert.equal(await makerNow({ ...MAKER, ...change }, given), undefined));

  it('is a user of a proxy with the role of the creation, while a proxy logs in', async () => {
    const rights = await makerNow({ ...MAKER, userCreatedAt: null }, deps({ authEnabled: false }, undefined));
    assert.deepEqual([rights?.name, rights?.role], [GUS, GARDENER]);
  });
});
