import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { type CookieSettings, cookieLine, importSigningKey } from '../../../src/accounts/sessions/session-jwt.ts';
import { signingKey } from '../../../src/accounts/sessions/signing-secret.ts';
import { createStoreGrace } from '../../../src/accounts/sessions/store-grace.ts';
import type { User } from '../../../src/domain/accounts/account.ts';
import type { Caller, Credential } from '../../../src/domain/caller.ts';
import { ALL_CAMERAS, maySee, NO_CAMERAS } from '../../../src/domain/camera-scope.ts';
import type { Role } from '../../../src/domain/names.ts';
import { LATE_SECONDS } from '../../../src/store/engine/tables.ts';
import { openStore } from '../../../src/store/open-store.ts';
import { until } from '../../support/until.ts';
import { handMadeToken, OTHER_SECRET, SIGNING_SECRET } from '../support/hand-made-token.ts';
import { handClock, IN_FORCE, NOW, openAccounts, PASSWORD, person, quickHasher } from '../support/people.ts';
import { type SessionsOf, sessionsOf } from '../support/sessions-of.ts';
import { tempDirectory } from '../support/temp-directory.ts';

const key = await importSigningKey(signingKey(SIGNING_SECRET));
const COOKIE = { name: 'frigate_token', secure: 'auto', sameSite: 'lax', path: '/' } as const;

/** Sessions of vera, a viewer, and what they are made of. */
async function instance(t: TestContext, changes: Partial<SessionsOf> = {}) {
  const clock = handClock();
  const store = await openAccounts(t);
  const vera = await person('vera');
  await store.addUser(vera);
  const ends = new Map<string, number>();
  const parts: SessionsOf = {
    ends: {
      latest: (id) => ends.get(id),
      recorded: async () => undefined,
      note: (id, end) => void ends.set(id, Math.max(end, ends.get(id) ?? 0)),
    },
    store,
    key,
    clock,
    roles: () => IN_FORCE,
    ...changes,
  };
  const sessions = sessionsOf(parts);
  const callerWith = async (token: string, carriedBy: 'cookie' | 'bearer' = 'cookie'): Promise<Caller> => {
    const verdict = await sessions.verify(token, carriedBy);
    return verdict.kind === 'valid' ? verdict.caller : assert.fail(verdict.reason);
  };
  const reasonFor = async (token: string): Promise<string | undefined> => {
    const verdict = await sessions.verify(token, 'cookie');
    return verdict.kind === 'invalid' ? verdict.reason : undefined;
  };
  return { clock, store, vera, parts, sessions, callerWith, reasonFor };
}

const newPassword = async (user: User): Promise<string> => (await person(user.name)).passwordHash;
const sessionOf = (caller: Caller): Extract<Credential, { kind: 'session' }> =>
  caller.credential.kind === 'session' ? caller.credential : assert.fail('no session');

const claimsOf = (token = ''): { readonly role?: string } =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

