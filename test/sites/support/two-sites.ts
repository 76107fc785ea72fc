/** Two sites on one store, each a Postern with a fake NVR of its own: `house` and `barn`, which have a camera `garden` each. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FakeNvr, type Received, startFakeNvr } from '../../support/fake-nvr.ts';
import type { Person } from '../../support/people.ts';
import { type ConfigTree, type Runtime, startInstance } from '../../support/start-instance.ts';

export interface Site {
  readonly name: string;
  readonly nvr: FakeNvr;
  readonly postern: Runtime;
  /** What the NVR received since the last call. */
  received(): readonly Received[];
}

export interface SitePlan {
  readonly name: string;
  readonly cameras: readonly string[];
  readonly config?: ConfigTree;
  /** Default: those of the test instance. */
  readonly people?: readonly Person[];
  /** Default: the secret that all sites have. */
  readonly secret?: string;
  readonly directory?: string;
}

export interface SharedStore {
  readonly url: string;
  start(plan: SitePlan): Promise<Site>;
  close(): Promise<void>;
}

export const HOUSE = { name: 'house', cameras: ['garden', 'hall'] } as const;
export const BARN = { name: 'barn', cameras: ['garden', 'yard'] } as const;
/** Sees a camera of each. */
export const SAM: Person = { name: 'sam', role: 'both', password: 'TungstenPassw0rd!' };
/** Has a role of the file of one site. */
export const FINN: Person = { name: 'finn', role: 'ofFile', password: 'CobaltPassw0rd!!' };

/** `url`: a database; default: a file of its own. */
export function sharedStore(url?: string): SharedStore {
  const directory = mkdtempSync(join(tmpdir(), 'postern-sites-'));
  const address = url ?? `sqlite:${join(directory, 'shared.db')}`;
  const shared = randomBytes(48).toString('hex');
  const open: Site[] = [];
  return {
    url: address,
    async start({ name, cameras, config = {}, people, secret = shared, directory: place }) {
      const nvr = await startFakeNvr();
      nvr.answer = (request, response) => {
        const isConfig = request.url === '/api/config';
        const body = isConfig ? { cameras: Object.fromEntries(cameras.map((camera) => [camera, {}])) } : { by: name };
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      };
      const section = (key: string): object => (config[key] as object | undefined) ?? {};
      const postern = await startInstance({
        config: {
          ...config,
          store: { url: address },
          nvr: { url: nvr.url, ...section('nvr') },
          server: { site: name, ...section('server') },
          auth: { roles: {}, ...section('auth') },
        },
        env: { SERVICE_JWT_SECRET: secret },
        ...(people && { people }),
        ...(place !== undefined && { directory: place }),
      }).catch(async (fault) => {
        await nvr.close();
        throw fault;
      });
      const site: Site = { name, nvr, postern, received: () => nvr.received.splice(0) };
      open.push(site);
      return site;
    },
    async close() {
      for (const { postern, nvr } of open) {
        await postern.close();
        await nvr.close();
      }
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
