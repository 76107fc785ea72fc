/** A user that the proxy has signed in and whose groups give no role: the login page says that, as /api/profile does. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

const SECRET = 'correct-horse-battery';

describe('In proxy mode', () => {
  let nvr: FakeNvr;
  let instance: Runtime;
  before(async () => {
    nvr = await startFakeNvr();
    instance = await startInstance({
      people: [],
      config: {
        nvr: { url: nvr.url, cameras: ['cam1'] },
        auth: { enabled: false },
        proxy: {
          auth_secret: SECRET,
          header_map: { user: 'X-Forwarded-User', role: 'Remote-Groups' },
          role_map: { admin: ['nvr-admins'] },
          default_role: 'none',
        },
      },
    });
  });
  after(async () => {
    await instance.close();
    await nvr.close();
  });

  const signedIn = { 'x-proxy-secret': SECRET, 'x-forwarded-user': 'zoe', 'remote-groups': 'staff' };
  /** The sentence that the login page shows. */
  const page = async (headers: Record<string, string>): Promise<string> => {
    const answer = await instance.ask('/login', { headers: { accept: 'text/html', ...headers } });
    assert.equal(answer.status, 200);
    return /<div id="problem"[^>]*>([^<]*)</.exec(await answer.text())?.[1] ?? '';
  };
  const REASON = 'Your groups are mapped to no role here: ask the administrator to map one of them.';
  const NO_LOGIN = /Login by password is turned off/;

  it('a person without a mapped group is told so by /api/profile and by the login page', async () => {
    const profile = await instance.ask('/api/profile', { headers: signedIn });
    assert.deepEqual(
      [profile.status, await profile.json()],
      [401, { success: false, message: REASON, reason: 'proxy-role-denied' }],
    );
    assert.equal(await page(signedIn), REASON);
  });

  it('in the language of the browser', async () => {
    assert.match(
      await page({ ...signedIn, 'accept-language': 'de' }),
      /Keiner Ihrer Gruppen ist hier eine Rolle zugeordnet/,
    );
  });

  it('is told nothing about groups without the secret of the proxy', async () => {
    assert.match(await page({ ...signedIn, 'x-proxy-secret': 'wrong' }), NO_LOGIN);
  });

  it('a person with a mapped group is told that the proxy handles the login', async () => {
    assert.match(await page({ ...signedIn, 'remote-groups': 'nvr-admins' }), NO_LOGIN);
  });
});
