/** The pages over real HTTP: what is served, with which headers, and that nothing else is (SPEC 8). */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import Koa from 'koa';
import { postLink } from '../../src/features/links/link-page.ts';
import { type BoundRoute, bound } from '../../src/routes/own-route.ts';
import { readBuiltPages } from '../../src/ui/built-pages.ts';
import { postInvitation } from '../../src/ui/invitation-page.ts';
import { leadToConsole, PAGE_ROUTES } from '../../src/ui/serve-ui.ts';
import type { UiOptions } from '../../src/ui/ui-options.ts';
import { serveRoutes } from '../support/serve-routes.ts';
import { CONSOLE_PAGE, LOGIN_PAGE, makeBuiltSample, SCRIPT } from './support/built-sample.ts';
import { rawRequest } from './support/raw-request.ts';

const sample = makeBuiltSample();
const servers: Server[] = [];

type SampleOptions = Partial<UiOptions> & { readonly basePathOf?: (ctx: Koa.Context) => string };

async function serveUi({ basePathOf = () => '', ...options }: SampleOptions = {}): Promise<number> {
  const app = new Koa();
  app.use((ctx, next) => {
    ctx.state['basePath'] = basePathOf(ctx);
    return next();
  });
  const pages = readBuiltPages(sample.distDirectory);
  const served: UiOptions = {
    providers: [],
    onLoginPage: async () => [],
    hasPasswords: true,
    pages,
    name: 'Postern',
    loginPage: 'postern',
    hasNvr: true,
    startPageOf: () => '/',
    still: '/api/{camera}/latest.jpg',
    live: null,
    eventsBy: 'backend',
    hasOwnLogin: true,
    shortestPassword: 15,
    passkeyOrigin: 'https://nvr.example.com',
    hasOtherNvrs: false,
    frameAncestors: "'self'",
    timeZone: undefined,
    // No form comes as far as its services here.
    accounts: { firstTimeLogin: { isAwaited: () => false } } as never,
    invitations: undefined as never,
    bodySeconds: () => 1,
    ...options,
  };
  const start: BoundRoute = { route: 'GET /', access: 'public', handler: (ctx) => leadToConsole(ctx, served) };
  app.use(
    serveRoutes([
      ...bound(PAGE_ROUTES, served),
      ...(options.hasNvr === false ? [start] : []),
      { route: 'POST /invitation/{token}', access: 'public', handler: (ctx) => postInvitation(ctx, served) },
      {
        route: 'POST /s/{secret}',
        access: 'public',
        handler: (ctx) => postLink(ctx, { ui: served, bodySeconds: () => 1 } as never),
      },
    ]),
  );
  const server = createServer(app.callback());
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

after(() => {
  for (const server of servers) server.close();
  sample.remove();
});

const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
  "media-src 'self' blob:; connect-src 'self'; " +
  "font-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'";

const fromRoot = (html: string): string => html.replace('"./', '"/postern/');

describe('The pages', () => {
  let port = 0;
  before(async () => {
    port = await serveUi();
  });

  const pages: [sentence: string, path: string, html: string][] = [
    ['serve the login page', '/login', LOGIN_PAGE],
    ['serve the login page whatever the query', '/login?next=/postern/', LOGIN_PAGE],
    ['serve the console', '/postern/', CONSOLE_PAGE],
    ['serve the console for a path of its own router', '/postern/settings/users/some.one', CONSOLE_PAGE],
  ];
  for (const [sentence, path, html] of pages) {
    it(sentence, async () => {
      const { status, headers, body } = await rawRequest(port, path);
      assert.equal(status, 200);
      assert.equal(body.toString(), fromRoot(html));
      assert.equal(headers['content-type'], 'text/html; charset=utf-8');
      assert.equal(headers['content-security-policy'], CSP);
      assert.equal(headers['cache-control'], 'no-cache');
      assert.equal(headers.vary, 'Accept-Language, Cookie');
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers['referrer-policy'], 'same-origin');
    });
  }

  it('answer HEAD as GET, without the body', async () => {
    const get = await rawRequest(port, '/postern/');
    const head = await rawRequest(port, '/postern/', { method: 'HEAD' });
    assert.deepEqual({ ...head.headers, date: '' }, { ...get.headers, date: '' });
    assert.deepEqual([head.status, head.body.length], [200, 0]);
  });

  it('leave every other method to the next middleware', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      assert.equal((await rawRequest(port, '/postern/', { method })).status, 404, method);
    }
  });

  it('move /postern to /postern/ and keep the query', async () => {
    const { status, headers } = await rawRequest(port, '/postern?camera=front');
    assert.deepEqual([status, headers.location], [301, '/postern/?camera=front']);
  });

  it('lead to the login, and back, who opens the console without a session; scripts get it as it is', async () => {
    const nvrLogin = await serveUi({ loginPage: 'nvr', basePathOf: () => '/nvr' });
    const proxied = await serveUi({ hasOwnLogin: false });
    const opened = (at: number, headers: Record<string, string> = { accept: 'text/html,*/*' }) =>
      rawRequest(at, '/postern/settings/users?x=1', { headers });
    const { status, headers } = await opened(port);
    const next = encodeURIComponent('/postern/settings/users?x=1');
    assert.deepEqual([status, headers.location, headers['cache-control']], [302, `/login?next=${next}`, 'no-store']);
    const there = await opened(nvrLogin, { 'sec-fetch-mode': 'navigate' });
    const back = encodeURIComponent('/nvr/postern/settings/users?x=1');
    assert.equal(there.headers.location, `/nvr/postern/login?next=${back}`);
    assert.deepEqual([(await opened(port, {})).status, (await opened(proxied)).status], [200, 200]);
  });

  it('leave / to the NVR when there is one', async () => {
    assert.equal((await rawRequest(port, '/')).status, 404);
  });

  it('move / to the console when there is no NVR', async () => {
    const { status, headers } = await rawRequest(await serveUi({ hasNvr: false }), '/');
    assert.deepEqual([status, headers.location], [302, '/postern/']);
  });

  it('leave /login to the NVR when ui.login is nvr', async () => {
    assert.equal((await rawRequest(await serveUi({ loginPage: 'nvr' }), '/login')).status, 404);
  });

  it('have the login page for the console elsewhere then', async () => {
    const { status, body } = await rawRequest(await serveUi({ loginPage: 'nvr' }), '/postern/login');
    assert.deepEqual([status, body.toString()], [200, fromRoot(LOGIN_PAGE)]);
  });

  it('name their assets and the console below the base path of the request', async () => {
    const prefixed = await serveUi({ hasNvr: false, basePathOf: (ctx) => ctx.get('X-Ingress-Path') });
    const headers = { 'X-Ingress-Path': '/nvr' };
    const page = await rawRequest(prefixed, '/login', { headers });
    assert.equal(page.body.toString(), LOGIN_PAGE.replace('"./', '"/nvr/postern/'));
    assert.equal((await rawRequest(prefixed, '/', { headers })).headers.location, '/nvr/postern/');
    assert.equal((await rawRequest(prefixed, '/postern', { headers })).headers.location, '/nvr/postern/');
  });

  it('name with the console what its script asks for first: the profile, the texts of the language, and the page', async () => {
    const prefixed = await serveUi({ basePathOf: () => '/nvr' });
    const named = async (language: string, page = 'explore') => {
      const given = { headers: { 'Accept-Language': language } };
      const { headers } = await rawRequest(prefixed, `/postern/${page}`, given);
      return String(headers['link']).split(', ');
    };
    const profile = '</nvr/api/profile>; rel=preload; as=fetch; crossorigin';
    assert.deepEqual(await named('en'), [profile]);
    const texts = '</nvr/postern/assets/fr-3d4e.js>; rel=modulepreload';
    const live = '</nvr/postern/assets/live-5f6a.js>; rel=modulepreload';
    const ofLive = '</nvr/postern/assets/fr.live-7b8c.js>; rel=modulepreload';
    assert.deepEqual(await named('fr'), [profile, texts]);
    assert.deepEqual(await named('fr', ''), [profile, texts, ofLive, live]);
    assert.deepEqual(await named('en', 'live/x'), [profile, live]);
    assert.equal((await rawRequest(port, '/login')).headers['link'], undefined);
  });

  it('keep a hostile base path inside its attribute', async () => {
    const prefixed = await serveUi({ basePathOf: () => '"><script>alert(1)</script>' });
    assert.doesNotMatch((await rawRequest(prefixed, '/login')).body.toString(), /<script>/);
    const patterned = await serveUi({ basePathOf: () => '/$&' });
    const page = (await rawRequest(patterned, '/login')).body.toString();
    assert.equal(page, LOGIN_PAGE.replace('"./', '"/$$&amp;/postern/'));
  });

  it('say how to build them when they are not built', async () => {
    const unbuilt = await serveUi({ pages: readBuiltPages('/nowhere') });
    const { status, headers, body } = await rawRequest(unbuilt, '/postern/');
    assert.deepEqual([status, headers['content-type']], [503, 'text/plain; charset=utf-8']);
    assert.match(body.toString(), /npm run build/);
    assert.equal((await rawRequest(unbuilt, '/postern/assets/login-1a2b.js')).status, 404);
  });
});