describe('A session', () => {
  it('is valid for exactly the session length, and not in the second of its end (interface 5.1.4)', async (t) => {
    const { clock, vera, sessions, reasonFor } = await instance(t, { sessionLength: 604_800 });
    const token = await sessions.issue(vera);
    const reasons = [];
    for (const age of [0, 604_799, 604_800]) {
      clock.at(NOW + age);
      reasons.push(await reasonFor(token));
    }
    assert.deepEqual(reasons, [undefined, undefined, 'expired']);
  });

  it('says who calls, and how the token was carried', async (t) => {
    const { vera, sessions, callerWith } = await instance(t);
    const caller = await callerWith(await sessions.issue(vera), 'bearer');
    const { tokenId, secretsDigest } = sessionOf(caller);
    const times = { issuedAt: NOW, expiresAt: NOW + 86_400, authenticatedAt: NOW, provenAt: NOW };
    assert.deepEqual(caller, {
      name: 'vera',
      role: 'viewer',
      scope: ALL_CAMERAS,
      credential: { kind: 'session', tokenId, ...times, carriedBy: 'bearer', secretsDigest },
    });
    assert.match(tokenId, /^[0-9a-f-]{36}$/);
    assert.match(secretsDigest ?? '', /^[\w-]{16}$/);
  });

  it('has the role that the user has now, whatever the token says (F11)', async (t) => {
    const { vera, store, sessions, callerWith } = await instance(t);
    const forged = handMadeToken({ payload: { sub: 'vera', role: 'admin', iat: NOW, exp: NOW + 60 } });
    assert.equal((await callerWith(forged)).role, 'viewer');
    const token = await sessions.issue(vera);
    await store.setRole(vera.name, 'gardener' as Role);
    const { role, scope } = await callerWith(token);
    assert.deepEqual([role, maySee(scope, 'patio_1'), maySee(scope, 'street')], ['gardener', true, false]);
  });

  it('of a user whose role is not defined sees no camera', async (t) => {
    const { store, sessions, callerWith } = await instance(t);
    const stray = await person('stray', { role: 'operator' });
    await store.addUser(stray);
    assert.deepEqual((await callerWith(await sessions.issue(stray))).scope, NO_CAMERAS);
  });

  it('with session length 0 lasts ten seconds (interface 5.1.4)', async (t) => {
    const { clock, vera, sessions, reasonFor } = await instance(t, { sessionLength: 0 });
    const token = await sessions.issue(vera);
    clock.advance(9);
    assert.equal(await reasonFor(token), undefined);
    clock.advance(1);
    assert.equal(await reasonFor(token), 'expired');
  });

  it('whose token is new here waits while a few others are checked: after a restart thousands may come at once', async (t) => {
    const { vera, parts, sessions } = await instance(t);
    const tokens = await Promise.all(Array.from({ length: 50 }, () => sessions.issue(vera)));
    const restarted = sessionsOf(parts);
    let [underWay, most] = [0, 0];
    const verify = crypto.subtle.verify.bind(crypto.subtle);
    t.mock.method(crypto.subtle, 'verify', async (...given: Parameters<typeof verify>) => {
      underWay += 1;
      most = Math.max(most, underWay);
      return verify(...given).finally(() => {
        underWay -= 1;
      });
    });
    const verdicts = await Promise.all(
      [...tokens, ...tokens, 'a.b.c'].map((token) => restarted.verify(token, 'cookie')),
    );
    assert.equal(verdicts.filter(({ kind }) => kind === 'valid').length, 100);
    assert.ok(most > 0 && most < 20, `checked at once: ${most}`);
  });

  it('is remembered by its text, and still refused once it is over', async (t) => {
    const { clock, vera, sessions, reasonFor } = await instance(t);
    const token = await sessions.issue(vera);
    assert.equal(await reasonFor(token), undefined);
    assert.equal(await reasonFor(token), undefined);
    clock.advance(86_400);
    assert.equal(await reasonFor(token), 'expired');
  });
});

describe('A session is over at the next request', () => {
  type Runtime = Awaited<ReturnType<typeof instance>>;
  const rows: [
    sentence: string,
    happens: (instance: Runtime, token: string) => Promise<unknown>,
    reason: string | undefined,
  ][] = [
    ['after logout', async ({ sessions, callerWith }, token) => sessions.end(await callerWith(token)), 'revoked'],
    ['after the user is deleted', ({ store, vera }) => store.deleteUser(vera.name), 'user-gone'],
    [
      'after a change of password, even in the same second (F25)',
      async ({ store, vera }) => store.setPassword(vera.name, await newPassword(vera), NOW),
      'password-changed',
    ],
    [
      'after a change of password a second later',
      async ({ store, vera }) => store.setPassword(vera.name, await newPassword(vera), NOW + 1),
      'password-changed',
    ],
    [
      'when the user was made again under the same name, even in the same second',
      async ({ store, vera }) => {
        await store.deleteUser(vera.name);
        await store.addUser({ ...(await person('vera')), createdAt: NOW });
      },
      'password-changed',
    ],
    [
      'but not when a hash is only strengthened',
      async ({ store, vera }) => {
        const outcome = await quickHasher().strengthen(PASSWORD, vera.passwordHash.replace('$10$', '$5$'));
        assert.ok(outcome !== undefined);
        await store.rehashPassword(vera.name, vera.passwordHash, outcome);
        assert.equal((await store.findUser(vera.name))?.passwordHash, outcome);
      },
      undefined,
    ],
    [
      'but not after another session of the user logs out',
      async ({ sessions, vera, callerWith }) => sessions.end(await callerWith(await sessions.issue(vera))),
      undefined,
    ],
  ];
  for (const [sentence, happens, reason] of rows) {
    it(sentence, async (t) => {
      const rooms = await instance(t);
      const token = await rooms.sessions.issue(rooms.vera);
      assert.equal(await rooms.reasonFor(token), undefined);
      await happens(rooms, token);
      assert.equal(await rooms.reasonFor(token), reason);
    });
  }
});

