/** Settings of the house on PostgreSQL, and for its replicas (SPEC 8). */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { HOUSE, type SharedStore, sharedStore } from '../sites/support/two-sites.ts';
import { ADMIN_PERSON } from '../support/people.ts';
import { startPostgres, type TestPostgres, withoutPostgres } from '../support/servers/postgres.ts';
import { until } from '../support/until.ts';
import { ADDRESS, current, PEOPLE, put, settingsSuite } from './support/house-settings.ts';

describe('Settings of the house, on PostgreSQL', { skip: withoutPostgres }, () => {
  let postgres: TestPostgres | undefined;
  const open = async (): Promise<SharedStore> => {
    postgres ??= await startPostgres();
    return sharedStore(await postgres.newDatabase());
  };
  after(async () => postgres?.stop());
  settingsSuite(open);

  it('are those of every replica of a site, its address too', async (t) => {
    const shared = await open();
    t.after(shared.close);
    const [one, other] = [
      await shared.start({ ...HOUSE, people: PEOPLE }),
      await shared.start({ ...HOUSE, people: [] }),
    ];
    const token = await one.postern.logIn(ADMIN_PERSON);
    assert.equal((await put(one.postern, token, { public_url: ADDRESS })).status, 200);
    await until('the other replica takes it up', async () => {
      const { public_url } = await current(other.postern, token);
      return public_url.value === ADDRESS;
    });
  });
});
