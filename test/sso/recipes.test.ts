/** The recipes of docs/sso: what they tell people to paste is what is tried here, by real proxies where they can be had. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { parse } from 'yaml';
import { configSchema } from '../../src/app/resources/features.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { freePort } from '../support/servers/free-port.ts';
import { typed } from '../support/terminal.ts';
import { ask } from './support/ask.ts';
import { type Program, skipWithout, startCaddy, startNginx, startTraefik } from './support/proxies.ts';
import { echoed, FORGED, type Front, front, type Line, ROOT, recipe, told } from './support/recipe.ts';

const RECIPES = readdirSync(join(ROOT, 'docs/sso')).filter((file) => file !== 'README.md');

function temporary(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'postern-recipe-'));
  t.after(() => rmSync(directory, { recursive: true }));
  return directory;
}

for (const file of RECIPES) {
  describe(`docs/sso/${file}`, () => {
    const { configText, check, expected, list } = recipe(file);

    it('has a configuration without a problem or a warning', async (t) => {
      const directory = temporary(t);
      writeFileSync(join(directory, 'config.yaml'), configText);
      const config = await loadConfig({ directory, schema: configSchema, env: {} });
      assert.deepEqual(config.kind === 'loaded' ? config.warnings : config.problems, []);
    });

    it('has a check that says what the recipe says', async (t) => {
      const directory = temporary(t);
      writeFileSync(join(directory, 'config.yaml'), `${configText}nvr:\n  cameras: [garden, patio_1, porch]\n`);
      const place = { directory, schema: configSchema, env: {}, clock: { now: () => 0 } };
      const { out, err, code } = await typed(
        check,
        list === undefined ? place : { ...place, trustedHeadersFile: join(ROOT, list) },
      );
      const printed = out + err;
      assert.equal(code, 0, printed);
      const lines = printed.split('\n').map((line) => line.replaceAll(/\s+/g, ' ').trim());
      assert.deepEqual(
        expected.filter((line) => !lines.includes(line)),
        [],
        printed,
      );
    });

    it('is named in the overview', () => {
      assert.ok(readFileSync(join(ROOT, 'docs/sso/README.md'), 'utf8').includes(`(${file})`));
    });
  });
}

/** Whatever is pasted where it cannot be run here. */
describe('What the recipes say to paste', () => {
  for (const file of RECIPES) {
    const { pasted, config } = recipe(file);
    const text = pasted.map(({ body }) => body).join('\n');
    const proxy = config['proxy'] as { readonly auth_secret?: string; readonly trusted_peers?: readonly string[] };
    const { trusted_proxies: proxies } = config['auth'] as { readonly trusted_proxies: readonly string[] };

    it(`${file}: is YAML where it says so`, () => {
      for (const { language, body } of pasted) if (language === 'yaml') assert.equal(typeof parse(body), 'object');
    });

    it(`${file}: makes the proxy known to Postern, by its secret or as the one address that is believed`, () => {
      if (proxy.auth_secret === undefined) assert.deepEqual(proxy.trusted_peers ?? proxies, proxies.slice(0, 1));
      else assert.ok(text.includes(proxy.auth_secret), 'the proxy sends another secret than Postern expects');
    });
  }

  it('oauth2-proxy.md: has the address that Postern believes, TLS, and each secret that it reads', () => {
    const { pasted, config } = recipe('oauth2-proxy.md');
    const { services, secrets } = parse(pasted[0]?.body ?? '') as Compose;
    const proxy = services['oauth2-proxy'] ?? assert.fail('no service oauth2-proxy');
    assert.deepEqual([proxy.networks.nvr.ipv4_address], (config['proxy'] as { trusted_peers: string[] }).trusted_peers);
    const files = Object.values(proxy.environment).filter((value) => value.startsWith('/run/secrets/'));
    assert.deepEqual(files.map((path) => basename(path)).sort(), [...proxy.secrets].sort());
    assert.deepEqual(Object.keys(secrets).sort(), [...proxy.secrets].sort());
    const port = proxy.environment['OAUTH2_PROXY_HTTPS_ADDRESS']?.split(':')[1];
    assert.deepEqual(proxy.ports, [`443:${port}`]);
    assert.ok(Object.keys(proxy.environment).every((name) => name.startsWith('OAUTH2_PROXY_')));
  });

  it('cloudflare.md: lets cloudflared check the signed token, and answers nothing else', () => {
    const { ingress } = parse(recipe('cloudflare.md').proxy) as Tunnel;
    assert.deepEqual(
      ingress.map(({ service, originRequest }) => [service, originRequest?.access.required]),
      [
        ['http://postern:8971', true],
        ['http_status:404', undefined],
      ],
    );
  });
});

