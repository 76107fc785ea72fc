/** The OpenAPI description: the responses are as it describes (SPEC 15). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { OWN_ROUTES } from '../../src/app/gate/own-routes.ts';
import { openApiDocument } from '../../src/routes/document.ts';
import { OWN_OPERATIONS } from '../support/own-operations.ts';
import { ADMIN_PERSON, VERA } from '../support/people.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

describe('The description of the API', () => {
  it('refers to no shape that it has not', () => {
    const document = openApiDocument('1.2.3', OWN_ROUTES);
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

  for (const { method, path, yes, no = [], access, type } of OWN_OPERATIONS) {
    if (method === 'delete' || path.endsWith('logout')) continue; // would change what the others look at
    it(`${method} ${path}`, async () => {
      const options = { method: method.toUpperCase(), token: admin, ...(method === 'get' ? {} : { body: '{}' }) };
      const answer = await instance.ask(filled(path), { ...options, headers: { 'Content-Type': 'application/json' } });
      const named = [yes[0], ...no, 400, ...(access === 'public' ? [] : [401, 403, 429])];
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
