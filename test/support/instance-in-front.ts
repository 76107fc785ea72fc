/** A house in front of a fake NVR with two cameras, for all tests of a file. */
import { after } from 'node:test';
import { type FakeNvr, startFakeNvr } from './fake-nvr.ts';
import { type Runtime, startInstance } from './start-instance.ts';

export async function houseInFront(): Promise<{ readonly house: Runtime; readonly nvr: FakeNvr }> {
  const nvr = await startFakeNvr();
  const house = await startInstance({ config: { nvr: { url: nvr.url, cameras: ['cam1', 'cam2'] } } });
  after(async () => {
    await house.close();
    await nvr.close();
  });
  return { house, nvr };
}
