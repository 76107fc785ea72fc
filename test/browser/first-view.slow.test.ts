/** The first view of each page asks for few files, on a slow line as well (SPEC 8). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ADMIN_PERSON } from '../support/people.ts';
import type { Runtime } from '../support/start-instance.ts';
import { skip, visit } from './support/browser.ts';
import { enter, startPagesInstance } from './support/pages-instance.ts';

/** A page, and what is shown when it is complete. */
// biome-ignore format: a table
const PAGES: readonly (readonly [path: string, shown: string])[] = [
  ['/postern/',                '.blank'],
  ['/postern/explore',         '.event >> nth=7'],
  ['/postern/activity',        '.activity-filters'],
  ['/postern/settings/users',  'table'],
  ['/postern/settings/tokens', '.records-page h1'],
  ['/postern/status',          '.tiles'],
];

const MOST_REQUESTS = 12;
const MOST_OF_SCRIPT = 70_000;

describe('The first view', { skip }, () => {
  let instance: Runtime;
  before(async () => {
    instance = await startPagesInstance();
  });
  after(() => instance.close());

  for (const [path, shown] of PAGES)
    it(`of ${path} takes ${MOST_REQUESTS} requests and 70 KB of script at most`, (t) =>
      visit(t, {}, async (page) => {
        const paths: string[] = [];
        const sizes: Promise<number>[] = [];
        page.on('request', (request) => paths.push(new URL(request.url()).pathname));
        page.on('response', (response) => {
          if (response.url().endsWith('.js'))
            sizes.push(
              response
                .request()
                .sizes()
                .then(({ responseBodySize }) => responseBodySize),
            );
        });
        await enter(page, instance, ADMIN_PERSON, path);
        await page.locator(shown).waitFor();
        // The line for changes stays open: nothing waits for it.
        const files = paths.filter((one) => one !== '/api/events/changes');
        assert.ok(files.length <= MOST_REQUESTS, files.join('\n'));
        const script = (await Promise.all(sizes)).reduce((sum, one) => sum + one, 0);
        assert.ok(script > 0 && script <= MOST_OF_SCRIPT, `${script} bytes`);
      }));
});