describe('The manifest', () => {
  it('lets the console be installed below any base path, and tells nothing of cameras', async () => {
    const path = '/postern/manifest.webmanifest';
    for (const basePath of ['', '/nvr']) {
      const answer = await rawRequest(await serveUi({ basePathOf: () => basePath, name: 'Villa Rosa' }), path);
      assert.deepEqual(
        [answer.status, answer.headers['content-type']],
        [200, 'application/manifest+json; charset=utf-8'],
      );
      const { icons, ...manifest } = JSON.parse(String(answer.body));
      assert.deepEqual(manifest, {
        name: 'Villa Rosa',
        short_name: 'Villa Rosa',
        start_url: './',
        scope: '../',
        display: 'standalone',
        background_color: '#f4f6f8',
        theme_color: '#0f766e',
      });
      const icon = { src: 'assets/icon-192-3c4d.png', sizes: '192x192', type: 'image/png' };
      assert.deepEqual(icons, [
        { ...icon, purpose: 'any' },
        { ...icon, purpose: 'maskable' },
      ]);
    }
  });

  it('is named by its address from the root', async () => {
    const built = readBuiltPages(sample.distDirectory);
    assert.ok(built);
    const html = '<link rel="manifest" href="./manifest">';
    const port = await serveUi({ pages: { ...built, consolePage: html }, basePathOf: () => '/nvr' });
    assert.equal(
      String((await rawRequest(port, '/postern/')).body),
      '<link rel="manifest" href="/nvr/postern/manifest.webmanifest">',
    );
  });
});

