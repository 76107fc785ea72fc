/** The guide to route tables: its example works as it stands, and its tables name every key and term (SPEC 20). */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { headShape } from '../../src/config/policy/table-head.ts';
import {
  ACCESS_LEVELS,
  NAME_KINDS,
  NARROWINGS,
  OWNER_KINDS,
  PATH_SHAPES,
  RESPONSE_FORMS,
  VALUE_FORMS,
} from '../../src/domain/policy.ts';
import { rowSchema } from '../../src/routes/policy-row.ts';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, VERA } from '../support/people.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';
import { readText } from './documents.ts';

const GUIDE = readText('docs/policies.md');
const TABLE = /```yaml\n(?<table>version: 1\n[^`]+)```/.exec(GUIDE)?.groups?.['table'] ?? assert.fail('no table');

/** Keys that only Postern's own rows have. */
const OWN_KEYS: ReadonlySet<string> = new Set(['stands_for', 'few', 'right', 'enrolment', 'forwarded', 'compressed']);

describe('The guide to route tables', () => {
  const terms = [
    ...Object.keys(headShape),
    ...Object.keys(rowSchema.shape).filter((key) => !OWN_KEYS.has(key)),
    ...ACCESS_LEVELS,
    ...Object.keys(PATH_SHAPES),
    ...RESPONSE_FORMS,
    ...NARROWINGS,
    ...OWNER_KINDS,
    ...NAME_KINDS.filter((kind) => kind !== 'camera'),
    ...VALUE_FORMS,
  ];
  for (const term of new Set(terms))
    it(`explains ${term}`, () => assert.match(GUIDE, new RegExp(`^\\|[^|]*\`${term}\`[^|]*\\|`, 'm')));
});

describe('The table of the guide’s example', () => {
  const GARDENER = { name: 'gus', role: 'gardener', password: 'GusPassw0rd!!!!' };
  let nvr: FakeNvr;
  let instance: Runtime;
  let directory: string;
  const tokens = new Map<string, string>();
  before(async () => {
    nvr = await startFakeNvr();
    const rows = [{ camera: 'garden' }, { camera: 'hall' }];
    nvr.answer = ({ url = '' }, response) => {
      const { pathname, searchParams } = new URL(url, nvr.url);
      const wanted = searchParams.get('camera')?.split(',');
      const list = rows.filter(({ camera }) => wanted?.includes(camera) ?? true);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(pathname === '/api/cameras' || pathname === '/api/alarms' ? JSON.stringify(list) : '"hawk"');
    };
    directory = mkdtempSync(join(tmpdir(), 'postern-test-'));
    writeFileSync(join(directory, 'routes.yaml'), TABLE);
    instance = await startInstance({
      config: {
        nvr: { url: nvr.url, policy: join(directory, 'routes.yaml') },
        auth: { roles: { gardener: ['garden'] } },
      },
      people: [ADMIN_PERSON, VERA, GARDENER],
    });
    for (const person of [ADMIN_PERSON, VERA, GARDENER]) tokens.set(person.role, await instance.logIn(person));
  });
  after(async () => {
    await instance?.close();
    await nvr.close();
    rmSync(directory, { recursive: true, force: true });
  });

  // biome-ignore format: a table
  const CASES: readonly (readonly [request: string, admin: number, viewer: number, gardener: number])[] = [
    ['GET /',                            200, 200, 200],
    ['GET /live/garden.mjpg',            200, 200, 200],
    ['GET /live/hall.mjpg',              200, 200, 403],
    ['GET /api/alarms?camera=hall',      200, 200, 403],
    ['GET /films/17.mp4',                200, 200, 403],
    ['POST /api/cameras/hall/move',      200, 200, 403],
    ['POST /api/cameras/garden/move',    200, 200, 200],
    ['GET /api/setup',                   200, 403, 403],
  ];
  for (const [request, ...expected] of CASES)
    for (const [at, role] of ['admin', 'viewer', 'gardener'].entries())
      it(`${request} as ${role}: ${expected[at]}`, async () => {
        nvr.received.length = 0;
        const [method = '', path = ''] = request.split(' ');
        const body =
          method === 'POST' ? { body: '{"direction":"left"}', headers: { 'content-type': 'application/json' } } : {};
        const { status } = await instance.ask(path, { method, token: tokens.get(role) ?? '', ...body });
        const arrived = nvr.received.filter(({ target }) => target === path).length;
        assert.deepEqual([status, arrived], [expected[at], expected[at] === 200 ? 1 : 0]);
      });

  it('cuts lists to the cameras of the role, and asks for these alone where the server can', async () => {
    nvr.received.length = 0;
    for (const path of ['/api/cameras', '/api/alarms'])
      assert.equal(
        await (await instance.ask(path, { token: tokens.get('gardener') ?? '' })).text(),
        '[{"camera":"garden"}]',
      );
    assert.ok(nvr.received.some(({ target }) => target === '/api/alarms?camera=garden'));
  });

  it('takes no other movement than those of the row', async () => {
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', token: tokens.get('gardener') ?? '', headers, body: '{"direction":"$(reboot)"}' };
    nvr.received.length = 0;
    assert.deepEqual([(await instance.ask('/api/cameras/garden/move', init)).status, nvr.received.length], [422, 0]);
  });
});
