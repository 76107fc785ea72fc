/** A proxy in front that adds a Bearer of its own: it is no credential, and what is left of the request decides alone (SPEC 3). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { ADMIN_PERSON, CARL, VERA } from '../support/people.ts';
import { rawRequest } from '../support/raw-request.ts';
import { HOST, head, watchInstance } from './support/watched-instance.ts';

const { instance, nvr } = await watchInstance({
  auth: { roles: { front_only: ['cam1'] }, session_length: 3600, refresh_time: 1800 },
});

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
/** As oauth2-proxy and others add it: signed by the provider. */
const FOREIGN = `Bearer ${encoded({ alg: 'RS256', kid: 'k' })}.${encoded({ sub: 'boss', role: 'admin', exp: 9e9 })}.c2ln`;
const cookieOf = async (person = VERA): Promise<string> => `frigate_token=${await instance.logIn(person)}`;
const BASIC = `Basic ${Buffer.from('nvr:its-own').toString('base64')}`;

const ask = async (lines: readonly string[], target = 'GET /api/version'): Promise<number | undefined> => {
  const { status } = await rawRequest(instance.port, head(`${target} HTTP/1.1`, HOST, ...lines, 'Connection: close'));
  return status;
};
const authorization = (...values: readonly string[]): string[] => values.map((value) => `Authorization: ${value}`);
async function apiToken(): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const token = await instance.logIn(ADMIN_PERSON);
  const made = await instance.ask('/api/tokens', {
    method: 'POST',
    token,
    headers,
    body: '{"name":"a","role":"viewer"}',
  });
  return ((await made.json()) as { token: string }).token;
}

describe('A Bearer that is none of ours', () => {
  it('does not stand in the way of the session cookie, and the NVR is not told of it', async () => {
    for (const bearer of [FOREIGN, 'Bearer opaque', 'Bearer', 'Bearer a.b.c']) {
      nvr.received.length = 0;
      assert.equal(await ask([...authorization(bearer), `Cookie: ${await cookieOf()}`]), 200, bearer);
      assert.deepEqual([nvr.lastHeader('authorization'), nvr.lastHeader('remote-user')], [[], ['vera']]);
    }
  });

  it('opens nothing by itself', async () => {
    assert.equal(await ask(authorization(FOREIGN)), 401);
    assert.equal(await ask([...authorization(FOREIGN), 'Cookie: frigate_token=a.b.c']), 401);
    assert.deepEqual(nvr.received, []);
  });

  it("leaves the request its cookie's: a page of another site cannot send it, and it renews the session", async () => {
    const cookie = await cookieOf();
    const foreign = ['Sec-Fetch-Site: cross-site', 'Origin: https://evil.example', 'Content-Length: 0'];
    assert.equal(
      await ask([...authorization(FOREIGN), `Cookie: ${cookie}`, ...foreign], 'POST /api/reviews/viewed'),
      403,
    );
    assert.deepEqual(nvr.received, []);
    instance.clock.advance(1900);
    const answer = await instance.ask('/api/version', { headers: { authorization: FOREIGN, cookie } });
    assert.match(answer.headers.getSetCookie()[0] ?? '', /^frigate_token=ey/);
  });

  it('is a credential when it has the form of a session, and is refused when that is bad', async () => {
    const alike = `Bearer ${encoded({ alg: 'HS256' })}.${encoded({ sub: 'vera', role: 'viewer', exp: 9e9 })}.c2ln`;
    for (const bearer of [
      alike,
      alike.replace('Bearer ', 'Bearer,'),
      `Bearer x ${alike.slice(7)}`,
      'Bearer pst_x',
      'Bearer x,pst_x',
    ])
      assert.equal(await ask([...authorization(bearer), `Cookie: ${await cookieOf()}`]), 401, bearer);
    assert.deepEqual(nvr.received, []);
  });

  it('does not keep a logout from ending the session of the cookie', async () => {
    const cookie = await cookieOf();
    assert.equal(await ask([...authorization(FOREIGN), `Cookie: ${cookie}`], 'GET /logout'), 303);
    assert.equal(await ask([`Cookie: ${cookie}`]), 401);
  });

  it('does not keep a WebSocket with a cookie from opening', async () => {
    const headers = { authorization: FOREIGN, cookie: await cookieOf(), origin: instance.url };
    const socket = new WebSocket(`${instance.url.replace('http', 'ws')}/ws`, { headers });
    await once(socket, 'open');
    assert.deepEqual(nvr.lastHeader('authorization'), []);
    socket.terminate();
  });
});

describe('Of two lines of Authorization', () => {
  it('the one of ours counts, in either order, and a password for the NVR beside a Bearer of others is passed on', async () => {
    const token = await apiToken();
    const session = await instance.logIn(CARL);
    for (const [own, user] of [
      [`Bearer ${token}`, ADMIN_PERSON.name],
      [`Bearer ${session}`, 'carl'],
    ])
      for (const lines of [
        [own, FOREIGN],
        [FOREIGN, own],
      ] as string[][]) {
        nvr.received.length = 0;
        assert.equal(await ask(authorization(...lines)), 200);
        assert.deepEqual([nvr.lastHeader('authorization'), nvr.lastHeader('remote-user')], [[], [user]]);
      }
    for (const lines of [
      [FOREIGN, BASIC],
      [BASIC, `Bearer ${token}`],
    ]) {
      nvr.received.length = 0;
      assert.equal(await ask([...authorization(...lines), `Cookie: ${await cookieOf()}`]), 200);
      assert.deepEqual(nvr.lastHeader('authorization'), [BASIC]);
    }
  });

  it('two of ours are refused, and of two passwords none is passed on', async () => {
    const token = `Bearer ${await apiToken()}`;
    const session = `Bearer ${await instance.logIn(VERA)}`;
    for (const lines of [
      [token, token],
      [session, session],
      [token, session],
      [session, token],
    ])
      assert.equal(await ask(authorization(...lines)), 401);
    assert.deepEqual(nvr.received, []);
    assert.equal(await ask([...authorization(BASIC, BASIC), `Cookie: ${await cookieOf()}`]), 200);
    assert.deepEqual(nvr.lastHeader('authorization'), []);
  });

  it('the second is not remembered for the next request on the connection that has the first alone', async () => {
    const session = `Bearer ${await instance.logIn(VERA)}`;
    const socket = connect(instance.port, '127.0.0.1');
    const statusOf = async (lines: readonly string[]): Promise<string> => {
      socket.write(head('GET /api/version HTTP/1.1', HOST, ...lines));
      const [answer] = (await once(socket, 'data')) as [Buffer];
      return answer.toString('latin1').slice(9, 12);
    };
    assert.equal(await statusOf(authorization(FOREIGN, session)), '200');
    assert.equal(await statusOf(authorization(FOREIGN)), '401');
    socket.destroy();
  });
});
