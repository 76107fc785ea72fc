/** An instance in front of a fake NVR with two cameras, for all tests of a file. */
import { after } from 'node:test';
import { type FakeNvr, startFakeNvr } from './fake-nvr.ts';
import { type Runtime, startInstance } from './start-instance.ts';

export async function instanceInFront(): Promise<{ readonly instance: Runtime; readonly nvr: FakeNvr }> {
  const nvr = await startFakeNvr();
  const instance = await startInstance({ config: { nvr: { url: nvr.url, cameras: ['cam1', 'cam2'] } } });
  after(async () => {
    await instance.close();
    await nvr.close();
  });
  return { instance, nvr };
}
