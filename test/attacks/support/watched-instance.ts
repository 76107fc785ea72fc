/** An instance in front of a recording NVR, and what the NVR was told. */
import { after, beforeEach } from 'node:test';
import { type FakeNvr, type Received, startFakeNvr } from '../../support/fake-nvr.ts';
import type { Person } from '../../support/people.ts';
import { type ConfigTree, type InstanceOptions, type Runtime, startInstance } from '../../support/start-instance.ts';
import { answerInForm } from './faults.ts';
import { settled } from './vector-instances.ts';

export interface WatchedInstance {
  readonly instance: Runtime;
  readonly nvr: FakeNvr;
  /** The header line of a person who has just logged in. */
  bearerOf(person: Person): Promise<string>;
  close(): Promise<void>;
}

/** One for all tests of a file, each of which begins with an NVR that has seen nothing. */
export async function watchInstance(
  config: ConfigTree = {},
  timeouts?: InstanceOptions['timeouts'],
): Promise<WatchedInstance> {
  const watched = await startWatchedInstance(config, timeouts);
  after(watched.close);
  beforeEach(() => {
    watched.nvr.received.length = 0;
  });
  return watched;
}

export async function startWatchedInstance(
  config: ConfigTree = {},
  timeouts?: InstanceOptions['timeouts'],
): Promise<WatchedInstance> {
  const nvr = await startFakeNvr();
  nvr.answer = answerInForm;
  const behind = { nvr: { url: nvr.url, cameras: ['cam1', 'cam2'] }, events: { source: 'nvr' } };
  const auth = { failed_login_rate_limit: null, roles: { front_only: ['cam1'] } };
  const instance = await settled(startInstance({ config: { ...behind, auth, ...config }, timeouts }));
  return {
    instance,
    nvr,
    bearerOf: async (person) => `Authorization: Bearer ${await instance.logIn(person)}`,
    async close() {
      await instance.close();
      await nvr.close();
    },
  };
}

const CLAIM =
  /^(?:remote|x-(?:forwarded|remote|authentik|auth-request|proxyvendor))-.*(?:user|role|group|name|email|uid)/;

/** Every header, in any spelling, by which an NVR could be told who is calling. */
export const claimsIn = ({ headers }: Received): (readonly [string, string])[] =>
  headers.filter(([name]) => CLAIM.test(name.replaceAll(/[^a-z0-9]+/g, '-')));

export const asRole = (name: string, role: string): [string, string][] => [
  ['remote-user', name],
  ['remote-role', role],
];

export const HOST = 'Host: nvr.test';
// biome-ignore format: a table
export const UPGRADE: readonly string[] = [
  'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];

export const head = (...lines: readonly (string | readonly string[])[]): string =>
  `${lines.flat().join('\r\n')}\r\n\r\n`;
