/** The name of a device: given on the page Sessions, and shown where the device is (SPEC 12). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { VERA } from '../support/people.ts';
import type { Runtime } from '../support/start-instance.ts';
import { axeFindings, skip, visit } from './support/browser.ts';
import { enter, startPagesInstance } from './support/pages-instance.ts';

describe('The name of a device', { skip }, () => {
  let instance: Runtime;
  before(async () => {
    instance = await startPagesInstance();
  });
  after(() => instance.close());

  it('is shown as text, whatever it is, and can be taken away', (t) =>
    visit(t, { viewport: { width: 320, height: 640 } }, async (page) => {
      await enter(page, instance, VERA, '/postern/settings/sessions');
      const name = '<img src=x onerror=alert(1)> tablet in the kitchen of my parents';
      const rename = async (typed: string): Promise<void> => {
        await page
          .getByRole('button', { name: /^Rename:/ })
          .first()
          .click();
        await page.getByRole('dialog').getByLabel('Name').fill(typed);
        await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
        await page.getByText('The name of the device was saved.').waitFor();
      };
      await rename(name);
      await page.locator('.record-name').getByText(name).waitFor();
      assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
      assert.deepEqual(await axeFindings(page), []);
      await rename('');
      await page.locator('.record-name').getByText(name).waitFor({ state: 'detached' });
    }));
});
