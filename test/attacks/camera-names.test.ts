/** Long names of cameras, and patterns that are slow to match: a request with them costs no more than another. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { newTokenText } from '../../src/accounts/tokens/api-tokens.ts';
import { NEW_GRANT } from '../../src/domain/accounts/grant.ts';
import { unixSeconds } from '../../src/domain/clock.ts';
import type { Role, UserName } from '../../src/domain/names.ts';
import { openStore } from '../../src/store/open-store.ts';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, VERA } from '../support/people.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

/** As an earlier version took them: 200 entries, with as many stars as there is room for. */
const OLD_ENTRIES = Array.from({ length: 200 }, (_, index) => `${'*a'.repeat(20)}*b${index}`);

describe('A name of a camera in a request', () => {
  let nvr: FakeNvr;
  let instance: Runtime;
  const tokens: Record<string, string> = {};
  before(async () => {
    nvr = await startFakeNvr();
    instance = await startInstance({
      config: {
        nvr: { url: nvr.url, cameras: ['cam1', 'a'.repeat(100)] },
        auth: { roles: { front_only: ['cam1', '*a*a*a*b', 'c*'] } },
      },
    });
    for (const person of [ADMIN_PERSON, VERA, CARL]) tokens[person.name] = await instance.logIn(person);
    tokens['old token'] = await oldToken('vera', 'viewer');
    tokens['old token of a role'] = await oldToken('carl', 'front_only');
  });
  after(async () => {
    await instance.close();
    await nvr.close();
  });

  async function oldToken(user: string, role: string): Promise<string> {
    const store = await openStore({ url: `sqlite:${instance.directory}/postern.db` });
    const { text, id, secretHash } = newTokenText();
    const owner = await store.accounts.findUser(user as UserName);
    await store.grants.add('api-token', {
      ...NEW_GRANT,
      id,
      secretHash,
      name: randomBytes(4).toString('hex'),
      user: user as UserName,
      userCreatedAt: owner?.createdAt ?? null,
      role: role as Role,
      cameras: OLD_ENTRIES,
      managesAccounts: false,
      createdAt: unixSeconds(instance.clock),
    });
    await store.close();
    return text;
  }

  it('with more than 128 letters is 404 in a path and 422 in a query, whoever asks, and the NVR is not asked', async () => {
    for (const [who, token] of Object.entries(tokens))
      for (const letters of [129, 6000]) {
        const long = 'a'.repeat(letters);
        nvr.received.length = 0;
        for (const [path, status] of [
          [`/api/${long}/latest.jpg`, 404],
          [`/vod/${long}/start/1/end/2/index.m3u8`, 404],
          [`/api/${long}/start/1/end/2/preview.gif`, 404],
          [`/api/events?cameras=${long}`, 422],
          [`/api/events?cameras=cam1,${long}`, 422],
          [`/api/review?cameras=cam1%2C${'%61'.repeat(Math.min(letters, 2000))}`, 422],
          [`/api/labels?camera=${long}`, 422],
          [`/api/ledger?camera=${long}`, 422],
        ] as const)
          assert.equal((await instance.ask(path, { token })).status, status, `${who} ${path.slice(0, 60)}`);
        assert.deepEqual(
          nvr.received.filter(({ target }) => target.includes('aaa')),
          [],
          who,
        );
      }
  });

  it('with 128 letters is looked up as any other', async () => {
    const longest = 'a'.repeat(128);
    for (const [who, status] of [
      ['old token', 403],
      ['carl', 403],
      ['old token of a role', 403],
    ] as const)
      for (let turn = 0; turn < 20; turn++)
        assert.equal(
          (await instance.ask(`/api/events?cameras=${longest}${turn}`.slice(0, 20 + 128), { token: tokens[who] ?? '' }))
            .status,
          status,
          who,
        );
  });

  it('is one of many, and the answer does not wait for all of them', async () => {
    const many = Array.from({ length: 1500 }, (_, index) => index.toString(36)).join(',');
    for (const who of ['old token', 'old token of a role'])
      assert.equal((await instance.ask(`/api/events?cameras=${many}`, { token: tokens[who] ?? '' })).status, 403);
  });
});
