/** What holds for two sites on one store, whichever engine keeps it (SPEC 20). */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { ADMIN_PERSON, EVERYBODY } from '../../support/people.ts';
import { sendJson } from '../../support/second-factor.ts';
import { until } from '../../support/until.ts';
import { BARN, FINN, HOUSE, SAM, type SharedStore, type Site } from './two-sites.ts';

const HOSTS = { house: 'house.sites.localhost', barn: 'barn.sites.localhost' };
const DOMAIN = 'sites.localhost';

const config = (name: 'house' | 'barn') => ({
  server: {
    sites: [name === 'house' ? 'barn' : 'house'].map((other) => ({
      name: other,
      url: `http://${HOSTS[other as 'house']}`,
    })),
  },
  auth: { cookie_domain: DOMAIN, ...(name === 'house' && { roles: { ofFile: ['garden'] } }) },
});

export function siteSuite(open: () => Promise<SharedStore>): void {
  let store: SharedStore;
  let house: Site;
  let barn: Site;
  before(async () => {
    store = await open();
    const people = [...EVERYBODY.slice(0, 2), SAM, FINN];
    house = await store.start({ ...HOUSE, config: config('house'), people });
    barn = await store.start({ ...BARN, config: config('barn'), people: [] });
    const admin = await house.postern.logIn(ADMIN_PERSON);
    await sendJson(house.postern, '/api/roles/both', { cameras: ['hall', 'yard'] }, admin, 'PUT');
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
    let profile: Record<string, unknown> = {};
    await until('the barn has heard of the role', async () => {
      const read = await barn.postern.ask('/api/profile', { headers: { Cookie: cookie, Host: HOSTS.barn } });
      profile = (await read.json()) as Record<string, unknown>;
      return String(profile['allowed_cameras']) !== '';
    });
    const { username, role, allowed_cameras } = profile;
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
    await until('the house refuses it', async () => (await picture(house, 'hall', token)).status === 401);
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

  it('a role of the store names cameras of both, and each site shows its own', async () => {
    const token = await barn.postern.logIn(SAM);
    pictures(house);
    pictures(barn);
    const asked = [
      [house, 'hall'],
      [house, 'garden'],
      [barn, 'yard'],
      [barn, 'garden'],
    ] as const;
    assert.deepEqual(await statuses(token, asked), [200, 403, 200, 403]);
    assert.deepEqual(
      [pictures(house), pictures(barn)],
      [['/api/hall/latest.jpg'], ['/api/yard/latest.jpg']],
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
    const made = await sendJson(house.postern, '/api/roles/watch', { cameras: ['garden'] }, admin, 'PUT');
    assert.deepEqual([made.status, await made.json()], [200, { success: true }]);
    const given = await sendJson(barn.postern, '/api/users/sam/role', { role: 'watch' }, admin, 'PUT');
    assert.equal(given.status, 200, await given.text());
    await until('the role holds', async () => (await picture(house, 'hall', sam)).status === 403);
    const asked = [
      [house, 'garden'],
      [barn, 'garden'],
      [barn, 'yard'],
    ] as const;
    assert.deepEqual(await statuses(sam, asked), [200, 200, 403], 'the name means the camera at every site');
    await sendJson(barn.postern, '/api/roles/watch', { cameras: ['h*'] }, admin, 'PUT');
    await until('the change holds', async () => (await picture(house, 'hall', sam)).status === 200);
    await until('at the barn, too', async () => (await picture(barn, 'garden', sam)).status === 403);
    assert.equal((await sendJson(house.postern, '/api/users/sam/role', { role: 'both' }, admin, 'PUT')).status, 200);
    await until('the barn knows it', async () => (await picture(barn, 'yard', sam)).status === 200);
  });

  it('an entry with a site in front, as former versions had them, opens nothing', async () => {
    const admin = await barn.postern.logIn(ADMIN_PERSON);
    const narrow = { name: 'ha', role: 'viewer', cameras: ['barn:garden', 'barn:*', 'yard'] };
    const { token } = (await (await sendJson(house.postern, '/api/tokens', narrow, admin)).json()) as { token: string };
    pictures(house);
    pictures(barn);
    const asked = [
      [house, 'garden'],
      [barn, 'garden'],
      [barn, 'yard'],
    ] as const;
    assert.deepEqual(await statuses(token, asked), [403, 403, 200]);
    assert.deepEqual([pictures(house), pictures(barn)], [[], ['/api/yard/latest.jpg']]);
  });

  it('a role of the file of one site counts there alone, and its users stay what they are', async () => {
    const [admin, finn] = [await barn.postern.logIn(ADMIN_PERSON), await barn.postern.logIn(FINN)];
    pictures(barn);
    assert.deepEqual(
      await statuses(finn, [
        [house, 'garden'],
        [barn, 'garden'],
      ]),
      [200, 403],
    );
    assert.deepEqual(pictures(barn), []);
    const listed = (await (await barn.postern.ask('/api/roles', { token: admin })).json()) as { role: string }[];
    assert.ok(!listed.some(({ role }) => role === 'ofFile'));
    const users = (await (await barn.postern.ask('/api/users', { token: admin })).json()) as Record<string, string>[];
    assert.equal(users.find(({ username }) => username === 'finn')?.['role'], 'ofFile');
  });

  it('the curtain covers a name at every site', async () => {
    const [admin, vera] = [await house.postern.logIn(ADMIN_PERSON), await house.postern.logIn(EVERYBODY[1] ?? SAM)];
    const both = [
      [house, 'garden'],
      [barn, 'garden'],
    ] as const;
    assert.deepEqual(await statuses(vera, both), [200, 200]);
    const move = (method: string) => sendJson(house.postern, '/api/curtain', { cameras: ['garden'] }, admin, method);
    assert.equal((await move('PUT')).status, 200);
    await until('it is drawn at the barn', async () => (await picture(barn, 'garden', vera)).status === 403);
    pictures(house);
    pictures(barn);
    assert.deepEqual(await statuses(vera, both), [403, 403]);
    assert.deepEqual([pictures(house), pictures(barn)], [[], []]);
    assert.equal((await move('DELETE')).status, 200);
    await until('it is open', async () => (await picture(barn, 'garden', vera)).status === 200);
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
        [house, 'hall'],
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
      return all.includes('house hall') && all.includes('barn yard');
    });
    const ofHouse = await records('&site=house');
    assert.ok(ofHouse.length > 0 && ofHouse.every(({ site }) => site === 'house'));
    assert.deepEqual(await viewed('&camera=yard'), ['barn yard']);
    assert.deepEqual(await viewed('&camera=hall'), ['house hall']);
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
