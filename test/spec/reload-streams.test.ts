/** A reload with open streams: they continue, unless their rights ended with it (SPEC 1, 4.2). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { after, before, describe, it } from 'node:test';
import { type FakeNvr, type Received, startFakeNvr } from '../support/fake-nvr.ts';
import { CARL, VERA } from '../support/people.ts';
import type { ConfigTree, Runtime } from '../support/start-instance.ts';
import { until } from '../support/until.ts';
import { auth, bearer, reload, startedInstance, watchCamera } from './support/reloading.ts';

let nvr: FakeNvr;
let other: FakeNvr;
before(async () => {
  nvr = await startFakeNvr();
  other = await startFakeNvr();
});
after(async () => {
  await nvr.close();
  await other.close();
});

/** An answer that has begun, and goes on when the NVR is told so. */
async function beginAnswer(instance: Runtime, token: string) {
  const atNvr = Promise.withResolvers<ServerResponse>();
  const { answer: usual } = nvr;
  nvr.answer = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' }).write('begun ');
    atNvr.resolve(response);
  };
  const asked = get(`${instance.url}/api/cam1/latest.jpg`, { headers: bearer(token) });
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  nvr.answer = usual;
  const rest = answer.setEncoding('utf8').reduce((text: string, chunk: string) => text + chunk, '');
  rest.catch(() => {});
  return { nvrSide: await atNvr.promise, rest };
}

