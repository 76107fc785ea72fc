/** The bounds of what one client has under way, as numbers. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TrustedNetworks } from '../../src/domain/addresses.ts';
import { clientKey } from '../../src/domain/addresses.ts';
import { Ending } from '../../src/domain/async.ts';
import type { Caller, Credential } from '../../src/domain/caller.ts';
import { ALL_CAMERAS } from '../../src/domain/camera-scope.ts';
import type { CameraName, Role, UserName } from '../../src/domain/names.ts';
import { type ClientLimits, createClientLimits, MOST_UNDER_WAY } from '../../src/gateway/decision/client-limits.ts';

const PROXY = '10.0.0.1';
const trusted: TrustedNetworks = { includes: (address) => address === PROXY };
const SESSION: Credential = { kind: 'session', tokenId: 'a', issuedAt: 0, expiresAt: 1, carriedBy: 'cookie' };
const callerOf = (name: string, credential: Credential = SESSION): Caller => ({
  name: name as UserName,
  role: 'viewer' as Role,
  scope: ALL_CAMERAS,
  credential,
});

const linkCredential = (at: number): Credential => ({
  kind: 'link',
  linkId: `${at}`,
  thing: { kind: 'live', camera: 'cam1' as CameraName },
  expiresAt: 1,
});

/** How many of `count` get in; `of` says who each is. */
function letIn(count: number, of: (index: number) => { readonly address: string; readonly caller?: Caller }) {
  const clientLimits = createClientLimits(clientKey);
  const entered = Array.from({ length: count }, (_, index) => of(index)).flatMap(
    ({ address, caller }) => enter(clientLimits, address, caller) ?? [],
  );
  return { clientLimits, entered };
}

/** The end of a request that has its place; undefined where there was none. */
function enter(clientLimits: ClientLimits, address: string, caller?: Caller): Ending | undefined {
  const ending = new Ending();
  return clientLimits.placeUntil(ending)({ client: { address }, caller }, trusted) && ending;
}

const V6 = (network: number, host: number): string => `2001:db8:0:${network.toString(16)}::${host.toString(16)}`;

describe('Under way at once', () => {
  // biome-ignore format: a table
  const cases: readonly [sentence: string, of: (index: number) => { address: string; caller?: Caller }, most: number][] = [
    ['from one address without a login',                () => ({ address: '192.0.2.1' }),                                                           MOST_UNDER_WAY.ofAddressWithoutLogin],
    ['from one IPv6 network without a login',           (at) => ({ address: V6(1, at) }),                                                           MOST_UNDER_WAY.ofAddressWithoutLogin],
    ['from many networks without a login',              (at) => ({ address: V6(at, 1) }),                                                           MOST_UNDER_WAY.withoutLogin],
    ['by one caller from many addresses',               (at) => ({ address: V6(at, 1), caller: callerOf('vera') }),                                  MOST_UNDER_WAY.ofCaller],
    ['by one caller with many sessions and tokens',     (at) => ({ address: V6(at, 1), caller: callerOf('vera', { kind: 'api-token', tokenId: `${at}` }) }), MOST_UNDER_WAY.ofCaller],
    ['by links of one maker: half of what the maker has', (at) => ({ address: V6(at, 1), caller: callerOf('vera', linkCredential(at)) }),     MOST_UNDER_WAY.ofCaller / 2],
    ['by many callers from one address',                (at) => ({ address: '192.0.2.1', caller: callerOf(`user${at}`) }),                           MOST_UNDER_WAY.ofAddress],
    ['by many callers from the address of a trusted proxy', (at) => ({ address: PROXY, caller: callerOf(`user${at}`) }),                            2000],
    ['through a trusted proxy that names no client, without a login', () => ({ address: PROXY }),                                                   MOST_UNDER_WAY.withoutLogin],
  ];
  for (const [sentence, of, most] of cases)
    it(`${sentence}: ${most}`, () => assert.equal(letIn(2000, of).entered.length, most));

  it('are forty cameras on twelve pages of one account, and of two accounts at one address more', () => {
    assert.ok(MOST_UNDER_WAY.ofCaller >= 12 * 40);
    assert.ok(MOST_UNDER_WAY.ofAddress > 18 * 40);
  });

  it('as many as leave, so many enter again', () => {
    const { clientLimits, entered } = letIn(2000, () => ({ address: '192.0.2.1' }));
    entered.pop()?.end();
    const again = enter(clientLimits, '192.0.2.1');
    assert.ok(again);
    assert.equal(enter(clientLimits, '192.0.2.1'), undefined);
    for (const ending of [...entered, again]) ending.end();
    assert.equal(clientLimits.taken(), 0);
    assert.ok(enter(clientLimits, '192.0.2.1'));
  });

  it('of one request are one, however often it is asked for', () => {
    const clientLimits = createClientLimits(clientKey);
    const takePlace = clientLimits.placeUntil(new Ending());
    const who = { client: { address: '192.0.2.1' }, caller: callerOf('vera') };
    assert.deepEqual([takePlace(who, trusted), takePlace(who, trusted)], [[['name vera', 1]], [['name vera', 1]]]);
    assert.equal(clientLimits.taken(), 1);
  });

  it('are given back at once to a client that has left before', () => {
    const clientLimits = createClientLimits(clientKey);
    const ending = new Ending();
    ending.end();
    assert.ok(clientLimits.placeUntil(ending)({ client: { address: '192.0.2.1' }, caller: callerOf('vera') }, trusted));
    assert.equal(clientLimits.taken(), 0);
  });

  it('without a login do not keep callers of the same address out', () => {
    const { clientLimits } = letIn(2000, () => ({ address: '192.0.2.1' }));
    assert.ok(enter(clientLimits, '192.0.2.1', callerOf('vera')));
  });
});
