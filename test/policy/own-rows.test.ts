/** Every route that Postern serves has a row of its own: without one it would be forwarded to the NVR (SPEC 5). */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { compileRouteTable, isOwn } from '../../src/access/route-table.ts';
import { loadPolicy } from '../../src/config/policy/load-policy.ts';
import { listOperations, type OwnRoute } from '../../src/routes/own-route.ts';
import { OWN_ROUTES } from '../support/own-operations.ts';

it('every declared route has its row in the shipped table: else run "npm run generate"', async () => {
  const policy = await loadPolicy('strict', '.');
  const table = compileRouteTable(policy.kind === 'loaded' ? policy.rows : []);
  const declared = OWN_ROUTES.flatMap(({ route, access }) => listOperations(route).map((one) => ({ ...one, access })));
  const without = declared.filter(({ method, path, access }) => {
    const match = table.match(method, path.slice(1).split('/'));
    return !isOwn(match) || match.row.access !== access;
  });
  assert.deepEqual(without, []);
});

it('a route without a need does not compile', () => {
  // @ts-expect-error: access is missing
  const route: OwnRoute<void> = { route: 'GET /api/open', summary: 'Open', yes: [200] };
  assert.equal(route.access, undefined);
});
