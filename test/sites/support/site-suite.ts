/** What holds for two sites on one store, whichever engine keeps it (SPEC 20). */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { ADMIN_PERSON, EVERYBODY } from '../../support/people.ts';
import { sendJson } from '../../support/second-factor.ts';
import { until } from '../../support/until.ts';
import { BARN, HOUSE, SAM, type SharedStore, type Site } from './two-sites.ts';

const HOSTS = { house: 'house.sites.localhost', barn: 'barn.sites.localhost' };
const DOMAIN = 'sites.localhost';

const config = (name: 'house' | 'barn') => ({
  server: {
    sites: [name === 'house' ? 'barn' : 'house'].map((other) => ({
      name: other,
      url: `http://${HOSTS[other as 'house']}`,
    })),
  },
  auth: { cookie_domain: DOMAIN, ...(name === 'house' && { roles: { both: ['house:garden', 'barn:yard'] } }) },
});

export function siteSuite(open: () => Promise<SharedStore>): void {
  let store: SharedStore;
  let house: Site;
  let barn: Site;
  before(async () => {
    store = await open();
    house = await store.start({ ...HOUSE, config: config('house'), people: [...EVERYBODY.slice(0, 2), SAM] });
    barn = await store.start({ ...BARN, config: config('barn'), people: [] });
  });
  after(() => store.close());

  const picture = (site: Site, camera: string, token: string) =>
    site.postern.ask(`/api/${camera}/latest.jpg`, { token });
  const statuses = async (token: string, asked: readonly (readonly [Site, string])[]) => {
    const found: number[] = [];
    for (const [site, camera] of asked) found.push((await picture(site, camera, token)).status);
    return found;
  };
  const pictures = (site: Site) =>
    site
      .received()
      .filter(({ target }) => target.endsWith('/latest.jpg'))
      .map(({ target }) => target);

  it('have one login: the cookie is for all hosts below the domain', async () => {
    const answer = await fetch(`${house.postern.url}/api/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Host: HOSTS.house },
      body: JSON.stringify({ user: SAM.name, password: SAM.password }),
    });
    const [line = '', ...more] = answer.headers.getSetCookie();
    assert.match(line, /^frigate_token=[^;]+; Domain=sites\.localhost; HttpOnly; Max-Age=\d+; Path=\/; SameSite=lax$/);
    assert.deepEqual(more, []);
    const cookie = line.slice(0, line.indexOf(';'));
    const profile = await barn.postern.ask('/api/profile', { headers: { Cookie: cookie, Host: HOSTS.barn } });
    const { username, role, allowed_cameras } = (await profile.json()) as Record<string, unknown>;
    assert.deepEqual([username, role, allowed_cameras], ['sam', 'both', ['yard']]);
  });

  it('a logout makes the browser forget the cookie of the domain, and one from before there was a domain', async () => {
    const token = await house.postern.logIn(SAM);
    const answer = await barn.postern.ask('/logout', {
      method: 'POST',
      headers: { Cookie: `frigate_token=${token}`, Host: HOSTS.barn },
    });
    assert.deepEqual(answer.headers.getSetCookie(), [
      'frigate_token=; Domain=sites.localhost; HttpOnly; Max-Age=0; Path=/; SameSite=lax',
      'frigate_token=; HttpOnly; Max-Age=0; Path=/; SameSite=lax',
    ]);
    await until('the house refuses it', async () => (await picture(house, 'garden', token)).status === 401);
  });

  it('a login ends the session that the browser still shows of another person', async () => {
    const before = await house.postern.logIn(ADMIN_PERSON);
    const answer = await fetch(`${house.postern.url}/api/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Cookie: `frigate_token=${before}` },
      body: JSON.stringify({ user: SAM.name, password: SAM.password }),
    });
    const [now = ''] = answer.headers.getSetCookie();
    const cookies = `frigate_token=${before}; ${now.slice(0, now.indexOf(';'))}`;
    const profile = await house.postern.ask('/api/profile', { headers: { Cookie: cookies } });
    assert.equal(((await profile.json()) as { username?: string }).username, 'sam', 'and not refused as two people');
  });

  it('a role of the file of one site names cameras of both, and each site shows its own', async () => {
    const token = await barn.postern.logIn(SAM);
    pictures(house);
    pictures(barn);
    const asked = [
      [house, 'garden'],
      [house, 'hall'],
      [barn, 'yard'],
      [barn, 'garden'],
    ] as const;
    assert.deepEqual(await statuses(token, asked), [200, 403, 200, 403]);
    assert.deepEqual(
      [pictures(house), pictures(barn)],
      [['/api/garden/latest.jpg'], ['/api/yard/latest.jpg']],
      'the NVRs received no request for a camera that the role does not see',
    );
  });

  it('a logout at one site is felt at the other', async () => {
    const token = await house.postern.logIn(SAM);
    assert.deepEqual(await statuses(token, [[barn, 'yard']]), [200]);
    assert.equal((await house.postern.ask('/logout', { token, method: 'POST' })).status, 303);
    await until('the barn refuses it', async () => (await picture(barn, 'yard', token)).status === 401);
    pictures(barn);
    await picture(barn, 'yard', token);
    assert.deepEqual(pictures(barn), []);
  });

  it('a role that is made at one site holds at the other, and so does its change', async () => {
    const [admin, sam] = [await house.postern.logIn(ADMIN_PERSON), await house.postern.logIn(SAM)];
    const made = await sendJson(house.postern, '/api/roles/watch', { cameras: ['barn:garden'] }, admin, 'PUT');
    assert.deepEqual([made.status, await made.json()], [200, { success: true }]);
    const given = await sendJson(barn.postern, '/api/users/sam/role', { role: 'watch' }, admin, 'PUT');
    assert.equal(given.status, 200, await given.text());
    const asked = [
      [house, 'garden'],
      [barn, 'garden'],
      [barn, 'yard'],
    ] as const;
    await until('the role holds', async () => (await picture(house, 'garden', sam)).status === 403);
    assert.deepEqual(await statuses(sam, asked), [403, 200, 403]);
    await sendJson(barn.postern, '/api/roles/watch', { cameras: ['house:*'] }, admin, 'PUT');
    await until('the change holds', async () => (await picture(house, 'hall', sam)).status === 200);
    await until('at the barn, too', async () => (await picture(barn, 'garden', sam)).status === 403);
    assert.equal((await sendJson(house.postern, '/api/users/sam/role', { role: 'both' }, admin, 'PUT')).status, 200);
    await until('the barn knows it', async () => (await picture(barn, 'yard', sam)).status === 200);
  });

  it('a bare name of two cameras is refused, and the answer names both spellings', async () => {
    const admin = await barn.postern.logIn(ADMIN_PERSON);
    const role = await sendJson(barn.postern, '/api/roles/odd', { cameras: ['garden'] }, admin, 'PUT');
    assert.equal(role.status, 400);
    assert.match(
      await role.text(),
      /\\"garden\\" is a camera of the sites barn and house: write barn:garden or house:garden/,
    );
    const fine = await sendJson(barn.postern, '/api/roles/odd', { cameras: ['hall', 'garden*'] }, admin, 'PUT');
    assert.deepEqual([fine.status, await fine.json()], [200, { success: true }]);
    assert.equal((await barn.postern.ask('/api/roles/odd', { method: 'DELETE', token: admin })).status, 200);
  });

  it('a token is narrowed to cameras of one site', async () => {
    const admin = await house.postern.logIn(ADMIN_PERSON);
    const made = await sendJson(house.postern, '/api/tokens', { name: 'odd', cameras: ['garden'] }, admin);
    assert.equal(made.status, 400);
    const narrow = { name: 'ha', role: 'viewer', cameras: ['barn:garden'] };
    const { token } = (await (await sendJson(house.postern, '/api/tokens', narrow, admin)).json()) as { token: string };
    const asked = [
      [house, 'garden'],
      [barn, 'garden'],
      [barn, 'yard'],
    ] as const;
    assert.deepEqual(await statuses(token, asked), [403, 200, 403]);
  });

  it('a role of the file of one site cannot be changed at the other, and its users stay what they are', async () => {
    const admin = await barn.postern.logIn(ADMIN_PERSON);
    for (const init of [{ method: 'DELETE' }, { method: 'PUT', body: '{"cameras":["yard"]}' }] as const) {
      const answer = await barn.postern.ask('/api/roles/both', {
        ...init,
        token: admin,
        headers: { 'Content-Type': 'application/json' },
      });
      assert.equal(answer.status, 409);
      assert.match(await answer.text(), /the configuration file of the site house/);
    }
    const listed = (await (await barn.postern.ask('/api/roles', { token: admin })).json()) as { role: string }[];
    assert.deepEqual(
      listed.find(({ role }) => role === 'both'),
      { role: 'both', cameras: ['house:garden', 'barn:yard'], source: 'file', site: 'house', users: 1 },
    );
    const users = (await (await barn.postern.ask('/api/users', { token: admin })).json()) as Record<string, string>[];
    assert.equal(users.find(({ username }) => username === 'sam')?.['role'], 'both');
  });

  it('the curtain of a bare name covers it everywhere, that of a site covers it there', async () => {
    const [admin, vera] = [await house.postern.logIn(ADMIN_PERSON), await house.postern.logIn(EVERYBODY[1] ?? SAM)];
    const both = [
      [house, 'garden'],
      [barn, 'garden'],
    ] as const;
    assert.deepEqual(await statuses(vera, both), [200, 200]);
    const draw = (cameras: string[], method = 'PUT') =>
      sendJson(house.postern, '/api/curtain', { cameras }, admin, method);
    assert.equal((await draw(['barn:garden'])).status, 200);
    await until('it is drawn at the barn', async () => (await picture(barn, 'garden', vera)).status === 403);
    pictures(barn);
    assert.deepEqual(await statuses(vera, both), [200, 403]);
    assert.deepEqual(pictures(barn), []);
    assert.equal((await draw(['garden'])).status, 200);
    assert.deepEqual(await statuses(vera, both), [403, 403]);
    assert.equal((await draw(['garden', 'barn:garden'], 'DELETE')).status, 200);
    await until('it is open', async () => (await picture(barn, 'garden', vera)).status === 200);
  });

  it('a token that names a camera with its site does not tell it while it is drawn', async () => {
    const [admin, vera] = [await house.postern.logIn(ADMIN_PERSON), await house.postern.logIn(EVERYBODY[1] ?? SAM)];
    const made = await sendJson(house.postern, '/api/tokens', { name: 'tv', cameras: ['house:garden', 'hall'] }, vera);
    const { id } = (await made.json()) as { id: string };
    const told = async () => {
      const answer = await house.postern.ask('/api/tokens', { token: vera });
      return ((await answer.json()) as { id: string; cameras: string[] }[]).find((token) => token.id === id)?.cameras;
    };
    const draw = (method: string) => sendJson(house.postern, '/api/curtain', { cameras: ['garden'] }, admin, method);
    assert.deepEqual(await told(), ['house:garden', 'hall']);
    assert.equal((await draw('PUT')).status, 200);
    assert.deepEqual(await told(), ['hall']);
    assert.equal((await draw('DELETE')).status, 200);
  });

  it('a link is of the site that made it', async () => {
    const admin = await house.postern.logIn(ADMIN_PERSON);
    const link = { what: { live: { camera: 'garden' } } };
    const made = await sendJson(house.postern, '/api/links', link, admin);
    assert.equal(made.status, 201);
    const { url } = (await made.json()) as { url: string };
    assert.equal((await house.postern.ask(url)).status, 200);
    pictures(barn);
    assert.equal((await barn.postern.ask(url)).status, 404);
    assert.equal((await barn.postern.ask(`${url}/snapshot.jpg`)).status, 404);
    assert.deepEqual(pictures(barn), []);
    const lists = await Promise.all(
      [house, barn].map(async ({ postern }) => (await postern.ask('/api/links', { token: admin })).json()),
    );
    assert.deepEqual(
      lists.map((list) => (list as unknown[]).length),
      [1, 0],
    );
  });

  it('the ledger has the records of both, each with its site', async () => {
    const [admin, sam] = [await house.postern.logIn(ADMIN_PERSON), await house.postern.logIn(SAM)];
    assert.deepEqual(
      await statuses(sam, [
        [house, 'garden'],
        [barn, 'yard'],
      ]),
      [200, 200],
    );
    const records = async (query = '') =>
      (await (await barn.postern.ask(`/api/ledger?limit=1000${query}`, { token: admin })).json()) as {
        site?: string;
        camera: string | null;
        user: string;
      }[];
    const viewed = async (query = '') =>
      [
        ...new Set(
          (await records(query))
            .filter(({ user, camera }) => user === 'sam' && camera)
            .map(({ site, camera }) => `${site} ${camera}`),
        ),
      ].sort();
    await until('both have written', async () => {
      const all = await viewed();
      return all.includes('house house:garden') && all.includes('barn barn:yard');
    });
    const ofHouse = await records('&site=house');
    assert.ok(ofHouse.length > 0 && ofHouse.every(({ site }) => site === 'house'));
    assert.deepEqual(await viewed('&camera=yard'), ['barn barn:yard']);
    assert.deepEqual(await viewed('&camera=house:garden'), ['house house:garden']);
  });

  it('tell whoever is logged in of each other, and an admin of their cameras', async () => {
    const [admin, sam] = [await house.postern.logIn(ADMIN_PERSON), await house.postern.logIn(SAM)];
    const told = async (token: string) => (await house.postern.ask('/api/sites', { token })).json();
    const other = { name: 'barn', url: `http://${HOSTS.barn}/` };
    assert.deepEqual(await told(admin), { site: 'house', others: [{ ...other, cameras: ['garden', 'yard'] }] });
    assert.deepEqual(await told(sam), { site: 'house', others: [other] });
    assert.equal((await house.postern.ask('/api/sites')).status, 401);
  });

  it('a page of the other site is refused, although its requests carry the cookie', async () => {
    const token = await house.postern.logIn(ADMIN_PERSON);
    for (const sent of [{ 'Sec-Fetch-Site': 'same-site' }, { Origin: `http://${HOSTS.barn}` }]) {
      const answer = await house.postern.ask('/api/users', {
        method: 'POST',
        headers: { ...sent, Cookie: `frigate_token=${token}`, 'Content-Type': 'application/json' } as Record<
          string,
          string
        >,
        body: JSON.stringify({ username: 'eve', password: 'PewterPassw0rd!!', role: 'admin' }),
      });
      assert.equal(answer.status, 403, JSON.stringify(sent));
    }
    const users = (await (await house.postern.ask('/api/users', { token })).json()) as { username: string }[];
    assert.ok(!users.some(({ username }) => username === 'eve'));
  });
}
