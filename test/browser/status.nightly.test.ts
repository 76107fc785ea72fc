/** The status page: every part is shown, and what is not told is said to be so (SPEC 8). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ADMIN_PERSON, VERA } from '../support/people.ts';
import { sendJson } from '../support/second-factor.ts';
import type { Runtime } from '../support/start-instance.ts';
import { until } from '../support/until.ts';
import { axeFindings, hasCount, seeOrHide, skip, visit } from './support/browser.ts';
import { FULL_REPORT, FULL_STATUS } from './support/full-status.ts';
import { enter, startPagesInstance } from './support/pages-instance.ts';

/** The error of the report has another name. */
const reportWith = (name: string) => ({
  ...FULL_REPORT,
  good: ['store'],
  findings: FULL_REPORT.findings.map((finding) => (finding.level === 'error' ? { ...finding, name } : finding)),
});

describe('The status page', { skip }, () => {
  let instance: Runtime;
  before(async () => {
    instance = await startPagesInstance();
  });
  after(() => instance.close());

  it('shows every part of the status, and takes names for what they are: text', (t) =>
    visit(t, {}, async (page) => {
      await page.route('**/api/status', (route) => route.fulfill({ json: FULL_STATUS }));
      await enter(page, instance, ADMIN_PERSON, '/postern/status');
      // The NVR and the certificate; what is a warning is told apart.
      const health = page.locator('.health .reach-failed[role="status"]');
      assert.equal(
        await health.innerText(),
        'Needs attention: NVR, Certificate. Warnings:\u00a02. Recent errors:\u00a01',
      );
      await page.evaluate("for (const tile of document.querySelectorAll('.tile, .tile details')) tile.open = true");
      const tile = (title: string) =>
        page.locator('.tile').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
      // biome-ignore format: a table
      const rows: [title: string, text: RegExp][] = [
        ['NVR',                    /not working\s+The NVR does not answer/],
        ['Store',                  /works/],
        ['Events backend',         /not configured/],
        ['Versions',               /Postern 0\.1\.0\s+Node v24\.21\.0.*Running since/s],
        ['Certificate',            /expires in [45] days.*CN=postern\.example, self-signed/s],
        ['Warnings',               /Since the last start.*auth\.trusted_proxies\s+Failures come from one private address/s],
        ['Login limit',            /5 a minute, 20 an hour.*12 addresses.*1 address blocked now/s],
        ['Failed logins per hour', /at most 22 in an hour/],
        ['Unknown routes',         /GET \/api\/<img src=x onerror=alert\(1\)>.*12\u00a0times/s],
        ['Recent errors',          /The NVR does not answer.* 1\u00a0time, .*GET \/api\/y{200}.*a1b2/s],
      ];
      for (const [title, text] of rows) assert.match(await tile(title).innerText(), text, title);
      await hasCount(page.locator('.failure-bar'), 3);
      assert.match(await page.locator('.page-lead').innerText(), /As of \d\d:\d\d:\d\d\./);
    }));

  it('names warnings, and parts that work in part, in amber while no part has a fault', (t) =>
    visit(t, {}, async (page) => {
      const store = { kind: 'degraded', reason: 'slow' };
      const calm = { ...FULL_STATUS, nvr: { kind: 'ok' }, store, certificate: null, failures: [] };
      await page.route('**/api/status', (route) => route.fulfill({ json: calm }));
      await enter(page, instance, ADMIN_PERSON, '/postern/status');
      await page
        .locator('.health .reach-degraded[role="status"]', {
          hasText: /^works only in part:\u00a0Store\. Warnings:\u00a02$/,
        })
        .waitFor();
      await hasCount(page.getByText(/needs? attention|Everything works/), 0);
      assert.deepEqual(await axeFindings(page), []);
    }));

  it('says once what is wrong, in the language of the page, where the service has no address, code or key to add', (t) =>
    visit(t, { locale: 'de-DE' }, async (page) => {
      const nvr = { kind: 'failed', reason: 'the NVR has not answered yet', problem: 'nvr-timeout' };
      await page.route('**/api/status', (route) => route.fulfill({ json: { ...FULL_STATUS, nvr } }));
      await enter(page, instance, ADMIN_PERSON, '/postern/status');
      await page.getByText('hat nicht rechtzeitig geantwortet').waitFor();
      await hasCount(page.getByText('the NVR has not answered yet'), 0);
    }));

  it('is fetched again by itself while it is seen, as an automatic request, and stays when that fails', (t) =>
    visit(t, { expectedStatuses: [503] }, async (page) => {
      const asked: (string | undefined)[] = [];
      let status = 200;
      await page.route('**/api/status', (route) => {
        asked.push(route.request().headers()['x-postern-automatic']);
        return route.fulfill({ status, json: status === 200 ? FULL_STATUS : { reason: 'store-unavailable' } });
      });
      await page.clock.install();
      await enter(page, instance, ADMIN_PERSON, '/postern/status');
      await page.locator('.tiles').waitFor();
      await page.clock.runFor(15_000);
      await until('it is asked for again', () => asked.length === 2);
      status = 503;
      await page.clock.runFor(15_000);
      await page.getByRole('alert').getByText('This is not the latest state: The store cannot be read').waitFor();
      await page.locator('.tiles').waitFor();
      await seeOrHide(page, 'hidden');
      await page.clock.runFor(600_000);
      assert.deepEqual(asked, [undefined, '1', '1'], 'a hidden tab asks for nothing');
      status = 200;
      await seeOrHide(page, 'visible');
      await page.getByRole('alert').waitFor({ state: 'detached' });
    }));

  it('lists who must wait at the login, with the names that were tried, and ends it by a button', (t) =>
    visit(t, {}, async (page) => {
      const logIn = async (password: string): Promise<number> =>
        (await sendJson(instance, '/api/login', { user: 'vera', password })).status;
      await enter(page, instance, ADMIN_PERSON, '/postern/status');
      const tile = page.locator('.tile', { has: page.getByRole('heading', { name: 'Blocked logins', exact: true }) });
      await tile.getByText('None', { exact: true }).waitFor();
      for (let guess = 0; guess < 5; guess += 1) assert.equal(await logIn('WrongPassw0rd!!!'), 401);
      assert.equal(await logIn(VERA.password), 429);
      await page.reload();
      await tile.getByText('tried: vera').waitFor();
      assert.match(await tile.innerText(), /127\.0\.0\.1.*until .*\d:\d\d/s);
      assert.deepEqual(await axeFindings(page), []);
      await page.getByRole('button', { name: 'Unblock: 127.0.0.1' }).click();
      await page.getByRole('status').getByText('Unblocked: 127.0.0.1.').waitFor();
      await tile.getByText('None', { exact: true }).waitFor();
      assert.equal(await logIn(VERA.password), 200);
    }));

  it('tells of a reload that was not taken, with the key that stopped it', (t) =>
    visit(t, {}, async (page) => {
      await enter(page, instance, ADMIN_PERSON, '/postern/status');
      const warnings = page.locator('.tile', { has: page.getByRole('heading', { name: 'Warnings', exact: true }) });
      assert.match(await warnings.innerText(), /auth\.hash_iterations/);
      assert.equal((await instance.reload({ auth: { failed_login_rate_limit: 'often' } })).isTaken, false);
      await page.getByRole('button', { name: 'Refresh' }).click();
      await warnings.getByText('configuration not reloaded').waitFor();
      await warnings.locator('li', { hasText: 'auth.failed_login_rate_limit' }).waitFor();
      assert.equal((await instance.reload({})).isTaken, true);
      await page.getByRole('button', { name: 'Refresh' }).click();
      await warnings.getByText('configuration not reloaded').waitFor({ state: 'detached' });
    }));

  it('checks the public address when it is asked to, and shows what is wrong first', (t) =>
    visit(t, { locale: 'de-DE', expectedStatuses: [409] }, async (page) => {
      await page.route('**/api/status', (route) => route.fulfill({ json: FULL_STATUS }));
      let status = 409;
      const asked: (string | undefined)[] = [];
      let reason = 'check-running';
      let name = 'upgrade-lost';
      await page.route('**/api/status/doctor', (route) => {
        asked.push(`${route.request().method()} ${route.request().postData() ?? 'nothing'}`);
        return route.fulfill({
          status,
          json: status === 200 ? reportWith(name) : { success: false, message: 'A sentence for programs', reason },
        });
      });
      await enter(page, instance, ADMIN_PERSON, '/postern/status');
      const button = page.getByRole('button', { name: 'Öffentliche Adresse prüfen' });
      assert.equal(await button.isVisible(), false, 'no fault is known');
      await page.getByText('https://nvr.example.com/').click();
      assert.deepEqual(asked, [], 'nothing is asked before the button is pressed');
      await button.click();
      await page.getByText('Es läuft schon eine Prüfung').waitFor();
      reason = 'of-a-later-version';
      await button.click();
      await page.getByText('Der Server hat mit Status 409 geantwortet.').waitFor();
      assert.equal(
        await page.getByText('A sentence for programs').count(),
        0,
        'the sentence of the server is never shown',
      );
      status = 200;
      await button.click();
      await page.locator('.findings').waitFor();
      assert.deepEqual(asked, ['POST nothing', 'POST nothing', 'POST nothing']);
      const rows = await page.locator('.findings tbody tr').allInnerTexts();
      assert.match(
        rows[0] ?? '',
        /^Fehler.*WebSockets do not get through <img src=x.*upgrade-lost.*Let the proxy.*proxy_http_version/s,
      );
      assert.match(rows[1] ?? '', /^Warnung.*The certificate ends on/s);
      assert.match(rows[2] ?? '', /^Hinweis.*No second factor is asked for/s);
      await page.getByText('auf den Ports 5000, 1984').waitFor();
      name = 'unreachable';
      await button.click();
      await page.getByText('unreachable', { exact: true }).first().waitFor();
      await hasCount(page.getByText('auf den Ports'), 0);
    }));

  it('leads to the page that sets the address, where none is set', (t) =>
    visit(t, {}, async (page) => {
      await page.route('**/api/status/doctor', (route) =>
        route.fulfill({ json: { url: null, proxy: null, findings: [], good: [] } }),
      );
      await enter(page, instance, ADMIN_PERSON, '/postern/status');
      await page.getByRole('heading', { name: 'Public address' }).click();
      await page.getByRole('button', { name: 'Check this machine' }).click();
      await page.getByText('No faults found').waitFor();
      await page.getByRole('link', { name: 'Security' }).click();
      await page.getByLabel('Public address').waitFor();
    }));

  it('breaks alone when it breaks, and can be asked for again', (t) =>
    visit(t, { expectedErrors: [/is not a function/] }, async (page) => {
      let isBroken = true;
      await page.route('**/api/status', (route) =>
        route.fulfill({ json: isBroken ? { ...FULL_STATUS, warnings: 'many' } : FULL_STATUS }),
      );
      await enter(page, instance, ADMIN_PERSON, '/postern/status');
      await page.getByRole('heading', { name: 'This page cannot be displayed' }).waitFor();
      await page.getByRole('link', { name: 'Explore', exact: true }).click();
      await page.locator('.event').first().waitFor();
      isBroken = false;
      await page.goBack();
      await page.locator('.tiles').waitFor();
    }));

  it('says in one line that all is well, and folds the parts without a fault', (t) =>
    visit(t, {}, async (page) => {
      const well = { ...FULL_STATUS, nvr: { kind: 'ok' }, certificate: null, warnings: [], failures: [] };
      await page.route('**/api/status', (route) => route.fulfill({ json: well }));
      await enter(page, instance, ADMIN_PERSON, '/postern/status');
      await page.getByText('Everything works', { exact: true }).waitFor();
      await page.locator('.health', { hasText: /Postern 0\.1\.0\. Running since .*\d:\d\d/ }).waitFor();
      const versions = page.locator('.tile', { has: page.getByRole('heading', { name: 'Versions' }) });
      assert.equal(await versions.getByText('Running since').isVisible(), false);
      await versions.locator('summary').click();
      await versions.getByText('Running since').waitFor();
      assert.deepEqual(await axeFindings(page), []);
    }));

  for (const width of [390, 1280])
    it(`says a fact of each folded part beside its title, lined up, at ${width} px`, (t) =>
      visit(t, { viewport: { width, height: 844 }, locale: 'de-DE' }, async (page) => {
        const certificate = { ...FULL_STATUS.certificate, expiresAt: Math.floor(Date.now() / 1000) + 60.5 * 86_400 };
        const well = { ...FULL_STATUS, nvr: { kind: 'ok' }, certificate, warnings: [], failures: [] };
        await page.route('**/api/status', (route) => route.fulfill({ json: well }));
        await enter(page, instance, ADMIN_PERSON, '/postern/status');
        await page.getByText('Alles funktioniert').waitFor();
        // biome-ignore format: a table
        const facts: [title: string, fact: RegExp][] = [
          ['NVR',                                   /^funktioniert, 0\.17\.0/],
          ['Datenbank',                             /^funktioniert$/],
          ['Versionen',                             /^Postern 0\.1\.0$/],
          ['Zertifikat',                            /^läuft in 60 Tagen ab$/],
          ['Anmeldesperre',                         /^5 pro Minute, 20 pro Stunde$/],
          ['Gesperrte Anmeldungen',                 /^Keine$/],
          ['Öffentliche Adresse',                   /^https:\/\/nvr\.example\.com\/$/],
          ['Warnungen',                             /^Keine$/],
          ['Fehlversuche beim Anmelden',            /^höchstens 22 in einer Stunde$/],
          ['Unbekannte Routen',                     /^1$/],
        ];
        const places = new Set<number>();
        for (const [title, fact] of facts) {
          const place = page
            .locator('.tile', { has: page.getByRole('heading', { name: title, exact: true }) })
            .locator('.tile-fact');
          assert.match(await place.innerText(), fact, title);
          places.add(Math.round((await place.boundingBox())?.x ?? 0));
        }
        assert.equal(places.size, 1);
        assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
      }));

  it('names the keys of warnings in the language of the page, and shows the line of the log when it is opened', (t) =>
    visit(t, { locale: 'de-DE' }, async (page) => {
      await page.route('**/api/status', (route) => route.fulfill({ json: FULL_STATUS }));
      await enter(page, instance, ADMIN_PERSON, '/postern/status');
      await page.getByText('Seit dem letzten Start.').waitFor();
      const line = page.getByText('Failures come from one private address: list the proxy there.');
      assert.equal(await line.isVisible(), false);
      await page.locator('.badge', { hasText: 'auth.trusted_proxies' }).click();
      await line.waitFor();
      assert.equal(await line.getAttribute('lang'), 'en');
    }));

  it('shows a reason once in amber, how often and when, with its requests folded, and names it while nothing is wrong now', (t) =>
    visit(t, {}, async (page) => {
      const [failure] = FULL_STATUS.failures ?? [];
      const again = { ...failure, requestId: 'older' };
      const failures = [
        failure,
        again,
        { ...again, path: '/api/other', requestId: 'oldest' },
        { ...again, reason: 'nvr-timeout' },
      ];
      const calm = { ...FULL_STATUS, nvr: { kind: 'ok' }, certificate: null, warnings: [], failures };
      await page.route('**/api/status', (route) => route.fulfill({ json: calm }));
      await enter(page, instance, ADMIN_PERSON, '/postern/status');
      const rows = page.locator('.tile', { has: page.getByRole('heading', { name: 'Recent errors' }) }).locator('li');
      await rows.last().waitFor();
      const [first = '', second = ''] = await rows.allInnerTexts();
      assert.match(first, /^The NVR does not answer.* 3\u00a0times, .*\d:\d\d/);
      assert.match(second, /^The NVR did not respond in time.* 1\u00a0time, /);
      assert.doesNotMatch(first, /api/);
      await rows.first().locator('summary').click();
      assert.match(await rows.first().innerText(), /a1b2.*\/api\/other.*oldest/s);
      await page.locator('.health .reach-ok', { hasText: /^Everything works\. Recent errors:\u00a04$/ }).waitFor();
      await hasCount(page.locator('.reach-failed, .badge-bad'), 0);
    }));

  it('says of each part that is null that it is not available', (t) =>
    visit(t, {}, async (page) => {
      const nothing = Object.fromEntries(Object.keys(FULL_STATUS).map((part) => [part, null]));
      await page.route('**/api/status', (route) => route.fulfill({ json: nothing }));
      await enter(page, instance, ADMIN_PERSON, '/postern/status');
      await page.locator('.tile').first().waitFor();
      await hasCount(page.getByText('not available', { exact: true }), 9);
    }));
});
