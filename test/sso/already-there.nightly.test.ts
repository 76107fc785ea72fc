/**
 * docs/from-frigate.md, "A proxy that is already there": its blocks are read out of the page and run in front of a Postern that
 * has its own TLS, as it starts. Nginx Proxy Manager, SWAG and the add-on are the nginx configuration that they write.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { parse } from 'yaml';
import { makeSelfSigned } from '../../src/gateway/certificates/certificates.ts';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON } from '../support/people.ts';
import { freePort } from '../support/servers/free-port.ts';
import { type ConfigTree, type Runtime, startInstance } from '../support/start-instance.ts';
import { type Answered, ask } from './support/ask.ts';
import {
  type Program,
  type StartedProxy,
  skipWithout,
  startApache,
  startCaddy,
  startNginx,
  startTraefik,
} from './support/proxies.ts';
import { type Line, ROOT } from './support/recipe.ts';

const [, PAGE = assert.fail('no section')] = readFileSync(join(ROOT, 'docs/from-frigate.md'), 'utf8').split(
  '\n## A proxy that is already there\n',
);
const blockOf = (text: string): string => /^```\w+\n(.*?)^```$/ms.exec(text)?.[1] ?? assert.fail('no block');
const under = (title: string): string => PAGE.split(`\n### ${title}\n`)[1] ?? assert.fail(title);
const block = (title: string): string => blockOf(under(title));

interface PageConfig {
  readonly server: { readonly public_url: string };
  readonly auth: { readonly trusted_proxies: readonly string[] };
}
const CONFIG = parse(blockOf(PAGE)) as PageConfig;
const ORIGIN = CONFIG.server.public_url;
const HOST = new URL(ORIGIN).host;
const PROXY = '127.0.0.1';
const BROWSER = '127.0.0.9';

const directory = mkdtempSync(join(tmpdir(), 'postern-front-'));
const [certificate, key] = [join(directory, 'certificate.pem'), join(directory, 'key.pem')];
after(() => rmSync(directory, { recursive: true, force: true }));
before(async () => {
  const made = await makeSelfSigned({ names: [HOST], now: Date.now() });
  writeFileSync(certificate, made.certificate);
  writeFileSync(key, made.privateKey);
});

/** Where the page's names stand in the test. */
const placed = (text: string, port: number, postern: string): string =>
  text
    .replaceAll('postern:8971', postern)
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`)
    .replace('<VirtualHost *:443>', `Listen 127.0.0.1:${port}\n<VirtualHost 127.0.0.1:${port}>`)
    .replace(`${HOST} {`, `https://${HOST}:${port} {\n\ttls ${certificate} ${key}`)
    .replaceAll(/\/etc\/\w+\/tls\/fullchain\.pem/g, certificate)
    .replaceAll(/\/etc\/\w+\/tls\/privkey\.pem/g, key);

const UPGRADE_MAP = "map $http_upgrade $connection_upgrade { default upgrade; '' close; }\n";
const server = (port: number, inside: string): string =>
  `server { listen 127.0.0.1:${port} ssl; ssl_certificate ${certificate}; ssl_certificate_key ${key};\n${inside}\n}`;

/** What Nginx Proxy Manager writes for the fields of the page. */
function proxyManager(port: number, postern: string): string {
  const fields = Object.fromEntries(
    block('Nginx Proxy Manager')
      .trim()
      .split('\n')
      .map((line) => line.split(/ {2,}/)),
  );
  const address = `${fields['Forward Hostname / IP']}:${fields['Forward Port']}`.replace('postern:8971', postern);
  const upgrade = 'proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $http_connection;';
  return server(
    port,
    `proxy_read_timeout 90s; client_max_body_size 2000m;
  location / {
    ${fields['Websockets Support'] === 'on' ? upgrade : ''}
    proxy_http_version 1.1;
    add_header X-Served-By $host;
    proxy_set_header Host $host;
    proxy_set_header X-Forwarded-Scheme $scheme;
    proxy_set_header X-Forwarded-Proto $scheme;
    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    proxy_set_header X-Real-IP $remote_addr;
    proxy_pass ${fields['Scheme']}://${address}$request_uri;
  }`,
  );
}

/** What stands in SWAG's frigate.subdomain.conf and proxy.conf, with the lines of the page. */
const swag = (port: number, postern: string): string => {
  const [host = '', posternPort = ''] = postern.split(':');
  const lines = block('SWAG').replace('$upstream_app postern', `$upstream_app ${host}`).replace('8971', posternPort);
  return (
    UPGRADE_MAP +
    server(
      port,
      `client_max_body_size 0;
  location / {
    proxy_next_upstream error timeout invalid_header http_500 http_502 http_503;
    proxy_buffers 32 4k;
    proxy_http_version 1.1;
    proxy_read_timeout 240;
    proxy_redirect http:// $scheme://;
    proxy_cache_bypass $cookie_session;
    proxy_no_cache $cookie_session;
    proxy_set_header Connection $connection_upgrade;
    proxy_set_header Early-Data $ssl_early_data;
    proxy_set_header Host $host;
    proxy_set_header Proxy "";
    proxy_set_header Upgrade $http_upgrade;
    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    proxy_set_header X-Forwarded-Host $host:$server_port;
    proxy_set_header X-Forwarded-Method $request_method;
    proxy_set_header X-Forwarded-Proto $scheme;
    proxy_set_header X-Forwarded-Server $host;
    proxy_set_header X-Forwarded-Ssl on;
    proxy_set_header X-Forwarded-Uri $request_uri;
    proxy_set_header X-Original-Method $request_method;
    proxy_set_header X-Original-URL $scheme://$http_host$request_uri;
    proxy_set_header X-Real-IP $remote_addr;
    ${lines}
    proxy_pass $upstream_proto://$upstream_app:$upstream_port;
  }`,
    )
  );
};

const INGRESS = '/api/hassio_ingress/a0b1-c2';
/** What the add-on "Frigate Proxy" writes for the options of the page; the Supervisor of this test asks from here. */
function addOn(port: number, postern: string): string {
  const options = parse(block('Home Assistant add-on "Frigate Proxy"')) as Readonly<Record<string, string | boolean>>;
  const passHost = options['proxy_pass_host'] ? 'proxy_set_header Host $http_host;' : '';
  const passAddress =
    'proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; proxy_set_header X-Real-IP $remote_addr;';
  return `${UPGRADE_MAP}server { listen 127.0.0.1:${port}; client_max_body_size 4G;
  location / {
    proxy_pass ${String(options['server']).replace('192.168.1.10:8971', postern)};
    proxy_set_header X-Ingress-Path ${INGRESS};
    ${passHost}
    ${options['proxy_pass_real_ip'] ? passAddress : ''}
    proxy_http_version 1.1;
    proxy_ignore_client_abort off;
    proxy_read_timeout 86400s;
    proxy_redirect off;
    proxy_max_temp_file_size 0;
    proxy_set_header Accept-Encoding "";
    proxy_set_header Connection $connection_upgrade;
    proxy_set_header Upgrade $http_upgrade;
    proxy_set_header X-Forwarded-Proto $scheme;
    proxy_set_header X-NginX-Proxy true;
    proxy_ssl_server_name on;
    proxy_ssl_session_reuse off;
  }
}`;
}

const APACHE_MODULES = ['mpm_event', 'authz_core', 'proxy', 'proxy_http', 'headers', 'ssl', 'socache_shmcb'];
type Front = (port: number, postern: string) => Promise<StartedProxy>;
const nginx =
  (write: (port: number, postern: string) => string): Front =>
  (port, postern) =>
    startNginx(write(port, postern), port);
/** The page's block for nginx, or a wrong copy of it. */
const site =
  (change: (text: string) => string = (text) => text): Front =>
  (port, postern) =>
    startNginx(placed(change(block('nginx')), port, postern), port);

interface Street {
  readonly nvr: FakeNvr;
  readonly instance: Runtime;
  close(): Promise<void>;
  send(method: string, path: string, headers?: readonly Line[], body?: string): Promise<Answered>;
  /** The echo of a WebSocket of the page, or the status of the refusal. */
  live(cookie: string): Promise<string>;
  logIn(origin?: string): Promise<Answered>;
  /** The address that the latest line of the access log has; a WebSocket has one when it ends. */
  loggedAddress(): unknown;
}

interface Asking {
  readonly config?: ConfigTree;
  /** What the browser, or the Supervisor, sends with each request. */
  readonly always?: readonly Line[];
  readonly tls?: boolean;
  readonly origin?: string;
  readonly from?: string;
}

async function street(front: Front, asking: Asking = {}): Promise<Street> {
  const {
    config = { ...CONFIG, auth: { trusted_proxies: [PROXY] } },
    tls = true,
    origin = ORIGIN,
    from = BROWSER,
  } = asking;
  const always: readonly Line[] = [['Host', HOST], ...(asking.always ?? [])];
  const nvr = await startFakeNvr();
  const instance = await startInstance({ config: { ...config, tls: { enabled: true }, nvr: { url: nvr.url } } });
  const port = await freePort();
  const proxy = await front(port, `127.0.0.1:${instance.port}`);
  const send: Street['send'] = (method, path, headers = [], body) => {
    nvr.received.length = 0;
    return ask(port, {
      ...{ method, path, from, tls, headers: [...always, ...headers] },
      ...(body !== undefined && { body }),
    });
  };
  return {
    nvr,
    instance,
    send,
    async close() {
      await proxy.close();
      await instance.close();
      await nvr.close();
    },
    logIn: (page = origin) =>
      send(
        'POST',
        '/api/login',
        [
          ['Content-Type', 'application/json'],
          ['Origin', page],
        ],
        JSON.stringify({ user: ADMIN_PERSON.name, password: ADMIN_PERSON.password }),
      ),
    live: (cookie) =>
      new Promise((resolve) => {
        const headers = { ...Object.fromEntries(always), cookie };
        const options = { headers, origin, rejectUnauthorized: false, servername: HOST };
        const socket = new WebSocket(`${tls ? 'wss' : 'ws'}://127.0.0.1:${port}/live/jsmpeg/cam1`, options);
        socket.once('open', () => socket.send('hello'));
        socket.once('message', (text) => {
          resolve(String(text));
          socket.close();
        });
        socket.once('unexpected-response', (_request, answer) => {
          answer.resume();
          resolve(String(answer.statusCode));
        });
        socket.on('error', (fault) => resolve(fault.message));
      }),
    loggedAddress: () =>
      instance.log.findLast(({ msg, path }) => msg === 'answered' && String(path).startsWith('/api/'))?.['address'],
  };
}

const cookieOf = ({ headers }: Answered): string => headers['set-cookie']?.[0]?.split(';')[0] ?? '';

interface Row extends Asking {
  readonly title: string;
  readonly program: Program;
  readonly front: Front;
  readonly client?: string;
}

const HOME = 'https://home.example.com:8123';
const HOME_CLIENT = '198.51.100.7';
const HOME_PROXIES: readonly string[] = parse(
  /trusted_proxies: (\[[^\]]+\])/.exec(under('Home Assistant add-on "Frigate Proxy"'))?.[1] ?? '',
).map((address: string) => address.replace('192.168.1.5', PROXY));
/** What Home Assistant and its Supervisor send for a browser. */
const ingress = (origin: string): Asking => ({
  tls: false,
  from: PROXY,
  origin,
  config: { auth: { trusted_proxies: HOME_PROXIES } },
  always: [
    ['X-Forwarded-For', `${HOME_CLIENT}, 172.30.32.1`],
    ['X-Forwarded-Host', new URL(origin).host],
    ['X-Forwarded-Proto', origin.split(':')[0] ?? ''],
    ['X-Ingress-Path', INGRESS],
  ],
});

