/** What the head of a route table says of an NVR that is no Frigate: its cameras, its life and its release (SPEC 20). */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL } from '../support/people.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

const LIST = '/v3/paths?itemsPerPage=2';
const ROWS = `routes:
  - { route: "GET /picture/{camera}", access: camera, cameras: ["path:camera"], narrow: check }
`;

describe('A route table for another NVR', () => {
  let nvr: FakeNvr;
  let directory: string;
  before(async () => {
    nvr = await startFakeNvr();
    nvr.answer = ({ url = '' }, response) => {
      const page = new URL(url, nvr.url).searchParams.get('page') ?? '0';
      if (url === '/info') response.end('{"version": "1.12.0"}');
      else if (url.startsWith(LIST))
        response.end(JSON.stringify({ pageCount: 2, items: [{ name: page === '0' ? 'cam1' : 'cam2' }] }));
      else if (url.startsWith('/picture/')) response.end('picture');
      else response.writeHead(404).end();
    };
    directory = mkdtempSync(join(tmpdir(), 'postern-test-'));
  });
  after(async () => {
    await nvr.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const start = (head: string, more: object = {}): Promise<Runtime> => {
    const file = join(directory, 'other.yaml');
    writeFileSync(file, `version: 1\n${head}\n${ROWS}`);
    return startInstance({ config: { nvr: { url: nvr.url, policy: file, ...more } } });
  };
  const nvrOf = async (instance: Runtime) => {
    const ready = await fetch(`${instance.telemetryUrl}/readyz`);
    const token = await instance.logIn(ADMIN_PERSON);
    const status = (await (await instance.ask('/api/status', { token })).json()) as {
      versions: { nvr: string };
    };
    return { ready: ready.status, release: status.versions.nvr };
  };

  it('tells the cameras, of all pages of the list, and the release; no path of Frigate is asked for', async () => {
    nvr.received.length = 0;
    const instance =
      await start(`cameras: { path: "${LIST}", names: "items[].name", pages: { parameter: page, count: pageCount } }
alive: "/info"
release: { path: "/info", field: version }`);
    try {
      assert.deepEqual(await nvrOf(instance), { ready: 200, release: '1.12.0' });
      const carl = await instance.logIn(CARL);
      const status = async (path: string) => (await instance.ask(path, { token: carl })).status;
      assert.deepEqual([await status('/picture/cam1'), await status('/picture/cam2')], [200, 403]);
      const asked = new Set(nvr.received.map(({ target }) => target));
      assert.deepEqual([...asked].sort(), ['/info', '/picture/cam1', LIST, `${LIST}&page=1`].sort());
    } finally {
      await instance.close();
    }
  });

  it('that names no list of cameras has those of nvr.cameras, and none without', async () => {
    const named = await start('', { cameras: ['cam1'] });
    const none = await start('');
    try {
      const carl = await named.logIn(CARL);
      assert.equal((await named.ask('/picture/cam1', { token: carl })).status, 200);
      const other = await none.logIn(CARL);
      assert.equal((await none.ask('/picture/cam1', { token: other })).status, 403);
      assert.match(none.log.map(({ msg }) => msg).join('\n'), /does not say where the NVR lists its cameras/);
      assert.doesNotMatch(named.log.map(({ msg }) => msg).join('\n'), /lists its cameras/);
      assert.deepEqual(await nvrOf(none), { ready: 200, release: null });
    } finally {
      await named.close();
      await none.close();
    }
  });

  it('that leads to another answer than a list is a fault: no camera is known, and none is guessed', async () => {
    const instance = await start(`cameras: { path: "/picture/list", names: "items[].name" }`);
    try {
      const carl = await instance.logIn(CARL);
      assert.equal((await instance.ask('/picture/cam1', { token: carl })).status, 503);
    } finally {
      await instance.close();
    }
  });
});
