/** Guesses at a password: counted by the client's real address, whatever its headers claim (interface 5.4, SPEC 4.5). */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { ADMIN_PERSON } from '../support/people.ts';
import { startWatchedInstance, type WatchedInstance } from './support/watched-instance.ts';

const LIMIT = 3;

function instanceWith(trusted: readonly string[]): () => WatchedInstance {
  let watched: WatchedInstance | undefined;
  before(async () => {
    const auth = { failed_login_rate_limit: `${LIMIT}/minute`, trusted_proxies: trusted };
    watched = await startWatchedInstance({ auth: { ...auth, roles: { front_only: ['cam1'] }, hash_iterations: 1000 } });
  });
  after(() => watched?.close());
  const current = (): WatchedInstance => watched ?? assert.fail('not started');
  beforeEach(() => current().instance.clock.advance(3600));
  return current;
}

async function guess(
  { instance }: WatchedInstance,
  forwardedFor?: string,
  password = 'a wrong password',
): Promise<number> {
  const headers = new Headers({ 'Content-Type': 'application/json' });
  if (forwardedFor !== undefined) headers.set('X-Forwarded-For', forwardedFor);
  const body = JSON.stringify({ user: ADMIN_PERSON.name, password });
  return (await fetch(`${instance.url}/api/login`, { method: 'POST', headers, body })).status;
}

async function statusesOf(instance: WatchedInstance, forwardedFor: (attempt: number) => string): Promise<number[]> {
  const statuses: number[] = [];
  for (let attempt = 1; attempt <= LIMIT + 2; attempt += 1) statuses.push(await guess(instance, forwardedFor(attempt)));
  return statuses;
}

const LIMITED = [401, 401, 401, 429, 429];

describe('A guesser', () => {
  const instance = instanceWith([]);

  it('is limited though every guess names another address', async () => {
    assert.deepEqual(await statusesOf(instance(), (attempt) => `198.51.100.${attempt}`), LIMITED);
  });

  it('has no more guesses by making them at once', async () => {
    const statuses = await Promise.all(Array.from({ length: 50 }, () => guess(instance())));
    const counted = { 401: 0, 429: 0, 503: 0, ...Object.groupBy(statuses, String) };
    assert.ok(statuses.filter((status) => status === 401).length <= LIMIT, JSON.stringify(counted));
    assert.deepEqual(
      statuses.filter((status) => ![401, 429, 503].includes(status)),
      [],
    );
  });

  it('is not told that the last guess was right', async () => {
    await statusesOf(instance(), () => '');
    assert.equal(await guess(instance(), undefined, ADMIN_PERSON.password), 429);
  });

  it('may guess again when the time is over', async () => {
    assert.equal(await guess(instance(), undefined, ADMIN_PERSON.password), 200);
  });
});

describe('A guesser behind a trusted proxy', () => {
  const instance = instanceWith(['127.0.0.1/32']);

  // biome-ignore format: a table
  const rows: [story: string, forwardedFor: (attempt: number) => string][] = [
    ['is limited though the left of the list is always another',  (attempt) => `198.51.100.${attempt}, 203.0.113.9`],
    ['is limited though each guess has a port of its own',        (attempt) => `203.0.113.10:4${attempt}12`],
    ['is limited though the address is now and then mapped',      (attempt) => (attempt % 2 ? '203.0.113.11' : '::ffff:203.0.113.11')],
    ['is limited though it wanders within its network',           (attempt) => `2001:db8:1:1::${attempt}`],
    ['is limited though the list makes no sense',                 (attempt) => `${attempt}, unknown, _hid`],
    ['is limited though the list holds nothing',                  () => ',,,'],
    ['is limited though the list is endless',                     (attempt) => `${'1.1.1.1,'.repeat(900)}198.51.100.${attempt},203.0.113.12`],
  ];
  for (const [story, forwardedFor] of rows) {
    it(story, async () => assert.deepEqual(await statusesOf(instance(), forwardedFor), LIMITED));
  }

  it('locks no other client out', async () => {
    await statusesOf(instance(), () => '203.0.113.20');
    assert.equal(await guess(instance(), '203.0.113.21', ADMIN_PERSON.password), 200);
  });
});