const ROWS: readonly Row[] = [
  { title: 'nginx', program: 'nginx', front: site() },
  { title: 'Nginx Proxy Manager', program: 'nginx', front: nginx(proxyManager) },
  { title: 'SWAG', program: 'nginx', front: nginx(swag) },
  {
    title: 'Caddy',
    program: 'caddy',
    front: (port, postern) => startCaddy(placed(block('Caddy'), port, postern), port),
  },
  {
    title: 'Traefik',
    program: 'traefik',
    front: (port, postern) => startTraefik(placed(block('Traefik'), port, postern), port, undefined, true),
  },
  {
    title: 'Apache',
    program: 'apache2',
    front: (port, postern) => startApache(placed(block('Apache'), port, postern), port, APACHE_MODULES),
  },
  { title: 'the add-on by https', program: 'nginx', front: nginx(addOn), ...ingress(HOME), client: HOME_CLIENT },
  {
    title: 'the add-on by http',
    program: 'nginx',
    front: nginx(addOn),
    ...ingress('http://homeassistant.local:8123'),
    client: HOME_CLIENT,
  },
];

for (const { title, program, front, client = BROWSER, ...asking } of ROWS)
  describe(`${title} in front of Postern, as docs/from-frigate.md says`, { skip: skipWithout(program) }, () => {
    let it_: Street;
    let cookie = '';
    before(async () => {
      it_ = await street(front, asking);
    });
    after(() => it_?.close());
    const own = (): Line => ['Cookie', cookie];

    it('lets a person log in, with a cookie that the browser keeps, and tells the NVR who it is', async () => {
      const answer = await it_.logIn();
      assert.equal(answer.status, 200, answer.text);
      cookie = cookieOf(answer);
      assert.equal(/; Secure/.test(answer.headers['set-cookie']?.[0] ?? ''), asking.tls !== false);
      assert.equal((await it_.send('GET', '/api/version', [own()])).status, 200);
      assert.deepEqual(it_.nvr.lastHeader('remote-user'), ['admin']);
    });

    it('shows live pictures over a WebSocket', async () => assert.equal(await it_.live(cookie), 'hello'));

    it('has the address of the browser in the log', async () => {
      await it_.send('GET', '/api/version', [own()]);
      assert.equal(it_.loggedAddress(), client);
    });

    it('takes a change by its own page, with a body of 2 MB, and none by a page of another site', async () => {
      const body = 'x'.repeat(2_000_000);
      const change = async (origin: string, text: string) =>
        (await it_.send('POST', '/api/restart', [own(), ['Origin', origin]], text)).status;
      assert.equal(await change(asking.origin ?? ORIGIN, body), 200);
      assert.equal(it_.nvr.received[0]?.bodyBytes, body.length);
      assert.equal(await change('https://evil.example.com', 'x'), 403);
      assert.deepEqual(it_.nvr.received, []);
    });

    it('answers /auth about the request itself', async () => {
      const { status, headers } = await it_.send('GET', '/auth', [own()]);
      assert.deepEqual([status, headers['remote-user']], [202, 'admin']);
    });
  });

