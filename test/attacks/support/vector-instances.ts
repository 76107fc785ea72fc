/** Instances for the attack vectors: one for each setup, all in front of one recording NVR. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FakeNvr, startFakeNvr } from '../../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, type Person, VERA } from '../../support/people.ts';
import { type ConfigTree, type Runtime, startInstance } from '../../support/start-instance.ts';
import { makeToken } from './make-token.ts';
import type { Vector, VectorSetup } from './vector.ts';

export interface VectorInstances {
  readonly nvr: FakeNvr;
  instanceFor(setup: VectorSetup): Promise<Runtime>;
  close(): Promise<void>;
}

export const PROXY_SECRET = 'between-proxy-and-postern';

/** A vector's slow head is cut after this, instead of after the minute that it allows. */
const SHORT_HEADERS_SECONDS = 0.4;
const NO_SERVER = 'http://127.0.0.1:1';

export async function startVectorInstances(): Promise<VectorInstances> {
  const nvr = await startFakeNvr();
  const instances = new Map<string, Promise<Runtime>>();
  return {
    nvr,
    instanceFor(setup) {
      const config = configOf(setup, nvr.url);
      const timeouts = setup.holdOpenMs === undefined ? undefined : { head: SHORT_HEADERS_SECONDS };
      const key = JSON.stringify([config, timeouts]);
      const instance = instances.get(key) ?? settled(startInstance({ config, timeouts }));
      instances.set(key, instance);
      return instance;
    },
    async close() {
      const started = await Promise.allSettled(instances.values());
      for (const instance of started) if (instance.status === 'fulfilled') await instance.value.close();
      await nvr.close();
    },
  };
}

/** A token from a moment ago is older than its user, and refused for that alone, while the instance is new. */
export async function settled(starting: Promise<Runtime>): Promise<Runtime> {
  const instance = await starting;
  instance.clock.advance(3600);
  return instance;
}

function configOf(setup: VectorSetup, nvrUrl: string): ConfigTree {
  const { upstream, limiter = null, trusted_proxies = [], mode, proxy } = setup;
  const url = upstream === 'refused' ? NO_SERVER : nvrUrl;
  const timeout_response = upstream === 'hang' ? 0.3 : 60;
  return {
    auth: { enabled: mode === 'builtin', failed_login_rate_limit: limiter, trusted_proxies },
    ...(proxy === undefined ? {} : { proxy: withSecret(proxy) }),
    nvr: { url, cameras: ['cam1', 'cam2'], timeout_response },
    events: { source: 'nvr' },
  };
}

const withSecret = (proxy: object): ConfigTree =>
  JSON.parse(JSON.stringify(proxy).replaceAll('{{SECRET}}', PROXY_SECRET));

const PEOPLE: Readonly<Record<string, Person>> = { VIEWER: VERA, ADMIN: ADMIN_PERSON, CAM1: CARL };

/** The bytes with their placeholders filled in; `{{I}}` stays for the caller that repeats. Every login is a fresh one. */
export async function rawOf(vector: Vector, instance: Runtime): Promise<string> {
  let raw = vector.raw.replaceAll('{{SECRET}}', PROXY_SECRET);
  for (const [name, person] of Object.entries(PEOPLE)) {
    if (raw.includes(`{{${name}}}`)) raw = raw.replaceAll(`{{${name}}}`, await instance.logIn(person));
  }
  const now = Math.floor(instance.clock.now() / 1000);
  for (const [name, recipe] of Object.entries(vector.setup.jwt ?? {})) {
    raw = raw.replaceAll(`{{${name}}}`, makeToken(recipe, signingKeyOf(instance), now));
  }
  return raw;
}

/** The instance generated the secret: hex digits, which stand for the bytes. */
export const signingKeyOf = ({ directory }: Runtime): Buffer =>
  Buffer.from(readFileSync(join(directory, '.jwt_secret'), 'utf8').trim(), 'hex');
