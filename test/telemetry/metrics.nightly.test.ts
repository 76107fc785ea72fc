/** Each metric, driven once: it moves by exactly what happened (SPEC 9). */
import './rows/faults.ts';
import './rows/invitations.ts';
import './rows/ledger.ts';
import './rows/logins.ts';
import './rows/screens.ts';
import './rows/nvr.ts';
import './rows/oidc.ts';
import './rows/proxy-keys.ts';
import './rows/links.ts';
import './rows/requests.ts';
import './rows/streams.ts';
import './rows/tokens.ts';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { WebSocket } from 'ws';
import type { Settings } from '../../src/config/schema/schema.ts';
import { oidcMetrics } from '../../src/features/oidc/metrics.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { createScrape } from '../../src/telemetry/scrape.ts';
import { movableClock } from '../support/clock.ts';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, VERA } from '../support/people.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';
import { moves, undriven, value } from './support/driven.ts';
import { seriesIn } from './support/exposition.ts';

let nvr: FakeNvr;
let instance: Runtime;
let vera: string;
let carl: string;
let admin: string;

before(async () => {
  nvr = await startFakeNvr();
  instance = await startInstance({
    config: {
      nvr: { url: nvr.url, cameras: ['cam1', 'cam2'] },
      auth: {
        trusted_proxies: ['127.0.0.1/32'],
        failed_login_rate_limit: '3/minute',
        hash_iterations: 1000,
        roles: { front_only: ['cam1'] },
      },
    },
  });
  [vera, carl, admin] = [await instance.logIn(VERA), await instance.logIn(CARL), await instance.logIn(ADMIN_PERSON)];
});
after(async () => {
  await instance.close();
  await nvr.close();
});

const json = { 'Content-Type': 'application/json' };
const logIn = (at: Runtime, password: string, headers: Record<string, string> = {}) =>
  at.ask('/api/login', {
    method: 'POST',
    headers: { ...json, ...headers },
    body: JSON.stringify({ user: 'vera', password }),
  });
const from = (address: string) => ({ 'X-Forwarded-For': address });
const cookie = (token: string) => ({ cookie: `frigate_token=${token}` });

describe('A request', () => {
  it('is counted by kind of route, method and class of its status', () =>
    moves(
      instance,
      ['requests_total', 'request_duration_seconds_count'],
      () => instance.ask('/api/version', { token: vera }),
      {
        'requests_total{route_class="api",method="GET",code_class="2xx"}': 1,
        'request_duration_seconds_count{route_class="api",code_class="2xx"}': 1,
      },
    ));

  it('without a known method is another one', () =>
    moves(instance, ['requests_total'], () => instance.ask('/api/version', { method: 'PROPFIND' }), {
      'requests_total{route_class="api",method="other",code_class="4xx"}': 1,
    }));

  it('is decided upon, by what the caller shows', () =>
    moves(
      instance,
      ['decisions_total', 'decision_duration_seconds_count'],
      async () => {
        await instance.ask('/api/version', { token: vera });
        await instance.ask('/api/version', { headers: cookie(vera) });
        await instance.ask('/api/version');
        await fetch(`${instance.internalUrl}/api/version`);
      },
      {
        'decisions_total{mode="bearer",result="allow"}': 1,
        'decisions_total{mode="session",result="allow"}': 1,
        'decisions_total{mode="none",result="unauthenticated"}': 1,
        'decisions_total{mode="network",result="allow"}': 1,
        'decision_duration_seconds_count{mode="bearer"}': 1,
        'decision_duration_seconds_count{mode="session"}': 1,
        'decision_duration_seconds_count{mode="none"}': 1,
        'decision_duration_seconds_count{mode="network"}': 1,
      },
    ));

  it('for a camera of others is counted with its name', () =>
    moves(
      instance,
      ['decisions_total', 'camera_denied_total'],
      () => instance.ask('/api/cam2/latest.jpg', { token: carl }),
      {
        'decisions_total{mode="bearer",result="forbidden_camera"}': 1,
        'camera_denied_total{camera="cam2",role="front_only"}': 1,
      },
    ));

  it('tells how the address was found', () =>
    moves(
      instance,
      ['client_address_total'],
      async () => {
        await instance.ask('/api/version');
        await instance.ask('/api/version', { headers: from('192.0.2.1') });
        await instance.ask('/api/version', { headers: from('nonsense') });
      },
      {
        'client_address_total{source="direct"}': 1,
        'client_address_total{source="forwarded"}': 1,
        'client_address_total{source="malformed"}': 1,
      },
    ));

  it('relays bytes both ways', () =>
    moves(
      instance,
      ['bytes_total'],
      async () => {
        const answer = await instance.ask('/api/restart', { method: 'POST', token: admin, body: 'x'.repeat(100) });
        assert.equal((await answer.text()).length, '{"method":"POST","target":"/api/restart","bodyBytes":100}'.length);
      },
      {
        'bytes_total{direction="in",route_class="api"}': 100,
        'bytes_total{direction="out",route_class="api"}': '{"method":"POST","target":"/api/restart","bodyBytes":100}'
          .length,
      },
    ));

  it("with identity headers that are not the client's to send is counted by header", () =>
    moves(
      instance,
      ['stripped_headers_total'],
      () => instance.ask('/api/version', { token: vera, headers: { 'Remote-User': 'admin', 'Remote-Nonsense': 'x' } }),
      { 'stripped_headers_total{header="remote-user"}': 1, 'stripped_headers_total{header="other"}': 1 },
    ));

  it('of an admin at a path that the route table does not have', () =>
    moves(instance, ['unknown_routes_total'], () => instance.ask('/api/brand/new/thing', { token: admin }), {
      unknown_routes_total: 1,
    }));
});

