/** Screens (SPEC 18): pairing cannot be guessed, hurried, shared or lent, and a screen is never worth more than its maker. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { answerLikeAnNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, type Person, VERA } from '../support/people.ts';
import { beginPairing, displayAddress, pairScreen, pollPairing } from '../support/screens.ts';
import { sendJson } from '../support/second-factor.ts';
import { startInstance } from '../support/start-instance.ts';
import { until } from '../support/until.ts';

const nvr = await startFakeNvr();
nvr.answer = (request, response, received) => {
  if (request.url !== '/api/cam1') return answerLikeAnNvr(request, response, received);
  response.writeHead(200, { 'content-type': 'multipart/x-mixed-replace; boundary=frame' });
  response.write('--frame\r\n');
};
const MAKER: Person = { name: 'maker', role: 'viewer', password: 'IridiumLamp99!!!' };
const GUEST: Person = { name: 'guest', role: 'viewer', password: 'GalliumLamp99!!!' };
const CONFIG = {
  auth: {
    trusted_proxies: ['127.0.0.1/32'],
    roles: {
      front_only: ['cam1'],
      back_only: ['cam2'],
      none_left: ['cam9'],
      blind: { cameras: ['cam1'], deny: ['live'] },
      by_day: { cameras: ['cam1'], hours: ['Mon-Sun 08:00-18:00'] },
    },
    timezone: 'UTC',
    failed_login_rate_limit: '1000/minute',
    session_length: 90 * 86_400,
  },
  nvr: { url: nvr.url, cameras: ['cam1', 'cam2'] },
};
const at = await startInstance({ people: [ADMIN_PERSON, VERA, CARL, MAKER, GUEST], config: CONFIG });
after(async () => {
  await at.close();
  await nvr.close();
});

const sessions = new Map<Person, string>();
/** A fresh one after a while: pairing asks for a proof that is new. */
async function sessionOf(person: Person): Promise<string> {
  const session = sessions.get(person) ?? (await at.logIn(person));
  sessions.set(person, session);
  return session;
}
const send = async (path: string, body: object, by: Person | string, method = 'POST'): Promise<Response> =>
  sendJson(at, path, body, typeof by === 'string' ? by : await sessionOf(by), method);
const asAdmin = async (path: string, method: string, body: object = {}): Promise<void> => {
  const answer = await send(path, body, ADMIN_PERSON, method);
  assert.ok(answer.ok, `${path}: ${answer.status}`);
};
const errorOf = async (answer: Response): Promise<string> => {
  assert.equal(answer.status, 400);
  return ((await answer.json()) as { error: string }).error;
};
const statusBy = async (cookie: string, path = '/api/cam1/latest.jpg'): Promise<number> => {
  const answer = await at.ask(path, { headers: { cookie, 'x-forwarded-for': displayAddress() } });
  await answer.arrayBuffer();
  return answer.status;
};
const confirm = (code: string, by: Person | string, more: object = {}): Promise<Response> =>
  send('/api/screens/confirm', { user_code: code, name: 'hall', ...more }, by);
const idsOf = async (by: Person): Promise<string[]> =>
  ((await (await at.ask('/api/screens', { token: await sessionOf(by) })).json()) as { id: string }[]).map(
    ({ id }) => id,
  );