describe('The blanks in a page', () => {
  const BLANKS = '<html lang="en"><p>{{title}}|{{firstWhere}}|{{noScript}}|{{facts}}|{{unknown}}|{{enteredUser}}</p>';
  const filled = async (
    page: 'loginPage' | 'consolePage',
    language: string,
    options: Partial<UiOptions> = {},
    html = BLANKS,
  ) => {
    const built = readBuiltPages(sample.distDirectory);
    assert.ok(built);
    const port = await serveUi({ pages: { ...built, [page]: html }, ...options });
    const path = page === 'loginPage' ? '/login' : '/postern/';
    return (await rawRequest(port, path, { headers: { 'Accept-Language': language } })).body.toString();
  };

  const languages: [accepted: string, tag: string, title: string][] = [
    ['de-AT,de;q=0.9,en;q=0.5', 'de', 'Anmelden'],
    ['en-GB,en;q=0.9,de;q=0.5', 'en', 'Log in'],
    ['fr-CA,fr;q=0.9,de;q=0.5', 'fr', 'Connexion'],
    ['pl', 'pl', 'Logowanie'],
    ['pt-PT,pt;q=0.9,en;q=0.5', 'pt', 'Entrar'],
    ['*,nl;q=0.5', 'nl', 'Inloggen'],
    ['es;q=0,it;q=0.2', 'it', 'Accedi'],
    ['sv,da', 'en', 'Log in'],
    ['', 'en', 'Log in'],
    ['"><script>', 'en', 'Log in'],
  ];
  for (const [accepted, tag, title] of languages) {
    it(`are filled in ${tag} for a browser that likes "${accepted}"`, async () => {
      const html = await filled('loginPage', accepted);
      assert.match(html, new RegExp(`^<html lang="${tag}"><p>${title}\\|.*<code>admin</code>.*\\|\\|\\|\\|</p>$`, 's'));
    });
  }

  it('call the service by its own name, which stays text', async () => {
    const html =
      '<html lang="en"><title>{{title}} · {{name}}</title><h1>{{name}}</h1><p title="{{facts}}">{{lead}}</p>';
    const name = 'A&<b>"$&';
    const login = await filled('loginPage', 'de', { name }, html);
    assert.match(
      login,
      /<title>Anmelden · A&amp;&lt;b&gt;&quot;\$&amp;<\/title><h1>A&amp;&lt;b&gt;&quot;\$&amp;<\/h1>/,
    );
    assert.match(login, /<p title="">Melden Sie sich bei Ihren Kameras an<\/p>/);
    const page = await filled('consolePage', 'de', { name }, html);
    assert.match(page, /<title> · A&amp;&lt;b&gt;&quot;\$&amp;<\/title>/);
    const facts = /title="([^"]*)"/
      .exec(page)?.[1]
      ?.replaceAll('&quot;', '"')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>');
    assert.equal(JSON.parse((facts ?? '').replaceAll('&amp;', '&')).name, name);
  });

  const chosen: [cookie: string, accepted: string, tag: string][] = [
    ['postern_language=de', 'en', 'de'],
    ['other=1; postern_language=en; more=2', 'de', 'en'],
    ['postern_language=sv', 'de', 'de'],
    ['postern_language=de"><script>', 'en', 'en'],
    ['not_postern_language=de', 'en', 'en'],
  ];
  for (const [cookie, accepted, tag] of chosen) {
    it(`are in ${tag} by the choice "${cookie}", in a browser that likes "${accepted}"`, async () => {
      const port = await serveUi();
      const headers = { 'Accept-Language': accepted, Cookie: cookie };
      assert.match(String((await rawRequest(port, '/login', { headers })).body), new RegExp(`<html lang="${tag}">`));
    });
  }

  const forms: [sentence: string, hasOwnLogin: boolean, html: RegExp][] = [
    ['leave the form open, and the user to be filled in', true, /^<i class="" id="user" autofocus>$/],
    [
      'close the form where others log people in',
      false,
      /^<i class="is-closed" id="user" autofocus>Login by password is turned off/,
    ],
  ];
  for (const [sentence, hasOwnLogin, html] of forms) {
    it(sentence, async () => {
      const form = '<i class="{{formState}}" id="user">{{problem}}';
      assert.match(await filled('loginPage', 'en', { hasOwnLogin }, form), html);
    });
  }

  it('tell the console about the instance, as text in an attribute', async () => {
    const html = await filled('consolePage', 'en', { hasNvr: false, hasOwnLogin: false });
    assert.match(
      html,
      /needs JavaScript.*\|\{&quot;name&quot;:&quot;Postern&quot;,&quot;hasNvr&quot;:false,&quot;still&quot;:&quot;\/api\/\{camera\}\/latest\.jpg&quot;,&quot;live&quot;:null,&quot;eventsBy&quot;:&quot;backend&quot;,&quot;hasOwnLogin&quot;:false,&quot;shortestPassword&quot;:15,&quot;passkeyOrigin&quot;:&quot;https:\/\/nvr\.example\.com&quot;,&quot;hasOtherNvrs&quot;:false,&quot;loginPath&quot;:&quot;login&quot;,&quot;providers&quot;:\[\]\}\|\|<\/p>$/,
    );
  });
});