describe('A revocation is kept for as long as a token can hold that another replica signed', () => {
  const DAY = 86_400;
  const rows: [sentence: string, deps: Partial<SessionsOf>, seconds: number][] = [
    ['until the session is over by its age', { sessionLength: 600, maxAge: 30 * DAY }, 30 * DAY],
    ['until a token is over that was signed in the grace', { sessionLength: 600, graceSeconds: 60 }, 660],
  ];
  for (const [sentence, deps, seconds] of rows)
    it(sentence, async (t) => {
      const { sessions, store, vera, callerWith } = await instance(t, deps);
      const caller = await callerWith(await sessions.issue(vera));
      await sessions.end(caller);
      await store.forgetEnded(NOW + seconds + LATE_SECONDS);
      assert.equal(await store.isRevoked(sessionOf(caller).tokenId), true);
    });

  it('also where a shorter one was noted first', async (t) => {
    const { store } = await instance(t);
    for (const expiresAt of [NOW + 10, NOW + 1000, NOW + 100]) await store.revokeToken('s1', expiresAt);
    await store.forgetEnded(NOW + 1000 + LATE_SECONDS);
    assert.equal(await store.isRevoked('s1'), true);
  });
});

describe('A token of the reference', () => {
  const rows: [sentence: string, claims: object, row: Partial<User>, reason: string | undefined][] = [
    ['is accepted', {}, {}, undefined],
    ['is void when issued before the last change of password', {}, { passwordChangedAt: NOW - 99 }, 'password-changed'],
    ['holds when issued in the second of that change', {}, { passwordChangedAt: NOW - 99.5 }, undefined],
    ['is void when issued before its user was made', {}, { createdAt: NOW - 99 }, 'user-gone'],
    ['holds when issued in the second its user was made', {}, { createdAt: NOW - 99.5 }, undefined],
    ['is void for an unknown user', { sub: 'ghost' }, {}, 'user-gone'],
    ['is void for another spelling of the name', { sub: 'Vera' }, {}, 'user-gone'],
  ];
  for (const [sentence, claims, row, reason] of rows) {
    it(sentence, async (t) => {
      const { store, vera, reasonFor } = await instance(t);
      await store.deleteUser(vera.name);
      await store.addUser({ ...vera, ...row });
      const payload = { sub: 'vera', role: 'viewer', iat: NOW - 100, exp: NOW + 100, ...claims };
      assert.equal(await reasonFor(handMadeToken({ payload })), reason);
    });
  }

  it('can be ended, and is then known by its signature', async (t) => {
    const { sessions, callerWith, reasonFor } = await instance(t);
    const token = handMadeToken({ payload: { sub: 'vera', role: 'viewer', iat: NOW, exp: NOW + 100 } });
    await sessions.end(await callerWith(token));
    assert.equal(await reasonFor(token), 'revoked');
  });

  it('of the NVR, which does not say when the login was, counts from when it was issued', async (t) => {
    const { clock, callerWith, sessions, reasonFor } = await instance(t, { maxAge: 100 });
    const payload = { sub: 'vera', role: 'viewer', iat: NOW, exp: NOW + 10_000 };
    const token = handMadeToken({ payload });
    clock.advance(99);
    assert.equal(await reasonFor(token), undefined);
    const ending = { ...payload, exp: NOW + 99 + 1 };
    assert.equal(await sessions.renew(await callerWith(handMadeToken({ payload: ending }))), undefined);
    clock.advance(1);
    assert.equal(await reasonFor(token), 'expired');
  });

  for (const auth_time of [NOW + 1, 1.5, `${NOW}`, null, [NOW]]) {
    it(`with ${JSON.stringify(auth_time)} as the time of its login is void`, async (t) => {
      const { reasonFor } = await instance(t);
      const payload = { sub: 'vera', role: 'viewer', iat: NOW, exp: NOW + 100, auth_time };
      assert.equal(await reasonFor(handMadeToken({ payload })), 'claims');
    });
  }

  it('under another secret is void (interface 5.3)', async (t) => {
    const { reasonFor } = await instance(t);
    const payload = { sub: 'vera', role: 'viewer', iat: NOW, exp: NOW + 100 };
    assert.equal(await reasonFor(handMadeToken({ payload, secret: OTHER_SECRET })), 'signature');
  });
});

