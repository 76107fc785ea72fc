/** Requests of every kind, method and outcome, each counted as what it is (SPEC 9). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { type FakeNvr, startFakeNvr } from '../../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, type Person, TEST_ITERATIONS, VERA } from '../../support/people.ts';
import { type Runtime, startInstance } from '../../support/start-instance.ts';
import { moves } from '../support/driven.ts';

let nvr: FakeNvr;
let instance: Runtime;
let vera: string;
let carl: string;
let admin: string;
before(async () => {
  nvr = await startFakeNvr();
  const auth = { hash_iterations: TEST_ITERATIONS, roles: { front_only: ['cam1'] } };
  const ui = { login: 'nvr' };
  instance = await startInstance({ config: { nvr: { url: nvr.url, cameras: ['cam1', 'cam2'] }, auth, ui } });
  [vera, carl, admin] = [await instance.logIn(VERA), await instance.logIn(CARL), await instance.logIn(ADMIN_PERSON)];
});
after(async () => {
  await instance.close();
  await nvr.close();
});

const REQUESTS = ['requests_total', 'request_duration_seconds_count'];
const REST = ['upstream_duration_seconds_count', 'bytes_total'];
const TEXT = 'x'.repeat(10);

/** What the NVR says to everything here. */
const answering = async (status: number, act: () => Promise<Response>): Promise<void> => {
  const { answer } = nvr;
  nvr.answer = (request, response) => {
    request.resume().on('end', () => response.writeHead(status, { 'content-length': '10' }).end(TEXT));
  };
  await (await act()).arrayBuffer();
  nvr.answer = answer;
};

describe('A request is counted by kind of route', () => {
  // biome-ignore format: a table
  const FORWARDED: [kind: string, path: string][] = [
    ['login',  '/login'],
    ['live',   '/live/mse/api/ws'],
    ['media',  '/vod/cam1/1.ts'],
    ['static', '/assets/index.js'],
    ['other',  '/review'],
  ];
  for (const [kind, path] of FORWARDED) {
    it(`${kind}, on its way to the NVR`, () =>
      moves(instance, [...REQUESTS, ...REST], () => answering(200, () => instance.ask(path, { token: admin })), {
        [`requests_total{route_class="${kind}",method="GET",code_class="2xx"}`]: 1,
        [`request_duration_seconds_count{route_class="${kind}",code_class="2xx"}`]: 1,
        [`upstream_duration_seconds_count{route_class="${kind}"}`]: 1,
        [`bytes_total{direction="out",route_class="${kind}"}`]: 10,
      }));
  }

  // biome-ignore format: a table
  const OWN: [kind: string, path: string, method: string, code: string, bytes: number][] = [
    ['logout',  '/logout',      'POST', '3xx', 'Redirecting to /login.'.length],
    ['auth',    '/auth',        'GET',  '2xx', 0],
    ['profile', '/api/profile', 'GET',  '2xx', '{"username":"vera","role":"viewer","allowed_cameras":["cam1","cam2"]}'.length],
  ];
  for (const [kind, path, method, code, bytes] of OWN) {
    it(`${kind}, which the NVR never sees`, async () => {
      const token = await instance.logIn(VERA);
      const out = bytes > 0 ? { [`bytes_total{direction="out",route_class="${kind}"}`]: bytes } : {};
      const body = method === 'POST' ? { body: TEXT } : {};
      const sent = method === 'POST' ? { [`bytes_total{direction="in",route_class="${kind}"}`]: 10 } : {};
      await moves(instance, [...REQUESTS, ...REST], () => instance.ask(path, { method, token, ...body }), {
        [`requests_total{route_class="${kind}",method="${method}",code_class="${code}"}`]: 1,
        [`request_duration_seconds_count{route_class="${kind}",code_class="${code}"}`]: 1,
        ...out,
        ...sent,
      });
    });
  }

  it('auth, with a request body', async () => {
    let said = '';
    await moves(
      instance,
      ['bytes_total'],
      async () => {
        said = await (await instance.ask('/auth', { method: 'POST', token: vera, body: TEXT })).text();
      },
      () => ({
        'bytes_total{direction="in",route_class="auth"}': 10,
        'bytes_total{direction="out",route_class="auth"}': said.length,
      }),
    );
  });

  it('ws, when an upgrade is refused', () =>
    moves(
      instance,
      REQUESTS,
      async () => {
        const [fault] = (await once(new WebSocket(`${instance.url.replace('http', 'ws')}/ws`), 'error')) as [Error];
        assert.equal(fault.message, 'Unexpected server response: 401');
      },
      {
        'requests_total{route_class="ws",method="GET",code_class="4xx"}': 1,
        'request_duration_seconds_count{route_class="ws",code_class="4xx"}': 1,
      },
    ));
});

