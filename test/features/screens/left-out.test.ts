/** A store whose displays were paired, served without the feature: their cookies open nothing, and all is there again with it (SPEC 18). */
import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { FEATURES } from '../../../src/features/all.ts';
import type { Feature } from '../../../src/features/feature.ts';
import { tempDirectory } from '../../accounts/support/temp-directory.ts';
import { answerLikeAnNvr, startFakeNvr } from '../../support/fake-nvr.ts';
import { ADMIN_PERSON, type Person, VERA } from '../../support/people.ts';
import { pairScreen } from '../../support/screens.ts';
import { type Runtime, startInstance } from '../../support/start-instance.ts';

const WITHOUT = FEATURES.filter(({ name }) => name !== 'screens');
const nvr = await startFakeNvr();
nvr.answer = answerLikeAnNvr;
after(nvr.close);

it('The cookie of a screen is nothing without the feature, and good again with it', async (t) => {
  const directory = tempDirectory(t);
  const config = { nvr: { url: nvr.url, cameras: ['cam1'] } };
  const served = async <Answer>(
    use: (at: Runtime) => Promise<Answer>,
    features: readonly Feature[] = FEATURES,
    people: readonly Person[] = [],
  ): Promise<Answer> => {
    const at = await startInstance({ directory, config, features, people });
    return use(at).finally(() => at.close());
  };
  const look = async (at: Runtime, cookie: string) => {
    const before = nvr.received.length;
    const { status } = await at.ask('/api/cam1/latest.jpg', { headers: { cookie } });
    return [status, nvr.received.length - before];
  };
  const cookie = await served(async (at) => (await pairScreen(at, VERA)).cookie, FEATURES, [ADMIN_PERSON, VERA]);
  await served(async (at) => {
    assert.deepEqual(await look(at, cookie), [401, 0]);
    const { status } = await at.ask('/api/profile', { headers: { cookie } });
    assert.equal(status, 401);
    const admin = await at.logIn(ADMIN_PERSON);
    assert.equal((await at.ask('/api/screens', { token: admin })).status, 404);
    assert.equal((await at.ask('/api/cam1/latest.jpg', { token: admin, headers: { cookie } })).status, 200);
  }, WITHOUT);
  assert.deepEqual(await served((at) => look(at, cookie)), [200, 1]);
});
