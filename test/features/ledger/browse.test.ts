/** Small pictures beside lists are no viewing; what links and screens show is theirs, by their names (SPEC 14). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { parse } from 'yaml';
import { type FakeNvr, startFakeNvr } from '../../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, VERA } from '../../support/people.ts';
import { pairScreen } from '../../support/screens.ts';
import { sendJson } from '../../support/second-factor.ts';
import { type Runtime, startInstance } from '../../support/start-instance.ts';
import { until } from '../../support/until.ts';

interface Told {
  readonly kind: string;
  readonly user: string;
  readonly camera: string | null;
  readonly credential?: string | null;
  readonly detail?: Readonly<Record<string, string>>;
}

let nvr: FakeNvr;
let postern: Runtime;
let admin: string;

before(async () => {
  nvr = await startFakeNvr();
  const { answer } = nvr;
  nvr.answer = (request, response, received) => {
    const id = /^\/api\/events\/(?<id>\d{10}\.5-cam\d)$/.exec(request.url ?? '')?.groups?.['id'];
    if (id !== undefined) return void response.end(JSON.stringify({ camera: id.slice(-4) }));
    answer(request, response, received);
  };
  const auth = { hash_iterations: 1000, roles: { front_only: ['cam1'] }, trusted_proxies: ['127.0.0.1/32'] };
  const ledger = { visible_to_viewers: true };
  postern = await startInstance({ config: { nvr: { url: nvr.url }, auth, ledger } });
  admin = await postern.logIn(ADMIN_PERSON);
});
after(async () => {
  await postern.close();
  await nvr.close();
});

const read = async (query: string, token = admin): Promise<readonly Told[]> => {
  const response = await postern.ask(`/api/ledger${query}`, { token });
  assert.equal(response.status, 200, query);
  return (await response.json()) as Told[];
};
/** A stretch of time of its own. */
const begin = (): string => {
  postern.clock.advance(500);
  return `after=${postern.clock.now() / 1000 - 1}`;
};
const show = async (paths: readonly string[], token: string): Promise<void> => {
  for (const path of paths) assert.equal((await postern.ask(path, { token })).status, 200, path);
};

describe('Small pictures in lists', () => {
  const SMALL = [
    '/api/events/1700000000.5-cam1/thumbnail.jpg',
    '/api/events/1700090000.5-cam2/thumbnail.webp',
    '/clips/thumbs/cam2/1700000000.5-abcdef.webp',
    '/clips/review/thumb-cam1-1700000000.5-abcdef.webp',
    '/api/cam1/person/thumbnail.jpg',
    '/api/events/1700190000.5-cam1/thumbnail.jpg',
  ];

  it('are one record for each camera, however old they are, and no viewing', async () => {
    const since = begin();
    await show(SMALL, await postern.logIn(VERA));
    await until('both are there', async () => (await read(`?${since}&kind=browse`)).length >= 2);
    const found = (await read(`?${since}`)).filter(({ kind }) => !['login', 'notice'].includes(kind));
    assert.deepEqual(found.map(({ kind, user, camera, detail }) => [kind, user, camera, detail]).sort(), [
      ['browse', 'vera', 'cam1', undefined],
      ['browse', 'vera', 'cam2', undefined],
    ]);
    postern.clock.advance(100);
    await show(['/api/events/1700000000.5-cam1/snapshot.jpg'], await postern.logIn(CARL));
    postern.clock.advance(100);
    await until('the spans have ended', async () => (await read(`/days?${since}`)).length > 0);
    assert.deepEqual(
      (await read(`/days?${since}`)).map(({ user }) => user),
      ['carl'],
      'a picture in full size is one',
    );
  });

  it('are shown to others who see the camera, where viewings are', async () => {
    const since = begin();
    await show(SMALL.slice(0, 3), await postern.logIn(VERA));
    const carl = await postern.logIn(CARL);
    await until('they are there', async () => (await read(`?${since}&kind=browse`)).length >= 2);
    assert.deepEqual(
      (await read(`?${since}&kind=browse`, carl)).map(({ user, camera }) => [user, camera]),
      [['vera', 'cam1']],
    );
  });

  it('leave no line in the access log each', () => {
    const lines = postern.log.filter(({ route, path }) => /thumb/.test(`${route} ${path}`));
    assert.deepEqual(lines, []);
  });

  it('are those of the rows that the documents name', () => {
    const { routes: rows } = parse(readFileSync('conf/policies/frigate.yaml', 'utf8')) as {
      routes: { route: string; views?: string }[];
    };
    const browse = rows.filter(({ views }) => views === 'browse').map(({ route }) => route);
    assert.equal(browse.length, 4);
    const guide = readFileSync('docs/ledger.md', 'utf8');
    for (const route of browse)
      assert.ok(guide.includes(`\`${route.replaceAll(/:[\w-]+(?=\})/g, '')}\``), `docs/ledger.md names ${route}`);
  });
});

describe('What is lent to others', () => {
  it('is told and summed by the link or screen, with its name, and not as what its maker saw', async () => {
    const since = begin();
    const what = { live: { camera: 'cam1' } };
    const made = await sendJson(postern, '/api/links', { what, name: 'Van' }, admin);
    const { id, url } = (await made.json()) as { id: string; url: string };
    assert.equal((await postern.ask(`${url}/live`)).status, 200);
    const screen = await pairScreen(postern, ADMIN_PERSON, { name: 'Hall' });
    const headers = { cookie: screen.cookie };
    assert.equal((await postern.ask('/api/cam2/latest.jpg', { headers })).status, 200);
    await show(['/api/cam1/latest.jpg'], admin);
    const live = `?${since}&kind=live`;
    await until('all are there', async () => (await read(live)).length >= 3);
    const told = (records: readonly Told[]) =>
      records.map(({ user, credential, camera, detail }) => [user, credential, camera, detail]).sort();
    const byLink = ['admin', `link:${id}`, 'cam1', { link: 'Van' }];
    const byScreen = ['admin', `screen:${screen.id}`, 'cam2', { screen: 'Hall' }];
    assert.deepEqual(told(await read(live)), [byLink, byScreen, ['admin', 'session', 'cam1', undefined]]);
    assert.deepEqual(told(await read(`${live}&credential=link:${id}`)), [byLink]);
    postern.clock.advance(100);
    const sums = async () =>
      (await read(`/days?${since}&user=admin`)).map(({ user, credential }) => [user, credential]).sort();
    await until('the spans have ended', async () => (await sums()).length >= 3);
    assert.deepEqual(await sums(), [
      ['admin', undefined],
      ['admin', `link:${id}`],
      ['admin', `screen:${screen.id}`],
    ]);
    assert.equal((await read(`/days?${since}&credential=screen:${screen.id}`)).length, 1);
  });
});
