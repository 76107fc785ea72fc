/** Settings: roles, tokens, sessions, the trace of a request and the own password (SPEC 4, 8). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ADMIN_PERSON, CARL, VERA } from '../support/people.ts';
import { sendJson } from '../support/second-factor.ts';
import type { Runtime } from '../support/start-instance.ts';
import { axeFindings, hasCount, skip, visit } from './support/browser.ts';
import { enter, menu, startPagesInstance } from './support/pages-instance.ts';
import { openSettings, record, said } from './support/settings-page.ts';

describe('Settings', { skip }, () => {
  let instance: Runtime;
  before(async () => {
    instance = await startPagesInstance();
  });
  after(() => instance.close());

  it('tell a person the own role, cameras, second step and devices, and what happened to the account', (t) =>
    visit(t, { viewport: { width: 390, height: 844 } }, async (page) => {
      await instance.logIn(CARL);
      const body = JSON.stringify({ user: CARL.name, password: CARL.password });
      const headers = { 'Content-Type': 'application/json', 'User-Agent': 'HomeAssistant/2026.1' };
      assert.equal((await instance.ask('/api/login', { method: 'POST', headers, body })).status, 200);
      await openSettings(page, instance, 'account', CARL);
      await page.getByRole('heading', { name: 'Overview', exact: true, level: 1 }).waitFor();
      await page.getByText(/^\d\u00a0sessions? · .*Chrome on Linux/).waitFor();
      await page.getByRole('heading', { name: 'carl front_only', exact: true }).waitFor();
      assert.match(await page.locator('.facts').innerText(), /^Cameras\s+cam1\s+Password\s/);
      await page.getByRole('heading', { name: 'Authenticator app not set up' }).waitFor();
      await page.getByRole('heading', { name: 'Security events' }).waitFor();
      assert.match(await page.locator('.record').first().innerText(), /Login from a new device\s+Home Assistant · 127/);
      assert.deepEqual(await axeFindings(page), []);
      await page.locator('.panel').getByRole('link', { name: 'Change password' }).click();
      await page.getByLabel('Current password').waitFor();
    }));

  it('show the first steps of an admin, each with its way, and none once all are taken', (t) =>
    visit(t, { viewport: { width: 390, height: 844 } }, async (page) => {
      let isAlone = true;
      await page.route('**/api/users', async (route) => {
        const users: unknown[] = await (await route.fetch()).json();
        await route.fulfill({ json: isAlone ? users.slice(0, 1) : users });
      });
      await openSettings(page, instance, 'account');
      const steps = page.locator('.panel', { has: page.getByRole('heading', { name: 'First steps' }) });
      assert.match(await steps.innerText(), /^First steps 2 of 2 left\s+Two-step login\s+Invite user$/);
      assert.deepEqual(await steps.locator('li:not(:has(a))').allInnerTexts(), []);
      assert.deepEqual(await axeFindings(page), []);
      await steps.getByRole('link', { name: 'Two-step login' }).click();
      assert.equal(new URL(page.url()).hash, '#factors');
      await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
      await page.getByRole('link', { name: 'Open in the app on this device' }).waitFor();
      await hasCount(steps, 0);
      const confirming = page.getByRole('button', { name: 'Confirm the code' });
      const sides = [page.getByRole('button', { name: 'Cancel' }), confirming].map((button) => button.boundingBox());
      const [cancel, confirm] = await Promise.all(sides);
      assert.equal(cancel?.y, confirm?.y, 'both stand side by side');
      await page.getByRole('button', { name: 'Cancel' }).click();
      await steps.getByRole('link', { name: 'Invite user' }).click();
      await page.getByRole('dialog', { name: 'Invite user' }).waitFor();
      isAlone = false;
      await openSettings(page, instance, 'account');
      assert.match(await steps.innerText(), /^First steps 1 of 2 left\s+Two-step login\s+Users$/);
      assert.deepEqual(await steps.locator('li:not(:has(a))').allInnerTexts(), ['Users']);
      const own = { required: false, totp: true, passkeys: [], recovery_codes_left: 8 };
      await page.route('**/api/second-factor', (route) => route.fulfill({ json: own }));
      await page.reload();
      await page.getByText('Recovery codes · ').waitFor();
      await hasCount(steps, 0);
      await page.route('**/api/second-factor', (route) => route.fulfill({ json: { ...own, totp: false, off: true } }));
      isAlone = true;
      await page.reload();
      await steps.waitFor();
      assert.match(await steps.innerText(), /^First steps 1 of 1 left\s+Invite user$/);
      await hasCount(page.getByRole('heading', { name: 'Authenticator app' }), 0);
    }));

  it('makes a role by switches and a pattern, limits it, and tells what its deletion does', (t) =>
    visit(t, { expectedStatuses: [400] }, async (page) => {
      await openSettings(page, instance, 'roles');
      assert.match(await record(page, 'front_only').innerText(), /front_only\s+configuration file/);
      assert.deepEqual(await record(page, 'front_only').getByRole('button').allInnerTexts(), ['Take over']);
      await page.getByRole('button', { name: 'Add role' }).click();
      const dialog = page.getByRole('dialog', { name: 'Add role' });
      await dialog.getByLabel('Name').fill('garden.team');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.getByText('Choose at least one camera.').waitFor();
      await dialog.getByRole('switch', { name: 'cam1' }).check();
      await dialog.locator('summary', { hasText: 'Another camera or pattern' }).click();
      await dialog.getByLabel('Another camera or pattern').fill('*2');
      await dialog.getByLabel('Another camera or pattern').press('Enter');
      await dialog.locator('.entry', { hasText: 'cam2' }).waitFor();
      await dialog.getByText('May not: move the camera, talk through the camera').click();
      for (const verb of ['move the camera', 'talk through the camera'])
        assert.equal(await dialog.getByRole('switch', { name: verb }).isChecked(), false, verb);
      await dialog.getByRole('switch', { name: 'export' }).uncheck();
      await dialog.getByRole('switch', { name: 'talk through the camera' }).check();
      await dialog.getByLabel('History limit').fill('soon');
      await dialog.getByText('History limit: soon').click();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.locator('[aria-invalid="true"] + .field-fault').waitFor();
      await dialog.getByLabel('History limit').fill('7d');
      await dialog.getByRole('button', { name: 'Mon–Fri 09:00–18:00' }).click();
      await dialog.getByLabel('From').fill('07:00');
      await dialog.getByLabel('From').blur();
      await dialog.getByRole('button', { name: 'Mon–Fri 09:00–18:00' }).click();
      const added = dialog.locator('.hours-row').nth(1);
      for (const day of ['Sat', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri'])
        await added.getByRole('button', { name: day }).click();
      await added.getByLabel('From').fill('09:00');
      await added.getByLabel('To').fill('12:00');
      await added.getByLabel('To').blur();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await said(page, 'Role garden.team saved.');
      assert.match(
        await record(page, 'garden.team').innerText(),
        /May not:\s*export, move the camera\s*Hours:\s*Mon–Fri 07:00–18:00; Sat 09:00–12:00\s*History limit:\s*7\u00a0days\s*Pages:\s*The page Export of the NVR stays empty\. No links can be created\./,
      );
      assert.match(await record(page, 'garden.team').innerText(), /created here.*cam1\s*\*2.*no users/s);

      const token = await instance.logIn(ADMIN_PERSON);
      const assigned = await instance.ask('/api/users/carl/role', {
        token,
        method: 'PUT',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ role: 'garden.team' }),
      });
      assert.equal(assigned.status, 200);
      await page.reload();
      await page.getByRole('button', { name: 'Edit: garden.team' }).click();
      await page.getByRole('button', { name: 'Remove *2' }).click();
      await page.getByText('May not: export, move the camera. History limit: 7 days').click();
      assert.equal(await page.getByRole('switch', { name: 'export' }).isChecked(), false);
      await page.getByRole('switch', { name: 'export' }).check();
      await page.getByRole('button', { name: 'At any time' }).click();
      await page.getByLabel('History limit').fill('');
      await page.getByRole('button', { name: 'Save' }).click();
      await said(page, 'Role garden.team saved.');
      await record(page, 'garden.team').getByText('7 days').waitFor({ state: 'detached' });
      assert.match(await record(page, 'garden.team').innerText(), /May not:\s*move the camera/);
      await page.getByRole('button', { name: 'Delete: garden.team' }).click();
      await page.getByText('carl will become viewer and see all cameras.').waitFor();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await said(page, 'Role garden.team deleted.');
      await record(page, 'viewer').getByText('carl').waitFor();
    }));

  it('makes a role for the hours from 9 to 18 by five presses from its page, on a phone', (t) =>
    visit(t, { viewport: { width: 390, height: 844 }, hasTouch: true }, async (page) => {
      await openSettings(page, instance, 'roles');
      const dialog = page.getByRole('dialog', { name: 'Add role' });
      await page.getByRole('button', { name: 'Add role' }).click();
      await dialog.getByLabel('Name').click();
      await page.keyboard.type('day');
      await dialog.getByRole('switch', { name: 'cam1' }).click();
      const chip = (name: string) => dialog.getByRole('button', { name, exact: true });
      assert.equal(await chip('At any time').getAttribute('aria-pressed'), 'true');
      await chip('daily 09:00–18:00').click();
      assert.equal(await chip('At any time').getAttribute('aria-pressed'), 'false');
      assert.deepEqual(await axeFindings(page), []);
      await chip('Save').click();
      await said(page, 'Role day saved.');
      const token = await instance.logIn(ADMIN_PERSON);
      const roles = (await (await instance.ask('/api/roles', { token })).json()) as { role: string }[];
      const made = roles.find(({ role }) => role === 'day');
      assert.deepEqual(made, { ...made, cameras: ['cam1'], deny: ['ptz', 'talk'], hours: ['daily 09:00-18:00'] });
      assert.equal((await sendJson(instance, '/api/roles/delete', { name: 'day' }, token)).status, 200);
    }));

  it('are begun anew by a button where the texts of a page are gone with an earlier release', (t) =>
    visit(t, { expectedStatuses: [404] }, async (page) => {
      await openSettings(page, instance, 'tokens');
      await page.getByText('No tokens yet.').waitFor();
      const gone = '**/assets/en.sessions-*.js';
      await page.route(gone, (route) => route.fulfill({ status: 404 }));
      await page.getByRole('link', { name: 'Sessions' }).click();
      await page.getByRole('heading', { name: 'This page cannot be loaded' }).waitFor();
      await page.unroute(gone);
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
    }));

  it('stay in the console while the network is gone, and go on once it is back', (t) =>
    visit(t, { expectedErrors: [/net::ERR_INTERNET_DISCONNECTED/] }, async (page) => {
      await openSettings(page, instance, 'tokens');
      await page.getByText('No tokens yet.').waitFor();
      await page.context().setOffline(true);
      await page.getByRole('link', { name: 'Sessions' }).click();
      const told = page.getByRole('alert').getByText('The server cannot be reached. Check the network.');
      await told.waitFor();
      const asked = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/api/profile'));
      await page.getByRole('button', { name: 'Try again' }).click();
      await asked;
      await told.waitFor();
      await page.context().setOffline(false);
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
    }));

  it('makes a token that works, shows it once, and takes it back', (t) =>
    visit(t, {}, async (page) => {
      await openSettings(page, instance, 'tokens');
      await page.getByText('No tokens yet.').waitFor();
      await page.getByRole('button', { name: 'Create token' }).click();
      await page.getByRole('switch', { name: 'For Home Assistant' }).check();
      assert.equal(await page.getByLabel('Name').inputValue(), 'Home Assistant');
      await page.getByRole('switch', { name: 'Only selected cameras' }).check();
      await page.getByRole('switch', { name: 'cam2' }).check();
      await page.getByLabel('Expires').selectOption('after 30 days');
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByRole('dialog', { name: 'Token created' }).waitFor();
      await page.getByText('enter the user name admin, and the token as the password').waitFor();
      const [secret = '', address] = await page.locator('.secret code').allInnerTexts();
      assert.match(secret, /^pst_/);
      assert.equal(address, `${instance.url}/`);
      await hasCount(page.getByRole('button', { name: 'Copy' }), 2);
      const header = page.getByText('Authorization: Bearer');
      assert.equal(await header.isVisible(), false, 'other programs come after Home Assistant');
      await page.getByText('Other programs send it').click();
      await header.waitFor();
      for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'I have copied it' }).click();
      await hasCount(page.getByText(secret), 0);
      assert.match(await record(page, 'Home Assistant').innerText(), /login.*viewer.*cam2.*never/s);
      const body = JSON.stringify({ user: 'admin', password: secret });
      const login = await instance.ask('/api/login', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      assert.equal(login.status, 200);

      const events = await instance.ask('/api/events?limit=500&include_thumbnails=0', { token: secret });
      const found = (await events.json()) as { camera: string }[];
      assert.deepEqual([...new Set(found.map(({ camera }) => camera))], ['cam2']);
      await page.getByRole('button', { name: 'Revoke: Home Assistant' }).click();
      await page.getByRole('button', { name: 'Revoke', exact: true }).click();
      await said(page, 'Token Home Assistant revoked.');
      assert.equal((await instance.ask('/api/events', { token: secret })).status, 401);

      await page.getByRole('button', { name: 'Create token' }).click();
      await page.getByLabel('Name').fill('Door');
      await page.getByRole('switch', { name: 'Only to draw and open the curtain' }).check();
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      const door = await page.locator('.secret code').innerText();
      assert.equal((await instance.ask('/api/curtain', { token: door })).status, 200);
      assert.equal((await instance.ask('/api/events', { token: door })).status, 403);
    }));

  it('ends a session in another window', (t) =>
    visit(t, { expectedStatuses: [503] }, async (page) => {
      await openSettings(page, instance, 'sessions');
      // Its stream of changes ends with its session.
      const ended = [/ERR_INCOMPLETE_CHUNKED_ENCODING/];
      await visit(t, { expectedStatuses: [401], expectedErrors: ended }, async (other) => {
        await enter(other, instance, VERA);
        await other.locator('.event').first().waitFor();
        await page.reload();
        const mine = page.locator('.record', { hasText: 'this device' });
        assert.match(await mine.innerText(), /Chrome on Linux.*127\.0\.0\.1/s);
        await hasCount(mine.getByRole('button'), 1);
        await hasCount(mine.getByRole('button', { name: 'Rename: Chrome on Linux, admin' }), 1);
        const hers = page.getByRole('button', { name: 'End: Chrome on Linux, vera' });
        let isBroken = true;
        await page.route('**/api/sessions/*', (route) =>
          isBroken ? route.fulfill({ status: 503, json: { reason: 'store-unavailable' } }) : route.fallback(),
        );
        await hers.click();
        await page.getByRole('alert').getByText('The store cannot be read').waitFor();
        isBroken = false;
        await hers.click();
        await said(page, 'Session ended. vera must log in again there.');
        await hasCount(page.getByRole('alert').getByText('The store cannot be read'), 0);
        await hasCount(hers, 0);
        await other.getByRole('button', { name: 'Refresh' }).click();
        await other.waitForURL('**/login?**');
      });
    }));

  it("ends one's other sessions, and those of all users with a separate button", (t) =>
    visit(t, {}, async (page) => {
      await openSettings(page, instance, 'sessions');
      const [mine, hers] = [await instance.logIn(ADMIN_PERSON), await instance.logIn(VERA)];
      const works = async (token: string) => (await instance.ask('/api/profile', { token })).status;
      assert.deepEqual([await works(mine), await works(hers)], [200, 200]);
      await page.reload();
      await page.locator('.record-group', { hasText: 'vera' }).waitFor();
      await page.getByRole('button', { name: 'End my other sessions' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'End my other sessions' }).click();
      await said(page, 'Your other sessions have ended.');
      assert.deepEqual([await works(mine), await works(hers)], [401, 200]);
      await page.getByRole('button', { name: 'End sessions of all users' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'End sessions of all users' }).click();
      await said(page, 'The sessions of all users have ended, except this one.');
      await page.locator('.record').nth(1).waitFor({ state: 'detached' });
      assert.equal(await works(hers), 401);
    }));

  it('explains how a request would be judged', (t) =>
    visit(t, {}, async (page) => {
      await openSettings(page, instance, 'access');
      await page.getByText('Advanced: a request with method and path').click();
      await page.getByLabel('User', { exact: true }).selectOption('vera');
      await page.getByLabel('Path').fill('/api/users');
      await page.getByRole('button', { name: 'Explain' }).click();
      await page.getByRole('heading', { name: 'Refused' }).waitFor();
      assert.match(await page.locator('.judgement').innerText(), /403.*role-too-low.*vera.*viewer.*GET \/api\/users/s);
      await page.getByLabel('Path').fill('/api/events?cameras=cam1');
      await page.getByRole('button', { name: 'Explain' }).click();
      await page.getByRole('heading', { name: 'Allowed' }).waitFor();
      assert.match(await page.locator('.judgement').innerText(), /remote-user: vera\s+remote-role: viewer/);
      await page.getByRole('radio', { name: 'Not logged in' }).check();
      await page.getByRole('button', { name: 'Explain' }).click();
      await page.getByText('no-credentials').waitFor();
    }));

  for (const width of [1280, 320])
    it(`stand in two groups for an admin, and the title tells which, at ${width} px`, (t) =>
      visit(t, { viewport: { width, height: 800 } }, async (page) => {
        await openSettings(page, instance, 'users');
        assert.equal(await page.title(), 'Users · Administration · Postern');
        if (width < 900) await page.getByRole('link', { name: 'All settings' }).click();
        const nav = page.getByRole('navigation', { name: 'Settings' });
        await nav.getByRole('heading', { name: 'Your account' }).waitFor();
        const lines = (await nav.locator('> h2, > a').allInnerTexts()).join(' / ');
        assert.match(lines, /^Administration \/ Users \/ .* \/ Security \/ Your account \/ Overview \/ Password$/);
      }));

  it('offers a viewer the own password, sessions and tokens alone, and the API refuses the rest', (t) =>
    visit(t, { expectedStatuses: [403] }, async (page) => {
      await openSettings(page, instance, '', VERA);
      const links = page.getByRole('navigation', { name: 'Settings' }).getByRole('link');
      await hasCount(links, 6);
      const sections = await links.allInnerTexts();
      const own = ['Overview', 'Password', 'Sessions', 'Links', 'Screens', 'API tokens'];
      assert.deepEqual(sections, own);
      const pages = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allInnerTexts();
      assert.deepEqual(pages, ['Live', 'Explore', 'Activity', 'Settings']);
      for (const path of ['settings/users', 'settings/access', 'status']) {
        await page.goto(`${instance.url}/postern/${path}`);
        await page.getByRole('heading', { name: 'Administrators only' }).waitFor();
      }
      for (const path of ['/api/users', '/api/roles', '/api/explain?path=/', '/api/status']) {
        assert.equal((await page.request.get(`${instance.url}${path}`)).status(), 403, path);
      }
      const sessions: { user: string }[] = await (await page.request.get(`${instance.url}/api/sessions`)).json();
      assert.deepEqual([...new Set(sessions.map(({ user }) => user))], ['vera']);
    }));

  it('shows how strong a new password looks, sends nothing of it meanwhile, and says why one is refused', (t) =>
    visit(t, { locale: 'de-DE', expectedStatuses: [400] }, async (page) => {
      await openSettings(page, instance, 'password', CARL);
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      const field = page.getByLabel('Neues Passwort', { exact: true });
      for (const [typed, sentence] of [
        ['wrqz', 'Verwenden Sie mindestens 12 Zeichen.'],
        ['carl hat ein Rad im Keller', 'Lassen Sie die Namen des Benutzers'],
        ['wrqzkfmVtyh7', 'Mittel: Mit einigen Zeichen mehr'],
        ['drei Igel im Garten', 'Stark, sofern'],
      ] as const) {
        await field.fill(typed);
        await page.getByRole('status').filter({ hasText: sentence }).waitFor();
      }
      assert.deepEqual(asked, []);
      await page.getByLabel('Aktuelles Passwort').fill(CARL.password);
      for (const label of ['Neues Passwort', 'Neues Passwort wiederholen'])
        await page.getByLabel(label, { exact: true }).fill('Password123456');
      await page.getByRole('button', { name: 'Passwort ändern' }).click();
      await page.getByText('Dieses Passwort wird zu häufig verwendet').waitFor();
      // One sentence at a time, and none of what is no longer there.
      assert.equal(await page.locator('.strength').innerText(), '');
      await field.fill('wrqz');
      await hasCount(page.getByText('Dieses Passwort wird zu häufig verwendet'), 0);
      await hasCount(page.getByText('12 Zeichen'), 1);
    }));

  it('changes the own password; this session goes on, and another ends', (t) =>
    visit(t, { expectedStatuses: [401] }, async (page) => {
      const elsewhere = await instance.logIn(CARL);
      await enter(page, instance, CARL);
      await menu(page, 'Account: carl').click();
      await page.getByRole('link', { name: 'Change password' }).click();
      await page.getByLabel('Current password').fill('not the password');
      await page.getByLabel('New password', { exact: true }).fill('FreshNewPassw0rd');
      await page.getByLabel('Repeat new password').fill('something else');
      await page.getByRole('button', { name: 'Change password' }).click();
      await page.getByText('The passwords do not match.').waitFor();
      await page.getByLabel('Repeat new password').fill('FreshNewPassw0rd');
      await page.getByRole('button', { name: 'Change password' }).click();
      await page.getByText('The current password is wrong.').waitFor();
      await page.getByLabel('Current password').fill(CARL.password);
      await page.getByRole('button', { name: 'Change password' }).click();
      await said(page, 'Password changed.');
      assert.equal((await instance.ask('/api/profile', { token: elsewhere })).status, 401);
      await page.getByRole('link', { name: 'Explore', exact: true }).click();
      await page.locator('.event').first().waitFor();
    }));
});
