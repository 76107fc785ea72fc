/** The Caddyfiles of deploy/compose, run by the real Caddy in front of a Postern that has the environment of the same file. */
import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { ask } from '../sso/support/ask.ts';
import { type StartedProxy, skipWithout, startCaddy } from '../sso/support/proxies.ts';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { type Serving, servePostern } from '../support/run-postern.ts';
import { freePorts } from '../support/servers/free-port.ts';
import { readCompose } from './support/compose.ts';
import { GIVEN } from './support/given.ts';

type Line = readonly [name: string, value: string];

const GROUPS: Readonly<Record<string, string>> = { alice: 'staff,nvr-admins', bob: 'nvr', carol: 'staff' };
const FORGED: readonly Line[] = [
  ['Remote-User', 'root'],
  ['Remote-Groups', 'nvr-admins'],
  ['X-Forwarded-Preferred-Username', 'root'],
  ['X-Forwarded-Groups', 'nvr-admins'],
];

interface Street {
  readonly nvr: FakeNvr;
  readonly proxy: StartedProxy;
  close(): Promise<void>;
}

/** `asked` stands in for the service of that name and port in the file. */
async function street(file: string, asked: string, standIn: (postern: string) => RequestListener): Promise<Street> {
  const { services, configs } = readCompose(file, GIVEN);
  const nvr = await startFakeNvr();
  const env = Object.entries(services['postern']?.environment ?? {}).map(([name, value]) => [
    name,
    value.replaceAll(/172\.30\.9\.\d/g, '127.0.0.1').replace('http://frigate:5000', nvr.url),
  ]);
  const serving: Serving = await servePostern({ env: Object.fromEntries(env) });
  const server = createServer(standIn(serving.url));
  const [port = 0, standInPort = 0] = await freePorts(2);
  await new Promise<void>((resolve) => server.listen(standInPort, '127.0.0.1', resolve));
  const caddyfile = (configs?.['caddyfile']?.content ?? '')
    .replace('nvr.example.com {', `http://nvr.test:${port}, http://127.0.0.1:${port} {`)
    .replace('auth.example.com {', `http://auth.test:${port} {`)
    .replaceAll(asked, `127.0.0.1:${standInPort}`)
    .replace('postern:8971', new URL(serving.url).host);
  const proxy = await startCaddy(caddyfile, port);
  return {
    nvr,
    proxy,
    async close() {
      await proxy.close();
      await new Promise<void>((resolve) => void server.close(() => resolve()).closeAllConnections());
      await serving.end();
      await nvr.close();
    },
  };
}

const signedIn = (cookie = ''): string | undefined => /(?:^|; )signed-in=(\w+)/.exec(cookie)?.[1];

/** Authelia, as far as Caddy sees it. */
const authelia = (): RequestListener => (request, response) => {
  const user = signedIn(request.headers.cookie);
  if (user) response.writeHead(200, { 'Remote-User': user, 'Remote-Groups': GROUPS[user] ?? '' }).end();
  else response.writeHead(302, { location: 'https://auth.example.com/?rd=here' }).end();
};

/** oauth2-proxy with the settings of the file: it forwards, and sets its headers where the client has signed in. */
const oauth2Proxy =
  (postern: string): RequestListener =>
  async (request, response) => {
    const user = signedIn(request.headers.cookie);
    if (!user) return void response.writeHead(302, { location: 'https://id.example.com/authorize' }).end();
    const headers: Line[] = [
      ['X-Forwarded-Preferred-Username', user],
      ['X-Forwarded-Groups', GROUPS[user] ?? ''],
    ];
    const answer = await ask(Number(new URL(postern).port), { path: request.url ?? '/', headers });
    response.writeHead(answer.status).end();
  };

const FILES = [
  { file: 'frigate-authelia.yml', asked: 'authelia:9091', standIn: authelia },
  { file: 'frigate-oauth2-proxy.yml', asked: 'oauth2-proxy:4180', standIn: oauth2Proxy },
];

for (const { file, asked, standIn } of FILES) {
  describe(`deploy/compose/${file}, with the real Caddy`, { skip: skipWithout('caddy') }, () => {
    let it_: Street;
    before(async () => {
      it_ = await street(file, asked, standIn);
    });
    after(() => it_?.close());

    /** What the NVR was told, or the status of the refusal. */
    const told = async (headers: readonly Line[]): Promise<string | number> => {
      it_.nvr.received.length = 0;
      const { status } = await ask(it_.proxy.port, { path: '/api/version', headers });
      const { nvr } = it_;
      return nvr.received.length === 0
        ? status
        : `${nvr.lastHeader('remote-user')} as ${nvr.lastHeader('remote-role')}`;
    };
    const cookie = (user: string): Line => ['Cookie', `signed-in=${user}`];

    it('sends an unknown caller to the login', async () => assert.equal(await told(FORGED), 302));
    it('makes an admin of one in nvr-admins', async () =>
      assert.equal(await told([cookie('alice')]), 'alice as admin'));
    it('makes a viewer of one in nvr', async () => assert.equal(await told([cookie('bob')]), 'bob as viewer'));
    it('believes nothing that a client writes', async () =>
      assert.equal(await told([cookie('bob'), ...FORGED]), 'bob as viewer'));
    it('refuses one who is in no group that is named', async () => assert.equal(await told([cookie('carol')]), 403));
  });
}
