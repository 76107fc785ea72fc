/** Paths of pages that no row names: a browser gets the NVR's index page there, as from the NVR itself, and the path never reaches the NVR (SPEC 5). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, type Person, VERA } from '../support/people.ts';
import { type ConfigTree, type Runtime, startInstance } from '../support/start-instance.ts';

const BY_ACCEPT = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const BY_DEST = { 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'none' };

const PAGES = ['/some-new-page', '/review/17.5-abc', '/settings/cameras?x=1', '/Explore', '/a/b/c', '/new/'];
const NO_PAGES = [
  '/api/new_thing',
  '/API/new_thing',
  '/api',
  '/ws',
  '/wsx',
  '/live/x',
  '/live/mse/api/streams',
  '/vod/x',
  '/vod-not-found',
  '/clips/faces/a/b',
  '/recordings/x',
  '/Recordings/x',
  '/exports/a/b',
  '/stream',
  '/assets',
  '/auth/x',
  '/login/x',
  '/logout/x',
  '/postern-x/a.js',
  '/%61pi/new_thing',
  '/config.yml',
  '/some/file.txt',
  '/.env',
  '/invitation/a/b/c',
];

describe('A path of a page that no row names', () => {
  let nvr: FakeNvr;
  let at: Runtime;
  const tokens = new Map<Person, string>();
  before(async () => {
    nvr = await startFakeNvr();
    at = await startInstance({ config: { nvr: { url: nvr.url }, auth: { trusted_proxies: ['127.0.0.1'] } } });
    for (const person of [ADMIN_PERSON, VERA, CARL]) tokens.set(person, await at.logIn(person));
  });
  after(async () => {
    await at.close();
    await nvr.close();
  });

  const ask = async (person: Person | undefined, path: string, headers: Record<string, string>, method = 'GET') => {
    nvr.received.length = 0;
    const token = person && tokens.get(person);
    const answer = await at.ask(path, { method, headers, ...(token !== undefined && { token }) });
    const text = await answer.text();
    const seen = nvr.received.map(({ target }) => target);
    return { status: answer.status, text, seen };
  };

  for (const headers of [BY_ACCEPT, BY_DEST])
    for (const path of PAGES)
      it(`is the index page for a browser that opens ${path} (${Object.keys(headers)[0]})`, async () => {
        for (const person of [VERA, CARL])
          assert.deepEqual(await ask(person, path, headers), {
            status: 200,
            text: '<!doctype html><title>NVR</title>',
            seen: ['/'],
          });
      });

  for (const path of NO_PAGES)
    it(`is refused where it may be no page: ${path}`, async () => {
      for (const person of [VERA, CARL])
        for (const headers of [BY_ACCEPT, BY_DEST]) {
          const { status, seen } = await ask(person, path, headers);
          assert.ok([400, 403, 404].includes(status), `${path}: ${status}`);
          assert.deepEqual(seen, []);
        }
    });

  it('is refused to a script, to another method, and to somebody who is not logged in', async () => {
    for (const [person, headers, method, status] of [
      [CARL, { accept: 'application/json' }, 'GET', 403],
      [CARL, {}, 'GET', 403],
      [CARL, { 'sec-fetch-dest': 'image' }, 'GET', 403],
      [CARL, BY_ACCEPT, 'POST', 403],
      [CARL, BY_ACCEPT, 'DELETE', 403],
      [undefined, BY_ACCEPT, 'GET', 302],
    ] as const) {
      const answer = await ask(person, '/some-new-page', headers, method);
      assert.deepEqual([answer.status, answer.seen], [status, []]);
    }
  });

  it('is forwarded as it stands for an admin', async () => {
    assert.deepEqual((await ask(ADMIN_PERSON, '/some-new-page', BY_ACCEPT)).seen, ['/some-new-page']);
  });

  it('is refused where a proxy asks about it, which would forward the path itself', async () => {
    const described = { 'x-original-method': 'GET', 'x-original-url': '/some-new-page' };
    assert.equal((await ask(CARL, '/auth', { ...BY_ACCEPT, ...described })).status, 403);
  });

  it('is refused where the index page is', async () => {
    const strict: ConfigTree = { nvr: { url: nvr.url, policy: 'strict' } };
    const other = await startInstance({ config: strict });
    try {
      const token = await other.logIn(VERA);
      nvr.received.length = 0;
      assert.equal((await other.ask('/some-new-page', { token, headers: BY_ACCEPT })).status, 403);
      assert.deepEqual(nvr.received, []);
    } finally {
      await other.close();
    }
  });
});