describe('Frames', () => {
  it('are allowed where ui.frame_ancestors says, for pages and for assets', async () => {
    const port = await serveUi({ frameAncestors: "'self' https://home.example" });
    for (const path of ['/login', '/postern/', '/postern/assets/login-1a2b.js']) {
      const policy = String((await rawRequest(port, path)).headers['content-security-policy']);
      assert.ok(policy.endsWith("; frame-ancestors 'self' https://home.example"), path);
    }
  });
});

describe('An asset', () => {
  let port = 0;
  before(async () => {
    port = await serveUi();
  });

  const assets: [name: string, type: string][] = [
    ['login-1a2b.js', 'text/javascript; charset=utf-8'],
    ['style-5e6f.css', 'text/css; charset=utf-8'],
    ['icon-9c0d.svg', 'image/svg+xml'],
    ['dot-7788.png', 'image/png'],
  ];
  for (const [name, type] of assets) {
    it(`such as ${name} has its type, and may be kept for ever`, async () => {
      const { status, headers } = await rawRequest(port, `/postern/assets/${name}`);
      assert.deepEqual([status, headers['content-type']], [200, type]);
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers['content-security-policy'], CSP);
    });
  }

  const encodings: [sentence: string, accepted: string, sent: string | undefined, read: (body: Buffer) => Buffer][] = [
    ['as brotli when the client takes it', 'gzip, deflate, br', 'br', brotliDecompressSync],
    ['as gzip when it takes no brotli', 'gzip', 'gzip', gunzipSync],
    ['as it is when it takes neither', 'deflate', undefined, (body) => body],
    ['as it is when it forbids everything', '*;q=0', undefined, (body) => body],
  ];
  for (const [sentence, accepted, sent, read] of encodings) {
    it(`is sent ${sentence}`, async () => {
      const headers = { 'Accept-Encoding': accepted };
      const answer = await rawRequest(port, '/postern/assets/login-1a2b.js', { headers });
      assert.equal(answer.headers['content-encoding'], sent);
      assert.equal(read(answer.body).toString(), SCRIPT);
      assert.equal(answer.headers.vary, 'Accept-Encoding');
      assert.equal(answer.headers['content-length'], String(answer.body.length));
    });
  }

  it('is not sent again to a client that has it', async () => {
    const first = await rawRequest(port, '/postern/assets/login-1a2b.js');
    const headers = { 'If-None-Match': String(first.headers.etag) };
    const second = await rawRequest(port, '/postern/assets/login-1a2b.js', { headers });
    assert.deepEqual([second.status, second.body.length, second.headers.etag], [304, 0, first.headers.etag]);
  });

  const tricks = [
    '/postern/assets/',
    '/postern/assets/nothing.js',
    '/postern/assets/notes.txt',
    '/postern/assets/../sources.sha256',
    '/postern/assets/../../secret.txt',
    '/postern/assets/..%2f..%2fsecret.txt',
    '/postern/assets/%2e%2e/%2e%2e/secret.txt',
    '/postern/assets/..%5c..%5csecret.txt',
    '/postern/assets/..%252fsecret.txt',
    '/postern/assets/login-1a2b.js%00.css',
    '/postern/assets/login-1a2b.js/',
    '/postern/assets//login-1a2b.js',
    '/postern/assets/sub/login-1a2b.js',
    '/postern/assets/__proto__',
    '/postern/../../secret.txt',
    '/postern/..%2fsecret.txt',
    '/postern/.hidden',
    '/postern//console.html',
    '/postern/%3Cscript%3E',
  ];
  for (const path of tricks) {
    it(`is not found by ${path}`, async () => {
      const { status, body } = await rawRequest(port, path);
      assert.equal(status, 404);
      assert.doesNotMatch(body.toString(), /the-secret|console|<title>/);
    });
  }
});
