/** What a backup takes along and what it names, and what a restore brings back or ends (SPEC 15). */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { makeSelfSigned } from '../../../src/gateway/certificates/certificates.ts';
import { openStore } from '../../../src/store/open-store.ts';
import { newDirectory, runPostern, type Serving, servePostern } from '../../support/run-postern.ts';
import { cookieFor, firstCookie, logInAt } from '../../support/sessions.ts';
import { until } from '../../support/until.ts';

type Files = Readonly<Record<string, string>>;

async function directoryWith(config: string, files: Files, store = 'postern.db'): Promise<string> {
  const directory = newDirectory(config);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text, { mode: 0o600 });
  }
  await (await openStore({ url: `sqlite:${join(directory, store)}` })).close();
  return directory;
}

/** Ends well, with nothing on stderr. */
async function run(directory: string, ...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await runPostern(words, { directory });
  assert.deepEqual([code, stderr], [0, ''], stdout);
  return stdout;
}

const notInIt = (said: string): readonly string[] =>
  said
    .split('\n')
    .filter((line) => line.startsWith('not in it: '))
    .map((line) => line.slice('not in it: '.length));

describe('A backup holds every file that a key names', { timeout: 300_000 }, () => {
  const SECRET = 'a-secret-of-the-nvr';
  const outside = newDirectory();
  let directory: string;
  let file: string;
  let said: string;
  before(async () => {
    const { certificate, privateKey } = await makeSelfSigned({ names: ['localhost'], now: Date.now() });
    const config = `
tls: {certificate: tls/nvr.crt, private_key: tls/nvr.key}
nvr:
  url: https://127.0.0.1:9
  ca: authorities/own/ca.pem
  auth_secret_file: nvr_secret
  policy: tables/mine.yaml
proxy: {auth_secret_file: ${outside}/proxy_secret}
notify: {webhook_file: absent}
server: {public_url: https://nvr.example}
auth: {oidc: [{name: home, issuer: "https://id.example.org", client_id: p, ca: id ca.pem}]}
events: {source: nvr-database, nvr_database: nvr.db}
`;
    directory = await directoryWith(config, {
      'tls/nvr.crt': certificate,
      'tls/nvr.key': privateKey,
      'authorities/own/ca.pem': certificate,
      'id ca.pem': certificate,
      nvr_secret: SECRET,
      'tables/mine.yaml': 'version: 1\nextends: ../base.yaml\nroutes: []\n',
      'base.yaml': 'version: 1\nextends: frigate\nroutes: []\n',
      'nvr.db': 'of the NVR',
      '.jwt_secret': 'x'.repeat(64),
      'notes.txt': 'named by no key',
    });
    writeFileSync(join(outside, 'proxy_secret'), 'a-secret-of-the-proxy');
    file = join(outside, 'postern.backup');
    said = await run(directory, 'backup', file);
  });

  it('that lies in the directory, by whatever name, and the tables that a route table extends', () =>
    assert.deepEqual(execFileSync('tar', ['tzf', file], { encoding: 'utf8' }).trim().split('\n'), [
      '.jwt_secret',
      'authorities/own/ca.pem',
      'base.yaml',
      'config.yaml',
      'id ca.pem',
      'nvr_secret',
      'tables/mine.yaml',
      'tls/nvr.crt',
      'tls/nvr.key',
      'postern.db',
    ]));

  it('and says what it does not hold, with the key', () =>
    assert.deepEqual(
      [...notInIt(said)].sort(),
      [
        `${directory}/absent (notify.webhook_file): there is no such file`,
        `${directory}/nvr.db (events.nvr_database): it belongs to the NVR`,
        `${outside}/proxy_secret (proxy.auth_secret_file): it is not in ${directory}`,
      ].sort(),
    ));

  it('and is restored without a secret that lies elsewhere: what is owed is said, and with it a start goes', async () => {
    const place = newDirectory();
    const restored = await run(place, 'restore', file);
    for (const name of ['tls/nvr.key', 'authorities/own/ca.pem', 'nvr_secret', 'base.yaml', 'id ca.pem'])
      assert.equal(readFileSync(join(place, name), 'utf8'), readFileSync(join(directory, name), 'utf8'), name);
    assert.equal(statSync(join(place, 'nvr_secret')).mode & 0o777, 0o600);
    assert.ok(notInIt(restored).includes(`${outside}/proxy_secret (proxy.auth_secret_file): it is not in ${place}`));
    assert.match(restored, /^before a start: \S+ notify\.webhook_file: cannot read "absent": there is no such file$/m);
    assert.match(restored, /^Then start the server: "postern check" says what is left\.$/m);
  });

  it('and is restored where every secret is gone with the machine', async () => {
    rmSync(join(outside, 'proxy_secret'));
    const place = newDirectory();
    const restored = await run(place, 'restore', file);
    assert.match(
      restored,
      /^before a start: \S+ proxy\.auth_secret_file: cannot read "\S+proxy_secret": there is no such file$/m,
    );
    assert.ok(existsSync(join(place, 'postern.db')));
  });
});

