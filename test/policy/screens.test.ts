/** The walk as a screen: live pictures of its cameras and nothing else, of the NVR as of Postern (SPEC 18). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { listOperations } from '../../src/routes/own-route.ts';
import { OWN_ROUTES } from '../support/own-operations.ts';
import { VERA } from '../support/people.ts';
import { pairScreen } from '../support/screens.ts';
import { type Asked, askedOfAll, foreign, nameOf, neutralPaths, own, readOperations } from './support/rows.ts';
import { FOREIGN, withoutItsName } from './support/two-cameras.ts';
import { type Answered, startWalkInstance, type WalkInstance } from './support/walk-instance.ts';

const SHOWN: readonly string[] = [
  'GET /api/{camera_name}',
  'GET /api/{camera_name}/latest.{extension}',
  'GET /api/{camera_name}/grid.jpg',
  'GET /api/go2rtc/streams',
  'GET /api/go2rtc/streams/{stream_name}',
  'POST /api/go2rtc/webrtc',
  'WS /live/jsmpeg/{camera_name}',
  'WS /live/mse/api/ws',
  'WS /live/webrtc/api/ws',
  'WS /ws',
];

describe('A screen of the garden, whose maker sees all cameras', () => {
  let walk: WalkInstance;
  let cookie = '';
  before(async () => {
    walk = await startWalkInstance(neutralPaths());
    ({ cookie } = await pairScreen(walk.instance, VERA, { cameras: ['garden'] }));
  });
  after(() => walk.close());
  const asScreen = (asked: Asked): Promise<Answered> =>
    walk.ask('anonymous', asked, { cookie, origin: walk.instance.url });
  const statusOf = async (asked: Asked): Promise<number> => {
    const { status, forwarded, body, headers } = await asScreen(asked);
    const text = withoutItsName(body, asked.target) + JSON.stringify(headers);
    assert.ok(!FOREIGN.test(text), `${asked.method} ${asked.target} leaks ${FOREIGN.exec(text)?.[0]}`);
    const isGood = status === 101 || (status >= 200 && status < 400);
    if (!isGood) assert.deepEqual(forwarded, [], `the NVR saw ${asked.method} ${asked.target}`);
    for (const { headers: sent } of forwarded)
      assert.ok(!JSON.stringify(sent).includes('postern_screen'), 'the NVR saw the cookie');
    return status;
  };

  it('is shown what is live of the garden, and refused all else of the NVR that is not public', async () => {
    const shown: string[] = [];
    for (const operation of readOperations()) {
      if (operation.a === 'public' || operation.svc === 'auth') continue;
      const status = await statusOf(own(operation));
      if (status === 101 || status < 400) shown.push(nameOf(operation));
      else assert.ok([403, 404, 405, 415, 422].includes(status), `${nameOf(operation)}: ${status}`);
    }
    assert.deepEqual(shown.toSorted(), SHOWN.toSorted());
  });

  it('is shown nothing of another camera', async () => {
    for (const operation of readOperations()) {
      if (operation.a === 'public') continue;
      const all = askedOfAll(operation);
      if (all) await statusOf(all);
      const status = await statusOf(foreign(operation));
      if (operation.cam) assert.ok(status >= 400, `${nameOf(operation)}: ${status}`);
    }
  });

  it('may use GET /api/profile of the own routes; on public ones it is a stranger', async () => {
    const used: string[] = [];
    for (const { route, access, stands_for, secret } of OWN_ROUTES) {
      if (access === 'public' || stands_for || secret) continue;
      for (const { method, path } of listOperations(route)) {
        const target = path.replace('{rest...}', 'a/b').replaceAll(/\{\w+\}/g, '0000-not-there');
        const status = await statusOf({ method, target, body: undefined });
        if (status < 400) used.push(`${method} ${target}`);
        else assert.ok([403, 404].includes(status), `${method} ${target}: ${status}`);
      }
    }
    assert.deepEqual(used, ['GET /api/profile']);
    const profile = await asScreen({ method: 'GET', target: '/api/profile', body: undefined });
    assert.deepEqual(JSON.parse(profile.body), {
      username: 'vera',
      role: 'viewer',
      allowed_cameras: ['garden'],
      camera_names: { garden: 'The garden' },
      screen: { name: 'hall', ends_at: null },
    });
    const out = await asScreen({ method: 'POST', target: '/api/logout', body: undefined });
    assert.equal(out.status, 303);
    assert.equal((await asScreen({ method: 'GET', target: '/api/profile', body: undefined })).status, 200);
  });
});
