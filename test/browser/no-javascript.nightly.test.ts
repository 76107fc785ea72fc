/** Logging in without JavaScript: the same page as a plain form, and no other site may send it (SPEC 4.1, 5). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ADMIN_PERSON } from '../support/people.ts';
import type { Runtime } from '../support/start-instance.ts';
import { axeFindings, skip, visit } from './support/browser.ts';
import { startPagesInstance } from './support/pages-instance.ts';

describe('Without JavaScript', { skip }, () => {
  let instance: Runtime;
  before(async () => {
    instance = await startPagesInstance({ auth: { failed_login_rate_limit: '2/minute' } });
  });
  after(() => instance.close());

  it('the login leads to the wanted page, and only here', (t) =>
    visit(t, { javaScriptEnabled: false }, async (page) => {
      for (const [next, target] of [
        ['/postern/?label=car', '/postern/?label=car'],
        ['//evil.example/', '/postern/'],
      ] as const) {
        await page.context().clearCookies();
        await page.goto(`${instance.url}/login?next=${next}`);
        assert.equal(await page.locator(':focus').getAttribute('id'), 'user');
        await page.getByLabel('User').fill(ADMIN_PERSON.name);
        await page.getByLabel('Password', { exact: true }).fill(ADMIN_PERSON.password);
        await page.getByRole('button', { name: 'Log in' }).click();
        await page.waitForURL(`${instance.url}${target}`);
      }
    }));

  it('the problem is said in words, in the language of the browser, and the user stays filled in', (t) =>
    visit(t, { javaScriptEnabled: false, locale: 'de-DE', expectedStatuses: [401, 429] }, async (page) => {
      await page.goto(`${instance.url}/login`);
      const submit = page.getByRole('button', { name: 'Anmelden' });
      for (let tries = 0; tries < 2; tries++) {
        await page.getByLabel('Benutzer').fill('"><b>admin');
        await page.getByLabel('Passwort', { exact: true }).fill('falsch');
        await submit.click();
        await page.getByText('Benutzername oder Passwort ist falsch.').waitFor();
        assert.equal(await page.getByLabel('Benutzer').inputValue(), '"><b>admin');
        assert.equal(await page.getByLabel('Passwort', { exact: true }).inputValue(), '');
        assert.equal(await page.locator(':focus').getAttribute('id'), 'password');
      }
      await page.getByLabel('Passwort', { exact: true }).fill('falsch');
      await submit.click();
      await page
        .getByText(/Zu viele Fehlversuche von Ihrer Adresse\. Erneut möglich in (?:1\u00A0min|\d+\u00A0s)\./)
        .waitFor();
    }));
});

describe('The form of the login page', { skip }, () => {
  let instance: Runtime;
  before(async () => {
    instance = await startPagesInstance();
  });
  after(() => instance.close());

  const post = (headers: Record<string, string>, body: string) =>
    fetch(`${instance.url}/login`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
      body,
    });
  const RIGHT = new URLSearchParams({ user: ADMIN_PERSON.name, password: ADMIN_PERSON.password }).toString();
  const OWN = { 'Sec-Fetch-Site': 'same-origin' };

  // biome-ignore format: a table
  const rows: [sentence: string, headers: Record<string, string>, body: string, status: number][] = [
    ['is taken from its own page',                        OWN,                                                    RIGHT,                               303],
    ['is refused from another site',                      { 'Sec-Fetch-Site': 'cross-site' },                     RIGHT,                               403],
    ['is refused from another site that names itself',    { Origin: 'https://evil.example' },                     RIGHT,                               403],
    ['is refused from a page without an origin',          { Origin: 'null' },                                     RIGHT,                               403],
    ['is refused without a sign of its origin',           {},                                                     RIGHT,                               403],
    ['is refused as JSON',                                { ...OWN, 'Content-Type': 'application/json' },         '{"user":"admin","password":"x"}',   415],
    ['is refused when it is too long',                    OWN,                                                    `${RIGHT}&x=${'x'.repeat(9000)}`,    413],
    ['is refused without a password',                     OWN,                                                    'user=admin',                        422],
    ['is refused with a password that cannot exist',      OWN,                                                    'user=admin&password=a%00b',         422],
    ['is refused with a wrong one',                       OWN,                                                    'user=admin&password=wrong',         401],
  ];
  for (const [sentence, headers, body, status] of rows) {
    it(sentence, async () => {
      const answer = await post(headers, body);
      assert.equal(answer.status, status);
      assert.equal(answer.headers.getSetCookie().length, status === 303 ? 1 : 0);
      assert.equal(answer.headers.get('Cache-Control'), 'no-store');
    });
  }

  it('is counted and logged as any other login', async () => {
    const seen = instance.log.length;
    await post(OWN, 'user=vera&password=wrong');
    const lines = instance.log.slice(seen).filter(({ what }) => what === 'login');
    assert.deepEqual(
      lines.map(({ who, verdict, reason }) => [who, verdict, reason]),
      [['vera', 'refused', 'bad-credentials']],
    );
  });
});

describe('In German', { skip }, () => {
  let instance: Runtime;
  before(async () => {
    instance = await startPagesInstance();
  });
  after(() => instance.close());

  it('are the login page and the console, when the browser likes it best', (t) =>
    visit(t, { locale: 'de-CH', expectedStatuses: [401, 404] }, async (page) => {
      await page.goto(`${instance.url}/login`);
      await page.getByLabel('Benutzer').fill(ADMIN_PERSON.name);
      await page.getByLabel('Passwort', { exact: true }).fill('falsch');
      await page.getByRole('button', { name: 'Anmelden' }).click();
      await page.getByText('Benutzername oder Passwort ist falsch.').waitFor();
      await page.getByLabel('Passwort', { exact: true }).fill(ADMIN_PERSON.password);
      await page.getByRole('button', { name: 'Anmelden' }).click();
      await page.getByRole('heading', { name: 'Live', exact: true }).waitFor();
      await page.getByRole('link', { name: 'Ereignisse', exact: true }).click();
      // In the first minutes of a day the newest event is of the day before.
      await page
        .getByText(/^(?:Heute|Gestern)$/)
        .filter({ visible: true })
        .first()
        .waitFor();
      assert.equal(await page.title(), 'Ereignisse · Postern');
      assert.equal(await page.getAttribute('html', 'lang'), 'de');
      await page.getByRole('link', { name: 'Einstellungen' }).click();
      await page.getByRole('heading', { name: 'Benutzer' }).waitFor();
      assert.deepEqual(await axeFindings(page), []);
      await page.goto(`${instance.url}/nothing/here`);
      await page.getByRole('heading', { name: 'Nicht gefunden' }).waitFor();
      await page.getByText('Es ist kein NVR eingerichtet').waitFor();
    }));
});