describe('A session is renewed', () => {
  const rows: [
    sentence: string,
    lengths: { sessionLength: number; refreshTime: number },
    age: number,
    isRenewed: boolean,
  ][] = [
    ['inside the refresh time', { sessionLength: 86_400, refreshTime: 1800 }, 86_400 - 1800, true],
    ['not before it', { sessionLength: 86_400, refreshTime: 1800 }, 86_400 - 1801, false],
    [
      'not with every request when the refresh time is longer than the session',
      { sessionLength: 60, refreshTime: 1800 },
      29,
      false,
    ],
    ['past half its life at the latest', { sessionLength: 60, refreshTime: 1800 }, 30, true],
    ['never with session length 0', { sessionLength: 0, refreshTime: 1800 }, 9, false],
  ];
  for (const [sentence, lengths, age, isRenewed] of rows) {
    it(sentence, async (t) => {
      const { clock, vera, sessions, callerWith } = await instance(t, lengths);
      const caller = await callerWith(await sessions.issue(vera));
      clock.advance(age);
      const renewed = await sessions.renewalFor(caller);
      assert.equal(renewed !== undefined, isRenewed);
      if (renewed === undefined) return;
      assert.equal(sessionOf(await callerWith(renewed)).expiresAt, NOW + age + lengths.sessionLength);
    });
  }

  it('while the old token stays good: two requests may ask at once (F29)', async (t) => {
    const { clock, vera, sessions, callerWith, reasonFor } = await instance(t);
    const token = await sessions.issue(vera);
    const caller = await callerWith(token);
    clock.advance(86_399);
    const [one, two] = await Promise.all([sessions.renewalFor(caller), sessions.renewalFor(caller)]);
    assert.deepEqual(await Promise.all([token, one ?? '', two ?? ''].map(reasonFor)), [
      undefined,
      undefined,
      undefined,
    ]);
    assert.equal(one, two);
  });

  it('into the same session: to end one of its tokens is to end them all', async (t) => {
    const { clock, vera, sessions, callerWith, reasonFor } = await instance(t);
    const token = await sessions.issue(vera);
    const caller = await callerWith(token);
    clock.advance(60);
    const renewed = (await sessions.renew(caller)) ?? '';
    await sessions.end(caller);
    assert.deepEqual(await Promise.all([token, renewed].map(reasonFor)), ['revoked', 'revoked']);
  });

  it('once a minute at most, with whichever of its tokens', async (t) => {
    const { clock, vera, sessions, callerWith } = await instance(t);
    const first = await sessions.renew(await callerWith(await sessions.issue(vera)));
    clock.advance(59);
    const second = await sessions.renew(await callerWith(first ?? ''));
    clock.advance(1);
    const third = await sessions.renew(await callerWith(first ?? ''));
    assert.equal(second, first);
    assert.notEqual(third, first);
    assert.equal(sessionOf(await callerWith(third ?? '')).expiresAt, NOW + 60 + 86_400);
  });

  for (const sessionLength of [4, 20, 45, 60, 100]) {
    it(`so that a session of ${sessionLength} s that is used each second goes on`, async (t) => {
      const { clock, vera, sessions, callerWith } = await instance(t, { sessionLength });
      let token = await sessions.issue(vera);
      for (let second = 0; second < 3 * sessionLength; second += 1) {
        clock.advance(1);
        const caller = await callerWith(token);
        token = (await sessions.renewalFor(caller)) ?? token;
      }
    });
  }

  it('only when it is carried by cookie', async (t) => {
    const { clock, vera, sessions, callerWith } = await instance(t);
    const caller = await callerWith(await sessions.issue(vera), 'bearer');
    clock.advance(86_399);
    assert.deepEqual([await sessions.renewalFor(caller), await sessions.renew(caller)], [undefined, undefined]);
  });

  it('with the role that the user has now (F11)', async (t) => {
    const { store, vera, sessions, callerWith } = await instance(t);
    const caller = await callerWith(await sessions.issue(vera));
    await store.setRole(vera.name, 'gardener' as Role);
    assert.equal(claimsOf(await sessions.renew(caller)).role, 'gardener');
  });

  describe('anew, also within the minute, when', () => {
    it('the role has become another one', async (t) => {
      const { store, vera, sessions, callerWith } = await instance(t);
      const caller = await callerWith(await sessions.issue(vera));
      assert.equal(claimsOf(await sessions.renew(caller)).role, 'viewer');
      await store.setRole(vera.name, 'gardener' as Role);
      assert.equal(claimsOf(await sessions.renew(caller)).role, 'gardener');
    });

    it('the password has become another one, which only a token of the NVR outlives', async (t) => {
      const { store, vera, sessions, callerWith, reasonFor } = await instance(t);
      const token = handMadeToken({ payload: { sub: 'vera', role: 'viewer', iat: NOW, exp: NOW + 60 } });
      await sessions.renew(await callerWith(token));
      await store.setPassword(vera.name, await newPassword(vera), NOW - 1);
      const renewed = (await sessions.renew(await callerWith(token))) ?? assert.fail();
      assert.equal(await reasonFor(renewed), undefined);
    });

    it('the password was given again', async (t) => {
      const { clock, vera, sessions, callerWith } = await instance(t);
      const caller = await callerWith(await sessions.issue(vera));
      await sessions.renew(caller);
      clock.advance(30);
      const proven = await callerWith((await sessions.prove(caller)) ?? assert.fail());
      const renewed = await callerWith((await sessions.renew(proven)) ?? assert.fail());
      assert.equal(sessionOf(renewed).provenAt, NOW + 30);
    });
  });

  it('at any time by /auth (interface 5.1.5), but not with session length 0', async (t) => {
    const long = await instance(t);
    assert.notEqual(await long.sessions.renew(await long.callerWith(await long.sessions.issue(long.vera))), undefined);
    const none = await instance(t, { sessionLength: 0 });
    assert.equal(await none.sessions.renew(await none.callerWith(await none.sessions.issue(none.vera))), undefined);
  });

  type Ended = (rooms: Awaited<ReturnType<typeof instance>>, caller: Caller) => Promise<unknown>;
  // biome-ignore format: a table
  const endings: [sentence: string, end: Ended][] = [
    ['when its user is gone',                                 ({ store, vera }) => store.deleteUser(vera.name)],
    ['when it was ended while its request was under way',     ({ sessions }, caller) => sessions.end(caller)],
    ['when the password was changed in the meantime',         async ({ store, vera }) => store.setPassword(vera.name, await newPassword(vera), NOW)],
    ['for a new user of the same name', async ({ store, vera }) => {
      await store.deleteUser(vera.name);
      await store.addUser(await person('vera'));
    }],
  ];
  for (const [sentence, end] of endings) {
    it(`not ${sentence}`, async (t) => {
      const rooms = await instance(t);
      const caller = await rooms.callerWith(await rooms.sessions.issue(rooms.vera));
      await end(rooms, caller);
      assert.equal(await rooms.sessions.renew(caller), undefined);
    });
  }
});

