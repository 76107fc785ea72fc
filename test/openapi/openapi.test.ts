/** The OpenAPI description: every own row of the route table is in it and nothing else, and the responses are as it describes (SPEC 15). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { loadPolicy } from '../../src/config/policy/load-policy.ts';
import { openApiDocument } from '../../src/openapi/document.ts';
import { OPERATIONS } from '../../src/openapi/operations.ts';
import { ROOT } from '../deploy/support/compose.ts';
import { ADMIN_PERSON, VERA } from '../support/people.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

const SERVED: readonly string[] = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'];

/** `get /api/users admin`. Rows of methods that are refused by name alone (405) are no operations. */
async function ownRows(): Promise<string[]> {
  const policy = await loadPolicy(`${ROOT}/conf/policies/postern.yaml`, ROOT, () => {});
  assert.ok(policy.kind === 'loaded');
  const rows = policy.rows.flatMap(({ methods, path, access }) =>
    methods.map((method) => ({ method, path: path.replace('...}', '}'), access })),
  );
  const served = rows.filter(
    ({ method, path }) => SERVED.includes(method) && (path !== '/api/login' || method === 'POST'),
  );
  return [...new Set(served.map(({ method, path, access }) => `${method.toLowerCase()} ${path} ${access}`))].sort();
}

describe('The description of the API', () => {
  it('has each own row of the route table, with who may, and no other', async () =>
    assert.deepEqual(OPERATIONS.map(({ method, path, who }) => `${method} ${path} ${who}`).sort(), await ownRows()));

  it('refers to no shape that it has not', () => {
    const document = openApiDocument('1.2.3');
    const text = JSON.stringify(document);
    for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g))
      assert.ok(name in document.components.schemas, name);
    assert.equal(document.info.version, '1.2.3');
  });
});

describe('What is described is what is answered', () => {
  let instance: Runtime;
  let admin: string;
  before(async () => {
    instance = await startInstance();
    admin = await instance.logIn(ADMIN_PERSON);
  });
  after(() => instance?.close());

  const filled = (path: string): string => path.replace('{rest}', '').replace(/\{\w+\}/g, 'seen');

  for (const { method, path, yes, no = [], who, type } of OPERATIONS) {
    if (method === 'delete' || path.endsWith('logout')) continue; // would change what the others look at
    it(`${method} ${path}`, async () => {
      const options = { method: method.toUpperCase(), token: admin, ...(method === 'get' ? {} : { body: '{}' }) };
      const answer = await instance.ask(filled(path), { ...options, headers: { 'Content-Type': 'application/json' } });
      const named = [yes[0], ...no, 400, ...(who === 'public' ? [] : [401, 403, 429])];
      assert.ok(named.includes(answer.status), `${answer.status} is none of ${named.join(', ')}`);
      const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
      const isYes = answer.status === yes[0];
      if (isYes && yes[1] !== undefined && type === undefined)
        assert.ok(isJson, `${answer.headers.get('content-type')}`);
    });
  }

  it('it is given to every logged-in user, and to no other caller', async () => {
    const path = '/postern/api/openapi.json';
    assert.equal((await instance.ask(path)).status, 401);
    const answer = await instance.ask(path, { token: await instance.logIn(VERA) });
    const document = (await answer.json()) as { openapi: string };
    assert.deepEqual([answer.status, document.openapi], [200, '3.1.0']);
  });
});
