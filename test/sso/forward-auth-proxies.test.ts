/** The files of deploy/forward-auth, run by the proxies that they are for: who may see what, and what the NVR is told. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { parse } from 'yaml';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, VERA } from '../support/people.ts';
import { freePort } from '../support/servers/free-port.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';
import { ask } from './support/ask.ts';
import {
  type Program,
  type StartedProxy,
  skipWithout,
  startCaddy,
  startNginx,
  startTraefik,
} from './support/proxies.ts';

type Line = readonly [name: string, value: string];

const FOLDER = new URL('../../deploy/forward-auth/', import.meta.url);
const shipped = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');

interface Places {
  readonly port: number;
  readonly postern: string;
  readonly nvr: string;
}

/** The names of the shipped files, where they stand in the test. */
const placed = (text: string, { postern, nvr }: Places): string =>
  text.replaceAll('postern:8971', postern).replaceAll('nvr:5000', nvr);

type Asking = Exclude<Program, 'apache2' | 'haproxy'>;

const START: Readonly<Record<Asking, (places: Places) => Promise<StartedProxy>>> = {
  nginx: (places) =>
    startNginx(
      placed(shipped('nginx.conf'), places).replace('listen 80;', `listen 127.0.0.1:${places.port};`),
      places.port,
    ),
  caddy: (places) =>
    startCaddy(
      placed(shipped('Caddyfile'), places).replace(
        'nvr.example.com {',
        `http://127.0.0.1:${places.port}, http://nvr.test:${places.port} {`,
      ),
      places.port,
    ),
  traefik: (places) =>
    startTraefik(
      placed(shipped('traefik.yml'), places).replaceAll(
        'Host(`nvr.example.com`)',
        '(Host(`nvr.test`) || Host(`127.0.0.1`))',
      ),
      places.port,
    ),
};

/** Traefik passes names on that it does not know, and Postern refuses them. */
const DROPS_ODD_NAMES: Readonly<Record<Asking, boolean>> = { nginx: true, caddy: true, traefik: false };

