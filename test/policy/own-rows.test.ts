/** Every route that Postern serves has a row of its own: without one it would be forwarded to the NVR (SPEC 5). */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { it } from 'node:test';
import { compileRouteTable, isOwn } from '../../src/access/route-table.ts';
import { loadPolicy } from '../../src/config/policy/load-policy.ts';

const ROUTE = /\.(get|post|put|patch|delete)\(\s*'(\/[^']*)'/g;
/** Served only where no NVR is configured; the row is the NVR's. */
const START_PAGE = '/';

it("every route in the source has a row in Postern's own table", async () => {
  const policy = await loadPolicy('strict', '.');
  assert.equal(policy.kind, 'loaded');
  const table = compileRouteTable(policy.kind === 'loaded' ? policy.rows : []);
  const routes = globSync('src/{accounts,doctor,gateway,ui}/**/*.ts', { exclude: ['src/ui/pages/**'] }).flatMap(
    (file) =>
      [...readFileSync(file, 'utf8').matchAll(ROUTE)].map(([, method = '', path = '']) => ({ method, path, file })),
  );
  assert.ok(routes.length > 20, 'the routes were found');
  const without = routes.filter(({ method, path }) => {
    const segments = path
      .slice(1)
      .replaceAll(/:\w+|\{\*\w+\}/g, 'x')
      .split('/');
    const match = table.match(method.toUpperCase(), segments);
    return path !== START_PAGE && !(isOwn(match) && match.row.access !== 'none');
  });
  assert.deepEqual(without, []);
});
