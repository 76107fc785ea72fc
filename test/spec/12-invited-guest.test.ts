/** The page behind an invitation tells a new person who invites, which cameras there will be, and until when (SPEC 12). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL } from '../support/people.ts';
import { sendJson } from '../support/second-factor.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

describe('The page behind an invitation', () => {
  const auth = { timezone: 'Europe/Berlin', roles: { front_only: ['cam1'], both: ['cam*'] } };
  let nvr: FakeNvr;
  let instance: Runtime;
  let admin: string;
  before(async () => {
    nvr = await startFakeNvr();
    instance = await startInstance({ config: { auth, nvr: { url: nvr.url, cameras: ['cam1', 'cam2', 'hall'] } } });
    admin = await instance.logIn(ADMIN_PERSON);
  });
  after(async () => {
    await instance.close();
    await nvr.close();
  });

  const pageOf = async (user: string, wanted: object, language = 'en'): Promise<string> => {
    const made = await sendJson(instance, `/api/users/${user}/invitation`, wanted, admin);
    assert.equal(made.status, 201, await made.clone().text());
    const { url } = (await made.json()) as { url: string };
    const path = new URL(url, instance.url).pathname;
    return (await instance.ask(path, { headers: { accept: 'text/html', 'accept-language': language } })).text();
  };
  const until = Math.floor(Date.UTC(2040, 4, 6, 21, 59) / 1000);

  it('names the admin, the cameras of the role and the end of the account, in the time zone of the house', async () => {
    const page = await pageOf('guest.one', { role: 'both', valid_until: until });
    assert.match(page, /<h1 class="lone-title">Welcome, guest\.one<\/h1>/);
    assert.match(page, /<p class="lone-lead"><bdi>admin invites you\./);
    assert.match(page, /You will see: cam1, cam2\./);
    assert.match(
      page,
      /valid until <time datetime="2040-05-06T21:59:00\.000Z">Sunday, May\u00A06, 2040 at\u00A011:59\sPM GMT\+2<\/time>/,
    );
    assert.doesNotMatch(page, /hall/);
  });

  it('says so of all cameras, in German, and of no end where there is none', async () => {
    const page = await pageOf('guest.two', { role: 'viewer' }, 'de');
    assert.match(page, /admin lädt Sie ein\./);
    assert.match(page, /Für Sie freigegeben: alle Kameras\./);
    assert.doesNotMatch(page, /gilt bis/);
  });

  it('folds the names of many cameras, and writes times as in the country of the browser', async () => {
    const cameras = [1, 2, 3, 4, 5, 6, 7].map((at) => `cam${at}`);
    await instance.reload({ auth, nvr: { url: nvr.url, cameras } });
    const page = await pageOf('guest.many', { role: 'both', valid_until: until }, 'en-GB,en;q=0.9');
    assert.match(page, /<summary>You will see 7 cameras<\/summary><p><bdi>cam1, cam2, .*cam7<\/bdi>/);
    assert.match(page, />Sunday,? 6\u00A0May 2040 at\u00A023:59\u00A0CEST</);
  });

  it('tells nothing of this to a person who has a password: the link is for a new one', async () => {
    const page = await pageOf(CARL.name, {});
    assert.doesNotMatch(page, /invites you|You will see/);
    assert.match(page, /Set your password/);
  });

  it('tells nothing behind a link that does not hold', async () => {
    const path = `/invitation/${'A'.repeat(43)}`;
    const page = await (await instance.ask(path, { headers: { accept: 'text/html' } })).text();
    assert.doesNotMatch(page, /invites you|You will see|cam1/);
  });
});