for (const program of ['nginx', 'caddy', 'traefik'] as const satisfies readonly Asking[]) {
  describe(`deploy/forward-auth for ${program}`, { skip: skipWithout(program) }, () => {
    let nvr: FakeNvr;
    let instance: Runtime;
    let proxy: StartedProxy;
    const tokens = new Map<string, string>();
    before(async () => {
      nvr = await startFakeNvr();
      instance = await startInstance({
        config: {
          nvr: { url: nvr.url },
          auth: { trusted_proxies: ['127.0.0.1'], hash_iterations: 1000, roles: { front_only: ['cam1'] } },
        },
      });
      for (const person of [ADMIN_PERSON, VERA, CARL]) tokens.set(person.name, await instance.logIn(person));
      const port = await freePort();
      proxy = await START[program]({ port, postern: `127.0.0.1:${instance.port}`, nvr: `127.0.0.1:${nvr.port}` });
    });
    after(async () => {
      await proxy?.close();
      await instance?.close();
      await nvr?.close();
    });

    const cookieOf = (who: string): Line[] => {
      const token = tokens.get(who);
      return token === undefined ? [] : [['Cookie', `frigate_token=${token}`]];
    };
    const asked = async (who: string, method: string, path: string, headers: readonly Line[] = []) => {
      nvr.received.length = 0;
      const answer = await ask(proxy.port, { method, path, headers: [...cookieOf(who), ...headers] });
      const seen = nvr.received.map(({ method: arrived, target, headers: lines }) => {
        const named = lines
          .filter(([name, value]) => /^remote[^a-z0-9]/.test(name) && value !== '')
          .map(([name, value]) => `${name}=${value}`);
        return `${arrived} ${target} ${named.sort().join(' ')}`.trim();
      });
      return [answer.status, ...seen];
    };

    // biome-ignore format: a table
    const rows: [sentence: string, who: string, method: string, path: string, headers: Line[], expected: (string | number)[]][] = [
      ['lets a viewer look, and tells the NVR who it is',    'vera',   'GET',  '/api/version?x=1',      [], [200, 'GET /api/version?x=1 remote-role=viewer remote-user=vera']],
      ['asks about the method of the client',                'vera',   'PUT',  '/api/config/set',       [], [403]],
      ['lets an admin change things',                        'admin',  'PUT',  '/api/config/set?a=b',   [], [200, 'PUT /api/config/set?a=b remote-role=admin remote-user=admin']],
      ['lets a custom role see its camera',                  'carl',   'GET',  '/api/cam1/latest.jpg',  [], [200, 'GET /api/cam1/latest.jpg remote-role=front_only remote-user=carl']],
      ['and no other',                                       'carl',   'GET',  '/api/cam2/latest.jpg',  [], [403]],
      ['asks an unknown caller to log in',                   'nobody', 'GET',  '/api/version',          [], [401]],
      ['ignores the identity headers of the client',         'vera',   'GET',  '/api/version',          [['Remote-User', 'root'], ['Remote-Role', 'admin'], ['Remote-Groups', 'admin']], [200, 'GET /api/version remote-role=viewer remote-user=vera']],
      ['nor by a look-alike of one',                         'vera',   'GET',  '/api/version',          [['Remote_User', 'root'], ['REMOTE_ROLE', 'admin'], ['remote-role_', 'admin']], DROPS_ODD_NAMES[program] ? [200, 'GET /api/version remote-role=viewer remote-user=vera'] : [403]],
      ['nor on a public page, where the caller is unknown',  'nobody', 'GET',  '/review',               [['Remote-User', 'root'], ['Remote-Role', 'admin']], [200, 'GET /review']],
      ['lets no client describe another request',            'vera',   'PUT',  '/api/config/set',       [['X-Forwarded-Method', 'GET'], ['X-Forwarded-Uri', '/api/version']], [403]],
      ['refuses an encoded slash',                           'admin',  'GET',  '/api%2fconfig',         [], [403]],
    ];
    for (const [sentence, who, method, path, headers, expected] of rows) {
      it(sentence, async () => assert.deepEqual(await asked(who, method, path, headers), expected));
    }

    it('lets no client describe another request in the words of nginx either', async () => {
      const described: Line[] = [
        ['X-Original-Method', 'GET'],
        ['X-Original-URL', '/api/version'],
      ];
      assert.deepEqual(await asked('vera', 'PUT', '/api/config/set', described), [403]);
    });

    it('lets no request pass when auth.trusted_proxies does not hold its address', async () => {
      const strict = await startInstance({ config: { nvr: { url: nvr.url }, auth: { trusted_proxies: [] } } });
      const port = await freePort();
      const places = { port, postern: `127.0.0.1:${strict.port}`, nvr: `127.0.0.1:${nvr.port}` };
      const unlisted = await START[program](places);
      try {
        const cookie: Line = ['Cookie', `frigate_token=${await strict.logIn(ADMIN_PERSON)}`];
        nvr.received.length = 0;
        for (const [method, path] of [
          ['GET', '/api/version'],
          ['PUT', '/api/config/set'],
        ] as const)
          assert.equal((await ask(port, { method, path, headers: [cookie] })).status, 403);
        assert.deepEqual(nvr.received, []);
      } finally {
        await unlisted.close();
        await strict.close();
      }
    });

    it('tells a program 401 in JSON', async () => {
      const { status, text } = await ask(proxy.port, {
        path: '/api/version',
        headers: [['Accept', 'application/json']],
      });
      assert.equal(status, 401);
      assert.equal(JSON.parse(text).success, false);
    });

    it("brings a person to the login, and the login is Postern's", async () => {
      const page: Line[] = [
        ['Accept', 'text/html'],
        ['Sec-Fetch-Mode', 'navigate'],
      ];
      const refused = await ask(proxy.port, { path: '/review/list?a=b&c=d%20e&next=/x', headers: page });
      const location = refused.headers.location?.replace(/^http:\/\/[^/]+/, '');
      const wanted = encodeURIComponent('/review/list?a=b&c=d%20e&next=/x');
      // Traefik cannot redirect, and shows the page at once.
      if (program === 'traefik')
        assert.deepEqual([refused.status, refused.text.includes('type="password"')], [401, true], refused.text);
      else assert.deepEqual([refused.status, location], [302, `/login?next=${wanted}`]);
      const body = JSON.stringify({ user: VERA.name, password: VERA.password });
      const entered = await ask(proxy.port, {
        method: 'POST',
        path: '/api/login',
        headers: [['Content-Type', 'application/json']],
        body,
      });
      assert.equal(entered.status, 200, entered.text);
      assert.match(entered.headers['set-cookie']?.[0] ?? '', /^frigate_token=ey/);
    });

    const live = (camera: string, who: string): Promise<number> =>
      new Promise((resolve) => {
        const headers = Object.fromEntries(cookieOf(who));
        const socket = new WebSocket(`ws://127.0.0.1:${proxy.port}/live/jsmpeg/${camera}`, { headers });
        socket.once('open', () => {
          socket.close();
          resolve(101);
        });
        socket.once('unexpected-response', (_request, answer) => {
          answer.resume();
          resolve(answer.statusCode ?? 0);
        });
        socket.on('error', () => {});
      });

    it('judges a WebSocket by its own row', async () => {
      assert.deepEqual(
        [await live('cam1', 'carl'), await live('cam2', 'carl'), await live('cam1', 'nobody')],
        [101, 403, 401],
      );
    });

    it('does not take a plain request for a WebSocket because of a header', async () => {
      const half: Line[] = [
        ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
        ['Sec-WebSocket-Version', '13'],
      ];
      assert.deepEqual(await asked('carl', 'GET', '/live/jsmpeg/cam1', half), [403]);
    });

    if (program !== 'caddy') {
      it('hands on the renewed cookie of a session that is near its end', async () => {
        instance.clock.advance(86_400 - 600);
        const answer = await ask(proxy.port, { path: '/api/version', headers: cookieOf('vera') });
        assert.match(answer.headers['set-cookie']?.[0] ?? '', /^frigate_token=ey/);
      });
    }
  });
}