describe('Streams that are open at a reload', { timeout: 300_000 }, () => {
  it('go on, whatever else changes', async (t) => {
    const at = await startedInstance(t, nvr);
    const token = await at.logIn(VERA);
    const answer = await beginAnswer(at, token);
    const picture = await watchCamera(at.url, 'cam2', bearer(token));
    const inside = await watchCamera(at.internalUrl, 'cam1', {});
    await reload(at, nvr, {
      nvr: {
        url: other.url,
        cameras: ['cam1', 'cam2', 'cam3'],
        max_upload: '1MB',
        timeout_idle: 7,
      },
      auth: auth({ session_length: 60, trusted_proxies: ['10.0.0.0/8'], cookie_name: 'nvr', roles: {} }),
      events: { source: 'store', retention: 90_000 },
      logger: { default: 'warning' },
      ui: { frame_ancestors: 'none' },
    });
    assert.deepEqual([await picture.echo('still there'), await inside.echo('here too')], ['still there', 'here too']);
    answer.nvrSide.end('and ended');
    assert.equal(await answer.rest, 'begun and ended');
  });

  it('go on as long as they like on connections that were replaced, which are not used again', async (t) => {
    const at = await startedInstance(t, nvr);
    const token = await at.logIn(VERA);
    await at.ask('/api/cam2/latest.jpg', { token }); // leaves a connection behind
    const answer = await beginAnswer(at, token);
    t.mock.timers.enable({ apis: ['setTimeout'] });
    await reload(at, nvr, { nvr: { url: nvr.url, cameras: ['cam1', 'cam2'], max_upload: '1MB', timeout_idle: 7 } });
    t.mock.timers.tick(60_000);
    t.mock.timers.reset();
    const { socket } = answer.nvrSide;
    answer.nvrSide.end('and ended');
    assert.equal(await answer.rest, 'begun and ended');
    assert.ok(socket);
    await until('its connection is closed', () => socket.destroyed);
    assert.equal((await at.ask('/api/cam2/latest.jpg', { token })).status, 200);
  });

  // biome-ignore format: a table
  const ENDED: [sentence: string, config: ConfigTree, code: number][] = [
    ['their role sees other cameras',       { auth: auth({ roles: { front_only: ['cam2'] } }) },                              4403],
    ['their role is gone from the file',    { auth: auth({ roles: {} }) },                                                    4403],
    ['their role may not watch any more',   { auth: auth({ roles: { front_only: { cameras: ['cam1'], deny: ['live'] } } }) }, 4403],
    ['the route table is a stricter one',   { nvr: { url: 'http://127.0.0.1:9', cameras: ['cam1'], policy: 'strict' } },      4403],
  ];
  for (const [sentence, config, code] of ENDED) {
    it(`end when ${sentence}`, async (t) => {
      const at = await startedInstance(t, nvr);
      const token = await at.logIn(CARL);
      const picture = await watchCamera(at.url, 'cam1', bearer(token));
      const answer = await beginAnswer(at, token);
      await reload(at, nvr, config);
      assert.equal(await picture.closed, code);
      await assert.rejects(answer.rest, /aborted/);
    });
  }

  it('end by row and role while the NVR is silent about another, which ends without an answer', async (t) => {
    const at = await startedInstance(t, nvr);
    const token = await at.logIn(CARL);
    const silent: ServerResponse[] = [];
    const { answer: usual } = nvr;
    t.after(() => {
      nvr.answer = usual;
    });
    let isSilent = false;
    nvr.answer = (request, response) => {
      if (request.url === '/api/events/170.5-abc/clip.mp4') return void response.writeHead(200).write('a clip');
      if (request.url !== '/api/events/170.5-abc') return usual(request, response, nvr.received[0] as Received);
      if (isSilent) return void silent.push(response);
      response.end(JSON.stringify({ id: '170.5-abc', camera: 'cam1', start_time: 170.5 }));
    };
    const asked = get(`${at.url}/api/events/170.5-abc/clip.mp4`, { headers: bearer(token) });
    const [clip] = (await once(asked, 'response')) as [IncomingMessage];
    assert.equal(clip.statusCode, 200);
    const ended = finished(clip.resume()).catch(() => {});
    const picture = await watchCamera(at.url, 'cam1', bearer(token));
    isSilent = true;
    const table = readFileSync(join(import.meta.dirname, '../../conf/policies/frigate.yaml'), 'utf8');
    const stricter = table.replace(
      '"WS /live/jsmpeg/{camera}", access: camera,',
      '"WS /live/jsmpeg/{camera}", access: admin,',
    );
    assert.notEqual(stricter, table);
    writeFileSync(join(at.directory, 'stricter.yaml'), stricter);
    const reloading = reload(at, nvr, { nvr: { url: nvr.url, cameras: ['cam1', 'cam2'], policy: './stricter.yaml' } });
    assert.equal(await picture.closed, 4403);
    await until('the NVR is asked whose the clip is', () => silent.length > 0);
    assert.deepEqual([clip.closed, silent[0]?.destroyed], [false, false]);
    silent[0]?.writeHead(500).end();
    await ended;
    await reloading;
  });

  it('of others go on when those of a role end', async (t) => {
    const at = await startedInstance(t, nvr);
    const [carl, vera] = [await at.logIn(CARL), await at.logIn(VERA)];
    const pictures = {
      carl: await watchCamera(at.url, 'cam1', bearer(carl)),
      vera: await watchCamera(at.url, 'cam1', bearer(vera)),
    };
    await reload(at, nvr, { auth: auth({ roles: { front_only: ['cam2'] } }) });
    assert.equal(await pictures.carl.closed, 4403);
    assert.equal(await pictures.vera.echo('still there'), 'still there');
  });

  describe('of a proxy', () => {
    const proxied = (changes: object): ConfigTree => ({
      auth: { enabled: false, roles: { front_only: ['cam1'] }, trusted_proxies: ['127.0.0.1'] },
      proxy: {
        auth_secret: ['the first long secret', 'the second long secret'],
        trusted_peers: ['127.0.0.0/8'],
        header_map: { user: 'Remote-User', role: 'Remote-Groups' },
        role_map: { front_only: ['neighbours'] },
        default_role: 'none',
        ...changes,
      },
    });
    const ann = { 'x-proxy-secret': 'the first long secret', 'remote-user': 'ann', 'remote-groups': 'neighbours' };

    it('go on when what it says still means the same', async (t) => {
      const at = await startedInstance(t, nvr, proxied({}));
      const picture = await watchCamera(at.url, 'cam1', ann);
      await reload(
        at,
        nvr,
        proxied({ role_map: { front_only: ['neighbours', 'friends'] }, auth_secret: 'the first long secret' }),
      );
      assert.equal(await picture.echo('still there'), 'still there');
    });

    // biome-ignore format: a table
    const OVER: [sentence: string, config: ConfigTree, code: number][] = [
      ['a group means nothing any more',          proxied({ role_map: { front_only: ['friends'] } }),   4403],
      ['a group means more',                      proxied({ role_map: { viewer: ['neighbours'] } }),    4403],
      ['the secret that was shown is withdrawn',  proxied({ auth_secret: 'the second long secret' }),   4401],
      ['the proxy is no trusted peer any more',   proxied({ trusted_peers: ['127.0.0.9'] }),            4401],
    ];
    for (const [sentence, config, code] of OVER) {
      it(`end when ${sentence}`, async (t) => {
        const at = await startedInstance(t, nvr, proxied({}));
        const picture = await watchCamera(at.url, 'cam1', ann);
        await reload(at, nvr, config);
        assert.equal(await picture.closed, code);
      });
    }
  });

  it('go on when a bad file is refused', async (t) => {
    const at = await startedInstance(t, nvr);
    const picture = await watchCamera(at.url, 'cam1', bearer(await at.logIn(CARL)));
    const { isTaken } = await at.reload({ auth: auth({ roles: { front_only: ['cam2'] }, session_length: 'long' }) });
    assert.equal(isTaken, false);
    assert.equal(await picture.echo('still there'), 'still there');
  });
});