describe('A login', () => {
  it('that succeeds is counted', () =>
    moves(instance, ['logins_total'], () => logIn(instance, VERA.password), { 'logins_total{result="success"}': 1 }));

  it('that fails too often is refused by a clause', () =>
    moves(
      instance,
      ['logins_total', 'rate_limit_hits_total'],
      async () => {
        for (let attempt = 0; attempt < 5; attempt += 1) await logIn(instance, 'not the password', from('192.0.2.77'));
      },
      {
        'logins_total{result="bad_credentials"}': 3,
        'logins_total{result="rate_limited"}': 2,
        'rate_limit_hits_total{scope="ip",clause="0"}': 2,
      },
    ));

  it('that fails at a private address is a sign that trusted_proxies is not set', () =>
    moves(instance, ['failures_from_trusted_proxy_total'], () => logIn(instance, 'not the password'), {
      failures_from_trusted_proxy_total: 1,
    }));

  it('waits for its turn', async () => {
    const slow = await startInstance({ config: { auth: { hash_iterations: 400_000 } } });
    try {
      const logins = Array.from({ length: 8 }, () => logIn(slow, 'not the password'));
      let waiting = 0;
      while (waiting === 0) waiting = (await value(slow, 'password_hash_queue')) ?? 0;
      assert.ok(waiting <= 7, `${waiting} wait`);
      await Promise.all(logins);
      assert.equal(await value(slow, 'password_hash_queue'), 0);
    } finally {
      await slow.close();
    }
  });
});

describe('A token', () => {
  const OTHER_HEAD = Buffer.from('{"alg":"HS256","kid":"x"}').toString('base64url');
  it('is refused, by why', () =>
    moves(
      instance,
      ['tokens_rejected_total'],
      async () => {
        await instance.ask('/api/version', { token: `${OTHER_HEAD}.${vera.split('.').slice(1).join('.')}` });
        await instance.ask('/api/version', { token: `${vera.slice(0, -4)}AAAA` });
        await instance.ask('/api/version', { token: `pst_${'0'.repeat(16)}_${'a'.repeat(64)}` });
      },
      {
        'tokens_rejected_total{reason="malformed"}': 1,
        'tokens_rejected_total{reason="signature"}': 1,
        'tokens_rejected_total{reason="unknown"}': 1,
      },
    ));
});

describe('Accounts', () => {
  it('are active while they are seen', async () => {
    const before = await value(instance, 'active_sessions{role="viewer"}');
    await instance.ask('/api/version', { token: await instance.logIn(VERA) });
    assert.equal(await value(instance, 'active_sessions{role="viewer"}'), (before ?? 0) + 1);
  });
});