interface Compose {
  readonly services: Record<
    string,
    {
      readonly environment: Record<string, string>;
      readonly secrets: readonly string[];
      readonly ports: readonly string[];
      readonly networks: { readonly nvr: { readonly ipv4_address: string } };
    }
  >;
  readonly secrets: Record<string, unknown>;
}

interface Tunnel {
  readonly ingress: readonly {
    readonly service: string;
    readonly originRequest?: { readonly access: { readonly required: boolean } };
  }[];
}

const withoutTls = (text: string, port: number): string =>
  text.replace('listen 443 ssl;', `listen 127.0.0.1:${port};`).replaceAll(/^\s*ssl_certificate.*$/gm, '');

const basic = (user: string, password: string): Line => [
  'Authorization',
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
];
/** Asked by a proxy about a request: answers like the sign-in server, by a cookie that names who is signed in. */
async function startStandIn(headersOf: (user: string) => Readonly<Record<string, string>>) {
  const server = createServer((request, response) => {
    const user = /(?:^|; )signed-in=(\w+)/.exec(request.headers.cookie ?? '')?.[1];
    if (user) response.writeHead(200, headersOf(user)).end();
    else response.writeHead(401, { location: 'https://auth.example.com/?rd=here' }).end();
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    port,
    close: () => new Promise<void>((resolve) => void server.close(() => resolve()).closeAllConnections()),
  };
}

type OwnUsers = 'nginx' | 'caddy' | 'traefik';

const OWN_USERS: Readonly<Record<OwnUsers, () => Promise<Front>>> = {
  nginx: () =>
    front('nginx.md', ({ port, postern, text, directory }) => {
      const users = join(directory, 'users');
      writeFileSync(users, 'alice:{PLAIN}wonderland\nbob:{PLAIN}builder\ncarol:{PLAIN}christmas\n');
      return startNginx(
        withoutTls(text, port).replace('postern:8971', postern).replace('/etc/nginx/nvr.htpasswd', users),
        port,
      );
    }),
  caddy: () =>
    front('caddy.md', ({ port, postern, text }) =>
      startCaddy(
        text
          .replace('nvr.example.com {', `http://nvr.test:${port}, http://127.0.0.1:${port} {`)
          .replace('postern:8971', postern)
          .replace('$2a$14$HASH-OF-ALICE', () => CADDY_HASHES.alice)
          .replace('$2a$14$HASH-OF-BOB', () => `${CADDY_HASHES.bob}\n\t\tcarol ${CADDY_HASHES.carol}`),
        port,
      ),
    ),
  traefik: () =>
    front('traefik.md', ({ port, postern, text, directory }) => {
      const users = join(directory, 'users');
      const line = ([user, password]: [string, string]): string =>
        `${user}:{SHA}${createHash('sha1').update(password).digest('base64')}\n`;
      writeFileSync(users, Object.entries(PASSWORDS).map(line).join(''));
      return startTraefik(
        text
          .replace('Host(`nvr.example.com`)', 'PathPrefix(`/`)')
          .replace(/^ *tls: \{\}$/m, '')
          .replace(/^tls:\n(?: .*\n)+/m, '')
          .replace('postern:8971', postern)
          .replace('/etc/traefik/nvr.htpasswd', users),
        port,
        recipe('traefik.md').pasted[1]?.body,
      );
    }),
};
const PASSWORDS = { alice: 'wonderland', bob: 'builder', carol: 'christmas' };
/** bcrypt with the least work. */
const CADDY_HASHES = {
  alice: '$2y$04$WP6EIAYRmeFM.8NkCeiFweI0FuPbGexnEHaWwIYmZu18oJRmkR/nK',
  bob: '$2y$04$CdVcAKlCfHVwyCzIyo.SiO5Ghlg4C0brSFM8YE2zWLB4IOtx9D5iC',
  carol: '$2y$04$X3bLBmXfwugRR9le25Mb3e8r2uJ7W8SfdRPoiHZF8fwaucpJx/lou',
};

for (const program of ['nginx', 'caddy', 'traefik'] as const satisfies readonly Program[]) {
  describe(`${program} with its own users, as docs/sso/${program}.md says`, { skip: skipWithout(program) }, () => {
    let it_: Front;
    before(async () => {
      it_ = await OWN_USERS[program]();
    });
    after(() => it_?.close());

    // biome-ignore format: a table
    const rows: [sentence: string, headers: Line[], expected: string | number, path?: string][] = [
      ['gives a user the role of a group',                          [basic('alice', 'wonderland')],                'alice as admin'],
      ['and another another',                                       [basic('bob', 'builder')],                     'bob as gardener'],
      ['who sees one camera',                                       [basic('bob', 'builder')],                     'bob as gardener', '/api/cam1/latest.jpg'],
      ['and not the other',                                         [basic('bob', 'builder')],                     403,               '/api/cam2/latest.jpg'],
      ['denies a user without a group',                             [basic('carol', 'christmas')],                 403],
      ['lets no caller past without a password',                    [...FORGED],                                   401],
      ['lets no user be another by headers',                        [basic('bob', 'builder'), ...FORGED],          'bob as gardener'],
    ];
    for (const [sentence, headers, expected, path] of rows)
      it(sentence, async () => assert.equal(await told(it_, headers, path), expected));

    it('has the secret of the proxy: without it no caller gets in', async () => {
      const past = await ask(it_.instance.port, {
        path: '/api/version',
        headers: FORGED.filter(([name]) => name !== 'X-Proxy-Secret'),
      });
      assert.equal(past.status, 401);
    });

    it('carries WebSockets', async () => {
      assert.equal(await echoed(it_.proxy.port, '/live/jsmpeg/cam1', [basic('bob', 'builder')]), 'hello');
      assert.equal(await echoed(it_.proxy.port, '/live/jsmpeg/cam2', [basic('bob', 'builder')]), '403');
    });
  });
}

describe('nginx with Authelia, as docs/sso/authelia.md says', { skip: skipWithout('nginx') }, () => {
  let it_: Front;
  let authelia: Awaited<ReturnType<typeof startStandIn>>;
  before(async () => {
    const groups: Record<string, string> = { alice: 'staff,nvr-admins', bob: 'garden-crew' };
    authelia = await startStandIn((user) => ({
      'Remote-User': user,
      ...(groups[user] ? { 'Remote-Groups': groups[user] } : {}),
    }));
    it_ = await front('authelia.md', ({ port, postern, text }) =>
      startNginx(
        withoutTls(text, port).replace('postern:8971', postern).replace('authelia:9091', `127.0.0.1:${authelia.port}`),
        port,
      ),
    );
  });
  after(async () => {
    await it_?.close();
    await authelia?.close();
  });
  const signedIn = (user: string): Line => ['Cookie', `signed-in=${user}`];

  it('passes user and groups on', async () => assert.equal(await told(it_, [signedIn('alice')]), 'alice as admin'));
  it('overwrites what a client sends', async () =>
    assert.equal(await told(it_, [signedIn('bob'), ...FORGED]), 'bob as gardener'));
  it('and removes it where Authelia sends none', async () =>
    assert.equal(await told(it_, [signedIn('carol'), ...FORGED]), 403));
  it('sends an unknown caller to the login page that Authelia names', async () => {
    const { status, headers } = await ask(it_.proxy.port, { path: '/' });
    assert.deepEqual([status, headers.location], [302, 'https://auth.example.com/?rd=here']);
  });
});

describe('Caddy with authentik, as docs/sso/authentik.md says', { skip: skipWithout('caddy') }, () => {
  let it_: Front;
  let authentik: Awaited<ReturnType<typeof startStandIn>>;
  before(async () => {
    const groups: Record<string, string> = { alice: 'staff|nvr admins', bob: 'garden crew', carol: '' };
    authentik = await startStandIn((user) => ({
      'X-authentik-username': user,
      'X-authentik-groups': groups[user] ?? '',
    }));
    it_ = await front('authentik.md', ({ port, postern, text }) =>
      startCaddy(
        text
          .replace('nvr.example.com {', `http://nvr.test:${port}, http://127.0.0.1:${port} {`)
          .replace('postern:8971', postern)
          .replaceAll('authentik:9000', `127.0.0.1:${authentik.port}`),
        port,
      ),
    );
  });
  after(async () => {
    await it_?.close();
    await authentik?.close();
  });
  const signedIn = (user: string): Line => ['Cookie', `signed-in=${user}`];

  it('passes user and groups on', async () => assert.equal(await told(it_, [signedIn('alice')]), 'alice as admin'));
  it('overwrites what a client sends', async () =>
    assert.equal(await told(it_, [signedIn('bob'), ...FORGED]), 'bob as gardener'));
  it('and knows no groups where authentik sends none', async () =>
    assert.equal(await told(it_, [signedIn('carol'), ...FORGED]), 403));
  it('sends an unknown caller the response of authentik', async () => {
    const { status, headers } = await ask(it_.proxy.port, { path: '/' });
    assert.deepEqual([status, headers.location], [401, 'https://auth.example.com/?rd=here']);
  });
});