describe('A session that is looked at again', () => {
  async function renewThenWait({ sessions, caller, clock }: Awaited<ReturnType<typeof openRuntime>>): Promise<void> {
    clock.advance(80_000);
    await sessions.renew(caller);
    clock.advance(10_000);
  }
  // biome-ignore format: a table
  const rows: [sentence: string, change: (instance: Awaited<ReturnType<typeof openRuntime>>) => Promise<unknown> | unknown, role: string | undefined][] = [
    ['holds while nothing has changed',          () => {}, 'viewer'],
    ['is over at its end',                       ({ clock }) => clock.advance(90_000), undefined],
    ['holds beyond its end when it was renewed', renewThenWait, 'viewer'],
    ['has the role that its user has now',       ({ store, vera }) => store.setRole(vera.name, 'gardener' as Role), 'gardener'],
    ['is over when it was ended',                ({ sessions, caller }) => sessions.end(caller), undefined],
    ['is over when its user is gone',            ({ store, vera }) => store.deleteUser(vera.name), undefined],
    ['is over when the password is another one', ({ store, vera }) => store.setPassword(vera.name, 'pbkdf2_sha256$10$newsalt$x', NOW), undefined],
  ];
  const openRuntime = async (t: TestContext) => {
    const opened = await instance(t);
    return { ...opened, caller: await opened.callerWith(await opened.sessions.issue(opened.vera)) };
  };
  for (const [sentence, change, role] of rows) {
    it(sentence, async (t) => {
      const opened = await openRuntime(t);
      await change(opened);
      assert.equal((await opened.sessions.recheck(opened.caller))?.role, role);
    });
  }
});