describe('The NVR', () => {
  it('answers', () =>
    moves(
      instance,
      ['upstream_requests_total', 'upstream_duration_seconds_count'],
      () => instance.ask('/api/version', { token: vera }),
      {
        'upstream_requests_total{code_class="2xx"}': 1,
        'upstream_duration_seconds_count{route_class="api"}': 1,
      },
    ));

  it('breaks off in the middle of an answer', () =>
    moves(
      instance,
      ['upstream_errors_total', 'upstream_requests_total'],
      async () => {
        nvr.rawAnswer = { bytes: 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ncut' };
        await assert.rejects(instance.ask('/api/version', { token: vera }).then((answer) => answer.text()));
        nvr.rawAnswer = undefined;
      },
      { 'upstream_errors_total{reason="reset"}': 1, 'upstream_requests_total{code_class="2xx"}': 1 },
    ));

  it('talks nonsense', () =>
    moves(
      instance,
      ['upstream_errors_total', 'upstream_requests_total'],
      async () => {
        nvr.rawAnswer = { bytes: 'SSH-2.0-OpenSSH\r\n\r\n' };
        assert.equal((await instance.ask('/api/version', { token: vera })).status, 502);
        nvr.rawAnswer = undefined;
      },
      { 'upstream_errors_total{reason="bad_answer"}': 1, 'upstream_requests_total{code_class="none"}': 1 },
    ));

  it('is left waiting by a client that goes away', () =>
    moves(
      instance,
      ['upstream_errors_total', 'upstream_requests_total', 'requests_total'],
      async () => {
        const { answer } = nvr;
        const arrived = Promise.withResolvers<void>();
        nvr.answer = () => arrived.resolve();
        const leaving = new AbortController();
        const asked = instance.ask('/api/version', { token: vera, signal: leaving.signal });
        await arrived.promise;
        leaving.abort();
        await assert.rejects(asked);
        nvr.answer = answer;
      },
      {
        'upstream_errors_total{reason="aborted_by_client"}': 1,
        'upstream_requests_total{code_class="none"}': 1,
        'requests_total{route_class="api",method="GET",code_class="aborted"}': 1,
      },
    ));

  it('is up when it answers, and down when nothing listens', async () => {
    let up: number | undefined;
    for (let attempt = 0; attempt < 100 && up === undefined; attempt += 1) up = await value(instance, 'upstream_up');
    const gone = await startInstance({ config: { nvr: { url: 'http://127.0.0.1:9', cameras: ['cam1'] } } });
    try {
      let down: number | undefined;
      for (let attempt = 0; attempt < 100 && down === undefined; attempt += 1) down = await value(gone, 'upstream_up');
      assert.deepEqual([up, down], [1, 0]);
      const token = await gone.logIn(VERA);
      await moves(gone, ['upstream_errors_total'], () => gone.ask('/api/version', { token }), {
        'upstream_errors_total{reason="refused"}': 1,
      });
    } finally {
      await gone.close();
    }
  });
});

describe('A stream', () => {
  const socketAt = (path: string) =>
    new WebSocket(`${instance.url.replace('http', 'ws')}${path}`, { headers: { authorization: `Bearer ${vera}` } });

  it('that is a WebSocket is open until the client goes', () =>
    moves(
      instance,
      ['streams_open', 'streams_closed_total', 'requests_total', 'bytes_total'],
      async () => {
        const socket = socketAt('/live/jsmpeg/cam1');
        await once(socket, 'open');
        assert.equal(await value(instance, 'streams_open{kind="ws"}'), 1);
        socket.terminate();
      },
      {
        'streams_closed_total{kind="ws",reason="client"}': 1,
        'requests_total{route_class="ws",method="GET",code_class="1xx"}': 1,
        'bytes_total{direction="out",route_class="ws"}': HANDSHAKE_BYTES,
      },
    ));

  it('has its bytes counted while it is open', async () => {
    const socket = socketAt('/live/jsmpeg/cam1');
    await once(socket, 'open');
    await moves(
      instance,
      ['bytes_total'],
      async () => {
        socket.send('x'.repeat(50));
        await once(socket, 'message');
      },
      // RFC 6455 5.2: two bytes of head, and four of mask towards the server.
      { 'bytes_total{direction="in",route_class="ws"}': 56, 'bytes_total{direction="out",route_class="ws"}': 52 },
    );
    await moves(instance, ['streams_open'], async () => socket.terminate(), { 'streams_open{kind="ws"}': -1 });
  });

  it('may be ended by the NVR', () =>
    moves(
      instance,
      ['streams_closed_total'],
      async () => {
        nvr.answerUpgrade = (_request, socket) => {
          socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
          socket.destroy();
        };
        const socket = socketAt('/live/jsmpeg/cam1');
        await once(socket, 'error');
        nvr.answerUpgrade = undefined;
      },
      { 'streams_closed_total{kind="ws",reason="backend"}': 1 },
    ));

  it("of pictures has no end but the client's", () =>
    moves(
      instance,
      ['streams_closed_total', 'request_duration_seconds_count', 'upstream_errors_total'],
      async () => {
        const { answer } = nvr;
        nvr.answer = (_request, response) => {
          response.writeHead(200, { 'content-type': 'multipart/x-mixed-replace; boundary=frame' });
          response.write('--frame\r\n');
        };
        const asked = request(`${instance.url}/api/cam1`, { headers: { authorization: `Bearer ${vera}` } }).end();
        const [pictures] = (await once(asked, 'response')) as [IncomingMessage];
        await once(pictures, 'data');
        assert.equal(await value(instance, 'streams_open{kind="mjpeg"}'), 1);
        pictures.destroy();
        nvr.answer = answer;
      },
      { 'streams_closed_total{kind="mjpeg",reason="client"}': 1 },
    ));

  it("ends when its user's rights end", () =>
    moves(
      instance,
      ['streams_closed_total'],
      async () => {
        const socket = socketAt('/live/jsmpeg/cam1');
        await once(socket, 'open');
        const body = JSON.stringify({ password: VERA.password });
        await instance.ask('/api/users/vera/password', { method: 'PUT', token: admin, headers: json, body });
        await once(socket, 'close');
        vera = await instance.logIn(VERA);
      },
      { 'streams_closed_total{kind="ws",reason="revoked"}': 1 },
    ));
});

/** What the fake NVR answers to an upgrade, as the gate passes it on; the request was counted with its head. */
const HANDSHAKE_BYTES =
  'HTTP/1.1 101 Switching Protocols\r\nsec-websocket-accept: 0123456789012345678901234567\r\ncache-control: private\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n'
    .length;

describe('A proxy in front', () => {
  let proxied: Runtime;
  before(async () => {
    proxied = await startInstance({
      config: {
        nvr: { url: nvr.url, cameras: ['cam1'] },
        auth: { enabled: false, hash_iterations: 1000, roles: { front_only: ['cam1'] } },
        proxy: {
          auth_secret: 'correct-horse-battery-staple',
          trusted_peers: ['127.0.0.1/32'],
          header_map: { user: 'Remote-User', role: 'Remote-Groups' },
          role_map: { admin: ['bosses'], front_only: ['neighbours'] },
          default_role: 'none',
        },
      },
    });
  });
  after(() => proxied.close());

  const secret = { 'X-Proxy-Secret': 'correct-horse-battery-staple' };
  const asked = (headers: Record<string, string>) => proxied.ask('/api/version', { headers });

  it('shows its secret, or does not', () =>
    moves(
      proxied,
      ['proxy_secret_total'],
      async () => {
        await asked({ ...secret, 'Remote-User': 'ann', 'Remote-Groups': 'bosses' });
        await asked({ 'X-Proxy-Secret': 'wrong', 'Remote-User': 'ann', 'Remote-Groups': 'bosses' });
        await asked({ 'Remote-User': 'ann', 'Remote-Groups': 'bosses' });
      },
      {
        'proxy_secret_total{result="ok"}': 1,
        'proxy_secret_total{result="mismatch"}': 1,
        'proxy_secret_total{result="missing"}': 1,
      },
    ));

  it('gives its users their roles, or none', () =>
    moves(
      proxied,
      ['proxy_role_total', 'decisions_total', 'stripped_headers_total'],
      async () => {
        await asked({ ...secret, 'Remote-User': 'ann', 'Remote-Groups': 'neighbours' });
        await asked({ ...secret, 'Remote-User': 'bob', 'Remote-Groups': 'strangers' });
      },
      {
        'proxy_role_total{source="map",role="front_only"}': 1,
        'proxy_role_total{source="denied",role="other"}': 1,
        'decisions_total{mode="proxy",result="allow"}': 1,
        'decisions_total{mode="none",result="forbidden_role"}': 1,
      },
    ));

  it('that is not a trusted one is not believed', async () => {
    const distrustful = await startInstance({
      config: {
        nvr: { url: nvr.url, cameras: ['cam1'] },
        auth: { enabled: false, hash_iterations: 1000 },
        proxy: { trusted_peers: ['192.0.2.1/32'], header_map: { user: 'Remote-User' } },
      },
    });
    try {
      await moves(
        distrustful,
        ['untrusted_identity_headers_total', 'stripped_headers_total', 'client_address_total'],
        () => distrustful.ask('/api/version', { headers: { 'Remote-User': 'ann', ...from('192.0.2.9') } }),
        {
          untrusted_identity_headers_total: 1,
          'stripped_headers_total{header="remote-user"}': 1,
          'client_address_total{source="untrusted_header"}': 1,
        },
      );
    } finally {
      await distrustful.close();
    }
  });
});

describe('The instance', () => {
  it('tells which build it is', async () =>
    assert.equal(await value(instance, `build_info{version="0.0.0-test",node="${process.version}"}`), 1));

  it('tells of which source it was built, where that is known', async () => {
    const built = await startInstance({ people: [], env: { POSTERN_REVISION: '9b6c400' } });
    try {
      const labels = `version="0.0.0-test",revision="9b6c400",node="${process.version}"`;
      assert.equal(await value(built, `build_info{${labels}}`), 1);
    } finally {
      await built.close();
    }
  });

  it('tells that its configuration is in use', async () =>
    assert.equal(await value(instance, 'config_last_reload_successful'), 1));

  it('tells when its certificate ends', async () => {
    const start = Date.UTC(2030, 0, 1);
    const encrypted = await startInstance({
      config: { tls: { enabled: true } },
      people: [],
      clock: movableClock(start),
    });
    try {
      const ends = (await value(encrypted, 'tls_certificate_expiry_timestamp_seconds')) ?? 0;
      assert.equal(Math.round((ends - start / 1000) / 86_400), 825);
    } finally {
      await encrypted.close();
    }
  });

  it('tells of its events backend', async () => {
    const store = await startInstance({ config: { events: { sample: 10 }, nvr: { cameras: ['cam1'] } } });
    try {
      const token = await store.logIn(VERA);
      assert.equal(await value(store, 'events_up'), undefined, 'none runs before the first question');
      assert.equal((await store.ask('/api/events', { token })).status, 200);
      assert.equal(await value(store, 'events_up'), 1);
    } finally {
      await store.close();
    }
  });

  it('tells that its events backend had to be started again', { timeout: 300_000 }, async () => {
    const threads: Worker[] = [];
    const note = (thread: Worker): void => void threads.push(thread);
    process.on('worker', note);
    const store = await startInstance({ config: { nvr: { cameras: ['cam1'] } } });
    const events = await store.ask('/api/events?limit=1', { token: await store.logIn(ADMIN_PERSON) });
    assert.equal(events.status, 200, 'it has started');
    process.off('worker', note);
    try {
      await moves(
        store,
        ['events_up', 'events_restarts_total'],
        async () => {
          assert.equal(await value(store, 'events_up'), 1);
          await threads.at(-1)?.terminate();
          assert.equal(await value(store, 'events_up'), 0);
          while ((await value(store, 'events_up')) !== 1);
        },
        { events_restarts_total: 1 },
      );
    } finally {
      await store.close();
    }
  });

  it('does not wait for a slow source', async () => {
    const metrics = createMetrics({ version: '1', node: '24', roles: [], identityHeaders: [] });
    const looks = [
      () => new Promise(() => {}),
      () => Promise.reject(new Error('the store is gone')),
      async () => metrics.hashQueue.set(3),
    ];
    const scrape = createScrape(Object.values(metrics), looks, async () => () => new Promise(() => {}));
    const told = seriesIn(await scrape());
    assert.deepEqual([told.get('postern_password_hash_queue'), told.get('postern_unknown_routes_total')], [3, 0]);
  });

  it('goes on without what cannot be loaded, and tries again', async () => {
    let attempts = 0;
    const scrape = createScrape([], [], async () => {
      attempts += 1;
      if (attempts === 1) throw new Error('too many open files');
      return async () => 'loaded 1\n';
    });
    assert.deepEqual([await scrape(), await scrape(), await scrape()], ['', 'loaded 1\n', 'loaded 1\n']);
    assert.equal(attempts, 2);
  });

  it('has no series that no test drives: each value of each label has moved, by exactly what happened', () => {
    const roles = ['front_only'];
    const metrics = createMetrics({
      version: '1',
      node: '24',
      roles,
      identityHeaders: ['remote-user'],
    });
    const ofProviders = oidcMetrics({ auth: { oidc: [{ name: 'home' }] } } as unknown as Settings);
    const told = [...Object.values(metrics), ...Object.values(ofProviders)];
    assert.deepEqual(undriven(told.filter(({ name }) => name !== 'postern_build_info')), []);
  });
});