describe('The files of deploy/forward-auth', () => {
  /** `/auth` is for the proxy itself; the NVR's own page of settings stays with the NVR. */
  const NOT_FOR_BROWSERS = ['/auth', '/api/config/set'];
  const { routes } = parse(readFileSync(new URL('../../conf/policies/postern.yaml', import.meta.url), 'utf8')) as {
    readonly routes: readonly { readonly route: string }[];
  };
  const paths = [...new Set(routes.map(({ route }) => route.split(' ')[1] ?? ''))];

  for (const file of ['nginx.conf', 'Caddyfile', 'traefik.yml']) {
    it(`${file} leaves every route of Postern's own to Postern`, () => {
      const own = new RegExp(/\^\/\(login\S*\(\/\|\$\)/.exec(shipped(file))?.[0] ?? assert.fail('no own paths'));
      assert.deepEqual(
        paths.filter((path) => !own.test(path) && !NOT_FOR_BROWSERS.includes(path)),
        [],
      );
      for (const path of ['/api/config', '/api/events', '/loginx', '/api/usersx', '/', '/review'])
        assert.ok(!own.test(path));
    });
  }
});

describe('deploy/forward-auth/traefik.yml, as it is written', () => {
  interface Traefik {
    readonly http: {
      readonly routers: Record<
        string,
        { readonly rule: string; readonly priority: number; readonly middlewares?: string[]; readonly service: string }
      >;
      readonly middlewares: Record<
        string,
        {
          readonly forwardAuth?: {
            readonly address: string;
            readonly trustForwardHeader: boolean;
            readonly authResponseHeaders: string[];
          };
        }
      >;
      readonly services: Record<string, unknown>;
    };
  }
  const { http } = parse(shipped('traefik.yml')) as Traefik;

  it('names only middlewares and services that it defines', () => {
    for (const { middlewares = [], service } of Object.values(http.routers)) {
      assert.deepEqual(
        middlewares.filter((name) => !(name in http.middlewares)),
        [],
      );
      assert.ok(service in http.services);
    }
  });

  it('asks Postern on every way to the NVR, and believes no client about the request', () => {
    for (const { middlewares = [], service } of Object.values(http.routers)) {
      if (service === 'postern') continue;
      const questions = middlewares
        .map((name) => http.middlewares[name]?.forwardAuth)
        .filter((question) => question !== undefined);
      assert.equal(questions.length, 1);
      assert.deepEqual(
        [questions[0]?.trustForwardHeader, questions[0]?.authResponseHeaders],
        [false, ['Remote-User', 'Remote-Role']],
      );
    }
  });

  it('says of an upgrade that it is one, and of nothing else', () => {
    for (const { rule, middlewares = [] } of Object.values(http.routers)) {
      const addresses = middlewares
        .map((name) => http.middlewares[name]?.forwardAuth?.address)
        .filter((address) => address !== undefined);
      const asked = `http://postern:8971/auth?upgrade=${rule.includes('websocket') ? 'websocket' : 'no'}`;
      for (const address of addresses) assert.equal(address, asked);
    }
  });
});