describe('What docs/from-frigate.md says that one sees when it is wrong', { skip: skipWithout('nginx') }, () => {
  const tried = async (front: Front, config: ConfigTree, look: (it_: Street) => Promise<void>): Promise<void> => {
    const it_ = await street(front, { config });
    try {
      await look(it_);
    } finally {
      await it_.close();
    }
  };
  const GUIDE = site((text) => text.replaceAll(/^ *proxy_set_header (?:Host|X-Forwarded-\w+) .*$/gm, ''));
  const TRUSTED = { auth: { trusted_proxies: [PROXY] } };

  it('the proxy is not trusted: its address for every client', () =>
    tried(site(), { server: CONFIG.server }, async (it_) => {
      assert.equal((await it_.logIn()).status, 200);
      assert.equal(it_.loggedAddress(), PROXY);
    }));

  it("Frigate's own guide without public_url: no login, and no live pictures", () =>
    tried(GUIDE, TRUSTED, async (it_) => {
      const { status, text } = await it_.logIn();
      assert.equal(status, 403);
      assert.match(text, /this request came from a page of another site/i);
      const cookie = cookieOf(await it_.logIn(`https://127.0.0.1:${it_.instance.port}`));
      assert.equal(await it_.live(cookie), '403');
    }));

  it("Frigate's own guide with public_url: all but the address", () =>
    tried(GUIDE, { ...TRUSTED, server: CONFIG.server }, async (it_) => {
      const answer = await it_.logIn();
      assert.equal(await it_.live(cookieOf(answer)), 'hello');
      assert.equal(it_.loggedAddress(), PROXY);
    }));

  it('no WebSockets: a login, and no live pictures', () =>
    tried(
      site((text) => text.replaceAll(/^ *proxy_set_header (?:Upgrade|Connection) .*$/gm, '')),
      { ...TRUSTED, server: CONFIG.server },
      async (it_) => {
        const answer = await it_.logIn();
        assert.equal(answer.status, 200);
        assert.notEqual(await it_.live(cookieOf(answer)), 'hello');
      },
    ));

  it('the add-on is not trusted: the login leads out of the side bar', async () => {
    const page: Line = ['Accept', 'text/html'];
    const ways = [];
    for (const trusted of [HOME_PROXIES, []]) {
      const it_ = await street(nginx(addOn), { ...ingress(HOME), config: { auth: { trusted_proxies: trusted } } });
      const { headers } = await it_.send('GET', '/review/1', [page, ['Sec-Fetch-Mode', 'navigate']]);
      ways.push(headers.location?.split('?')[0]);
      await it_.close();
    }
    assert.deepEqual(ways, [`${INGRESS}/login`, '/login']);
  });

  it('a slash too many: nothing but refusals', () =>
    tried(
      site((text) => text.replace('postern:8971;', 'postern:8971/$request_uri;')),
      TRUSTED,
      async (it_) => {
        const { status, text } = await it_.send('GET', '/api/version');
        assert.equal(status, 400);
        assert.match(text, /slash/);
      },
    ));
});
