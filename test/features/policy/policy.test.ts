/** `postern policy`, on the configuration and the store of a running service, and its NVR (SPEC 15). */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { configSchema } from '../../../src/app/resources/features.ts';
import { loadPolicy } from '../../../src/config/policy/load-policy.ts';
import { type FakeNvr, startFakeNvr } from '../../support/fake-nvr.ts';
import { type Runtime, startInstance } from '../../support/start-instance.ts';
import { typed } from '../../support/terminal.ts';

const description = (...paths: readonly string[]): string =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { version: '0.19' },
    paths: Object.fromEntries(paths.map((path) => [path, { get: {} }])),
  });

describe('postern policy', () => {
  let nvr: FakeNvr;
  let instance: Runtime;
  before(async () => {
    nvr = await startFakeNvr();
    nvr.answer = (request, response) =>
      void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(
          request.url === '/api/openapi.json'
            ? description('/stats', '/new/thing')
            : '{"cameras":{"cam1":{},"cam2":{}}}',
        );
    instance = await startInstance({ config: { nvr: { url: nvr.url } } });
  });
  after(async () => {
    await instance?.close();
    await nvr?.close();
  });

  async function run(...words: readonly string[]): Promise<{ code: number; out: string; err: string }> {
    const place = { directory: instance.directory, schema: configSchema, env: {}, clock: { now: () => Date.now() } };
    return typed(['policy', ...words], place);
  }

  it('diff asks the running NVR, and exits with 1 when it has an operation that the table does not know', async () => {
    const { code, out } = await run('diff');
    assert.equal(code, 1);
    assert.match(out, /^The NVR says version 0\.19\.\nThe table was made for 0\.18\.\n/);
    assert.match(out, /does not know: 1\n {2}GET \/api\/new\/thing {2}\(for admins only\)\n/);
    assert.match(out, /Rows without an operation: \d+\n/);
  });

  it('diff reads a file, and exits with 0 when all of it is known', async () => {
    const file = join(instance.directory, 'openapi.json');
    writeFileSync(file, description('/stats', '/config', '/events/{event_id}/snapshot.jpg'));
    const { code, out } = await run('diff', file, '--json');
    const { unknown, changed, table } = JSON.parse(out);
    assert.deepEqual([code, unknown, changed, table], [0, [], [], '0.18']);
    writeFileSync(file, '{');
    assert.deepEqual(await run('diff', file), {
      code: 1,
      out: '',
      err: 'is neither JSON nor YAML: line 1: not valid YAML: Flow map must end with a }\n',
    });
    assert.match((await run('diff', '/nowhere.json')).err, /ENOENT/);
  });

  it('diff reads YAML, and takes paths that clients see below another one', async () => {
    const file = join(instance.directory, 'openapi.yaml');
    writeFileSync(file, 'openapi: 3.1.0\npaths:\n  /list:\n    get: {}\n');
    assert.match((await run('diff', file)).out, /GET \/api\/list/);
    assert.match((await run('diff', file, '--below', '/playback')).out, /GET \/playback\/list/);
  });

  it('new prints a table from the running NVR or from a file, which check accepts and which admits admins alone', async () => {
    const { code, out } = await run('new', `${nvr.url}/api/openapi.json`, '--below', '/api');
    assert.equal(code, 0);
    const file = join(instance.directory, 'routes.yaml');
    const description = join(instance.directory, 'described.json');
    writeFileSync(description, JSON.stringify({ openapi: '3.1.0', paths: { '/api/stats': { get: {} } } }));
    assert.deepEqual(await run('new', description, '--output', file), {
      code: 0,
      out: '',
      err: `Written to ${file}. Set nvr.policy to it, and run "postern check".\n`,
    });
    for (const text of [out, readFileSync(file, 'utf8')]) {
      writeFileSync(join(instance.directory, 'tried.yaml'), text);
      const loaded = await loadPolicy('./tried.yaml', instance.directory);
      const rows = loaded.kind === 'loaded' ? loaded.rows.filter(({ own }) => !own) : assert.fail(text);
      assert.ok(rows.length > 0 && rows.every(({ access }) => access === 'admin'));
    }
  });

  it('new says what is wrong with a description, and never overwrites a file', async () => {
    const missing = await run('new', '/nowhere.yaml');
    assert.deepEqual([missing.code, missing.out], [1, '']);
    assert.match(missing.err, /^\/nowhere\.yaml cannot be read: ENOENT/);
    const { err: refused } = await run('new', `${nvr.url}/api/config`);
    assert.equal(refused, `${nvr.url}/api/config is no OpenAPI description: it has no "openapi" and "paths"\n`);
    const file = join(instance.directory, 'kept.yaml');
    writeFileSync(file, 'mine');
    const again = await run('new', `${nvr.url}/api/openapi.json`, '--output', file);
    assert.deepEqual([again.code, again.err], [1, `${file} is there already: name another file, or remove it\n`]);
    assert.equal(readFileSync(file, 'utf8'), 'mine');
  });
});
