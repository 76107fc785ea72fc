/** Paths that two servers read differently: refused, not repaired (SPEC 5). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ADMIN_PERSON, CARL, VERA } from '../support/people.ts';
import { rawRequest } from '../support/raw-request.ts';
import { HOST, head, UPGRADE, watchInstance } from './support/watched-instance.ts';

const watched = await watchInstance();
const bearers = {
  vera: await watched.bearerOf(VERA),
  carl: await watched.bearerOf(CARL),
  admin: await watched.bearerOf(ADMIN_PERSON),
};

/** Not through fetch, which would tidy the target up. */
async function statusOf(target: string, ...lines: (string | readonly string[])[]): Promise<number | undefined> {
  const { status } = await rawRequest(watched.instance.port, head(`GET ${target} HTTP/1.1`, HOST, ...lines));
  return status;
}

async function neverArrives(target: string, statuses: readonly number[], ...lines: (string | readonly string[])[]) {
  const status = await statusOf(target, ...lines);
  assert.ok(statuses.includes(status ?? 0), `answered ${status}`);
  assert.deepEqual(watched.nvr.received, []);
}

// biome-ignore format: a table
const PLAIN: [story: string, target: string][] = [
  ['straight ahead',                              '/api/config/raw'],
  ['with letters encoded',                        '/api/%63onfig/%72aw'],
  ['with a public path behind the question mark', '/api/config/raw?/assets/x.js'],
  ['with a slash behind',                         '/api/config/raw/'],
  ['in other letters',                            '/API/config/raw'],
];
// biome-ignore format: a table
const NOT_PLAIN: [story: string, target: string][] = [
  ['up and down again',                           '/api/events/../config/raw'],
  ['up and down from a public path         ',     '/api/login/../config/raw'],
  ['with the dots encoded',                       '/api/events/%2e%2e/config/raw'],
  ['with the dots and the slashes encoded',       '/api/events/%2e%2e%2fconfig/raw'],
  ['with one slash encoded',                      '/api/config%2fraw'],
  ['with every slash encoded',                    '/api%2fconfig%2fraw'],
  ['with a dot in between',                       '/api/./config/raw'],
  ['with an encoded dot in front',                '/%2e/api/config/raw'],
  ['with two slashes in front, as if of a host',  '//api/config/raw'],
  ['with two slashes in between',                 '/api//config/raw'],
  ['with backslashes',                            '/api\\config\\raw'],
  ['with an encoded backslash',                   '/api/x%5c..%5cconfig/raw'],
  ['with letters encoded twice',                  '/api/%2563onfig/raw'],
  ['with dots encoded twice',                     '/api/events/%252e%252e/config/raw'],
  ['with dots in more bytes than they need',      '/api/events/%c0%ae%c0%ae/config/raw'],
  ['with a line end behind',                      '/api/config/raw%0a'],
  ['with a NUL behind',                           '/api/config/raw%00.js'],
  ['with a tab behind',                           '/api/config/raw%09'],
  ['with a parameter behind a semicolon',         '/api/config/raw;x=1'],
  ['with a semicolon before the dots',            '/api/events/..;/config/raw'],
  ['with an encoded question mark',               '/api/config/raw%3f.js'],
  ['with a fragment',                             '/api/config/raw#/assets/x.js'],
  ['with an encoded fragment',                    '/api/config/raw%23x'],
  ['by naming another host',                      'http://127.0.0.1:5000/api/config/raw'],
  ['by naming no path',                           '*'],
  ['with an invalid escape',                      '/api/config/raw%zz'],
  ['with half an escape',                         '/api/config/raw%'],
  ['with ten thousand steps up',                  `/api/${'../'.repeat(2600)}config/raw`],
];

describe('A viewer on the way to what is for admins', () => {
  for (const [story, target] of [...PLAIN, ...NOT_PLAIN]) {
    it(`${story}: never arrives`, () => neverArrives(target, [400, 403, 404], bearers.vera));
  }
});

describe('An admin, who may go anywhere', () => {
  for (const [story, target] of NOT_PLAIN) {
    it(`${story}: does not, for it is no one path`, () => neverArrives(target, [400, 431], bearers.admin));
  }
});

