/** The bounds of what one client has under way, as numbers. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clientKey } from '../../src/accounts/login/client-key.ts';
import type { Caller, Credential } from '../../src/domain/caller.ts';
import { ALL_CAMERAS } from '../../src/domain/camera-scope.ts';
import type { Role, UserName } from '../../src/domain/names.ts';
import type { TrustedNetworks } from '../../src/gateway/decision/client-address.ts';
import { createClientLimits, MOST_UNDER_WAY } from '../../src/gateway/entry/client-limits.ts';

const PROXY = '10.0.0.1';
const trusted: TrustedNetworks = { includes: (address) => address === PROXY };
const SESSION: Credential = { kind: 'session', tokenId: 'a', issuedAt: 0, expiresAt: 1, carriedBy: 'cookie' };
const callerOf = (name: string, credential: Credential = SESSION): Caller => ({
  name: name as UserName,
  role: 'viewer' as Role,
  scope: ALL_CAMERAS,
  credential,
});

/** How many of `count` get in; `of` says who each is. */
function letIn(count: number, of: (index: number) => { readonly address: string; readonly caller?: Caller }) {
  const clientLimits = createClientLimits(clientKey);
  const leave: (() => void)[] = [];
  for (let index = 0; index < count; index += 1) {
    const { address, caller } = of(index);
    const left = clientLimits.enter({ client: { address }, caller }, trusted);
    if (left) leave.push(left);
  }
  return { clientLimits, leave, entered: leave.length };
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
    ['by many callers from one address',                (at) => ({ address: '192.0.2.1', caller: callerOf(`user${at}`) }),                           MOST_UNDER_WAY.ofAddress],
    ['by many callers from the address of a trusted proxy', (at) => ({ address: PROXY, caller: callerOf(`user${at}`) }),                            2000],
    ['through a trusted proxy that names no client, without a login', () => ({ address: PROXY }),                                                   MOST_UNDER_WAY.withoutLogin],
  ];
  for (const [sentence, of, most] of cases)
    it(`${sentence}: ${most}`, () => assert.equal(letIn(2000, of).entered, most));

  it('are forty cameras on twelve screens of one account, and of two accounts at one address more', () => {
    assert.ok(MOST_UNDER_WAY.ofCaller >= 12 * 40);
    assert.ok(MOST_UNDER_WAY.ofAddress > 18 * 40);
  });

  it('as many as leave, so many enter again, and nothing is kept of who has left', () => {
    const { clientLimits, leave } = letIn(2000, () => ({ address: '192.0.2.1' }));
    const who = { client: { address: '192.0.2.1' }, caller: undefined };
    leave.pop()?.();
    const again = clientLimits.enter(who, trusted);
    assert.ok(again);
    assert.equal(clientLimits.enter(who, trusted), undefined);
    for (const left of [...leave, again]) left();
    const { entered } = letIn(1, () => ({ address: '192.0.2.1' }));
    assert.equal(entered, 1);
    assert.equal(clientLimits.size(), 0);
  });

  it('without a login do not keep callers of the same address out', () => {
    const { clientLimits } = letIn(2000, () => ({ address: '192.0.2.1' }));
    assert.ok(clientLimits.enter({ client: { address: '192.0.2.1' }, caller: callerOf('vera') }, trusted));
  });
});
