import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rememberedCookie } from '../../../src/accounts/sessions/remembered-cookie.ts';
import type { Caller } from '../../../src/domain/caller.ts';
import type { MaybePromise } from '../../../src/domain/maybe-promise.ts';
import { type UserName, VIEWER } from '../../../src/domain/names.ts';

const vera = (): Caller => ({
  name: 'vera' as UserName,
  role: VIEWER,
  scope: { kind: 'all' },
  credential: { kind: 'session', carriedBy: 'cookie', tokenId: 't', issuedAt: 0, expiresAt: 100 },
});

/** The state that a cookie depends on, and how often one was made. */
function counted(make: (made: number) => MaybePromise<string | undefined> = (made) => `cookie ${made}`) {
  const now = { version: 'a', second: 1 };
  let made = 0;
  const next = () => {
    made += 1;
    return make(made);
  };
  const cookieOf = rememberedCookie(next, {
    version: () => now.version,
    now: () => now.second,
  });
  return { now, cookieOf, made: () => made };
}

const PLAIN = { encrypted: false };

describe('The cookie of a caller', () => {
  const caller = vera();

  it('is made once in a second', () => {
    const { cookieOf, made } = counted();
    assert.deepEqual([cookieOf(caller, PLAIN), cookieOf(caller, { encrypted: false })], ['cookie 1', 'cookie 1']);
    assert.equal(made(), 1);
  });

  // biome-ignore format: a table
  const rows: [sentence: string, change: (now: { version: string; second: number }) => void, caller: Caller, client: Parameters<ReturnType<typeof rememberedCookie>>[1]][] = [
    ['in the next second',                     (now) => (now.second += 1),     caller,               PLAIN],
    ['when the clock is set back',             (now) => (now.second -= 1),     caller,               PLAIN],
    ['after a change of the accounts',         (now) => (now.version = 'b'),   caller,               PLAIN],
    ['for a client that comes over TLS',       () => {},                       caller,               { encrypted: true }],
    ['for a client below another path',        () => {},                       caller,               { encrypted: false, basePath: '/nvr' }],
    ['for another caller who looks the same',  () => {},                       vera(), PLAIN],
  ];
  for (const [sentence, change, asking, client] of rows)
    it(`is made anew ${sentence}`, () => {
      const { now, cookieOf } = counted();
      assert.equal(cookieOf(caller, PLAIN), 'cookie 1');
      change(now);
      assert.equal(cookieOf(asking, client), 'cookie 2');
    });

  it('is made anew when the accounts changed while it was made', async () => {
    const signed = Promise.withResolvers<string>();
    const { now, cookieOf } = counted((made) => (made === 1 ? signed.promise : `cookie ${made}`));
    const first = cookieOf(caller, PLAIN);
    now.version = 'b';
    signed.resolve('of before');
    assert.equal(await first, 'of before');
    assert.equal(cookieOf(caller, PLAIN), 'cookie 2');
  });

  it('is asked for again when there was none', () => {
    const { cookieOf, made } = counted(() => undefined);
    assert.deepEqual([cookieOf(caller, PLAIN), cookieOf(caller, PLAIN)], [undefined, undefined]);
    assert.equal(made(), 2);
  });
});