describe('A request is counted by method and class of its status', () => {
  for (const method of ['HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    it(method, () =>
      moves(
        instance,
        ['requests_total'],
        () => answering(200, () => instance.ask('/api/some/thing', { method, token: admin })),
        {
          [`requests_total{route_class="api",method="${method}",code_class="2xx"}`]: 1,
        },
      ),
    );
  }

  // biome-ignore format: a table
  const STATUSES: [status: number, code: string][] = [[304, '3xx'], [404, '4xx'], [500, '5xx']];
  for (const [status, code] of STATUSES) {
    it(`an answer ${status} of the NVR`, () =>
      moves(
        instance,
        [...REQUESTS, 'upstream_requests_total'],
        () => answering(status, () => instance.ask('/api/version', { token: vera })),
        {
          [`requests_total{route_class="api",method="GET",code_class="${code}"}`]: 1,
          [`request_duration_seconds_count{route_class="api",code_class="${code}"}`]: 1,
          [`upstream_requests_total{code_class="${code}"}`]: 1,
        },
      ));
  }

  it('a client that leaves', () =>
    moves(
      instance,
      ['request_duration_seconds_count'],
      async () => {
        const { answer } = nvr;
        const arrived = Promise.withResolvers<void>();
        nvr.answer = () => arrived.resolve();
        const leaving = new AbortController();
        const asked = instance.ask('/api/version', { token: vera, signal: leaving.signal }).catch(() => {});
        await arrived.promise;
        leaving.abort();
        await asked;
        nvr.answer = answer;
      },
      { 'request_duration_seconds_count{route_class="api",code_class="aborted"}': 1 },
    ));
});

describe('A decision is counted by what it was', () => {
  // biome-ignore format: a table
  const DECIDED: [result: string, mode: string, path: string, token: () => string][] = [
    ['forbidden_role',   'bearer', '/api/config/raw',       () => vera],
    ['forbidden_route',  'bearer', '/api/brand/new',        () => vera],
    ['malformed',        'none',   '/api//version',         () => vera],
    ['forbidden_camera', 'bearer', '/api/cam2/latest.jpg',  () => carl],
  ];
  for (const [result, mode, path, token] of DECIDED) {
    it(result, () =>
      moves(instance, ['decisions_total'], () => instance.ask(path, { token: token() }), {
        [`decisions_total{mode="${mode}",result="${result}"}`]: 1,
      }),
    );
  }

  it('an error, as long as it is not known which cameras there are', async () => {
    const blind = await startInstance({ config: { nvr: { url: 'http://127.0.0.1:9' } } });
    try {
      const token = await blind.logIn(CARL);
      await moves(blind, ['decisions_total'], () => blind.ask('/api/events', { token }), {
        'decisions_total{mode="bearer",result="error"}': 1,
      });
    } finally {
      await blind.close();
    }
  });

  it('for a camera or a role that was unknown at the start, as other', async () => {
    const put = (path: string, body: object, method = 'PUT') =>
      instance.ask(path, {
        method,
        token: admin,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    await put('/api/roles/later', { cameras: ['cam1'] });
    const password = 'SomeonesPassw0rd!!!';
    await put('/api/users', { username: 'lena', password, role: 'later' }, 'POST');
    const token = await instance.logIn({ name: 'lena', role: 'later', password });
    await moves(
      instance,
      ['camera_denied_total', 'active_sessions'],
      () => instance.ask('/api/events?cameras=cellar', { token }),
      { 'camera_denied_total{camera="other",role="other"}': 1, 'active_sessions{role="other"}': 1 },
    );
  });
});

describe('People', () => {
  it('are counted by role while they are active', async () => {
    const auth = { hash_iterations: TEST_ITERATIONS, roles: { front_only: ['cam1'] } };
    const fresh = await startInstance({ people: [], config: { auth } });
    try {
      const { password = '' } = fresh.postern.newAdminPassword ?? {};
      const seen = async (person: Person): Promise<string> => {
        const token = await fresh.logIn(person);
        await moves(fresh, ['active_sessions'], () => fresh.ask('/api/profile', { token }), {
          [`active_sessions{role="${person.role}"}`]: 1,
        });
        return token;
      };
      const token = await seen({ name: 'admin', role: 'admin', password });
      for (const role of ['admin', 'front_only']) {
        const person = { name: `a_${role}`, role, password: 'AnybodysPassw0rd' };
        const body = JSON.stringify({ ...person, username: person.name });
        const headers = { 'content-type': 'application/json' };
        await fresh.ask('/api/users', { method: 'POST', token, headers, body });
        await seen(person);
      }
    } finally {
      await fresh.close();
    }
  });
});

describe('A reload', () => {
  it('is taken or rejected', async () => {
    const at = await startInstance({ people: [] });
    try {
      const reloads = ['config_last_reload_successful'];
      await moves(at, reloads, () => at.reload({ ui: { frame_ancestors: 7 } }), {
        config_last_reload_successful: -1,
      });
      await moves(at, reloads, () => at.reload({ ui: { frame_ancestors: 'none' } }), {
        config_last_reload_successful: 1,
      });
    } finally {
      await at.close();
    }
  });
});
