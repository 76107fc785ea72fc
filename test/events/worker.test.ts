/** The events backend as a thread of its own: told who may see what, stopped, and missed when it dies (SPEC 7). */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { CustomRoles } from '../../src/domain/camera-scope.ts';
import type { CameraName, Role } from '../../src/domain/names.ts';
import { type EventsWorker, type EventsWorkerOptions, startEventsWorker } from '../../src/events/worker.ts';
import { openStore, type Store } from '../../src/store/open-store.ts';
import { makeScratch } from '../store/support/scratch-store.ts';
import { event, FIVE } from './support/event.ts';
import { makeNvrDatabase } from './support/nvr-file.ts';
import { askAt } from './support/served-events.ts';

const scratch = makeScratch();
let store: Store;
before(async () => {
  store = await openStore({ url: scratch.url });
  await store.writeEvents(FIVE);
});
/** Also threads of a failed test: a running thread keeps the whole run waiting. */
const workers: EventsWorker[] = [];
after(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  await store.close();
  scratch.remove();
});

const guardSees = (...cameras: string[]): CustomRoles => new Map([['guard' as Role, cameras]]);
async function start(name: string, options: Partial<EventsWorkerOptions> = {}): Promise<EventsWorker> {
  const worker = await startEventsWorker({
    storeUrl: scratch.url,
    socketPath: join(scratch.directory, name),
    roles: guardSees('front'),
    cameras: null,
    queryTimeout: 10,
    onCrash: (fault) => assert.fail(fault),
    ...options,
  });
  workers.push(worker);
  return worker;
}

const idsFor = async (socket: string, role: string): Promise<string> => {
  const answer = await askAt({ socketPath: join(scratch.directory, socket) }, '/api/events', { role });
  return (answer.json() as { id: string }[]).map(({ id }) => id).join(' ');
};

describe('The events worker', () => {
  it('answers on its socket, and what was written after its start', async () => {
    const worker = await start('one.sock');
    assert.equal(await idsFor('one.sock', 'guard'), '2-b 1-a 5-e');
    await store.writeEvents([event({ id: '9-z', start_time: 1_800_000_000 })]);
    assert.equal(await idsFor('one.sock', 'guard'), '9-z 2-b 1-a 5-e');
    await store.db.deleteFrom('events').where('id', '=', '9-z').execute();
    await worker.stop();
  });

  it('judges by the roles and cameras it was last told', async () => {
    const worker = await start('two.sock');
    worker.setRoles(guardSees('back', 'garage'), ['front', 'back'] as CameraName[]);
    assert.equal(await idsFor('two.sock', 'guard'), '3-c');
    // An admin sees all that is stored, whatever cameras are listed.
    assert.equal(await idsFor('two.sock', 'admin'), '4-d 3-c 2-b 1-a 5-e');
    await worker.stop();
  });

  it('leaves no socket behind when it is stopped, and may be stopped twice', async () => {
    const worker = await start('three.sock');
    assert.equal(existsSync(join(scratch.directory, 'three.sock')), true);
    await Promise.all([worker.stop(), worker.stop()]);
    assert.equal(existsSync(join(scratch.directory, 'three.sock')), false);
  });

  it("answers from the NVR's own database when it is told to", async () => {
    const nvr = await makeNvrDatabase([JSON.stringify(event({ id: 'from-nvr' }))]);
    const worker = await start('nvr.sock', { nvrDatabase: nvr.path });
    assert.equal(await idsFor('nvr.sock', 'guard'), 'from-nvr');
    await worker.stop();
    await nvr.close();
  });

  it('rejects when the store cannot be opened', async () => {
    await assert.rejects(start('four.sock', { storeUrl: `${scratch.url}.absent` }), /cannot open the store/);
  });

  it('rejects when it cannot listen', async () => {
    await assert.rejects(start('no/such/directory.sock'), /listen/);
  });
});
