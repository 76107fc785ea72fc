/** Houses for the vectors, one for each kind of setup, all in front of one recording NVR. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FakeNvr, startFakeNvr } from '../../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, type Person, VERA } from '../../support/people.ts';
import { type ConfigTree, type Runtime, startInstance } from '../../support/start-instance.ts';
import { makeToken } from './make-token.ts';
import type { Vector, VectorSetup } from './vector.ts';

export interface Street {
  readonly nvr: FakeNvr;
  houseFor(setup: VectorSetup): Promise<Runtime>;
  close(): Promise<void>;
}

export const PROXY_SECRET = 'between-proxy-and-postern';

/** A vector's slow head is cut after this, instead of after the minute that it allows. */
const SHORT_HEADERS_SECONDS = 0.4;
const NOBODY_LISTENS = 'http://127.0.0.1:1';

export async function openStreet(): Promise<Street> {
  const nvr = await startFakeNvr();
  const houses = new Map<string, Promise<Runtime>>();
  return {
    nvr,
    houseFor(setup) {
      const config = configOf(setup, nvr.url);
      const key = JSON.stringify(config);
      const house = houses.get(key) ?? settled(startInstance({ config }));
      houses.set(key, house);
      return house;
    },
    async close() {
      const started = await Promise.allSettled(houses.values());
      for (const house of started) if (house.status === 'fulfilled') await house.value.close();
      await nvr.close();
    },
  };
}

/** A token from a moment ago is older than its user, and refused for that alone, while the house is new. */
export async function settled(starting: Promise<Runtime>): Promise<Runtime> {
  const house = await starting;
  house.clock.advance(3600);
  return house;
}

function configOf(setup: VectorSetup, nvrUrl: string): ConfigTree {
  const { upstream, limiter = null, trusted_proxies = [], mode, proxy, holdOpenMs } = setup;
  const url = upstream === 'refused' ? NOBODY_LISTENS : nvrUrl;
  const timeout_response = upstream === 'hang' ? 0.3 : 60;
  return {
    auth: { enabled: mode === 'builtin', failed_login_rate_limit: limiter, trusted_proxies },
    ...(holdOpenMs === undefined ? {} : { server: { timeout_headers: SHORT_HEADERS_SECONDS } }),
    ...(proxy === undefined ? {} : { proxy: withSecret(proxy) }),
    nvr: { url, cameras: ['cam1', 'cam2'], timeout_response },
    events: { source: 'nvr' },
  };
}

const withSecret = (proxy: object): ConfigTree =>
  JSON.parse(JSON.stringify(proxy).replaceAll('{{SECRET}}', PROXY_SECRET));

const PEOPLE: Readonly<Record<string, Person>> = { VIEWER: VERA, ADMIN: ADMIN_PERSON, CAM1: CARL };

/** The bytes with their placeholders filled in; `{{I}}` stays for whoever repeats. Every login is a fresh one. */
export async function rawOf(vector: Vector, house: Runtime): Promise<string> {
  let raw = vector.raw.replaceAll('{{SECRET}}', PROXY_SECRET);
  for (const [name, person] of Object.entries(PEOPLE)) {
    if (raw.includes(`{{${name}}}`)) raw = raw.replaceAll(`{{${name}}}`, await house.logIn(person));
  }
  const now = Math.floor(house.clock.now() / 1000);
  for (const [name, recipe] of Object.entries(vector.setup.jwt ?? {})) {
    raw = raw.replaceAll(`{{${name}}}`, makeToken(recipe, signingKeyOf(house), now));
  }
  return raw;
}

/** The house made the secret itself: hex digits, which stand for the bytes. */
export const signingKeyOf = ({ directory }: Runtime): Buffer =>
  Buffer.from(readFileSync(join(directory, '.jwt_secret'), 'utf8').trim(), 'hex');
