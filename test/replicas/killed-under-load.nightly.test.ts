/** Three replicas start at once on an empty database; one of them and PostgreSQL are killed under load: nothing acknowledged is lost (SPEC 10). */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setInterval as every } from 'node:timers/promises';
import { newDirectory, type Serving, servePostern } from '../support/run-postern.ts';
import { startPostgres, type TestPostgres, withoutPostgres } from '../support/servers/postgres.ts';
import { until } from '../support/until.ts';

const json = { 'Content-Type': 'application/json' };
const PASSWORD = 'ZincPassw0rd!!!';
const nameOf = (number: number): string => `vera${number % USERS}`;
/** By hand for longer: `LOAD_SECONDS=20`. */
const SECONDS = Number(process.env['LOAD_SECONDS'] ?? 2);
/** One user may have 500 sessions. */
const USERS = Math.ceil(SECONDS / 8);
const LOGINS_PER_SECOND = 50;
const REQUESTS_PER_SECOND = 500;
/** How long a session may be accepted after its end was acknowledged. */
const CONTRACT_MILLISECONDS = 2000;

interface Ended {
  readonly token: string;
  readonly acknowledgedAt: number;
  /** When requests were sent that another replica still accepted. */
  readonly acceptedAt: number[];
}

describe('Three replicas under load', { skip: withoutPostgres, timeout: 300_000 }, () => {
  let postgres: TestPostgres;
  let replicas: Serving[];
  before(async () => {
    postgres = await startPostgres();
    const env = {
      POSTERN__STORE__URL: await postgres.newDatabase(),
      POSTERN__TLS__ENABLED: 'false',
      POSTERN__AUTH__HASH_ITERATIONS: '1000',
      POSTERN__AUTH__SESSIONS_PER_USER: '500',
      POSTERN__NVR__CAMERAS: '["cam1"]',
      SERVICE_JWT_SECRET: randomBytes(48).toString('hex'),
    };
    replicas = await Promise.all(
      [1, 2, 3].map(() => servePostern({ directory: newDirectory(), env, patience: 60_000 })),
    );
  });
  after(async () => {
    await Promise.all(
      (replicas ?? []).map(({ process, end }) => process.exitCode ?? process.signalCode ?? end('SIGKILL')),
    );
    await postgres?.stop();
  });

  const ask = (at: number, path: string, init: RequestInit & { token?: string } = {}): Promise<Response> => {
    const { token, ...rest } = init;
    const headers = { ...json, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
    return fetch(`${replicas[at]?.url}${path}`, { ...rest, headers, redirect: 'manual' });
  };
  const status = (at: number, token: string): Promise<number> =>
    ask(at, '/api/profile', { token }).then(
      async (answer) => answer.bytes().then(() => answer.status),
      () => 0,
    );
  /** Undefined: it was not acknowledged. */
  const logIn = async (at: number, who: { user: string; password: string }): Promise<string | undefined> => {
    try {
      const answer = await ask(at, '/api/login', { method: 'POST', body: JSON.stringify(who) });
      const [cookie = ''] = answer.headers.getSetCookie();
      await answer.bytes();
      return answer.status === 200 ? cookie.slice(cookie.indexOf('=') + 1, cookie.indexOf(';')) : undefined;
    } catch {
      return undefined;
    }
  };

  it('agree on one first admin', async () => {
    const passwords = replicas.flatMap(({ adminPassword }) => adminPassword ?? []);
    assert.equal(passwords.length, 1);
    for (const at of [0, 1, 2]) assert.ok(await logIn(at, { user: 'admin', password: passwords[0] ?? '' }));
  });

  it('lose nothing that was acknowledged when one of them and PostgreSQL are killed', async (test) => {
    const [password = ''] = replicas.flatMap(({ adminPassword }) => adminPassword ?? []);
    const admin = (await logIn(0, { user: 'admin', password })) ?? assert.fail();
    const add = async (at: number, username: string): Promise<number> =>
      ask(at, '/api/users', {
        method: 'POST',
        token: admin,
        body: JSON.stringify({ username, password: PASSWORD, role: 'viewer' }),
      }).then(
        async (answer) => answer.bytes().then(() => answer.status),
        () => 0,
      );
    for (let user = 0; user < USERS; user++) assert.equal(await add(0, nameOf(user)), 200);

    const kept: string[] = [];
    const ended: Ended[] = [];
    const users: string[] = [];
    const work: Promise<unknown>[] = [];
    let isOver = false;
    let answered = 0;
    let visits = 0;
    const end = async (at: number, token: string): Promise<void> => {
      const answer = await ask(at, '/logout', { method: 'POST', token }).catch(() => undefined);
      if (answer?.status !== 303) return; // neither acknowledged nor refused: it may hold or not
      const one: Ended = { token, acknowledgedAt: performance.now(), acceptedAt: [] };
      ended.push(one);
      const other = at === 0 ? 1 : 0;
      for (let seen = 200; seen !== 401 && !isOver; ) {
        const sentAt = performance.now();
        seen = await status(other, token);
        if (seen === 200) one.acceptedAt.push(sentAt);
      }
    };
    const visit = async (number: number): Promise<void> => {
      const at = number % 3;
      const token = await logIn(at, { user: nameOf(number), password: PASSWORD });
      if (token === undefined) return;
      if (number % 4 === 0) return end(at, token);
      kept.push(token);
      if (number % 10 === 1 && (await add(at, `user${number}`)) === 200) users.push(`user${number}`);
    };
    const request = async (number: number): Promise<void> => {
      const token = kept[number % Math.max(1, kept.length)];
      if (token !== undefined && (await status(number % 3, token)) === 200) answered += 1;
    };
    const load = async (perSecond: number, act: (number: number) => Promise<void>): Promise<void> => {
      let number = 0;
      for await (const _ of every(1000 / perSecond)) {
        work.push(act(number));
        number += 1;
        if (number === perSecond * SECONDS) break;
      }
    };

    const visited = (number: number): Promise<void> =>
      visit(number).finally(() => {
        visits += 1;
      });
    const loads = [load(LOGINS_PER_SECOND, visited), load(REQUESTS_PER_SECOND, request)];
    await until('a quarter of the visits is over', () => visits >= (LOGINS_PER_SECOND * SECONDS) / 4);
    await replicas[2]?.end('SIGKILL');
    await until('half of them are over', () => visits >= (LOGINS_PER_SECOND * SECONDS) / 2);
    const cutAt = performance.now();
    await postgres.kill();
    await postgres.start();
    const ready = async (at: number): Promise<boolean> => (await fetch(`${replicas[at]?.telemetryUrl}/readyz`)).ok;
    await until('both are ready again', async () => (await ready(0)) && (await ready(1)));
    const healedAt = performance.now();
    await Promise.all(loads);
    await until('every session that was ended is refused', async () =>
      (await Promise.all(ended.map(({ token }) => status(1, token)))).every((seen) => seen === 401),
    );
    isOver = true;
    await Promise.all(work);

    const stale = ended.flatMap((one) => one.acceptedAt.map((sentAt) => sentAt - one.acknowledgedAt));
    test.diagnostic(
      `${visits} visits: ${kept.length + ended.length} logins, ${ended.length} logouts and ${users.length} users acknowledged; ${answered} requests answered; an ended session was accepted ${Math.round(Math.max(0, ...stale))} ms later at most; PostgreSQL was gone for ${Math.round(healedAt - cutAt)} ms`,
    );
    assert.ok(ended.length > 0 && users.length > 0 && answered > 0, `${ended.length} ${users.length} ${answered}`);
    for (const at of [0, 1]) {
      const held = await Promise.all(kept.map((token) => status(at, token)));
      assert.deepEqual(
        held.filter((seen) => seen !== 200),
        [],
        'a login was lost',
      );
      const refused = await Promise.all(ended.map(({ token }) => status(at, token)));
      assert.deepEqual(
        refused.filter((seen) => seen !== 401),
        [],
        'a logout was lost',
      );
    }
    const list = await (await ask(1, '/api/users', { token: admin })).text();
    assert.deepEqual(
      users.filter((name) => !list.includes(`"${name}"`)),
      [],
      'a user was lost',
    );
    // A replica that is cut off from the store cannot know of an end that is younger than its last notice.
    const isLate = ({ acknowledgedAt }: Ended, sentAt: number): boolean =>
      sentAt > acknowledgedAt + CONTRACT_MILLISECONDS && (sentAt < cutAt || sentAt > healedAt + CONTRACT_MILLISECONDS);
    const late = ended.filter((one) => one.acceptedAt.some((sentAt) => isLate(one, sentAt)));
    assert.deepEqual(late.length, 0, 'a session was accepted after its end');
  });
});
