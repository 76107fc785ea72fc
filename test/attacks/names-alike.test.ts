/** Cameras whose names begin alike: the NVR finds pictures by the beginning of a name, and a role of `front` gets none of `front-door` by that. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, type Person, VERA } from '../support/people.ts';
import { sendJson } from '../support/second-factor.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

const FRONT: Person = { name: 'fred', role: 'front', password: 'FredPassw0rd!!!' };
const BOTH: Person = { name: 'bea', role: 'both', password: 'BeaPassw0rd!!!!' };
const GATE: Person = { name: 'gail', role: 'gate', password: 'GailPassw0rd!!!' };

/** `front2` begins with `front` too, but no file of it with `preview_front-`; `gate_left` is foreign to `gate`. */
const CAMERAS = ['front', 'front-door', 'front2', 'gate', 'gate_left', 'yard'];
const HOUR = 3600;

describe('A role of a camera whose name is the beginning of another one', () => {
  let nvr: FakeNvr;
  let at: Runtime;
  let isOffline = false;
  const tokens = new Map<Person, string>();
  const now = (): number => Math.floor(at.clock.now() / 1000);
  const things: Record<string, { camera: string; start_time?: number; date?: number }> = {};

  before(async () => {
    nvr = await startFakeNvr();
    nvr.answer = (request, response) => {
      const [path = ''] = (request.url ?? '').split('?');
      const id =
        request.method === 'POST'
          ? undefined
          : /^\/api\/(?:events|review|exports)\/(?<id>[^/]+)$/.exec(path)?.groups?.['id'];
      const json = (status: number, body: unknown): void =>
        void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      request.resume().once('end', () => {
        if (path === '/api/config')
          return json(200, { cameras: Object.fromEntries(CAMERAS.map((name) => [name, {}])) });
        if (id !== undefined) return things[id] ? json(200, { id, ...things[id] }) : json(404, {});
        if (path.includes('/latest.')) {
          const offline = isOffline ? { 'X-Frigate-Offline': 'true' } : {};
          return void response
            .writeHead(200, { 'content-type': 'image/jpeg', etag: '"1"', ...offline })
            .end(isOffline ? 'picture of the front-door' : 'picture');
        }
        json(202, { success: true });
      });
    };
    at = await startInstance({
      config: {
        nvr: { url: nvr.url },
        auth: { roles: { front: ['front'], both: ['front', 'front-door'], gate: ['gate', 'yard'] } },
      },
      people: [ADMIN_PERSON, VERA, FRONT, BOTH, GATE],
    });
    for (const person of [ADMIN_PERSON, VERA, FRONT, BOTH, GATE]) tokens.set(person, await at.logIn(person));
    for (const [camera, id] of [
      ['front', 'f'],
      ['yard', 'y'],
    ] as const) {
      things[`${now()}.5-${id}now`] = { camera, start_time: now() - 60 };
      things[`${now() - 2 * HOUR}.5-${id}old`] = { camera, start_time: now() - 2 * HOUR };
      things[`${camera}_abc123`] = { camera, date: now() - 90 * HOUR };
    }
    things['1.5-untold'] = { camera: 'front' };
  });
  after(async () => {
    await at.close();
    await nvr.close();
  });
  beforeEach(() => {
    nvr.received.length = 0;
    isOffline = false;
  });

  const ask = async (person: Person, path: string, body?: object): Promise<{ status: number; text: string }> => {
    const token = tokens.get(person) ?? '';
    const answer = await (body === undefined ? at.ask(path, { token }) : sendJson(at, path, body, token));
    return { status: answer.status, text: await answer.text() };
  };
  const arrived = (): string[] =>
    nvr.received
      .filter(({ method, target }) => method === 'POST' || /\.(?:gif|webp|jpg)|preview/.test(target))
      .map(({ target }) => target);
  const refused = async (person: Person, path: string, body?: object): Promise<void> => {
    const { status, text } = await ask(person, path, body);
    assert.equal(status, 403, `${person.name} ${path} ${JSON.stringify(body)}: ${text}`);
    assert.match(text, /beginning of the camera/);
    assert.deepEqual(arrived(), []);
  };
  const passed = async (person: Person, path: string, body?: object): Promise<void> => {
    const { status, text } = await ask(person, path, body);
    assert.ok(status < 300, `${person.name} ${path} ${JSON.stringify(body)}: ${status} ${text}`);
  };
  const exportOf = (camera: string, start: number | string): string =>
    `/api/export/${camera}/start/${start}/end/${now()}`;

  it('exports no previews of it, whenever they began', async () => {
    for (const start of [now(), now() - 2 * HOUR, 1]) {
      await refused(FRONT, exportOf('front', start), { source: 'preview' });
      await refused(GATE, exportOf('gate', start), { source: 'preview' });
      for (const person of [BOTH, VERA, ADMIN_PERSON])
        await passed(person, exportOf('front', start), { source: 'preview' });
      await passed(GATE, exportOf('yard', start), { source: 'preview' });
      nvr.received.length = 0;
    }
  });

  it('exports no recording that began in the current hour, for its thumbnail is such a frame', async () => {
    for (const start of [now(), now() - 59 * 60, now() + HOUR, `${now()}.25`, 'inf', '1e10', '9_999_999_999']) {
      await refused(FRONT, exportOf('front', start), { source: 'recordings' });
      await refused(FRONT, exportOf('front', start), {});
    }
    await passed(FRONT, exportOf('front', now() - 2 * HOUR), { source: 'recordings', name: 'x' });
    await passed(FRONT, exportOf('front', now() - 2 * HOUR), {});
    await passed(BOTH, exportOf('front', now()), {});
    await passed(GATE, exportOf('yard', now()), {});
  });

  it('exports no batch with such an item', async () => {
    const item = (camera: string, start: unknown) => ({ camera, start_time: start, end_time: now() + 1 });
    const [recent, old] = [now() - 60, now() - 2 * HOUR];
    await refused(GATE, '/api/exports/batch', { items: [item('yard', old), item('gate', recent)] });
    await refused(FRONT, '/api/exports/batch', { items: [item('front', recent)] });
    await passed(GATE, '/api/exports/batch', { items: [item('yard', recent), item('gate', old)] });
    await passed(BOTH, '/api/exports/batch', { items: [item('front', recent)] });
  });

  it('sees no thumbnail of an export, which may have been made so', async () => {
    for (const extension of ['webp', 'jpg']) {
      await refused(FRONT, `/clips/export/front_abc123.${extension}`);
      await passed(BOTH, `/clips/export/front_abc123.${extension}`);
      await passed(GATE, `/clips/export/yard_abc123.${extension}`);
      nvr.received.length = 0;
    }
  });

  it('sees no preview of an event or a review of the current hour', async () => {
    const [young, old] = [`${now()}.5-fnow`, `${now() - 2 * HOUR}.5-fold`];
    for (const path of [(id: string) => `/api/events/${id}/preview.gif`, (id: string) => `/api/review/${id}/preview`]) {
      await refused(FRONT, path(young));
      await refused(FRONT, path('1.5-untold'));
      await passed(FRONT, path(old));
      await passed(BOTH, path(young));
      await passed(GATE, path(`${now()}.5-ynow`));
      nvr.received.length = 0;
    }
  });

  it('sees no picture of an offline camera, and the latest one while it is there', async () => {
    for (const extension of ['jpg', 'webp', 'png']) {
      isOffline = true;
      for (const [person, camera] of [
        [FRONT, 'front'],
        [GATE, 'gate'],
      ] as const) {
        const { status, text } = await ask(person, `/api/${camera}/latest.${extension}?height=200`);
        assert.equal(status, 403);
        assert.ok(!text.includes('picture of'), text);
      }
      for (const person of [BOTH, VERA]) await passed(person, `/api/front/latest.${extension}`);
      await passed(GATE, `/api/yard/latest.${extension}`);
      isOffline = false;
      assert.deepEqual(await ask(FRONT, `/api/front/latest.${extension}`), { status: 200, text: 'picture' });
    }
  });

  it('does not see it by a link either', async () => {
    for (const what of [{ snapshot: { camera: 'front' } }, { live: { camera: 'front' } }]) {
      const made = await sendJson(at, '/api/links', { what }, tokens.get(VERA) ?? '');
      const { url } = (await made.json()) as { url: string };
      isOffline = true;
      const hidden = await at.ask(`${url}/snapshot.jpg`);
      assert.ok(!(await hidden.text()).includes('picture of'));
      assert.ok(hidden.status >= 400);
      isOffline = false;
      assert.equal(await (await at.ask(`${url}/snapshot.jpg`)).text(), 'picture');
    }
  });

  it('is told of no cached picture', async () => {
    const token = tokens.get(FRONT) ?? '';
    const answer = await at.ask('/api/front/latest.jpg', {
      token,
      headers: { 'if-none-match': '"1"', range: 'bytes=0-1' },
    });
    assert.equal(answer.status, 200);
    const sent = nvr.received.find(({ target }) => target.includes('/latest.'))?.headers.map(([name]) => name) ?? [];
    assert.ok(!sent.includes('if-none-match') && !sent.includes('range'));
  });
});
