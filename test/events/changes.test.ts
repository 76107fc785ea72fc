/** The stream of changes: pages are told of new events of their own cameras, as long as their rights last (SPEC 4.2, 5, 7). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createChangeWatch, type Newest } from '../../src/events/changes-route.ts';
import { openStore, type Store } from '../../src/store/open-store.ts';
import { ADMIN_PERSON, CARL, type Person, VERA } from '../support/people.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';
import { until } from '../support/until.ts';
import { event } from './support/event.ts';

const PATH = '/api/events/changes';
const DAY = 86_400;

interface Followed {
  readonly status: number;
  readonly type: string | null;
  /** Ids of the newest event, as they were told. */
  readonly told: (string | null)[];
  /** Resolves when the stream is over, in whatever way. */
  readonly ended: Promise<void>;
  leave(): void;
}

let instance: Runtime;
let store: Store;
let isClosed = false;
const followed: Followed[] = [];
before(async () => {
  instance = await startInstance({
    config: {
      nvr: { cameras: ['cam1', 'cam2'] },
      server: { shutdown_grace: 600 },
      auth: {
        session_length: 3600,
        refresh_time: 1800,
        roles: {
          front_only: ['cam1'],
          late: { cameras: ['cam1'], history_since: '1d' },
          blind: { cameras: ['cam1'], deny: ['history'] },
        },
      },
    },
    people: [
      ADMIN_PERSON,
      VERA,
      CARL,
      { ...CARL, name: 'lara', role: 'late' },
      { ...CARL, name: 'bert', role: 'blind' },
    ],
  });
  store = await openStore({ url: `sqlite:${instance.directory}/postern.db` });
  const now = Math.floor(instance.clock.now() / 1000);
  await store.writeEvents([
    event({ id: 'old', camera: 'cam1', start_time: now - 2 * DAY, zones: ['drive'] }),
    event({ id: 'back', camera: 'cam2', start_time: now - 2 * DAY + 1, zones: ['yard'] }),
  ]);
});
after(async () => {
  for (const { leave } of followed) leave();
  await store?.close();
  if (!isClosed) await instance?.close();
});

async function follow(token: string | undefined, query = ''): Promise<Followed> {
  const controller = new AbortController();
  const { signal } = controller;
  const answer = await instance.ask(PATH + query, { ...(token && { token }), signal });
  const told: (string | null)[] = [];
  const read = async (): Promise<void> => {
    let text = '';
    try {
      for await (const chunk of answer.body ?? []) {
        text += Buffer.from(chunk).toString();
        told.splice(
          0,
          told.length,
          ...[...text.matchAll(/event: newest\ndata: (.*)\n\n/g)].map(([, data = '']) => JSON.parse(data).id),
        );
      }
    } catch {
      // Cut.
    }
  };
  const stream = {
    status: answer.status,
    type: answer.headers.get('content-type'),
    told,
    ended: read(),
    leave: () => controller.abort(),
  };
  followed.push(stream);
  return stream;
}
const followAs = async (person: Person): Promise<Followed> => follow(await instance.logIn(person));
const hasTold = ({ told }: Followed, ids: readonly (string | null)[]): Promise<void> =>
  until(`${ids} are told, and not ${told}`, () => told.join() === ids.join());
const write = (id: string, camera: string, more = {}): Promise<void> =>
  store.writeEvents([event({ id, camera, start_time: Math.floor(instance.clock.now() / 1000), ...more })]);

