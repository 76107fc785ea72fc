/** Logins of clients that have left, and how many may wait at all: nothing is hashed and no session is made for nobody (SPEC 4.1). */
import assert from 'node:assert/strict';
import { type ClientRequest, request } from 'node:http';
import { describe, it } from 'node:test';
import { logIn } from '../../../src/accounts/login/login.ts';
import { createKnownClients, createLoginLimiter, inTurn } from '../../../src/accounts/login/login-limiter.ts';
import { createConcurrencyLimit } from '../../../src/accounts/passwords/password-hash.ts';
import type { Services } from '../../../src/app/services.ts';
import type { User } from '../../../src/domain/accounts/account.ts';
import { until } from '../../support/until.ts';
import { startAccountServer } from '../support/account-server.ts';
import { handClock, openInstanceStore, PASSWORD, person, quickHasher } from '../support/people.ts';

const CLAUSES = [{ count: 1, windowSeconds: 60, text: '1/minute' }];
const GONE = new Error('the client has left');

/** A limiter with one place for each address, which is taken. */
async function fullLimiter(...addresses: string[]) {
  const limiter = inTurn(createLoginLimiter({ clauses: CLAUSES, clock: handClock() }));
  const places = await Promise.all(addresses.map((address) => limiter.reserve(address)));
  const release = () => {
    for (const place of places) if (place.kind === 'reserved') place.release();
  };
  return { limiter, release };
}

describe('An attempt that waits for others', () => {
  it('ends when its client leaves, and takes no place afterwards', async () => {
    const { limiter, release } = await fullLimiter('192.0.2.1');
    const client = new AbortController();
    const waits = limiter.reserve('192.0.2.1', false, { account: 'vera', signal: client.signal });
    client.abort(GONE);
    await assert.rejects(waits, GONE);
    release();
    assert.equal((await limiter.reserve('192.0.2.1')).kind, 'reserved');
  });

  it('is one of 64 for an account and of 512 in all; another account, and a client that is known, find room beyond the first', async () => {
    const { limiter, release } = await fullLimiter('192.0.2.1', '192.0.2.2');
    const client = new AbortController();
    const { signal } = client;
    const waiting: Promise<unknown>[] = [];
    const wait = (account: string, times: number, address = '192.0.2.1') => {
      for (let at = 0; at < times; at += 1) waiting.push(limiter.reserve(address, false, { account, signal }));
    };
    wait('vera', 64);
    assert.equal((await limiter.reserve('192.0.2.2', false, { account: 'vera', signal })).kind, 'busy');
    for (let account = 0; account < 7; account += 1) wait(`other${account}`, 64);
    assert.equal((await limiter.reserve('192.0.2.2', false, { account: 'gus', signal })).kind, 'busy');
    waiting.push(limiter.reserve('192.0.2.2', true, { account: 'vera', signal }));
    client.abort(GONE);
    for (const { status } of await Promise.allSettled(waiting)) assert.equal(status, 'rejected');
    const next = limiter.reserve('192.0.2.2', false, { account: 'vera' });
    release();
    assert.equal((await next).kind, 'reserved', 'the places of those who left are free');
  });

  it('leaves the line for a hash, and the next one has its turn', async () => {
    const lanes = createConcurrencyLimit({ lanes: 1, queue: 1 });
    const first = Promise.withResolvers<string>();
    const running = lanes.run(() => first.promise);
    const client = new AbortController();
    const of = (name: string, signal?: AbortSignal) => ({ client: name, network: name, isKnown: false, signal });
    let hashes = 0;
    const hash = async () => {
      hashes += 1;
      return 'hashed';
    };
    const left = lanes.run(hash, of('one', client.signal));
    assert.equal(await lanes.run(hash, of('other')), 'busy');
    client.abort(GONE);
    await assert.rejects(left, GONE);
    assert.equal(lanes.waiting(), 0);
    const next = lanes.run(hash, of('other'));
    first.resolve('first');
    assert.deepEqual([await running, await next, hashes], ['first', 'hashed', 1]);
  });

  it('gets no session when its client leaves while the password is hashed', async (t) => {
    const { accounts } = await openInstanceStore(t);
    await accounts.addUser(await person('vera'));
    const client = new AbortController();
    const hasher = {
      ...quickHasher(),
      check: async (...guess: Parameters<ReturnType<typeof quickHasher>['check']>) => {
        client.abort(GONE);
        return quickHasher().check(...guess);
      },
    };
    const issued: User[] = [];
    const limiter = inTurn(createLoginLimiter({ clauses: [], clock: handClock() }));
    const attempt = { user: 'vera', password: PASSWORD, address: '192.0.2.1', signal: client.signal };
    const outcome = logIn(attempt, {
      store: { accounts },
      hasher,
      limiter,
      knownClients: createKnownClients(),
      closedOf: async () => undefined,
      mayUsePassword: () => true,
      sessions: {
        issue: async (user: User) => `${issued.push(user)}`,
        issueForToken: () => assert.fail(),
        sessionNamedBy: async () => undefined,
      },
      tokenVerifier: { judge: () => assert.fail() },
      codeLimiter: limiter,
      secondFactor: { wantedFrom: async () => [], checkCode: async () => ({ kind: 'wrong', by: 'totp' }) },
    } as unknown as Services);
    await assert.rejects(outcome, GONE);
    assert.deepEqual(issued, []);
  });
});

describe('Logins that nobody waits for', () => {
  it('are not hashed, and the next login does not wait for them', async (t) => {
    const { send, port, store, heard } = await startAccountServer(t, {
      limit: '1/minute',
      hashing: { concurrency: 1, iterations: 200_000 },
    });
    await store.addUser(await person('vera'));
    const body = JSON.stringify({ user: 'vera', password: PASSWORD });
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    const post = (): ClientRequest => {
      const sent = request({ port, method: 'POST', path: '/api/login', headers, agent: false });
      sent.on('error', () => {}).end(body);
      return sent;
    };
    const requests = Array.from({ length: 40 }, post);
    await until('a password is hashed', () => heard.hashes > 0);
    for (const sent of requests) sent.destroy();
    const { status } = await send('POST', '/api/login', { body: { user: 'vera', password: PASSWORD } });
    assert.equal(status, 200);
    // The login above came after all of them: what of them is hashed has been hashed by now.
    assert.ok(heard.hashes < 20, `${heard.hashes} hashes`);
  });

  it('beyond what may wait are told to come again', async (t) => {
    const { send, store } = await startAccountServer(t, { limit: '1/minute', hashing: { concurrency: 1 } });
    await store.addUser(await person('vera'));
    const logins = Array.from({ length: 100 }, () =>
      send('POST', '/api/login', { body: { user: 'vera', password: PASSWORD } }),
    );
    const answers = await Promise.all(logins);
    const refused = answers.filter(({ status }) => status !== 200);
    for (const { status, headers } of refused) assert.deepEqual([status, headers['retry-after']], [503, '5']);
    assert.ok(answers.length - refused.length >= 1);
  });
});
