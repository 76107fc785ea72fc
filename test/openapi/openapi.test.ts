/** The OpenAPI description: the responses are as it describes (SPEC 15). */
import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openApiDocument } from '../../src/routes/document.ts';
import { OWN_OPERATIONS, OWN_ROUTES } from '../support/own-operations.ts';
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

  it('has the profile with what a feature tells of the caller', () => {
    const { paths, components } = openApiDocument('1', OWN_ROUTES);
    assert.match(JSON.stringify(paths['/api/profile']), /"#\/components\/schemas\/Profile"/);
    const { properties } = components.schemas['Profile'] as { readonly properties: object };
    for (const name of ['allowed_cameras', 'screen']) assert.ok(name in properties, name);
  });

  it('names 503 for every operation: without its store, a start answers nothing else', () => {
    for (const { method, path } of OWN_OPERATIONS) assertDescribed(method, path, 503);
  });
});

const filled = (path: string): string => path.replace('{rest}', '').replace(/\{\w+\}/g, 'seen');
const { paths } = openApiDocument('1', OWN_ROUTES);
function assertDescribed(method: string, path: string, status: number): void {
  const operation = paths[path]?.[method] ?? assert.fail(`${method} ${path} is not described`);
  const { responses } = operation as { readonly responses: object };
  assert.ok(String(status) in responses, `${status} is none of ${Object.keys(responses).join(', ')}`);
}

describe('With the store away', () => {
  let instance: Runtime;
  let admin: string;
  before(async () => {
    instance = await startInstance();
    admin = await instance.logIn(ADMIN_PERSON);
    const file = join(instance.directory, 'postern.db');
    renameSync(file, `${file}.away`);
  });
  after(() => instance?.close());

  for (const { method, path } of OWN_OPERATIONS)
    it(`${method} ${path} answers as it is described`, async () => {
      const options = { method: method.toUpperCase(), token: admin, ...(method === 'get' ? {} : { body: '{}' }) };
      const answer = await instance.ask(filled(path), { ...options, headers: { 'Content-Type': 'application/json' } });
      assertDescribed(method, path, answer.status);
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

  for (const { method, path, yes, type } of OWN_OPERATIONS) {
    if (method === 'delete' || path.endsWith('logout')) continue; // would change what the others look at
    it(`${method} ${path}`, async () => {
      const options = { method: method.toUpperCase(), token: admin, ...(method === 'get' ? {} : { body: '{}' }) };
      const answer = await instance.ask(filled(path), { ...options, headers: { 'Content-Type': 'application/json' } });
      assertDescribed(method, path, answer.status);
      const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
      const isYes = answer.status === yes[0];
      if (isYes && yes[1] !== undefined && type === undefined)
        assert.ok(isJson, `${answer.headers.get('content-type')}`);
    });
  }

  it('of a screen and of the curtain, in form as well', async () => {
    const from = { 'Content-Type': 'application/json', 'User-Agent': 'Television' };
    const asked = async (
      operation: string,
      body?: object,
      target = operation.split(' ')[1] ?? '',
    ): Promise<unknown> => {
      const [method = '', path = ''] = operation.split(' ');
      const described = OWN_OPERATIONS.find((one) => one.method === method.toLowerCase() && one.path === path);
      const answer = await instance.ask(target, {
        method,
        headers: from,
        ...(body && { body: JSON.stringify(body) }),
        ...(described?.access !== 'public' && { token: admin }),
      });
      const json: unknown = await answer.json();
      const [status, shape] = described?.yes ?? [];
      assert.equal(answer.status, status, operation);
      // A field that is not described would be left out.
      assert.deepEqual(shape?.parse(json), json, operation);
      return json;
    };
    const code = (await asked('POST /api/screens/code')) as { user_code: string; device_code: string };
    await asked('GET /api/screens/code', undefined, `/api/screens/code?user_code=${code.user_code}`);
    const { id } = (await asked('POST /api/screens/confirm', { user_code: code.user_code, name: 'hall' })) as {
      id: string;
    };
    await asked('POST /api/screens/token', { device_code: code.device_code });
    const listed = (await asked('GET /api/screens')) as { agent: string }[];
    assert.deepEqual(
      listed.map(({ agent }) => agent),
      ['Television'],
    );
    await asked('PATCH /api/screens/{id}', { name: 'kitchen', cameras: null }, `/api/screens/${id}`);
    await asked('DELETE /api/screens/{id}', undefined, `/api/screens/${id}`);
    const other = (await asked('POST /api/screens/code')) as { user_code: string };
    await asked('POST /api/screens/deny', { user_code: other.user_code });
    await asked('PUT /api/curtain', { cameras: ['hall*'], until: 4_000_000_000 });
    await asked('GET /api/curtain');
    await asked('DELETE /api/curtain', { cameras: ['hall*'] });
  });

  it('it is given to every logged-in user, and to no other caller', async () => {
    const path = '/postern/api/openapi.json';
    assert.equal((await instance.ask(path)).status, 401);
    const answer = await instance.ask(path, { token: await instance.logIn(VERA) });
    const document = (await answer.json()) as { openapi: string };
    assert.deepEqual([answer.status, document.openapi], [200, '3.1.0']);
  });
});