describe('The stream of changes', () => {
  it('tells each caller of events of the own cameras alone: not even when there was another one', async () => {
    const [admin, carl] = [await followAs(ADMIN_PERSON), await followAs(CARL)];
    const cookie = `frigate_token=${await instance.logIn(VERA)}`;
    const some = await instance.ask(`${PATH}?cameras=cam2`, { method: 'HEAD', headers: { cookie } });
    assert.deepEqual([some.status, carl.status, carl.type], [200, 200, 'text/event-stream']);
    await Promise.all([hasTold(admin, ['back']), hasTold(carl, ['old'])]);
    await write('b1', 'cam2');
    await hasTold(admin, ['back', 'b1']); // the look was made, and carl's stream heard nothing of it
    await write('a1', 'cam1', { end_time: null });
    await hasTold(carl, ['old', 'a1']);
    await write('a1', 'cam1');
    await hasTold(carl, ['old', 'a1', 'a1']); // it is over now
    for (const { leave } of [admin, carl]) leave();
  });

  it('is refused without a session, for a foreign camera, and to a role that sees no recordings', async () => {
    const [carl, bert] = [await instance.logIn(CARL), await instance.logIn({ ...CARL, name: 'bert' })];
    const statuses: number[] = [];
    for (const [query, token] of [
      ['', undefined],
      ['?cameras=cam2', carl],
      ['?camera=cam1&camera=cam2', carl],
      ['', bert],
    ] as const)
      statuses.push((await follow(token, query)).status);
    assert.deepEqual(statuses, [401, 403, 400, 403]);
  });

  it('tells nothing that is older than the role may see', async () => {
    const lara = await followAs({ ...CARL, name: 'lara' });
    await hasTold(lara, ['a1']);
    lara.leave();
  });

  it('ends with the session, and when the role changes', async () => {
    const admin = await instance.logIn(ADMIN_PERSON);
    const [vera, carl] = [await instance.logIn(VERA), await followAs(CARL)];
    const out = await follow(vera);
    assert.equal((await instance.ask('/api/logout', { method: 'POST', token: vera })).status, 303);
    await out.ended;
    const change = { method: 'PUT', token: admin, headers: { 'Content-Type': 'application/json' } };
    const changed = await instance.ask('/api/users/carl/role', { ...change, body: JSON.stringify({ role: 'late' }) });
    assert.equal(changed.status, 200);
    await carl.ended;
    await instance.ask('/api/users/carl/role', { ...change, body: JSON.stringify({ role: 'front_only' }) });
  });

  it('renews no session when a page asks by itself, and neither does any other request that says so', async () => {
    const token = await instance.logIn(VERA);
    instance.clock.advance(3000);
    const headers = { cookie: `frigate_token=${token}` };
    const renewed: boolean[] = [];
    for (const automatic of [{}, { 'x-postern-automatic': '1' }])
      for (const path of ['/api/profile', '/api/events?limit=1', '/api/zones']) {
        const answer = await instance.ask(path, { headers: { ...headers, ...automatic } });
        assert.equal(answer.status, 200, path);
        renewed.push(answer.headers.has('set-cookie'));
      }
    assert.deepEqual(renewed, [true, true, true, false, false, false]);
    const controller = new AbortController();
    const stream = await instance.ask(PATH, {
      headers: { ...headers, 'x-postern-automatic': '1' },
      signal: controller.signal,
    });
    assert.deepEqual([stream.status, stream.headers.get('set-cookie')], [200, null]);
    controller.abort();
  });
});

describe('Zones to choose from', () => {
  const zonesFor = async (person: Person, query = '') => {
    const answer = await instance.ask(`/api/zones${query}`, { token: await instance.logIn(person) });
    return answer.status === 200 ? answer.json() : answer.status;
  };
  it('are those of the cameras that the caller sees', async () => {
    assert.deepEqual(await zonesFor(ADMIN_PERSON), ['drive', 'yard']);
    assert.deepEqual(await zonesFor(VERA, '?cameras=cam2'), ['yard']);
    assert.deepEqual([await zonesFor(CARL), await zonesFor(CARL, '?cameras=cam2')], [['drive'], 403]);
    assert.deepEqual(await zonesFor({ ...CARL, name: 'lara' }), [], 'the events with zones are too old for this role');
  });
});

describe('A stream that is open when the service stops', () => {
  it('ends at once, whatever server.shutdown_grace is', async () => {
    const vera = await followAs(VERA);
    const closing = instance.close();
    isClosed = true;
    await Promise.all([vera.ended, closing]);
  });
});

describe('Looks at the newest events', () => {
  const streamOf = (key: string, newest: () => Promise<Newest>, owner = 'one') => {
    const seen: string[] = [];
    return {
      seen,
      stream: {
        owner,
        look: async () => ({ key, newest }),
        tell: ({ text }: Newest) => void seen.push(text),
        beat() {},
        end: () => void seen.push('end'),
      },
    };
  };

  it('are shared by the streams that see the same, and made only after a write', async () => {
    let [writes, looks] = [1, 0];
    const watch = createChangeWatch(
      async () => writes,
      () => {},
      1,
    );
    const newest = async () => ({ id: 'x', text: `${++looks}` });
    const [one, other] = [streamOf('same', newest), streamOf('same', newest)];
    await watch.add(one.stream);
    await watch.add(other.stream);
    await until('both were told by one look', () => one.seen.at(-1) === other.seen.at(-1) && looks === 3);
    writes += 1;
    await until('both are told again', () => one.seen.at(-1) === '4' && other.seen.at(-1) === '4');
    watch.close();
    assert.deepEqual([one.seen.at(-1), other.seen.at(-1), looks], ['end', 'end', 4]);
  });

  it('end every stream when they fail, and the oldest of an owner who has too many', async () => {
    const faults: unknown[] = [];
    let isBroken = false;
    const newest = async () => {
      if (isBroken) throw new Error('gone');
      return { id: undefined, text: '0' };
    };
    const watch = createChangeWatch(
      async () => null,
      (fault) => faults.push(fault),
      1,
    );
    const streams = Array.from({ length: 42 }, () => streamOf('same', newest));
    for (const { stream } of streams) await watch.add(stream);
    assert.deepEqual(streams.map(({ seen }) => seen.includes('end')).indexOf(false), 2);
    isBroken = true;
    await until('all are over', () => streams.every(({ seen }) => seen.includes('end')));
    assert.equal(faults.length, 1);
  });
});
