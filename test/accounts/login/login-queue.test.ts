/** The line of password checks: one owner of many addresses does not keep others from logging in (SPEC 4.5). */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { BY_ADDRESS, createKnownClients, createWindowLimiter } from '../../../src/accounts/login/login-limiter.ts';
import { createConcurrencyLimit, type Waiter } from '../../../src/accounts/passwords/password-hash.ts';
import { networkKey } from '../../../src/domain/addresses.ts';
import { parseRateLimit } from '../../../src/domain/rate-limit.ts';
import { type AccountServerOptions, startAccountServer } from '../support/account-server.ts';
import { handClock, PASSWORD, person } from '../support/people.ts';

const LINE = 32;

/** A send with one lane for passwords, which an attack from forty /64s of one /48 keeps busy. */
async function attackedServer(t: TestContext, options: AccountServerOptions = {}) {
  const started = await startAccountServer(t, {
    hashing: { concurrency: 1, queue: LINE, iterations: 30_000 },
    ...options,
  });
  for (const name of ['vera', 'gus']) await started.store.addUser(await person(name));
  const logIn = (address: string, user: string, password: string, cookie?: string) =>
    started.send('POST', '/api/login', {
      headers: { 'x-test-address': address, ...(cookie ? { cookie } : {}) },
      body: { user, password },
    });
  const attack = () =>
    Array.from({ length: 200 }, (_, at) => logIn(`2001:db8:1:${at % 40}::${at}`, 'vera', 'a guess that is wrong'));
  return { ...started, logIn, attack };
}

describe('While forty /64s of one /48 guess passwords', () => {
  it('right logins from elsewhere pass', async (t) => {
    const { logIn, attack } = await attackedServer(t);
    const attempts = attack();
    const logins = Array.from({ length: 16 }, (_, at) => logIn(`203.0.${at}.7`, 'vera', PASSWORD));
    const statuses = (await Promise.all(logins)).map(({ status }) => status);
    assert.deepEqual(statuses, Array(16).fill(200));
    await Promise.all(attempts);
  });

  it('an address of the same network that logged in before gets in, and so does a browser', async (t) => {
    const { logIn, attack } = await attackedServer(t, { limit: '5/minute;20/hour' });
    const known = '2001:db8:1:ffff::7';
    const first = await logIn(known, 'vera', PASSWORD);
    const cookie = (await logIn('198.51.100.7', 'gus', PASSWORD)).headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    assert.equal(first.status, 200);
    const attempts = attack();
    const [byAddress, byBrowser] = await Promise.all([
      logIn(known, 'vera', PASSWORD),
      logIn('2001:db8:1:eeee::7', 'gus', PASSWORD, cookie),
    ]);
    assert.deepEqual([byAddress.status, byBrowser.status], [200, 200]);
    await Promise.all(attempts);
    // The window of the network is full: an unknown client in it waits, the known browser and address do not.
    const stranger = await logIn('2001:db8:1:dddd::7', 'vera', PASSWORD);
    assert.deepEqual([stranger.status, (await logIn(known, 'vera', PASSWORD)).status], [429, 200]);
    assert.equal((await logIn('2001:db8:1:dddd::7', 'gus', PASSWORD, cookie)).status, 200);
    assert.equal((await logIn('2001:db8:1:cccc::7', 'vera', PASSWORD, cookie)).status, 429, 'of gus, not of vera');
    assert.equal((await logIn('2001:db8:2:dddd::7', 'vera', PASSWORD)).status, 200);
  });
});

