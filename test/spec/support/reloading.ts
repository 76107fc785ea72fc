/** An instance behind which an NVR stands, whose configuration is written and read again while it runs. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { WebSocket } from 'ws';
import type { FakeNvr } from '../../support/fake-nvr.ts';
import { TEST_ITERATIONS } from '../../support/people.ts';
import { type ConfigTree, type InstanceOptions, type Runtime, startInstance } from '../../support/start-instance.ts';

/** The section of the test's configuration, with changes. */
export const auth = (changes: object = {}): object => ({
  hash_iterations: TEST_ITERATIONS,
  roles: { front_only: ['cam1'] },
  ...changes,
});

const standard = (nvr: FakeNvr): ConfigTree => ({ nvr: { url: nvr.url, cameras: ['cam1', 'cam2'] }, auth: auth() });

export async function startedInstance(
  t: TestContext,
  nvr: FakeNvr,
  config: ConfigTree = {},
  options: InstanceOptions = {},
): Promise<Runtime> {
  const instance = await startInstance({ ...options, config: { ...standard(nvr), ...config } });
  t.after(instance.close);
  return instance;
}

/** It must be taken. */
export async function reload(instance: Runtime, nvr: FakeNvr, config: ConfigTree = {}): Promise<void> {
  const { isTaken } = await instance.reload({ ...standard(nvr), ...config });
  assert.equal(isTaken, true);
}

export interface Watched {
  /** The code that it was closed with. */
  readonly closed: Promise<number>;
  isOpen(): boolean;
  /** What comes back of a word that is sent. */
  echo(word: string): Promise<string>;
}

/** A camera's live picture, by WebSocket. */
export async function watchCamera(url: string, camera: string, headers: Record<string, string>): Promise<Watched> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/live/jsmpeg/${camera}`, { headers });
  await once(socket, 'open');
  return {
    closed: once(socket, 'close').then(([code]) => code as number),
    isOpen: () => socket.readyState === WebSocket.OPEN,
    async echo(word) {
      const answer = once(socket, 'message');
      socket.send(word);
      return String((await answer)[0]);
    },
  };
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Messages of that level, in order. */
export const said = ({ log }: Runtime, level: string): string[] =>
  log.filter((line) => line['level'] === level).map(({ msg }) => String(msg));
