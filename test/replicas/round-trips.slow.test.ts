/** What a login and a logout ask of PostgreSQL, statement by statement: each is a round trip (SPEC 10). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { ADMIN_PERSON, VERA } from '../support/people.ts';
import { sendJson } from '../support/second-factor.ts';
import { startPostgres, type TestPostgres, withoutPostgres } from '../support/servers/postgres.ts';
import { openSlowLink, type SlowLink } from '../support/servers/slow-link.ts';
import type { Runtime } from '../support/start-instance.ts';
import { until } from '../support/until.ts';
import { type Replicas, startReplicas } from './support/replicas.ts';

/** The messages Parse and Query of PostgreSQL's protocol. */
const STATEMENT =
  /(?:P.{4}\0|Q.{4})(?<text>(?:select|insert|update|delete|with|begin|commit|rollback|set)\b[^\0]*)\0/gs;
/** The heartbeat, and the ledger's own. */
const BESIDE = /^select 1$|ledger_/;
const [RELEASED, FAILED] = ['delete from login_attempts', 'update login_attempts'];
/** The default of `auth.sessions_per_user`. */
const MOST_SESSIONS = 50;

describe('On PostgreSQL', { skip: withoutPostgres }, () => {
  let postgres: TestPostgres;
  let link: SlowLink;
  let replicas: Replicas;
  let url: string;
  let one: Runtime;
  before(async () => {
    postgres = await startPostgres();
    url = await postgres.newDatabase();
    link = await openSlowLink(postgres.port);
    replicas = await startReplicas(1, url.replace(`:${postgres.port}/`, `:${link.port}/`));
    one = replicas.all[0] ?? assert.fail();
  });
  after(async () => {
    await replicas.close();
    link.close();
    await postgres.stop();
  });

  const statementsOf = async <Done>(act: () => Promise<Done>, last: string): Promise<[string[], Done]> => {
    const before = link.sent.length;
    const said = (): string[] =>
      link.sent
        .slice(before)
        .flatMap(({ text }) => [...text.matchAll(STATEMENT)].map(({ groups }) => groups?.['text'] ?? ''))
        .filter((text) => !BESIDE.test(text));
    const done = await act();
    await until(`"${last}" is sent`, () => said().some((text) => text.startsWith(last)));
    return [said(), done];
  };

  it('a login by password alone takes four, and a logout two', async (test) => {
    await one.logIn(VERA);
    await one.logIn(ADMIN_PERSON);
    const [login, token] = await statementsOf(() => one.logIn(VERA), RELEASED);
    const [logout] = await statementsOf(
      () => one.ask('/logout', { method: 'POST', headers: { cookie: `frigate_token=${token}` } }),
      'insert into revoked_tokens',
    );
    test.diagnostic(`login: ${login.join('; ')}`);
    test.diagnostic(`logout: ${logout.join('; ')}`);
    assert.ok(login.length <= 4, login.join('\n'));
    assert.ok(logout.length <= 2, logout.join('\n'));
  });

  it('a login that ends the oldest session of its person takes one more, and reads no roles again', async (test) => {
    // One behind the other: the end of a session is a change.
    const logins = async (count: number): Promise<void> => {
      for (let login = 0; login < count; login += 1) await one.logIn(VERA);
    };
    await logins(MOST_SESSIONS + 1);
    const [statements] = await statementsOf(() => logins(2), RELEASED);
    test.diagnostic(statements.join('; '));
    const each = ['postern_reserve_attempt', '"users"', 'postern_begin_login', 'into revoked_tokens', 'custom_roles'];
    assert.deepEqual(
      statements.flatMap((text) => each.filter((name) => text.includes(name))),
      [...each.slice(0, 4), ...each.slice(0, 4)],
    );
  });

  it('a wrong password reads no hash but that of the user, also after users have changed', async (test) => {
    const token = await one.logIn(ADMIN_PERSON);
    const made = { username: 'newcomer', password: 'a-long-enough-password', role: 'viewer' };
    assert.equal((await sendJson(one, '/api/users', made, token)).status, 200);
    const wrong = { user: VERA.name, password: 'not the password' };
    const [statements] = await statementsOf(() => sendJson(one, '/api/login', wrong), FAILED);
    test.diagnostic(statements.join('; '));
    const ofUsers = statements.filter((text) => text.includes('"users"'));
    assert.equal(ofUsers.length, 2);
    for (const text of ofUsers) assert.match(text, /^select \* from "users" where "name" = |^select distinct substr\(/);
  });

  it('a login waits for no replica that is frozen in a change, also not that of an admin', async () => {
    const frozen = new pg.Client({ connectionString: url });
    await frozen.connect();
    await frozen.query('begin; select * from users order by name for no key update');
    const tokens = await Promise.all([one.logIn(VERA), one.logIn(ADMIN_PERSON)]).finally(() => frozen.end());
    for (const token of tokens) assert.equal((await one.ask('/api/profile', { token })).status, 200);
  });
});