describe('Accounts are read', () => {
  it('once for each version of them, when there is a version to go by', async (t) => {
    const { store, vera } = await instance(t);
    let [version, reads] = [1, 0];
    const counted = {
      ...store,
      findHolder: (name: string, tokenId: string) => {
        reads += 1;
        return store.findHolder(name, tokenId);
      },
    };
    const { sessions } = await instance(t, {
      store: counted,
      grace: createStoreGrace({ version: () => String(version) }),
    });
    const token = await sessions.issue(vera);
    const kinds = [];
    for (let request = 0; request < 3; request += 1) kinds.push((await sessions.verify(token, 'cookie')).kind);
    assert.deepEqual([kinds, reads], [['valid', 'valid', 'valid'], 1]);
    await store.deleteUser(vera.name);
    version += 1;
    assert.deepEqual(await sessions.verify(token, 'cookie'), { kind: 'invalid', reason: 'user-gone' });
  });

  it('anew when another process, such as the command line, has changed them', { timeout: 300_000 }, async (t) => {
    const directory = tempDirectory(t);
    const here = await openStore({ url: `sqlite:${join(directory, 'postern.db')}` });
    t.after(here.close);
    const { vera, sessions, reasonFor } = await instance(t, {
      store: here.accounts,
      grace: createStoreGrace({ version: here.version }),
    });
    await here.accounts.addUser(vera);
    const token = await sessions.issue(vera);
    assert.equal(await reasonFor(token), undefined);
    const elsewhere = await openAccounts(t, directory);
    await elsewhere.addUser(await person('boss', { role: 'admin' }));
    assert.equal(await reasonFor(token), undefined);
    const before = here.version();
    await elsewhere.deleteUser(vera.name);
    await until('the version of the store rises', () => here.version() !== before);
    assert.equal(await reasonFor(token), 'user-gone');
  });

  it('with a fault that is not taken for an answer', async (t) => {
    const broken = { ...(await openAccounts(t)), findHolder: () => Promise.reject(new Error('disk')) };
    const { vera, sessions } = await instance(t, { store: broken });
    const token = await sessions.issue(vera);
    await assert.rejects(async () => sessions.verify(token, 'cookie'), /disk/);
  });
});

describe('The session cookie', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, cookie: Partial<CookieSettings>, clientEncrypted: boolean, line: string][] = [
    ['is as the reference writes it',             {}, false, 'frigate_token=TOKEN; HttpOnly; Max-Age=86400; Path=/; SameSite=lax'],
    ['is Secure by itself over TLS',              {}, true, 'frigate_token=TOKEN; HttpOnly; Max-Age=86400; Path=/; SameSite=lax; Secure'],
    ['is Secure everywhere when that is asked',   { secure: true }, false, 'frigate_token=TOKEN; HttpOnly; Max-Age=86400; Path=/; SameSite=lax; Secure'],
    ['is never Secure when that is asked',        { secure: false }, true, 'frigate_token=TOKEN; HttpOnly; Max-Age=86400; Path=/; SameSite=lax'],
    ['is Secure whenever it is SameSite=none',    { sameSite: 'none' }, false, 'frigate_token=TOKEN; HttpOnly; Max-Age=86400; Path=/; SameSite=none; Secure'],
    ['keeps to its name and path',                { name: 'nvr', path: '/nvr/', sameSite: 'strict' }, false, 'nvr=TOKEN; HttpOnly; Max-Age=86400; Path=/nvr/; SameSite=strict'],
  ];
  for (const [sentence, cookie, clientEncrypted, line] of rows) {
    it(sentence, () => assert.equal(cookieLine({ ...COOKIE, ...cookie }, 'TOKEN', 86_400, { clientEncrypted }), line));
  }

  it('is cleared under the same attributes', async (t) => {
    const { sessions } = await instance(t);
    assert.deepEqual(sessions.clearedCookies({ clientEncrypted: true }), [
      'frigate_token=; HttpOnly; Max-Age=0; Path=/; SameSite=lax; Secure',
    ]);
  });

  it('lives ten seconds with session length 0', async (t) => {
    const { sessions } = await instance(t, { sessionLength: 0 });
    assert.match(sessions.cookieFor('TOKEN', { clientEncrypted: false }), /; Max-Age=10;/);
  });
});
