/** Nginx Proxy Manager's "Cache Assets" ignores `Cache-Control` and `Set-Cookie`, and keeps what ends in `.jpg` for everybody (SPEC 1, 6). */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, VERA } from '../support/people.ts';
import { freePort } from '../support/servers/free-port.ts';
import { type ConfigTree, type Runtime, startInstance } from '../support/start-instance.ts';
import { type Answered, ask } from './support/ask.ts';
import { type StartedProxy, skipWithout, startNginx } from './support/proxies.ts';

type Line = readonly [name: string, value: string];

/** Its lines, as far as they are about the cache; `http` and `head` are of a login. */
const site = (port: number, postern: string, { http = '', head = '' } = {}): string => `${http}
proxy_cache_path cache levels=1:2 keys_zone=public-cache:1m max_size=16m;
server {
  listen 127.0.0.1:${port};
  set $forward_scheme http;
  location ~* ^.*\\.(css|js|jpe?g|gif|png|webp|woff|woff2|eot|ttf|svg|ico|css\\.map|js\\.map)$ {
    if_modified_since off;
    proxy_cache public-cache;
    proxy_cache_key $host$request_uri;
    proxy_ignore_headers Set-Cookie Cache-Control Expires X-Accel-Expires;
    proxy_cache_valid any 30m;
    proxy_cache_valid 404 1m;
    proxy_hide_header Last-Modified;
    proxy_hide_header Cache-Control;
    proxy_hide_header Vary;
    proxy_cache_bypass 0;
    proxy_no_cache 0;
    proxy_cache_use_stale error timeout updating http_500 http_502 http_503 http_504 http_404;
    expires @30m;
    add_header X-Cache $upstream_cache_status;
    proxy_set_header Host $http_host;${head}
    proxy_pass http://${postern};
  }
  location / { proxy_set_header Host $http_host;${head} proxy_pass http://${postern}; }
}
`;

const PICTURE = '/api/cam2/latest.jpg';
const nvrAnswer = (nvr: FakeNvr): void => {
  nvr.answer = (request, response, { headers }) => {
    const user = headers.find(([name]) => name === 'remote-user')?.[1] ?? 'nobody';
    response.writeHead(200, { 'content-type': 'image/jpeg', 'cache-control': 'public, max-age=600' });
    response.end(request.url?.startsWith('/assets/') ? 'asset' : `picture for ${user}`);
  };
};

