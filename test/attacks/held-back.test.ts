/** Requests whose body is held back until their sender has lost his rights: what comes then changes nothing (SPEC 4.2). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { describe, it } from 'node:test';
import { ADMIN_PERSON, type Person } from '../support/people.ts';
import { watchInstance } from './support/watched-instance.ts';

const PASSWORD = 'a-long-password';

const watched = await watchInstance();
const admin = await watched.instance.logIn(ADMIN_PERSON);
let people = 0;

const asAdmin = async (method: string, path: string, body: object = {}): Promise<void> => {
  const headers = { 'content-type': 'application/json' };
  const answer = await watched.instance.ask(path, { method, token: admin, headers, body: JSON.stringify(body) });
  assert.equal(answer.status, 200);
};

/** A new user, which no other test needs. */
async function newcomer(role: string): Promise<Person & { token: string }> {
  people += 1;
  const person = { name: `intruder${people}`, role, password: PASSWORD };
  await asAdmin('POST', '/api/users', { username: person.name, password: PASSWORD, role });
  return { ...person, token: await watched.instance.logIn(person) };
}

/** Resolves when the sender is admitted: only then does the gate ask for the body. */
async function admitted(method: string, path: string, token: string, body: string): Promise<ClientRequest> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    expect: '100-continue',
  };
  const sent = request(`${watched.instance.url}${path}`, { method, headers });
  sent.flushHeaders();
  await once(sent, 'continue');
  return sent;
}

async function statusOf(sent: ClientRequest, body: string): Promise<number | undefined> {
  const answered = once(sent, 'response');
  sent.end(body);
  const [answer] = (await answered) as [IncomingMessage];
  answer.resume();
  return answer.statusCode;
}

/** All that an admin sees of accounts. */
async function accounts(): Promise<unknown[]> {
  const lists = ['/api/users', '/api/roles', '/api/tokens'];
  return Promise.all(lists.map(async (path) => (await watched.instance.ask(path, { token: admin })).json()));
}

type Loss = (name: string) => Promise<void>;
const deleted: Loss = (name) => asAdmin('DELETE', `/api/users/${name}`);
const demoted: Loss = (name) => asAdmin('PUT', `/api/users/${name}/role`, { role: 'viewer' });
const newPassword: Loss = (name) => asAdmin('PUT', `/api/users/${name}/password`, { password: 'another-password' });

describe('A body that is held back', () => {
  const user = { username: 'backdoor', password: PASSWORD, role: 'admin' };
  // biome-ignore format: a table
  const rows: [sentence: string, method: string, path: string, body: object, loss: Loss, status: number, role?: string][] = [
    ['makes no user once its sender is deleted',             'POST', '/api/users', user, deleted, 401],
    ['makes no user once its sender is demoted',             'POST', '/api/users', user, demoted, 403],
    ['makes no user once its sender’s password is changed',  'POST', '/api/users', user, newPassword, 401],
    ['makes no API token',                                   'POST', '/api/tokens', { name: 'for later' }, newPassword, 401],
    ['changes no password',                                  'PUT',  '/api/users/admin/password', { password: 'taken-over-now' }, deleted, 401],
    ['changes no role',                                      'PUT',  '/api/users/vera/role', { role: 'admin' }, demoted, 403],
    ['makes no custom role',                                 'PUT',  '/api/roles/later', { cameras: ['*'] }, deleted, 401],
    ['makes no custom role by the NVR’s page',               'PUT',  '/api/config/set', { config_data: { auth: { roles: { later: ['*'] } } } }, deleted, 401],
    ['does not reach the NVR by way of its page',            'PUT',  '/api/config/set', { config_data: { mqtt: { host: 'mine' } } }, demoted, 403],
    ['makes no export of a viewer’s',                        'POST', '/api/export/cam1/start/1/end/2', { playback: 'realtime' }, deleted, 401, 'viewer'],
  ];
  for (const [sentence, method, path, body, loss, status, role = 'admin'] of rows) {
    it(sentence, async () => {
      const { name, token } = await newcomer(role);
      const text = JSON.stringify(body);
      const sent = await admitted(method, path, token, text);
      await loss(name);
      const before = await accounts();
      watched.nvr.received.length = 0;
      assert.equal(await statusOf(sent, text), status);
      assert.deepEqual(await accounts(), before);
      assert.deepEqual(watched.nvr.received, []);
    });
  }

  it('is taken from a caller who still has the right', async () => {
    const { token } = await newcomer('admin');
    const text = JSON.stringify({ cameras: ['cam1'] });
    assert.equal(await statusOf(await admitted('PUT', '/api/roles/kept', token, text), text), 200);
  });
});
