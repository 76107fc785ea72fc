/** Pages of an NVR that knows two roles: a custom role is told to them as viewer, and its cameras stay its own (SPEC 5). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createReleaseCheck } from '../../src/gateway/forward/nvr-questions.ts';
import { answerLikeAnNvr, type NvrAnswer, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, type Person, VERA } from '../support/people.ts';
import { startInstance } from '../support/start-instance.ts';

const saying =
  (version: string | undefined): NvrAnswer =>
  (request, response, received) =>
    request.url === '/api/version'
      ? void response.writeHead(version === undefined ? 500 : 200, { 'content-type': 'text/plain' }).end(version)
      : answerLikeAnNvr(request, response, received);

describe('The role that the profile tells', () => {
  // biome-ignore format: a table
  const rows: [version: string | undefined, role: string][] = [
    ['0.16.4-1234abcd',   'viewer'],
    ['0.9.4',             'viewer'],
    ['0.17.0-beta1',      'front_only'],
    ['0.17.2-f0e1d2c',    'front_only'],
    ['0.18.0',            'front_only'],
    ['dev',               'front_only'],
    [undefined,           'front_only'],
  ];
  for (const [version, role] of rows)
    it(`of a user of a custom role is ${role} for an NVR that says ${version ?? 'nothing'}`, async () => {
      const nvr = await startFakeNvr();
      nvr.answer = saying(version);
      const at = await startInstance({ config: { nvr: { url: nvr.url } } });
      try {
        const profileOf = async (person: Person) =>
          (await at.ask('/api/profile', { token: await at.logIn(person) })).json() as Promise<{
            role: string;
            custom_role?: string;
            username: string;
            allowed_cameras: string[];
          }>;
        const carl = await profileOf(CARL);
        assert.equal(carl.custom_role, role === 'viewer' ? 'front_only' : undefined);
        assert.deepEqual([carl.username, carl.role, carl.allowed_cameras], ['carl', role, ['cam1']]);
        assert.deepEqual([(await profileOf(VERA)).role, (await profileOf(ADMIN_PERSON)).role], ['viewer', 'admin']);
        const token = await at.logIn(CARL);
        nvr.received.length = 0;
        const statuses = await Promise.all(
          ['/api/cam2/latest.jpg', '/clips/', '/stream/x', '/api/cam2/recordings'].map(
            async (path) => (await at.ask(path, { token })).status,
          ),
        );
        assert.deepEqual(statuses, [403, 403, 403, 403]);
        assert.deepEqual(nvr.received, []);
      } finally {
        await at.close();
        await nvr.close();
      }
    });
});

describe('A proxy that asks for a picture which newer NVRs find by the beginning of a name', () => {
  // biome-ignore format: a table
  const rows: [version: string | undefined, camera: string, status: number][] = [
    ['0.17.2-f0e1d2c', 'cam1', 202],
    ['0.16.4',         'cam1', 202],
    ['0.18.0',         'cam1', 403],
    ['0.19.0-beta1',   'cam1', 403],
    ['dev',            'cam1', 403],
    [undefined,        'cam1', 403],
    ['0.17.2',         'cam1-yard', 403],
    ['0.18.0',         'cam2', 202],
  ];
  for (const [version, camera, status] of rows)
    it(`of ${camera} has ${status} before an NVR that says ${version ?? 'nothing'}`, async () => {
      const nvr = await startFakeNvr();
      nvr.answer = saying(version);
      const at = await startInstance({
        config: {
          nvr: { url: nvr.url, cameras: ['cam1', 'cam1-yard', 'cam2'] },
          auth: { roles: { front_only: ['cam1', 'cam2'] }, trusted_proxies: ['127.0.0.1'] },
        },
      });
      try {
        const described = { 'x-original-url': `/api/${camera}/latest.jpg`, 'x-original-method': 'GET' };
        const answer = await at.ask('/auth', { token: await at.logIn(CARL), headers: described });
        assert.equal(answer.status, status, await answer.text());
      } finally {
        await at.close();
        await nvr.close();
      }
    });
});

describe('The version of the NVR', () => {
  it('is asked for once a minute, and stays known while the NVR does not answer', async () => {
    let at = 0;
    let asked = 0;
    let said: string | null = '0.16.4';
    const ask = () => {
      asked += 1;
      return said === 'broken' ? Promise.reject(new Error('no answer')) : Promise.resolve(said);
    };
    const isOlderThan = createReleaseCheck(ask, () => at);
    const known = async () => !(await isOlderThan('0.17'));
    assert.deepEqual(await Promise.all([known(), known()]), [false, false]);
    assert.equal(asked, 1);
    for (const silence of [null, 'broken']) {
      said = silence;
      at += 61_000;
      assert.deepEqual([await known(), await known()], [false, false]);
      await new Promise(setImmediate);
    }
    said = '0.17.1';
    at += 61_000;
    await known();
    await new Promise(setImmediate);
    assert.equal(await known(), true, 'the answer that came meanwhile');
    assert.equal(asked, 4);
  });

  it('is no reason for a page to wait long', async () => {
    const isOlderThan = createReleaseCheck(
      () => new Promise(() => {}),
      () => 0,
      1,
    );
    assert.equal(await isOlderThan('0.17'), false);
  });
});