describe('Pairing', () => {
  it('has a page, whose connection stays', async () => {
    const page = await at.ask('/postern/screen');
    assert.deepEqual([page.status, page.headers.get('connection')], [200, 'keep-alive']);
    await page.arrayBuffer();
  });

  it('has a short address for phones, which leads to the entry of the letters and nowhere else', async () => {
    const entry = '/postern/settings/screens?code=';
    for (const [path, target] of [
      ['/pair', entry],
      ['/pair?code=BCDF-GHJK', `${entry}BCDF-GHJK`],
      ['/pair?code=//evil.example', entry],
    ] as const) {
      const answer = await at.ask(path);
      assert.deepEqual([answer.status, answer.headers.get('location')], [302, target], path);
    }
  });

  it('begins with eight letters without vowels, the address of the page, and a cookie at its end that scripts do not read', async () => {
    const begun = await beginPairing(at);
    assert.match(begun.user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    assert.equal(begun.verification_uri, `${at.url}/pair`);
    assert.equal(begun.verification_uri_complete, `${at.url}/pair?code=${begun.user_code}`);
    assert.match(begun.qr, /^<svg/);
    assert.equal(await errorOf(await pollPairing(at, begun.device_code)), 'authorization_pending');
    // People type as they read.
    assert.equal((await confirm(begun.user_code.toLowerCase().replace('-', ' '), VERA)).status, 201);
    const fetched = await pollPairing(at, begun.device_code);
    const [cookie = ''] = fetched.headers.getSetCookie();
    assert.match(cookie, /^postern_screen=[\w-]{43}; HttpOnly; Max-Age=34560000; Path=\/; SameSite=lax$/);
    assert.equal(await statusBy(cookie.split(';')[0] ?? ''), 200);
  });

  it('shows the person where the display is, which a prepared link cannot hide, and confirms nothing by itself', async () => {
    const from = '198.51.100.7';
    const { user_code: code, device_code: device } = await beginPairing(at, from);
    const looked = await at.ask(`/api/screens/code?user_code=${code}`, { token: await sessionOf(VERA) });
    const { address, agent } = (await looked.json()) as { address: string; agent: string };
    assert.deepEqual([looked.status, address, agent], [200, from, 'TestDisplay/1.0']);
    const opened = await at.ask(`/pair?code=${code}`, { token: await sessionOf(VERA) });
    assert.ok(opened.status < 400);
    assert.equal(await errorOf(await pollPairing(at, device)), 'authorization_pending');
  });

  it('gives a display that is denied nothing, and one whose code is over or used', async () => {
    const denied = await beginPairing(at);
    assert.equal((await send('/api/screens/deny', { user_code: denied.user_code }, VERA)).status, 200);
    assert.equal(await errorOf(await pollPairing(at, denied.device_code)), 'access_denied');
    assert.equal((await confirm(denied.user_code, VERA)).status, 404);

    const late = await beginPairing(at);
    at.clock.advance(601);
    sessions.clear();
    assert.equal(await errorOf(await pollPairing(at, late.device_code)), 'expired_token');
    assert.equal((await confirm(late.user_code, VERA)).status, 404);
    assert.equal(
      (await at.ask(`/api/screens/code?user_code=${late.user_code}`, { token: await sessionOf(VERA) })).status,
      404,
    );

    const used = await beginPairing(at);
    assert.equal((await confirm(used.user_code, VERA)).status, 201);
    assert.equal((await confirm(used.user_code, VERA)).status, 404);
    assert.equal((await pollPairing(at, used.device_code)).status, 200);
    assert.equal(await errorOf(await pollPairing(at, used.device_code)), 'invalid_grant');
    assert.equal(await errorOf(await pollPairing(at, 'x'.repeat(43))), 'invalid_grant');
    assert.equal(await errorOf(await pollPairing(at, used.user_code)), 'invalid_grant');
  });

  it('gives one of two displays with one code a cookie, also when both ask at once', async () => {
    const { user_code: code, device_code: device } = await beginPairing(at);
    assert.equal((await confirm(code, VERA)).status, 201);
    const answers = await Promise.all(Array.from({ length: 8 }, () => pollPairing(at, device)));
    const paired = answers.filter(({ status }) => status === 200);
    assert.equal(paired.length, 1);
    assert.equal(answers.filter((answer) => answer.headers.getSetCookie().length > 0).length, 1);
  });

  it('tells a display that polls too fast to slow down', async () => {
    const { device_code: device } = await beginPairing(at);
    assert.equal(await errorOf(await pollPairing(at, device)), 'authorization_pending');
    assert.equal(await errorOf(await pollPairing(at, device)), 'slow_down');
    at.clock.advance(5);
    assert.equal(await errorOf(await pollPairing(at, device)), 'authorization_pending');
  });

  it('ends when the screen is revoked before the display has fetched it', async () => {
    const { user_code: code, device_code: device } = await beginPairing(at);
    const { id } = (await (await confirm(code, VERA)).json()) as { id: string };
    assert.equal((await send(`/api/screens/${id}`, {}, VERA, 'DELETE')).status, 200);
    assert.equal(await errorOf(await pollPairing(at, device)), 'access_denied');
  });

  it('is limited by address: codes that are made, and device codes that are guessed', async () => {
    const from = displayAddress();
    const made: number[] = [];
    for (let count = 0; count < 12; count += 1) {
      const init = { method: 'POST', headers: { 'x-forwarded-for': from } };
      made.push((await at.ask('/api/screens/code', init)).status);
    }
    assert.deepEqual([made.indexOf(429), new Set(made).size], [10, 2]);
    const guessed: number[] = [];
    for (let count = 0; count < 62; count += 1)
      guessed.push((await pollPairing(at, String(count).padStart(43, 'x'), from)).status);
    assert.equal(guessed.indexOf(429), 60);
    await beginPairing(at);
  });

  it('cannot be guessed: wrong letters are limited by account, whatever the address, at each route that takes them', async () => {
    at.clock.advance(86_400);
    sessions.clear();
    const { user_code: code } = await beginPairing(at);
    const session = await sessionOf(MAKER);
    const guess = (round: number, letters: string): Promise<Response> => {
      const by = {
        token: session,
        headers: { 'content-type': 'application/json', 'x-forwarded-for': displayAddress() },
      };
      const body = JSON.stringify({ user_code: letters, name: 'x' });
      if (round % 3 === 0) return at.ask(`/api/screens/code?user_code=${letters}`, by);
      return at.ask(`/api/screens/${round % 3 === 1 ? 'confirm' : 'deny'}`, { method: 'POST', ...by, body });
    };
    const statuses: number[] = [];
    for (let round = 0; round < 6; round += 1) statuses.push((await guess(round, 'BBBB-BBBB')).status);
    assert.deepEqual(statuses, [404, 404, 404, 404, 404, 429]);
    const full = await guess(1, code);
    assert.equal(full.status, 429, 'the right one, too');
    const { message, error, ...more } = (await full.json()) as Readonly<Record<string, unknown>>;
    const seconds = full.headers.get('retry-after');
    const told = { success: false, reason: 'rate-limited', values: { seconds: Number(seconds) } };
    assert.deepEqual([message, more], [`Too many failed attempts: try again in ${seconds} s.`, told]);
    assert.match(String(error), /^Rate limit exceeded: /);
    assert.equal((await confirm(code, VERA)).status, 201, 'by another person');
  });

  it('cannot be guessed by many accounts from one address: wrong letters count as failed logins do', async () => {
    const limited = await startInstance({
      people: [VERA, MAKER],
      config: { ...CONFIG, auth: { ...CONFIG.auth, failed_login_rate_limit: '3/minute' } },
    });
    try {
      const tokens = [await limited.logIn(VERA), await limited.logIn(MAKER)];
      const statuses: number[] = [];
      for (let round = 0; round < 4; round += 1)
        statuses.push(
          (await sendJson(limited, '/api/screens/deny', { user_code: 'BBBBBBBB' }, tokens[round % 2])).status,
        );
      assert.deepEqual(statuses, [404, 404, 404, 429]);
    } finally {
      await limited.close();
    }
  });
});

describe('Nobody confirms a screen', () => {
  it('but a person who is logged in: no API token, no session of one, no guest, no screen, no stranger, no proxy', async () => {
    const admin = await sessionOf(ADMIN_PERSON);
    const wanted = { name: 't', manage_accounts: true, login: true };
    const token = ((await (await send('/api/tokens', wanted, admin)).json()) as { token: string }).token;
    const byToken = await at.logIn({ name: 'admin', role: 'admin', password: token });
    await asAdmin('/api/users/guest/validity', 'PUT', { valid_until: Math.floor(at.clock.now() / 1000) + 86_400 });
    const { cookie } = await pairScreen(at, await sessionOf(VERA));
    const { user_code: code, device_code: device } = await beginPairing(at);
    for (const by of [token, byToken, await at.logIn(GUEST)]) {
      assert.equal((await confirm(code, by)).status, 403);
      assert.equal((await send('/api/screens/deny', { user_code: code }, by)).status, 403);
      assert.equal((await at.ask(`/api/screens/code?user_code=${code}`, { token: by })).status, 403);
    }
    const body = JSON.stringify({ user_code: code, name: 'x' });
    const json = { 'content-type': 'application/json' };
    const sent = (headers: Record<string, string>, url = at.url) =>
      fetch(`${url}/api/screens/confirm`, { method: 'POST', headers: { ...json, ...headers }, body });
    assert.equal((await sent({ cookie })).status, 403);
    assert.equal((await sent({})).status, 401);
    assert.equal((await sent({}, at.internalUrl)).status, 403);
    assert.equal(await errorOf(await pollPairing(at, device)), 'authorization_pending');
  });

  it('by a page of another site, nor pairs a display by one', async () => {
    const { user_code: code, device_code: device } = await beginPairing(at);
    const headers = {
      cookie: `frigate_token=${await sessionOf(VERA)}`,
      origin: 'https://evil.example',
      'sec-fetch-site': 'cross-site',
      'content-type': 'application/json',
    };
    const post = async (path: string, body: object) =>
      (await at.ask(path, { method: 'POST', headers, body: JSON.stringify(body) })).status;
    assert.equal(await post('/api/screens/confirm', { user_code: code, name: 'x' }), 403);
    assert.equal(await post('/api/screens/token', { device_code: device }), 403);
    const led = await at.ask(`/api/screens/code?user_code=${code}`, { headers });
    assert.deepEqual([led.status, ((await led.json()) as { success: boolean }).success], [403, false]);
    assert.equal(await errorOf(await pollPairing(at, device)), 'authorization_pending');
  });

  it('by a session that was stolen long ago: it asks for a proof', async () => {
    const session = await at.logIn(VERA);
    at.clock.advance(601);
    sessions.clear();
    const { user_code: code } = await beginPairing(at);
    const refused = await confirm(code, session);
    assert.equal(((await refused.json()) as { reason: string }).reason, 'reauthentication-required');
  });

  // biome-ignore format: a table
  const rows: readonly (readonly [what: string, by: Person, body: object, status: number])[] = [
    ['of a camera that its maker does not see',     CARL, { cameras: ['cam1', 'cam2'] },        403],
    ['of cameras by a pattern',                     VERA, { cameras: ['cam*'] },                400],
    ['of no camera',                                VERA, { cameras: [] },                      400],
    ['with an end that has passed',                 VERA, { ends_at: 1 },                       400],
    ['with an end in no seconds',                   VERA, { ends_at: '2030' },                  400],
    ['with a misspelt end',                         VERA, { end_at: 2_000_000_000 },            422],
    ['without a name',                              VERA, { name: ' ' },                        400],
  ];
  for (const [what, by, body, expected] of rows)
    it(what, async () => {
      const { user_code: code, device_code: device } = await beginPairing(at);
      assert.equal((await confirm(code, by, body)).status, expected);
      assert.equal(await errorOf(await pollPairing(at, device)), 'authorization_pending');
    });
});

describe('A screen', () => {
  it('is its maker, narrowed: an admin makes no admin, and the NVR is told a viewer', async () => {
    const { cookie } = await pairScreen(at, await sessionOf(ADMIN_PERSON));
    nvr.received.splice(0);
    assert.equal(await statusBy(cookie), 200);
    const sent = Object.fromEntries(nvr.received[0]?.headers ?? []);
    assert.deepEqual([sent['remote-user'], sent['remote-role'], sent['cookie']], ['admin', 'viewer', undefined]);
    for (const path of ['/api/users', '/api/logs/nginx', '/api/events', '/api/cam1/recordings', '/api/cam1/ptz/info'])
      assert.equal(await statusBy(cookie, path), 403, path);
  });

  it('stays when its maker logs out or sets a new password, and after a month switched off', async () => {
    const session = await at.logIn(MAKER);
    const { cookie } = await pairScreen(at, session);
    assert.equal((await at.ask('/api/logout', { method: 'POST', token: session })).status, 303);
    const next = 'OsmiumLamp99!!!!';
    const own = await at.logIn(MAKER);
    const changed = await send(
      '/api/users/maker/password',
      { password: next, old_password: MAKER.password },
      own,
      'PUT',
    );
    assert.equal(changed.status, 200);
    at.clock.advance(31 * 86_400);
    sessions.clear();
    assert.equal(await statusBy(cookie), 200);
    const profile = await at.ask('/api/profile', { headers: { cookie } });
    assert.equal(profile.headers.getSetCookie()[0]?.startsWith(`${cookie}; HttpOnly; Max-Age=34560000;`), true);
    const back = await at.logIn({ ...MAKER, password: next });
    await send('/api/users/maker/password', { password: MAKER.password, old_password: next }, back, 'PUT');
  });

  it('shows nothing outside of the hours of its maker, and its cameras again when they begin, without being paired anew', async () => {
    const day = 86_400;
    const toHour = (hour: number): void => {
      at.clock.advance((hour * 3600 - (Math.floor(at.clock.now() / 1000) % day) + day) % day);
      sessions.clear();
    };
    toHour(12);
    await asAdmin('/api/users', 'POST', { username: 'daisy', password: MAKER.password, role: 'by_day' });
    const { cookie } = await pairScreen(at, { ...MAKER, name: 'daisy' });
    const shown = async (): Promise<unknown> =>
      ((await (await at.ask('/api/profile', { headers: { cookie } })).json()) as { allowed_cameras: unknown })
        .allowed_cameras;
    const stream = await at.ask('/api/cam1', { headers: { cookie } });
    assert.deepEqual([await shown(), stream.status], [['cam1'], 200]);
    toHour(20);
    await stream.arrayBuffer().catch(() => undefined);
    assert.deepEqual([await shown(), await statusBy(cookie)], [[], 403]);
    toHour(9);
    assert.deepEqual([await shown(), await statusBy(cookie)], [['cam1'], 200]);
  });

  it('gives way to a person who is logged in beside it', async () => {
    const { cookie } = await pairScreen(at, await sessionOf(CARL));
    const both = { cookie: `${cookie}; frigate_token=${await sessionOf(VERA)}` };
    const { username } = (await (await at.ask('/api/profile', { headers: both })).json()) as { username: string };
    assert.equal(username, 'vera');
  });

  it('is refused with a session that is over beside it, until that is forgotten by a logout, as its page does', async () => {
    const { cookie } = await pairScreen(at, await sessionOf(CARL));
    const over = await at.logIn(VERA);
    await at.ask('/api/logout', { method: 'POST', token: over });
    const both = { cookie: `${cookie}; frigate_token=${over}` };
    const refused = await at.ask('/api/profile', { headers: both });
    assert.deepEqual([refused.status, ((await refused.json()) as { reason?: string }).reason], [401, 'token-invalid']);
    const out = await at.ask('/api/logout', { method: 'POST', headers: { ...both, origin: at.url } });
    const cleared = out.headers.getSetCookie().map((line) => line.split('=')[0]);
    assert.deepEqual([out.status, cleared], [303, ['frigate_token']]);
    assert.equal(await statusBy(cookie), 200);
  });

  it('opens no own route by a bearer, and none of its streams to a page of another site', async () => {
    const { cookie, id } = await pairScreen(at, await sessionOf(VERA));
    const secret = cookie.slice(cookie.indexOf('=') + 1);
    for (const bearer of [secret, id]) assert.equal((await at.ask('/api/profile', { token: bearer })).status, 401);
    assert.equal(await statusBy(`postern_screen=${id}`), 401);
    const socket = new WebSocket(`${at.url.replace('http', 'ws')}/ws`, {
      headers: { cookie },
      origin: 'https://evil.example',
    });
    const [error] = (await once(socket, 'error')) as [Error];
    assert.match(error.message, /403/);
  });

  it('keeps no secret in the store that opens it', async () => {
    const { cookie } = await pairScreen(at, await sessionOf(VERA));
    const begun = await beginPairing(at);
    const db = new DatabaseSync(`${at.directory}/postern.db`, { readOnly: true });
    const rows = JSON.stringify([
      db.prepare('select * from grants').all(),
      db.prepare('select * from screen_codes').all(),
    ]);
    db.close();
    for (const secret of [
      cookie.slice('postern_screen='.length),
      begun.device_code,
      begun.user_code,
      begun.user_code.replace('-', ''),
    ])
      assert.ok(secret.length > 7 && !rows.includes(secret));
  });

  it('is forgotten by a display that begins anew, when it is over for good', async () => {
    await asAdmin('/api/users', 'POST', { username: 'emma', password: MAKER.password, role: 'viewer' });
    const { cookie } = await pairScreen(at, { ...MAKER, name: 'emma' }, { cameras: ['cam1'] });
    const begun = async (): Promise<string[]> => {
      const headers = { cookie, 'x-forwarded-for': displayAddress() };
      return (await at.ask('/api/screens/code', { method: 'POST', headers })).headers.getSetCookie();
    };
    assert.deepEqual(await begun(), [], 'it shows cameras');
    await asAdmin('/api/users/emma/role', 'PUT', { role: 'none_left' });
    assert.deepEqual(await begun(), [], 'its maker may get cameras back');
    await asAdmin('/api/users/emma', 'DELETE');
    assert.deepEqual(await begun(), ['postern_screen=; HttpOnly; Max-Age=0; Path=/; SameSite=lax']);
  });

  it('is refused after too many requests of dead ones from its address, while living ones there go on', async () => {
    const from = displayAddress();
    const { cookie } = await pairScreen(at, await sessionOf(VERA));
    const ask = async (sent: string): Promise<number> =>
      (await at.ask('/api/profile', { headers: { cookie: sent, 'x-forwarded-for': from } })).status;
    const dead: number[] = [];
    for (let count = 0; count < 62; count += 1)
      dead.push(await ask(`postern_screen=${String(count).padStart(43, 'x')}`));
    assert.deepEqual([dead[0], dead.indexOf(429)], [401, 60]);
    assert.equal(await ask(cookie), 200);
  });
});

describe('A screen ends, and its streams within a second,', () => {
  /** The stream of cam1 of a screen; `closed` resolves when it has ended. */
  async function watching(cookie: string): Promise<{ readonly closed: Promise<unknown>; readonly socket: WebSocket }> {
    const stream = await at.ask('/api/cam1', { headers: { cookie } });
    assert.equal(stream.status, 200);
    const socket = new WebSocket(`${at.url.replace('http', 'ws')}/live/jsmpeg/cam1`, {
      headers: { cookie },
      origin: at.url,
    });
    await once(socket, 'open');
    const ended = (async () => {
      const reader = stream.body?.getReader();
      while (!(await reader?.read().catch(() => ({ done: true })))?.done);
    })();
    return { closed: Promise.all([ended, once(socket, 'close')]), socket };
  }
  const ended = async (cookie: string, act: () => Promise<unknown>, left = 401): Promise<void> => {
    const { closed } = await watching(cookie);
    await act();
    await closed;
    assert.equal(await statusBy(cookie), left);
  };
  const newMaker = async (name: string, role = 'viewer'): Promise<Person> => {
    const person = { name, role, password: 'TungstenLamp99!!!' };
    await asAdmin('/api/users', 'POST', { username: name, password: person.password, role });
    return person;
  };

  it('when it is revoked', async () => {
    const { id, cookie } = await pairScreen(at, await sessionOf(VERA));
    await ended(cookie, () => send(`/api/screens/${id}`, {}, VERA, 'DELETE'));
  });

  it('when its maker is deleted, and a new account of that name has none', async () => {
    const maker = await newMaker('anna');
    const { cookie, id } = await pairScreen(at, maker);
    await ended(cookie, () => asAdmin('/api/users/anna', 'DELETE'));
    at.clock.advance(2);
    const again = await newMaker('anna');
    assert.equal(await statusBy(cookie), 401);
    assert.ok(!(await idsOf(again)).includes(id));
  });

  it('when its maker ends as a guest', async () => {
    const { cookie } = await pairScreen(at, await newMaker('berta'));
    await ended(cookie, async () => {
      await asAdmin('/api/users/berta/validity', 'PUT', { valid_until: Math.floor(at.clock.now() / 1000) + 1 });
      at.clock.advance(2);
    });
  });

  it('when its maker loses all of its cameras; losing one narrows it at once', async () => {
    const maker = await newMaker('clara');
    const { cookie } = await pairScreen(at, maker, { cameras: ['cam1', 'cam2'] });
    assert.equal(await statusBy(cookie, '/api/cam2/latest.jpg'), 200);
    await ended(cookie, () => asAdmin('/api/users/clara/role', 'PUT', { role: 'back_only' }), 403);
    assert.equal(await statusBy(cookie, '/api/cam2/latest.jpg'), 200);
    await asAdmin('/api/users/clara/role', 'PUT', { role: 'none_left' });
    assert.equal(await statusBy(cookie, '/api/cam2/latest.jpg'), 401);
  });

  it('when its maker may see nothing live', async () => {
    const { cookie } = await pairScreen(at, await newMaker('dora'));
    await ended(cookie, () => asAdmin('/api/users/dora/role', 'PUT', { role: 'blind' }), 403);
  });

  it('at its end, and a clock that is set back does not bring it back', async () => {
    const { cookie } = await pairScreen(at, await at.logIn(VERA), { ends_at: Math.floor(at.clock.now() / 1000) + 60 });
    await ended(cookie, async () => at.clock.advance(61));
    at.clock.advance(-61);
    assert.equal(await statusBy(cookie), 401);
  });

  it('when its cameras are changed by PATCH: to own ones only, and after a proof', async () => {
    const { cookie, id } = await pairScreen(at, await at.logIn(CARL));
    const patch = async (body: object, by: Person | string): Promise<number> =>
      (await send(`/api/screens/${id}`, body, by, 'PATCH')).status;
    sessions.clear();
    assert.equal(await patch({ cameras: ['cam2'] }, CARL), 403);
    assert.equal(await patch({ cameras: ['cam2'] }, ADMIN_PERSON), 403, 'its maker does not see it');
    assert.equal(await patch({ name: 'kitchen' }, CARL), 200);
    assert.equal(await patch({ name: 'x' }, VERA), 404, "another person's");
    assert.equal(await patch({ nam: 'x' }, CARL), 422);
    assert.equal(await statusBy(cookie), 200);
    const old = await at.logIn(CARL);
    at.clock.advance(601);
    sessions.clear();
    assert.equal(await patch({ cameras: ['cam1'] }, old), 403);
    assert.equal((await send(`/api/screens/${id}`, {}, VERA, 'DELETE')).status, 404);
    assert.equal((await send(`/api/screens/${id}`, {}, ADMIN_PERSON, 'DELETE')).status, 200);
    await until('it has ended', async () => (await statusBy(cookie)) === 401);
  });
});
