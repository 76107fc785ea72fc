/** A limit of the login is listed, and lifted by an admin: on the page's route, at the command line, at every replica (SPEC 4.5). */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, VERA } from '../support/people.ts';
import { enrolled, sendJson } from '../support/second-factor.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

interface ListedLimit {
  readonly id: string;
  readonly kind: string;
  readonly subject: string;
  readonly names: readonly string[];
  readonly since: number;
  readonly until: number;
}

const WRONG = 'WrongPassw0rd!!!';

describe('A limit of the login', () => {
  let nvr: FakeNvr;
  let instance: Runtime;
  let admin: string;
  before(async () => {
    nvr = await startFakeNvr();
    const auth = { trusted_proxies: ['127.0.0.1'] };
    instance = await startInstance({ config: { nvr: { url: nvr.url, cameras: ['cam1', 'cam2'] }, auth } });
  });
  beforeEach(async () => {
    instance.clock.advance(7200); // no failure counts any more
    admin = await instance.logIn(ADMIN_PERSON);
  });
  after(async () => {
    await instance.close();
    await nvr.close();
  });

  const logIn = (from: string, user: string, password: string): Promise<Response> =>
    instance.ask('/api/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
      body: JSON.stringify({ user, password }),
    });
  const fail = async (from: string, names: readonly string[]): Promise<void> => {
    for (const name of names) assert.equal((await logIn(from, name, WRONG)).status, 401);
  };
  const limits = async (): Promise<ListedLimit[]> => {
    const answer = await instance.ask('/api/status/limits', { token: admin });
    assert.equal(answer.status, 200);
    return (await answer.json()) as ListedLimit[];
  };
  const lift = (id: string, token = admin) => instance.ask(`/api/status/limits/${id}`, { method: 'DELETE', token });

  it('is listed as soon as it holds, with the names that were tried and its end', async () => {
    assert.deepEqual(await limits(), []);
    await fail('192.0.2.1', ['vera', 'vera', 'nobody', 'carl']);
    assert.deepEqual(await limits(), []);
    await fail('192.0.2.1', ['vera']);
    const [limit = assert.fail(), ...more] = await limits();
    assert.deepEqual(more, []);
    const now = Math.floor(instance.clock.now() / 1000);
    const { id: _, ...told } = limit;
    const tried = ['vera', 'nobody', 'carl'];
    assert.deepEqual(told, {
      kind: 'address',
      subject: '192.0.2.1',
      names: tried,
      since: now,
      until: Math.ceil(instance.clock.now() / 1000 + 60),
    });
    instance.clock.advance(61);
    assert.deepEqual(await limits(), []);
  });

  it('shows no text that is no name: it may be a password in the wrong field', async () => {
    await fail('192.0.2.2', Array<string>(5).fill('My secret pass phrase!'));
    assert.deepEqual(
      (await limits()).map(({ names }) => names),
      [[]],
    );
  });

  it('is lifted: the next attempt is judged, and counted and recorded', async () => {
    await fail('192.0.2.3', Array<string>(5).fill('vera'));
    assert.equal((await logIn('192.0.2.3', VERA.name, VERA.password)).status, 429);
    const [limit = assert.fail()] = await limits();
    assert.equal((await lift(limit.id)).status, 200);
    assert.deepEqual(await limits(), []);
    assert.equal((await logIn('192.0.2.3', VERA.name, VERA.password)).status, 200);
    const line = instance.log.findLast(({ what }) => what === 'limit-lifted');
    assert.deepEqual([line?.['who'], line?.['limited'], line?.['verdict']], ['admin', '192.0.2.3', 'allowed']);
    assert.equal((await lift(limit.id)).status, 404);
  });

  it('counts anew after it was lifted, from the first failure', async () => {
    await fail('192.0.2.4', Array<string>(5).fill('vera'));
    const [limit = assert.fail()] = await limits();
    assert.equal((await lift(limit.id)).status, 200);
    instance.clock.advance(1);
    await fail('192.0.2.4', Array<string>(5).fill('carl'));
    assert.equal((await logIn('192.0.2.4', VERA.name, VERA.password)).status, 429);
    const [again = assert.fail()] = await limits();
    assert.deepEqual([again.id, again.names.at(-1)], [limit.id, 'carl']);
  });

  it('is lifted once by one lift: failures after it count, though nobody tried in between', async () => {
    await fail('192.0.2.5', Array<string>(5).fill('vera'));
    const [limit = assert.fail()] = await limits();
    assert.equal((await lift(limit.id)).status, 200);
    instance.clock.advance(61); // the window is over by itself
    await fail('192.0.2.5', Array<string>(5).fill('vera'));
    assert.equal((await logIn('192.0.2.5', VERA.name, VERA.password)).status, 429);
  });

  it('leaves other addresses limited', async () => {
    for (const from of ['198.51.100.1', '203.0.113.1']) await fail(from, Array<string>(5).fill('vera'));
    const one = (await limits()).find(({ subject }) => subject === '198.51.100.1');
    assert.equal((await lift(one?.id ?? assert.fail())).status, 200);
    assert.equal((await logIn('203.0.113.1', VERA.name, VERA.password)).status, 429);
    assert.equal((await logIn('198.51.100.1', VERA.name, VERA.password)).status, 200);
  });

  it('of a network is listed and lifted as one', async () => {
    for (let host = 1; host <= 13; host += 1)
      for (let guess = 0; guess < 4; guess += 1) await logIn(`198.18.0.${host}`, 'vera', WRONG);
    assert.equal((await logIn('198.18.0.200', VERA.name, VERA.password)).status, 429);
    const [limit = assert.fail(), ...more] = await limits();
    assert.deepEqual([limit.kind, limit.subject, more], ['network', '198.18.0.0/24', []]);
    assert.equal((await lift(limit.id)).status, 200);
    assert.equal((await logIn('198.18.0.200', VERA.name, VERA.password)).status, 200);
  });

  it('of the codes of an account is listed and lifted too', async () => {
    const person = { name: 'coded', role: 'viewer', password: 'GoldPassw0rd!!!' };
    const { name: username, role, password } = person;
    assert.equal((await sendJson(instance, '/api/users', { username, password, role }, admin)).status, 200);
    const { recoveryCodes: codes } = await enrolled(instance, person);
    const tryCode = (code: string, host: number) =>
      instance.ask('/api/login', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': `192.0.2.${host}` },
        body: JSON.stringify({ user: username, password, code }),
      });
    for (let host = 10; host < 15; host += 1) assert.equal((await tryCode('000000', host)).status, 401);
    assert.equal((await tryCode(codes[0] ?? '', 20)).status, 429);
    const [limit = assert.fail(), ...more] = await limits();
    assert.deepEqual([limit.kind, limit.subject, more], ['codes', 'coded', []]);
    assert.equal((await lift(limit.id)).status, 200);
    assert.equal((await tryCode(codes[0] ?? '', 20)).status, 200);
  });

  it('of the PIN of a link is listed by the link, and lifted too', async () => {
    const vera = await instance.logIn(VERA);
    const what = { live: { camera: 'cam1' } };
    const made = await sendJson(instance, '/api/links', { what, pin: '0815' }, vera);
    const { id, url } = (await made.json()) as { id: string; url: string };
    const give = async (pin: string, host: number): Promise<number> => {
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': `192.0.2.${host}` };
      return (await instance.ask(url, { method: 'POST', headers, body: JSON.stringify({ pin }) })).status;
    };
    for (let host = 30; host < 35; host += 1) assert.equal(await give('9999', host), 403);
    assert.equal(await give('0815', 40), 429);
    const [limit = assert.fail(), ...more] = await limits();
    assert.deepEqual([limit.kind, limit.subject, limit.names, more], ['pins', id, [], []]);
    assert.equal((await lift(limit.id)).status, 200);
    assert.equal(await give('0815', 40), 200);
    const line = instance.log.findLast(({ what }) => what === 'limit-lifted');
    assert.deepEqual([line?.['linkId'], line?.['limited']], [id, undefined]);
  });

  it('is seen and lifted by an admin alone, who has just shown to be the person', async () => {
    await fail('192.0.2.6', Array<string>(5).fill('vera'));
    const [limit = assert.fail()] = await limits();
    const vera = await instance.logIn(VERA);
    assert.equal((await instance.ask('/api/status/limits', { token: vera })).status, 403);
    assert.equal((await lift(limit.id, vera)).status, 403);
    const made = await sendJson(instance, '/api/tokens', { name: 'x', role: 'admin' }, admin);
    const { token } = (await made.json()) as { token: string };
    assert.equal((await lift(limit.id, token)).status, 403);
    assert.equal((await lift('none')).status, 404);
    assert.equal((await limits()).length, 1);
    instance.clock.advance(700);
    const asked = await lift(limit.id);
    assert.equal(asked.status, 403);
    assert.equal(((await asked.json()) as { reason: string }).reason, 'reauthentication-required');
  });
});
