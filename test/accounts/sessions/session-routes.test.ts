import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutReason } from '../../support/refusals.ts';
import { NOW } from '../support/people.ts';
import { accountServerOfFour } from '../support/server-of-four.ts';

type Session = { id: string; user: string; current: boolean; last_seen: number };

describe('GET /api/sessions', () => {
  it('lists one’s own: from where, with what, since when', async (t) => {
    const { as, clock } = await accountServerOfFour(t);
    await as('gus', 'GET', '/api/profile');
    clock.advance(100);
    const { status, json, headers } = await as('vera', 'GET', '/api/sessions');
    const [{ id }] = json as [Session];
    const hers = { id, user: 'vera', address: '192.0.2.1', agent: "vera's browser", name: null, current: true };
    const times = { since: NOW, last_seen: NOW + 100, expires_at: NOW + 86_400 };
    assert.deepEqual([status, json, headers['cache-control']], [200, [{ ...hers, ...times }], 'no-store']);
  });

  it('lists those of all users for an admin, latest seen first', async (t) => {
    const { as, clock } = await accountServerOfFour(t);
    for (const name of ['vera', 'gus', 'boss']) {
      await as(name, 'GET', '/api/profile');
      clock.advance(1);
    }
    const sessions = (await as('boss', 'GET', '/api/sessions')).json as Session[];
    assert.deepEqual(
      sessions.map(({ user, current }) => [user, current]),
      [
        ['boss', true],
        ['gus', false],
        ['vera', false],
      ],
    );
  });

  it('cuts what a client calls itself', async (t) => {
    const { send, tokens } = await accountServerOfFour(t);
    const cookie = `frigate_token=${tokens.get('vera')}`;
    const { json } = await send('GET', '/api/sessions', { headers: { cookie, 'user-agent': 'x'.repeat(5000) } });
    assert.equal(Object((json as object[])[0])['agent'], 'x'.repeat(200));
  });

  it('lists none that is over: ended, expired, or of an old password', async (t) => {
    const { as, clock, send, tokens } = await accountServerOfFour(t);
    for (const name of ['vera', 'gus']) await as(name, 'GET', '/api/profile');
    clock.advance(1);
    await send('POST', '/api/logout', { headers: { cookie: `frigate_token=${tokens.get('vera')}` } });
    await as('boss', 'PUT', '/api/users/gus/password', { password: 'a new password' });
    const users = async (who: string) =>
      ((await as(who, 'GET', '/api/sessions')).json as Session[]).map(({ user }) => user);
    assert.deepEqual(await users('boss'), ['boss']);
    clock.advance(86_400);
    assert.equal((await as('boss', 'GET', '/api/sessions')).status, 401);
  });
});

describe('DELETE /api/sessions/{id}', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, who: string, status: number][] = [
    ['ends one’s own',                'vera', 200],
    ['ends that of any user for an admin',   'boss', 200],
    ['answers 404 for another user’s', 'gus',  404],
    ['needs a caller',           'nobody', 401],
  ];
  for (const [sentence, who, status] of rows) {
    it(sentence, async (t) => {
      const { as, heard } = await accountServerOfFour(t);
      const [session] = (await as('vera', 'GET', '/api/sessions')).json as [Session];
      assert.equal((await as(who, 'DELETE', `/api/sessions/${session.id}`)).status, status);
      assert.equal((await as('vera', 'GET', '/api/profile')).status, status === 200 ? 401 : 200);
      const ended = heard.audit.map(({ what, who: by, sessionId, user }) => [what, by, sessionId, user]);
      assert.deepEqual(ended, status === 200 ? [['session-ended', who, session.id, 'vera']] : []);
    });
  }

  it('does not know an absent one', async (t) => {
    const { as } = await accountServerOfFour(t);
    const { status, json } = await as('boss', 'DELETE', '/api/sessions/none');
    assert.deepEqual([status, withoutReason(json)], [404, { success: false, message: 'There is no such session' }]);
  });
});

describe('PATCH /api/sessions/{id}', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, who: string, body: unknown, status: number][] = [
    ['names one’s own device',              'vera',   { name: ' Kitchen <b>tablet</b> ' }, 200],
    ['names that of any user for an admin', 'boss',   { name: 'Kitchen <b>tablet</b>' },   200],
    ['answers 404 for another user’s',      'gus',    { name: 'Kitchen' },                 404],
    ['needs a caller',                      'nobody', { name: 'Kitchen' },                 401],
    ['takes 64 characters',                 'vera',   { name: 'x'.repeat(64) },            200],
    ['refuses 65',                          'vera',   { name: 'x'.repeat(65) },            422],
    ['refuses blanks alone',                'vera',   { name: '  ' },                      422],
    ['refuses what commands a terminal',    'vera',   { name: 'a\u001b[31m' },             422],
    ['refuses a number',                    'vera',   { name: 7 },                         422],
    ['refuses a body without a name',       'vera',   {},                                  422],
  ];
  for (const [sentence, who, body, status] of rows) {
    it(sentence, async (t) => {
      const { as, heard } = await accountServerOfFour(t);
      const session = async () =>
        ((await as('vera', 'GET', '/api/sessions')).json as (Session & { name: string })[])[0];
      const { id = '' } = (await session()) ?? {};
      assert.equal((await as(who, 'PATCH', `/api/sessions/${id}`, body)).status, status);
      const wanted = status === 200 ? Object(body).name.trim() : null;
      assert.equal((await session())?.name, wanted);
      const named = heard.audit.filter(({ verdict }) => verdict === 'allowed');
      assert.deepEqual(
        named.map(({ what, who: by, sessionId, user }) => [what, by, sessionId, user]),
        status === 200 ? [['device-named', who, id, 'vera']] : [],
      );
    });
  }

  it('takes a name away with an empty one, and does not know a session that is over', async (t) => {
    const { as, send, tokens } = await accountServerOfFour(t);
    const names = async () =>
      ((await as('boss', 'GET', '/api/sessions')).json as { name: string | null }[]).map(({ name }) => name);
    const [{ id }] = (await as('vera', 'GET', '/api/sessions')).json as [Session];
    for (const name of ['Phone', '']) {
      assert.equal((await as('vera', 'PATCH', `/api/sessions/${id}`, { name })).status, 200);
      assert.ok((await names()).includes(name || null));
    }
    await send('POST', '/api/logout', { headers: { cookie: `frigate_token=${tokens.get('vera')}` } });
    const { status, json } = await as('boss', 'PATCH', `/api/sessions/${id}`, { name: 'Phone' });
    assert.deepEqual([status, json], [404, { success: false, message: 'There is no such session', reason: 'absent' }]);
    assert.deepEqual(await names(), [null]);
  });
});