describe('A caller without credentials, by way of public paths', () => {
  // biome-ignore format: a table
  const targets: [story: string, target: string][] = [
    ['up from the assets',                           '/assets/../api/config'],
    ['up from the assets, dots encoded',             '/assets/%2e%2e/api/config'],
    ['up from the assets, slashes encoded',          '/assets/..%2fapi/config'],
    ['up from the assets, all encoded',              '/assets/%2e%2e%2fapi%2fconfig'],
    ['up from the assets, with backslashes',         '/assets\\..\\api\\config'],
    ['up from the assets, with encoded backslashes', '/assets/..%5capi%5cconfig'],
    ['up from the assets, behind a fragment',        '/assets/x#/../../api/config'],
    ['up from the assets, with a semicolon',         '/assets/;/../api/config'],
    ['up from the assets, with two slashes',         '/assets//../api/config'],
    ['two slashes and up',                           '//assets/../api/config'],
    ['with the assets behind the question mark',     '/api/config?/assets/x.js'],
    ['with an ending like a picture',                '/api/cam1/latest.jpg'],
    ['with an ending like a script, in the query',   '/api/config?.js'],
    ['with an ending like a script, encoded',        '/api/config%3f.js'],
    ['up from the login page',                       '/login/../api/config'],
    ['up from the fonts to the recordings',          '/fonts/..%2f..%2frecordings/2026-01/01/cam1/00.00.mp4'],
    ['behind the login, which is no prefix',         '/api/loginfoo'],
    ['behind the logout, which is no prefix',        '/api/logoutx'],
  ];
  for (const [story, target] of targets) {
    it(`${story}: never arrives`, () => neverArrives(target, [302, 400, 401, 403, 404]));
  }
});

describe('A role of one camera on the way to another', () => {
  // biome-ignore format: a table
  const targets: [story: string, target: string][] = [
    ['straight ahead',                        '/api/cam2/latest.jpg'],
    ['up from its own',                       '/api/cam1/../cam2/latest.jpg'],
    ['up from its own, encoded',              '/api/cam1%2f..%2fcam2/latest.jpg'],
    ['with a letter encoded',                 '/api/cam%32/latest.jpg'],
    ['in its recordings',                     '/recordings/2026-01/01/cam2/00.00.mp4'],
    ['up from its own recordings',            '/recordings/2026-01/01/cam1/../cam2/00.00.mp4'],
    ['in its pictures',                       '/clips/thumbs/cam2/x.webp'],
    ['in its streams',                        '/vod/cam2/start/1/end/2/master.m3u8'],
    ['in a list',                             '/api/events?cameras=cam1,cam2'],
    ['in a list, encoded',                    '/api/events?%63ameras=cam1%2Ccam2'],
    ['by the singular beside the plural',     '/api/events?camera=cam2&cameras=cam1'],
    ['behind its own of the same name',       '/api/events?cameras=cam1&cameras=cam2'],
    ['before its own of the same name',       '/api/events?cameras=cam2&cameras=cam1'],
  ];
  for (const [story, target] of targets) {
    it(`${story}: never arrives`, () => neverArrives(target, [400, 403, 404], bearers.carl));
  }

  // biome-ignore format: a table
  const everything: [story: string, query: string][] = [
    ['by saying nothing',                        ''],
    ['by asking for all',                        '?cameras=all'],
    ['in brackets, which the NVR ignores',       '?cameras[]=cam2'],
    ['in other letters, which the NVR ignores',  '?Cameras=cam2'],
  ];
  for (const [story, query] of everything) {
    it(`${story}: the NVR is asked for its own camera alone`, async () => {
      assert.equal(await statusOf(`/api/events${query}`, bearers.carl), 200);
      const asked = watched.nvr.received.map(({ target }) =>
        new URL(target, 'http://nvr').searchParams.getAll('cameras'),
      );
      assert.deepEqual(asked, [['cam1']]);
    });
  }

  it('by leaving the name empty: nothing is asked for', () =>
    neverArrives('/api/events?cameras=', [200], bearers.carl));

  it('may see its own', async () => {
    assert.equal(await statusOf('/api/cam1/latest.jpg', bearers.carl), 200);
    assert.deepEqual(
      watched.nvr.received.map(({ target }) => target),
      ['/api/cam1/latest.jpg'],
    );
  });
});

describe('A WebSocket upgrade', () => {
  // biome-ignore format: a table
  const targets: [story: string, target: string][] = [
    ['up from where it may be',   '/live/jsmpeg/cam1/../../../api/config/raw'],
    ['with two slashes',          '//ws'],
    ['with an encoded slash',     '/live%2fjsmpeg%2fcam2'],
    ['to another camera',         '/live/jsmpeg/cam2'],
    ['to an unlisted path  ',     '/api/go2rtc/api/ws?src=cam2'],
  ];
  for (const [story, target] of targets) {
    it(`${story}: never arrives`, () => neverArrives(target, [400, 403, 404], UPGRADE, bearers.carl));
  }

  it('of a stranger: never arrives', () => neverArrives('/ws', [401], UPGRADE));
});

describe('What is judged', () => {
  // biome-ignore format: a table
  const targets: readonly string[] = [
    '/api/config/raw', '/api/x%20y/z', "/api/events/1.5-a/x(y)'!", '/api/a:b@c/d,e', '/api/x?q=%2e%2e/%2F&r=a+b', '/api/x/', '/api/caf%C3%A9',
  ];
  for (const target of targets) {
    it(`is what is sent, byte for byte: ${target}`, async () => {
      assert.equal(await statusOf(target, bearers.admin), 200);
      assert.deepEqual(
        watched.nvr.received.map((request) => request.target),
        [target],
      );
    });
  }
});
