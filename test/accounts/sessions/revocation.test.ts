/** What is open ends when its holder's rights do: at the client, and at the NVR (SPEC 4.2, 4.3, 4.4). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { openForCommands } from '../../../src/app/commands.ts';
import { configSchema } from '../../../src/app/resources/features.ts';
import { instanceInFront } from '../../support/instance-in-front.ts';
import { ADMIN_PERSON, type Person } from '../../support/people.ts';

const { instance, nvr } = await instanceInFront();
const admin = await instance.logIn(ADMIN_PERSON);
let people = 0;
const { answer } = nvr;
nvr.answer = (request, response, received) => {
  if (request.url !== '/api/cam1') return answer(request, response, received);
  response.writeHead(200, { 'content-type': 'multipart/x-mixed-replace; boundary=frame' }).write('--frame\r\n');
};

const asAdmin = async (method: string, path: string, body: object = {}): Promise<number> => {
  const headers = { 'content-type': 'application/json' };
  return (await instance.ask(path, { method, token: admin, headers, body: JSON.stringify(body) })).status;
};

/** A new user with a session. */
async function newcomer(role = 'viewer'): Promise<Person & { token: string }> {
  people += 1;
  const person = { name: `guest${people}`, role, password: 'a-long-password' };
  assert.equal(await asAdmin('POST', '/api/users', { username: person.name, password: person.password, role }), 200);
  return { ...person, token: await instance.logIn(person) };
}

interface Opened {
  /** The close code of each WebSocket, and how the picture stream ended. */
  readonly ends: Promise<{ readonly live: number; readonly messages: number; readonly pictures: string }>;
  /** Resolves when the NVR has no connection of these any more. */
  readonly atNvr: Promise<unknown>;
}

/** An MJPEG stream, a live stream that is passed on unread, and a socket whose messages are judged. */
async function opened(token: string): Promise<Opened> {
  const known = new Set(nvr.sockets);
  const headers = { authorization: `Bearer ${token}` };
  const socket = (path: string) => new WebSocket(`ws://127.0.0.1:${instance.port}${path}`, { headers });
  const [live, messages] = [socket('/live/mse/api/ws?src=cam1'), socket('/ws')];
  const closed = (of: WebSocket) => new Promise<number>((resolve) => of.once('close', resolve));
  const [liveEnd, messagesEnd] = [closed(live), closed(messages)];
  await Promise.all([once(live, 'open'), once(messages, 'open')]);
  live.send('{"type":"mse","value":""}');
  await once(live, 'message');
  const [pictures] = (await once(get(`${instance.url}/api/cam1`, { headers }), 'response')) as [IncomingMessage];
  await once(pictures, 'data');
  const picturesEnd = new Promise<string>((resolve) =>
    pictures.once('end', () => resolve('whole')).once('error', () => resolve('cut')),
  );
  const ours = [...nvr.sockets].filter((connection) => !known.has(connection) && !connection.destroyed);
  assert.ok(ours.length >= 2, 'the NVR has connections of these alone');
  return {
    ends: Promise.all([liveEnd, messagesEnd, picturesEnd]).then(([a, b, c]) => ({ live: a, messages: b, pictures: c })),
    atNvr: Promise.all(ours.map((connection) => connection.closed || once(connection, 'close'))),
  };
}

const GONE = { live: 4401, messages: 4401, pictures: 'cut' };
const OTHER_RIGHTS = { live: 4403, messages: 4403, pictures: 'cut' };

describe('What a viewer has open ends, and the NVR sees it,', () => {
  type AdmittedRequest = Awaited<ReturnType<typeof newcomer>>;
  const logout = async ({ token }: AdmittedRequest) =>
    (await instance.ask('/api/logout', { method: 'POST', token })).status;
  const atTheCommandLine = async ({ name }: AdmittedRequest) => {
    const { ask, close } = await openForCommands({
      directory: instance.directory,
      schema: configSchema,
      env: {},
      clock: instance.clock,
    });
    await ask('DELETE /api/users/{user}', { params: { user: name } });
    await close();
    return 200;
  };
  const endSession = async ({ token }: AdmittedRequest) => {
    const [{ id }] = (await (await instance.ask('/api/sessions', { token })).json()) as [{ id: string }];
    return asAdmin('DELETE', `/api/sessions/${id}`);
  };
  // biome-ignore format: a table
  const rows: [sentence: string, change: (guest: AdmittedRequest) => Promise<number>, status: number, ends: object][] = [
    ['when the user is deleted',                     ({ name }) => asAdmin('DELETE', `/api/users/${name}`), 200, GONE],
    ['when the user is deleted by another process',  atTheCommandLine, 200, GONE],
    ['when the password changes',                    ({ name }) => asAdmin('PUT', `/api/users/${name}/password`, { password: 'another-password' }), 200, GONE],
    ['when the session logs out',                    logout, 303, GONE],
    ['when the session is ended by an admin',        endSession, 200, GONE],
    ['when the role changes',                        ({ name }) => asAdmin('PUT', `/api/users/${name}/role`, { role: 'front_only' }), 200, OTHER_RIGHTS],
  ];
  for (const [sentence, change, status, ends] of rows) {
    it(sentence, { timeout: 300_000 }, async () => {
      const guest = await newcomer();
      const { ends: ended, atNvr } = await opened(guest.token);
      assert.equal(await change(guest), status);
      assert.deepEqual(await ended, ends);
      await atNvr;
    });
  }

  it('when an API token is revoked; the session of its owner goes on', { timeout: 300_000 }, async () => {
    const guest = await newcomer();
    const headers = { 'content-type': 'application/json' };
    const made = await instance.ask('/api/tokens', {
      method: 'POST',
      token: guest.token,
      headers,
      body: '{"name":"ha"}',
    });
    const { id, token } = (await made.json()) as { id: string; token: string };
    const { ends, atNvr } = await opened(token);
    assert.equal(await asAdmin('DELETE', `/api/tokens/${id}`), 200);
    assert.deepEqual(await ends, GONE);
    await atNvr;
    assert.equal((await instance.ask('/api/profile', { token: guest.token })).status, 200);
  });

  it('when the cameras of a custom role change', { timeout: 300_000 }, async () => {
    assert.equal(await asAdmin('PUT', '/api/roles/front', { cameras: ['cam1'] }), 200);
    const guest = await newcomer('front');
    const { ends, atNvr } = await opened(guest.token);
    assert.equal(
      await asAdmin('PUT', '/api/config/set', { config_data: { auth: { roles: { front: ['cam2'] } } } }),
      200,
    );
    assert.deepEqual(await ends, OTHER_RIGHTS);
    await atNvr;
    assert.equal((await instance.ask('/api/cam1/latest.jpg', { token: guest.token })).status, 403);
  });
});
