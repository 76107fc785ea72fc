/** The whole of Postern on port 0, started from a configuration file in a directory of its own, as an operator would. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Reloaded } from '../../src/app/hot-reload.ts';
import { configSchema, schemaWith } from '../../src/app/resources/features.ts';
import { type Postern, startPostern } from '../../src/app/start.ts';
import type { StartOptions } from '../../src/app/start-options.ts';
import { formatProblem } from '../../src/config/problems/problems.ts';
import { storeAddress } from '../../src/config/schema/store-schema.ts';
import { loadServiceConfig } from '../../src/config/service-config.ts';
import { unixSeconds } from '../../src/domain/clock.ts';
import { openStore } from '../../src/store/open-store.ts';
import { type MovableClock, movableClock } from './clock.ts';
import { leaveIdleConnections } from './idle-connections.ts';
import { createKnownSecrets } from './known-secrets.ts';
import { EVERYBODY, moveIn, type Person, TEST_ITERATIONS } from './people.ts';
import { logInAt } from './sessions.ts';

export type ConfigTree = { readonly [key: string]: unknown };

export interface InstanceOptions {
  /** Laid over the test configuration, section by section. */
  readonly config?: ConfigTree;
  /** The configuration file as it is, instead of the test configuration. */
  readonly text?: string;
  /** Default: admin, vera and carl. */
  readonly people?: readonly Person[];
  readonly env?: Readonly<Record<string, string>>;
  /** Kept, and not removed at the end, when it is given: for what must outlive a restart. */
  readonly directory?: string;
  readonly clock?: MovableClock;
  /** The allowlist file, instead of the one in the interface's place (5.5.7). */
  readonly trustedHeadersFile?: string;
  /** The networks around. Default: none. */
  readonly surroundings?: NonNullable<StartOptions['surroundings']>;
  readonly timeouts?: StartOptions['timeouts'] | undefined;
  /** Default: all. */
  readonly features?: StartOptions['features'];
}

export interface Runtime {
  readonly directory: string;
  readonly postern: Postern;
  readonly clock: MovableClock;
  readonly url: string;
  readonly port: number;
  readonly internalUrl: string;
  readonly internalPort: number;
  readonly telemetryUrl: string;
  /** Log lines so far, parsed. */
  readonly log: Record<string, unknown>[];
  /** Writes another configuration, laid over the test's, and has it read; resolves when it holds, or not. */
  reload(config: ConfigTree): Promise<Reloaded>;
  /** The session token of a fresh login. */
  logIn(person: Person): Promise<string>;
  /** A request with a bearer token, a person's or one as it stands; redirects are not followed. */
  ask(path: string, options?: RequestInit & { readonly token?: string }): Promise<Response>;
  close(): Promise<void>;
}

/** The version that an instance says it has. */
export const TEST_VERSION = '0.0.0-test';

const CONFIG: ConfigTree = {
  server: { external: '127.0.0.1:0', internal: '127.0.0.1:0', telemetry: '127.0.0.1:0', shutdown_grace: 1 },
  tls: { enabled: false },
  auth: { hash_iterations: TEST_ITERATIONS, roles: { front_only: ['cam1'] } },
};

/** No test asks another machine. */
const ALONE: NonNullable<StartOptions['surroundings']> = async () => ({
  isContainer: false,
  interfaces: [],
  routes: '',
  nvrAddress: undefined,
});

/** Said once, in the place of a 503 for every page. */
function assertPagesBuilt(): void {
  if (!existsSync(join(import.meta.dirname, '../../dist/ui')))
    throw new Error('the pages are not built: run "npm run build"');
}

export async function startInstance(options: InstanceOptions = {}): Promise<Runtime> {
  assertPagesBuilt();
  const { people = EVERYBODY, env = {}, clock = movableClock() } = options;
  const directory = options.directory ?? mkdtempSync(join(tmpdir(), 'postern-test-'));
  const file = join(directory, 'config.yaml');
  writeFileSync(file, options.text ?? stringify(overlaid(CONFIG, options.config ?? {})));
  const schema = options.features ? () => schemaWith(options.features) : configSchema;
  const config = await loadServiceConfig({ directory, schema, env });
  if (config.kind === 'invalid') {
    throw new Error(config.problems.map((problem) => formatProblem('config.yaml', problem)).join('\n'));
  }
  if (people.length > 0) {
    const { url: address, listen_url: listenUrl } = config.settings.store;
    const store = await openStore({ url: storeAddress(address), listenUrl });
    await moveIn(people, store.accounts, unixSeconds(clock));
    await store.close();
  }

  const log: Record<string, unknown>[] = [];
  const { proxy, nvr } = config.settings;
  const secrets = createKnownSecrets([
    ...people.map(({ password }) => password),
    ...proxy.auth_secret,
    nvr.auth_secret,
  ]);
  const postern = await startPostern({
    config,
    directory,
    env,
    clock,
    steadyClock: clock,
    log: {
      write(line) {
        secrets.look(line);
        log.push(JSON.parse(line));
      },
    },
    version: TEST_VERSION,
    surroundings: options.surroundings ?? ALONE,
    ...(options.timeouts && { timeouts: options.timeouts }),
    ...(options.features && { features: options.features }),
    ...(options.trustedHeadersFile === undefined ? {} : { trustedHeadersFile: options.trustedHeadersFile }),
  });
  const { external, internal, telemetry } = postern.addresses;
  const url = `http://127.0.0.1:${external.port}`;

  return {
    directory,
    postern,
    clock,
    url,
    port: external.port,
    internalUrl: `http://127.0.0.1:${internal?.port}`,
    internalPort: internal?.port ?? 0,
    telemetryUrl: `http://127.0.0.1:${telemetry?.port}`,
    log,
    reload(changed) {
      // The comment says that a shorter file is no beginning of the one before.
      writeFileSync(file, `${stringify(overlaid(CONFIG, changed))}# end\n`);
      return postern.reload();
    },
    async logIn(person) {
      const token = await logInAt(url, person);
      secrets.add(token);
      return token;
    },
    ask(path, { token, ...init } = {}) {
      const headers = new Headers(init.headers);
      if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
      return fetch(`${url}${path}`, { redirect: 'manual', ...init, headers });
    },
    async close() {
      leaveIdleConnections();
      await postern.close();
      secrets.assertKept();
      if (options.directory === undefined) rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Sections are joined key by key; everything deeper is replaced. */
function overlaid(below: ConfigTree, above: ConfigTree): ConfigTree {
  const sections = new Set([...Object.keys(below), ...Object.keys(above)]);
  return Object.fromEntries(
    [...sections].map((name) => [name, { ...(below[name] as object), ...(above[name] as object) }]),
  );
}
