/** Logins of every outcome, and the clauses that stop them (SPEC 4.5, 9). */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { UserName } from '../../../src/domain/names.ts';
import { openStore } from '../../../src/store/open-store.ts';
import { askedForPasskey, logInByPasskey, withPasskey } from '../../support/passkeys.ts';
import { TEST_ITERATIONS, VERA } from '../../support/people.ts';
import { enrolled } from '../../support/second-factor.ts';
import { type Lies, ORIGIN, shown } from '../../support/soft-authenticator.ts';
import { type ConfigTree, type Runtime, startInstance } from '../../support/start-instance.ts';
import { moves } from '../support/driven.ts';

async function started(t: TestContext, auth: object, rest: ConfigTree = {}): Promise<Runtime> {
  const instance = await startInstance({ config: { ...rest, auth: { hash_iterations: TEST_ITERATIONS, ...auth } } });
  t.after(instance.close);
  return instance;
}
const LOGINS = ['logins_total'];
const logIn = (at: Runtime, body: object): Promise<Response> =>
  at.ask('/api/login', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
const once = (result: string) => ({
  [`logins_total{result="${result}"}`]: 1,
});
const WRONG = { user: 'vera', password: 'not the password' };

describe('A login', () => {
  it('with a wrong password', async (t) => {
    const at = await started(t, {});
    await moves(at, LOGINS, () => logIn(at, WRONG), once('bad_credentials'));
  });

  it('that comes too early again', async (t) => {
    const at = await started(t, { failed_login_rate_limit: '1/hour' });
    await logIn(at, WRONG);
    await moves(at, LOGINS, () => logIn(at, WRONG), once('rate_limited'));
  });

  it('where login is disabled', async (t) => {
    const at = await started(t, { enabled: false }, { proxy: { header_map: { user: 'Remote-User' } } });
    await moves(at, LOGINS, () => logIn(at, WRONG), once('disabled'));
  });

  it('without a password', async (t) => {
    const at = await started(t, {});
    await moves(at, LOGINS, () => logIn(at, { user: 'vera' }), once('invalid_request'));
  });

  it('when too many wait for their turn', async (t) => {
    const at = await started(t, { failed_login_rate_limit: null, hash_iterations: 100_000 });
    const statuses: number[] = [];
    const answered = (status: number): number => statuses.filter((each) => each === status).length;
    await moves(
      at,
      LOGINS,
      async () => {
        // Three are at work and 32 wait at most. A busy machine may send the 50 more slowly than they are served.
        while (!statuses.includes(503))
          statuses.push(
            ...(await Promise.all(Array.from({ length: 50 }, async () => (await logIn(at, WRONG)).status))),
          );
      },
      () => ({
        'logins_total{result="busy"}': answered(503),
        'logins_total{result="bad_credentials"}': answered(401),
      }),
    );
    assert.equal(answered(503) + answered(401), statuses.length);
  });

  it('that needs a second factor, with a code that is wrong or right', async (t) => {
    const at = await started(t, {});
    const { codeNow, recoveryCodes } = await enrolled(at, VERA);
    const right = { user: VERA.name, password: VERA.password };
    const [recovery = ''] = recoveryCodes;
    // biome-ignore format: a table
    const rows: [code: string | undefined, result: string][] = [
      [undefined,     'code_asked'],
      ['000000',      'bad_code'],
      [codeNow(),     'success'],
      ['no such one', 'bad_code'],
      [recovery,      'success'],
    ];
    for (const [code, result] of rows)
      await moves(at, LOGINS, () => logIn(at, { ...right, ...(code && { code }) }), once(result));
  });

  it('by a passkey, right, copied and too late', async (t) => {
    const at = await started(t, {}, { server: { public_url: ORIGIN } });
    const { passkey } = await withPasskey(at, VERA);
    const shownNow = async (lies: Lies = {}, seconds = 0): Promise<unknown> => {
      const asked = await askedForPasskey(at);
      at.clock.advance(seconds);
      return logInByPasskey(at, shown(passkey, asked, lies), asked);
    };
    await moves(at, LOGINS, () => shownNow(), once('success'));
    await moves(at, LOGINS, () => shownNow({ counter: 1 }), once('bad_passkey'));
    await moves(at, LOGINS, () => shownNow({}, 301), once('bad_passkey'));
  });

  it('of a guest whose account has ended', async (t) => {
    const at = await started(t, {});
    const store = await openStore({ url: `sqlite:${at.directory}/postern.db` });
    await store.accounts.setValidity(VERA.name as UserName, null, 1);
    await store.close();
    await moves(at, LOGINS, () => logIn(at, { user: VERA.name, password: VERA.password }), once('closed'));
  });

  it('of a person who may not use a password', async (t) => {
    const at = await started(t, { password_login: 'admins' });
    await moves(at, LOGINS, () => logIn(at, { user: VERA.name, password: VERA.password }), once('password_off'));
  });

  it('when the accounts cannot be read', async (t) => {
    const at = await started(t, {});
    const store = await openStore({ url: `sqlite:${at.directory}/postern.db` });
    await store.db.schema.dropTable('users').execute();
    await store.close();
    await moves(at, LOGINS, () => logIn(at, WRONG), once('error'));
  });
});

describe('The login limit', () => {
  it('is told by the place of the clause that is full, as far as five', async (t) => {
    const clauses = ['1/second', '2/minute', '3/hour', '4/day', '5/month', '6/year'];
    const at = await started(t, { failed_login_rate_limit: clauses.join(';') });
    const lengths = [1, 60, 3600, 86_400, 30 * 86_400];
    for (const [place, clause] of [0, 1, 2, 3, 4, 'other'].entries()) {
      await logIn(at, WRONG); // one failure more: the next clause is full
      await moves(at, ['rate_limit_hits_total'], () => logIn(at, WRONG), {
        [`rate_limit_hits_total{scope="ip",clause="${clause}"}`]: 1,
      });
      at.clock.advance(lengths[place] ?? 0);
    }
  });
});