describe('A backup whose store is named by a secret', { timeout: 300_000 }, () => {
  it('is restored without it, and the place of the store is said', async () => {
    const outside = newDirectory();
    const directory = await directoryWith(`store: {url_file: ${outside}/url}\n`, {}, 'elsewhere.db');
    writeFileSync(join(outside, 'url'), 'sqlite:elsewhere.db');
    const file = join(outside, 'postern.backup');
    await run(directory, 'backup', file);
    rmSync(join(outside, 'url'));
    const place = newDirectory();
    const restored = await run(place, 'restore', file);
    assert.ok(
      notInIt(restored).includes(
        `the address of the store (store.url_file): the store is at ${place}/postern.db; move it to where store.url leads`,
      ),
      restored,
    );
    const { code, stderr } = await runPostern(['backup', join(outside, 'another')], { directory: place });
    assert.deepEqual([code, /store\.url_file: cannot read/.test(stderr)], [1, true], 'which store, nobody knows');
  });

  it('is made and restored also while another key of the configuration is wrong', async () => {
    const directory = await directoryWith('server: {no_such_key: 1}\n', {});
    const file = join(newDirectory(), 'postern.backup');
    await run(directory, 'backup', file);
    assert.match(await run(newDirectory(), 'restore', file), /^before a start: \S+ server\.no_such_key: unknown key/m);
  });
});

describe('A restore', { timeout: 300_000 }, () => {
  let serving: Serving;
  let file: string;
  let held: Held;
  before(async () => {
    serving = await servePostern();
    held = await givenOut(serving);
    file = join(newDirectory(), 'postern.backup');
    await run(serving.directory, 'backup', file);
  });
  after(() => serving?.end());

  const AGAIN =
    '1 session, 1 API token, 1 link, 1 invitation and 1 screen work again, and so do sessions of after the backup that were ended. To end them, restore once more with --replace --revoke.';

  it('says with counts and age what comes back; the next start warns once, and the ledger has a record', async () => {
    const directory = newDirectory();
    const said = await run(directory, 'restore', file);
    assert.match(said, /, as of \d{4}-\d\d-\d\d \d\d:\d\d UTC \(\d minutes? old\)\.$/m);
    assert.match(said, /roles and second factors of 2 accounts, deleted ones included, and the curtain;/);
    assert.ok(said.includes(AGAIN), said);
    const { statuses, warnings, records } = await startedAgain(directory);
    assert.deepEqual(statuses, { session: 200, token: 200, link: 200, invitation: 200, screen: 200 });
    assert.equal(warnings, 1);
    assert.deepEqual(records, ['kept']);
    assert.equal((await startedAgain(directory)).warnings, 0, 'the next start but one says nothing');
  });

  it('with --revoke ends all of it, sessions of after the backup too', async () => {
    const later = cookieFor(await logInAt(serving.url, { name: 'admin', password: serving.adminPassword ?? '' }));
    const directory = newDirectory();
    const said = await run(directory, 'restore', '--revoke', file);
    assert.match(said, /^Ended: 1 session, 1 API token, 1 link, 1 invitation and 1 screen, and all sessions of after/m);
    const { statuses, warnings, records } = await startedAgain(directory, later);
    const ended = { session: 401, token: 401, link: 404, invitation: 404, screen: 401 };
    assert.deepEqual([statuses, warnings, records], [ended, 1, ['ended']]);
  });

  /** `session`: another one than that of before the backup. */
  async function startedAgain(directory: string, session = held.session) {
    const again = await servePostern({ directory });
    try {
      const asked = async (path: string, headers: Record<string, string> = {}) =>
        (await fetch(`${again.url}${path}`, { headers })).status;
      const statuses = {
        session: await asked('/api/profile', { Cookie: session }),
        token: await asked('/api/profile', { Authorization: `Bearer ${held.token}` }),
        link: await asked(held.link),
        invitation: await asked(held.invitation),
        screen: await asked('/api/profile', { Cookie: held.screen }),
      };
      const Cookie = cookieFor(await logInAt(again.url, { name: 'admin', password: serving.adminPassword ?? '' }));
      const answer = await fetch(`${again.url}/api/ledger?kind=change`, { headers: { Cookie } });
      const changes = (await answer.json()) as { detail?: { what?: string; credentials?: string } }[];
      const restores = changes.filter(({ detail }) => detail?.what === 'store-restored');
      return {
        statuses,
        warnings: again.output.stdout.split('the store was restored from a backup').length - 1,
        records: restores.map(({ detail }) => detail?.credentials),
      };
    } finally {
      await again.end();
    }
  }
});

interface Held {
  readonly session: string;
  readonly token: string;
  readonly link: string;
  readonly invitation: string;
  readonly screen: string;
}

/** One of each kind of credential. Cookies are `name=value`, addresses are paths. */
async function givenOut({ url, adminPassword }: Serving): Promise<Held> {
  const session = cookieFor(await logInAt(url, { name: 'admin', password: adminPassword ?? '' }));
  const post = async (path: string, body: object): Promise<Record<string, string> & { cookie: string }> => {
    const headers = { Cookie: session, Origin: url, 'Content-Type': 'application/json' };
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    assert.ok(answer.ok, `${path}: ${await answer.clone().text()}`);
    const cookie = firstCookie(answer);
    return { ...((await answer.json()) as Record<string, string>), cookie };
  };
  const { token = '' } = await post('/api/tokens', { name: 'program', role: 'admin' });
  const [event] = (await (await fetch(`${url}/api/events?limit=1`, { headers: { Cookie: session } })).json()) as {
    id: string;
  }[];
  const link = await post('/api/links', { what: { event: event?.id } });
  const invitation = await post('/api/users/friend/invitation', { role: 'viewer' });
  const { user_code, device_code } = await post('/api/screens/code', {});
  await post('/api/screens/confirm', { user_code, name: 'hall' });
  const { cookie: screen } = await post('/api/screens/token', { device_code });
  await until('the session is in the list', async () => {
    const sessions = await fetch(`${url}/api/sessions`, { headers: { Cookie: session } });
    return ((await sessions.json()) as unknown[]).length > 0;
  });
  const pathOf = (address = ''): string => new URL(address, url).pathname;
  return { session, token, link: pathOf(link['url']), invitation: pathOf(invitation['url']), screen };
}
