/** The cookie of `/auth` on a connection that is kept, all within one second: sent again, and never after a change (SPEC 4.2). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { after, describe, it, type TestContext } from 'node:test';
import { ADMIN_PERSON, VERA } from '../../support/people.ts';
import { startInstance } from '../../support/start-instance.ts';

const instance = await startInstance();
after(instance.close);
const admin = await instance.logIn(ADMIN_PERSON);

interface Answer {
  readonly status: number | undefined;
  readonly role: string | string[] | undefined;
  readonly cookie: string | undefined;
}

/** `/auth` of a fresh session, always by the same connection. */
async function session(test: TestContext) {
  const token = await instance.logIn(VERA);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  test.after(() => agent.destroy());
  const auth = async (): Promise<Answer> => {
    const request = get(`${instance.url}/auth`, { agent, headers: { cookie: `frigate_token=${token}` } });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    await once(response.resume(), 'end');
    const { 'remote-role': role, 'set-cookie': [cookie] = [] } = response.headers;
    return { status: response.statusCode, role, cookie };
  };
  return { token, auth };
}

const roleIn = (cookie = ''): unknown =>
  JSON.parse(Buffer.from(cookie.split('.')[1] ?? '', 'base64url').toString()).role;

const giveRole = async (role: string): Promise<void> => {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ role });
  assert.equal(
    (await instance.ask('/api/users/vera/role', { method: 'PUT', token: admin, headers, body })).status,
    200,
  );
};

describe('The cookie of /auth', () => {
  it('is signed once and sent again', async (test) => {
    const { auth } = await session(test);
    const first = await auth();
    assert.equal(roleIn(first.cookie), 'viewer');
    assert.deepEqual(await auth(), first);
    instance.clock.advance(2); // one that is signed now says so
    assert.deepEqual(await auth(), first);
  });

  it('is not sent after the session was ended elsewhere', async (test) => {
    const { token, auth } = await session(test);
    assert.notEqual((await auth()).cookie, undefined);
    assert.equal((await instance.ask('/api/logout', { method: 'POST', token })).status, 303);
    assert.deepEqual(await auth(), { status: 401, role: undefined, cookie: undefined });
  });

  it('tells another role as soon as the user has one', async (test) => {
    const { auth } = await session(test);
    await auth();
    await giveRole('front_only');
    const after = await auth();
    await giveRole('viewer');
    assert.deepEqual([after.status, after.role, roleIn(after.cookie)], [202, 'front_only', 'front_only']);
  });

  it('is another one in the next minute', async (test) => {
    const { auth } = await session(test);
    const { cookie } = await auth();
    instance.clock.advance(61);
    const later = await auth();
    assert.equal(later.status, 202);
    assert.notEqual(later.cookie, cookie);
  });
});
