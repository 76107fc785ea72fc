/** A role of the configuration file becomes one of the store: its users stay what they are when its line is gone (SPEC 8). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ADMIN_PERSON, CARL, VERA } from '../support/people.ts';
import { sendJson } from '../support/second-factor.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

const ROLE = { cameras: ['cam1'], hours: ['daily 00:00-24:00'], history_since: '7d', deny: ['export'] };
const auth = (roles: object) => ({ auth: { hash_iterations: 1000, roles } });

interface Listed {
  readonly role: string;
  readonly source: string;
  readonly taken_over?: true;
  readonly users: number;
}

describe('A role of the file that is taken over', () => {
  let at: Runtime;
  let admin: string;
  before(async () => {
    at = await startInstance({ config: auth({ front_only: ROLE }) });
    admin = await at.logIn(ADMIN_PERSON);
  });
  after(() => at.close());

  const PATH = '/api/roles/front_only/take-over';
  const front = async (): Promise<Listed | undefined> =>
    ((await (await at.ask('/api/roles', { token: admin })).json()) as Listed[]).find(
      ({ role }) => role === 'front_only',
    );
  const status = async (path: string, token = admin): Promise<number> => (await sendJson(at, path, {}, token)).status;

  it('is one that the file has, and is taken by an admin who has just proven to be it', async () => {
    assert.equal(await status(PATH, await at.logIn(VERA)), 403);
    assert.equal(await status('/api/roles/ghost/take-over'), 404);
    assert.equal(await status('/api/roles/viewer/take-over'), 404);
    at.clock.advance(700);
    const refused = await sendJson(at, PATH, {}, admin);
    assert.deepEqual(
      [refused.status, ((await refused.json()) as { reason: string }).reason],
      [403, 'reauthentication-required'],
    );
    assert.equal((await front())?.taken_over, undefined);
    admin = await at.logIn(ADMIN_PERSON);
  });

  it('is none any more when the file says something else of it than the copy, until it is taken again', async () => {
    assert.equal(await status(PATH), 200);
    assert.equal((await front())?.taken_over, true);
    for (const changed of [
      { ...ROLE, cameras: ['cam2'] },
      { ...ROLE, deny: ['export', 'ptz'] },
    ]) {
      assert.equal((await at.reload(auth({ front_only: changed }))).isTaken, true);
      assert.equal((await front())?.taken_over, undefined);
      assert.equal(await status(PATH), 200);
      assert.equal((await front())?.taken_over, true);
    }
    await at.reload(auth({ front_only: ROLE }));
    assert.equal((await front())?.taken_over, undefined);
  });

  it('counts as the file has it while its line is there, and then is one of the store with the same limits and users', async () => {
    const carl = await at.logIn(CARL);
    const profile = async (): Promise<unknown> => (await at.ask('/api/profile', { token: carl })).json();
    const before = await profile();
    assert.equal(await status(PATH), 200);
    assert.deepEqual(await front(), { role: 'front_only', ...ROLE, source: 'file', taken_over: true, users: 1 });
    assert.equal((await at.ask('/api/roles/front_only', { method: 'DELETE', token: admin })).status, 409);

    assert.equal((await at.reload(auth({}))).isTaken, true);
    assert.deepEqual(await front(), { role: 'front_only', ...ROLE, source: 'store', users: 1 });
    assert.deepEqual(await profile(), before);
    const changed = await sendJson(at, '/api/roles/front_only', { cameras: ['cam1', 'cam2'] }, admin, 'PUT');
    assert.equal(changed.status, 200);
  });
});