describe("Nginx Proxy Manager's cache", { skip: skipWithout('nginx') }, () => {
  let nvr: FakeNvr;
  let instance: Runtime;
  let proxy: StartedProxy;
  after(() => nvr?.close());
  before(async () => {
    nvr = await startFakeNvr();
    nvrAnswer(nvr);
  });

  const start = async (config: ConfigTree, login?: { readonly http: string; readonly head: string }): Promise<void> => {
    instance = await startInstance({ config: { nvr: { url: nvr.url, cameras: ['cam1', 'cam2'] }, ...config } });
    const port = await freePort();
    proxy = await startNginx(site(port, `127.0.0.1:${instance.port}`, login), port);
  };
  const stop = async (): Promise<void> => {
    await proxy?.close();
    await instance?.close();
  };
  const get = (path: string, headers: readonly Line[]): Promise<Answered> => ask(proxy.port, { path, headers });
  const cookiesOf = ({ headers }: Answered): readonly string[] => headers['set-cookie'] ?? [];

  describe('with accounts of its own', () => {
    const cookies = new Map<string, Line>();
    before(() => start({ auth: { session_length: 3600, refresh_time: 1800, roles: { front_only: ['cam1'] } } }));
    after(stop);
    beforeEach(async () => {
      for (const person of [ADMIN_PERSON, VERA, CARL])
        cookies.set(person.name, ['Cookie', `frigate_token=${await instance.logIn(person)}`]);
    });
    const as = (name: string): Line[] => [cookies.get(name) ?? assert.fail(name)];

    it('gives the picture of one person to no other, nor to a stranger, whoever asks first', async () => {
      const outcome = async (who: Line[], path: string): Promise<readonly unknown[]> => {
        const { status, text } = await get(path, who);
        return [status, ...(status === 200 ? [text] : [])];
      };
      const people: [Line[], unknown[]][] = [
        [as('vera'), [200, 'picture for vera']],
        [as('admin'), [200, 'picture for admin']],
        [as('carl'), [403]],
        [[], [401]],
        [
          [['Authorization', (as('admin')[0] ?? [])[1]?.replace('frigate_token=', 'Bearer ') ?? '']],
          [200, 'picture for admin'],
        ],
      ];
      for (const [round, first] of people.entries()) {
        const path = `${PICTURE}?round=${round}`;
        const order = [first, ...people.filter((one) => one !== first), first];
        for (const [who, expected] of order) assert.deepEqual(await outcome(who, path), expected, path);
      }
    });

    it('keeps pictures for their own person, and what is public for everybody', async () => {
      const before = nvr.received.length;
      for (const who of [as('vera'), as('vera'), as('admin'), [], as('vera')]) await get(`${PICTURE}?kept`, who);
      for (const who of [as('vera'), [], as('admin')]) assert.equal((await get('/assets/x.js', who)).text, 'asset');
      const asked = nvr.received.slice(before).map(({ target }) => target);
      assert.deepEqual(asked, [`${PICTURE}?kept`, `${PICTURE}?kept`, '/assets/x.js']);
    });

    it('is given no session with a picture, and a list renews it', async () => {
      const vera = as('vera');
      instance.clock.advance(3000);
      for (const path of [PICTURE, '/api/events/1.2-x/snapshot.jpg', '/assets/y.js', '/postern/x.css'])
        assert.deepEqual(cookiesOf(await get(path, vera)), [], path);
      assert.equal(cookiesOf(await get('/api/version', [...vera, ['Sec-Fetch-Dest', 'image']])).length, 0);
      assert.equal(cookiesOf(await get('/api/cam1', vera)).length, 0, 'a stream');
      assert.equal(cookiesOf(await get('/api/version', [...vera, ['Sec-Fetch-Dest', 'empty']])).length, 1);
    });
  });

  describe('in proxy mode', () => {
    const config = {
      auth: { enabled: false },
      proxy: {
        header_map: { user: 'X-Forwarded-User', role: 'X-Forwarded-Groups' },
        trusted_peers: ['127.0.0.1'],
        default_role: 'none',
      },
    };
    const outcome = async (who: readonly Line[], path: string): Promise<readonly unknown[]> => {
      const { status, text } = await get(path, who);
      return [status, status === 200 ? text : ''];
    };
    const inTurn = async (people: readonly (readonly [Line[], readonly unknown[]])[]): Promise<void> => {
      for (const [round, first] of people.entries())
        for (const [who, expected] of [first, ...people])
          assert.deepEqual(await outcome(who, `${PICTURE}?round=${round}`), expected);
    };
    afterEach(stop);

    it('behind the login gives the picture of one person to no other', async () => {
      await start(config);
      const by = (user: string): Line[] => [
        ['X-Forwarded-User', user],
        ['X-Forwarded-Groups', 'viewer'],
      ];
      await inTurn([
        [by('vera'), [200, 'picture for vera']],
        [by('otto'), [200, 'picture for otto']],
        [[], [401, '']],
        [
          [
            ['X-Forwarded-User', 'otto'],
            ['X-Forwarded-Groups', 'none'],
          ],
          [403, ''],
        ],
      ]);
    });

    it('that is the login itself, which knows browsers by their cookie, neither', async () => {
      const http = 'map $http_cookie $user { "sso=v" vera; "sso=o" otto; default ""; }';
      const head = 'proxy_set_header X-Forwarded-User $user; proxy_set_header X-Forwarded-Groups viewer;';
      await start(config, { http, head });
      await inTurn([
        [[['Cookie', 'sso=v']], [200, 'picture for vera']],
        [[['Cookie', 'sso=o']], [200, 'picture for otto']],
        [[], [401, '']],
      ]);
    });
  });
});