describe('The window of a network', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, address: string, key: string][] = [
    ['is the /24 of IPv4',                     '203.0.113.9',           '203.0.113.0/24'],
    ['is the /24 of IPv4 mapped into IPv6',    '::ffff:203.0.113.9',    '203.0.113.0/24'],
    ['is the /48 of IPv6',                     '2001:db8:1:2:3::6',     '2001:db8:1::/48'],
    ['is the /48 with zeros in it',            '2001:db8::1',           '2001:db8:0::/48'],
    ['is its own for what is no address',      'unknown',               'unknown'],
  ];
  for (const [sentence, address, key] of rows) it(sentence, () => assert.equal(networkKey(address), key));

  it('holds ten times the failures of a client, and then says how long to wait', () => {
    const clock = handClock();
    const clauses = parseRateLimit('2/minute');
    const limiter = createWindowLimiter(BY_ADDRESS, { clauses: clauses.ok ? clauses.value : [], clock });
    const fail = (address: string) => {
      const place = limiter.reserve(address);
      if (place.kind === 'reserved') place.keep();
      return place;
    };
    for (let at = 0; at < 20; at += 1) assert.equal(fail(`192.0.2.${at}`).kind, 'reserved');
    const full = fail('192.0.2.99');
    assert.ok(full.kind === 'limited');
    assert.deepEqual([full.window?.prefix, full.retryAfterSeconds, full.clause.text], ['network', 60, '20/minute']);
    assert.equal(limiter.reserve('192.0.2.99', true).kind, 'reserved', 'known before');
    assert.equal(fail('192.0.3.1').kind, 'reserved', 'another network');
    clock.advance(60);
    assert.equal(fail('192.0.2.99').kind, 'reserved');
  });

  it('gives a place back when its attempt succeeds, and takes none when the client itself is limited', () => {
    const clauses = parseRateLimit('1/minute');
    const limiter = createWindowLimiter(BY_ADDRESS, { clauses: clauses.ok ? clauses.value : [], clock: handClock() });
    for (let at = 0; at < 50; at += 1) {
      const place = limiter.reserve(`192.0.2.${at}`);
      if (place.kind === 'reserved') place.release();
    }
    const kept = limiter.reserve('192.0.2.1');
    if (kept.kind === 'reserved') kept.keep();
    for (let at = 0; at < 50; at += 1) assert.equal(limiter.reserve('192.0.2.1').kind, 'limited');
    for (let at = 2; at < 11; at += 1) assert.equal(limiter.reserve(`192.0.2.${at}`).kind, 'reserved');
    assert.equal(limiter.reserve('192.0.2.11').kind, 'limited');
  });
});

describe('The line before costly work', () => {
  const stranger = (client: string, network = client): Waiter => ({ client, network, isKnown: false });
  /** Work that never ends by itself takes the only lane; what waits behind it is started by `next`. */
  function blocked(queue: number) {
    const limit = createConcurrencyLimit({ lanes: 1, queue });
    const order: string[] = [];
    const ends: (() => void)[] = [];
    const add = (name: string, waiter?: Waiter) =>
      limit.run(() => {
        order.push(name);
        return new Promise<void>((end) => ends.push(end));
      }, waiter);
    const drain = async (): Promise<string[]> => {
      for (let at = 0; at < 100; at += 1) {
        ends.shift()?.();
        await new Promise(setImmediate);
      }
      return order;
    };
    return { limit, add, drain };
  }

  it('gives each client one place: the second piece of work of a client comes after the first of the others', async () => {
    const { add, drain } = blocked(8);
    const jobs = [add('running', stranger('a'))];
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) jobs.push(add(name, stranger(name[0] ?? '')));
    assert.deepEqual(await drain(), ['running', 'a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    await Promise.all(jobs);
  });

  it('gives at most half of its places to one network, and no place of known clients to unknown ones', async () => {
    const { limit, add, drain } = blocked(4);
    const jobs = [add('running', stranger('a'))];
    for (const client of ['n1', 'n2']) jobs.push(add(client, stranger(client, 'net')));
    assert.equal(await add('n3', stranger('n3', 'net')), 'busy');
    for (const client of ['x', 'y']) jobs.push(add(client, stranger(client)));
    assert.equal(await add('z', stranger('z')), 'busy');
    for (const client of ['k1', 'k2']) jobs.push(add(client, { client, network: client, isKnown: true }));
    assert.equal(limit.waiting(), 6);
    assert.deepEqual(await drain(), ['running', 'k1', 'n1', 'k2', 'n2', 'x', 'y']);
    await Promise.all(jobs);
  });
});

describe('Known clients', () => {
  it('are addresses that logged in, and addresses whose sessions went on at the start', () => {
    const known = createKnownClients(['203.0.113.9', '2001:db8:1:2::9']);
    known.note('192.0.2.7');
    const asked = ['203.0.113.9', '2001:db8:1:2::1', '::ffff:192.0.2.7', '192.0.2.8'];
    assert.deepEqual(asked.map(known.has), [true, true, true, false]);
  });
});
