/** One connection to a Redis or Valkey, a Sentinel's service or a cluster: opened once, never mended (SPEC 10). */
import type { RedisAddress, RedisNode } from '../domain/addresses/redis-address.ts';
import type { Script } from './scripts.ts';

export interface Connection {
  /** Resolves once, when scripts can be run; rejects with the server's or the system's reason. */
  open(): Promise<void>;
  /** What the script answered. All keys are in one slot of a cluster. */
  run(script: Script, keys: readonly string[], values: readonly string[]): Promise<unknown>;
  /** After what was asked has been answered. */
  close(): Promise<void>;
  /** At once. */
  destroy(): void;
}

interface Call {
  readonly keys: string[];
  readonly arguments: string[];
}

/** What the three clients of the package have in common. */
interface Client {
  connect(): Promise<unknown>;
  evalSha(digest: string, call: Call): Promise<unknown>;
  eval(text: string, call: Call): Promise<unknown>;
  close(): Promise<unknown>;
  destroy(): unknown;
  on(event: 'error', tell: (fault: Error) => void): unknown;
}

const CONNECT_MS = 2000;

/** `onLost` is told when the server goes away by itself. The package is loaded only here: it costs 28 MB of memory. */
export async function createConnection(address: RedisAddress, onLost: (fault: Error) => void): Promise<Connection> {
  const client = await clientFor(address);
  // Without a listener a fault of the connection would end the process.
  client.on('error', onLost);
  return {
    async open() {
      await client.connect();
    },
    async run(script, keys, values) {
      const call = { keys: [...keys], arguments: [...values] };
      if (script.digest === undefined) return client.eval(script.text, call);
      try {
        return await client.evalSha(script.digest, call);
      } catch (fault) {
        if (!(fault instanceof Error && fault.message.startsWith('NOSCRIPT'))) throw fault;
        return client.eval(script.text, call);
      }
    },
    async close() {
      await client.close();
    },
    destroy() {
      try {
        void Promise.resolve(client.destroy()).catch(() => {});
      } catch {} // it is closed already
    },
  };
}

async function clientFor(address: RedisAddress): Promise<Client> {
  const { createClient, createCluster, createSentinel } = await import('@redis/client');
  const { tls, username, password } = address;
  const socket = { connectTimeout: CONNECT_MS, reconnectStrategy: false as const };
  const at = ({ host, port }: RedisNode) =>
    tls ? { ...socket, host, port, tls: true as const } : { ...socket, host, port };
  const login = { ...(username !== undefined && { username }), ...(password !== undefined && { password }) };
  // Without the newer protocol: an old server, or one that a proxy stands before, may not know it.
  const common = { ...login, RESP: 2 as const, disableClientInfo: true, maintNotifications: 'disabled' as const };
  switch (address.kind) {
    case 'server':
      return createClient({
        ...common,
        database: address.database,
        socket: at(address.node),
        disableOfflineQueue: true,
      });
    case 'sentinel':
      return createSentinel({
        name: address.service,
        sentinelRootNodes: [...address.nodes],
        RESP: 2,
        nodeClientOptions: { ...common, database: address.database, socket: tls ? { ...socket, tls } : socket },
        sentinelClientOptions: { maintNotifications: 'disabled', socket: tls ? { ...socket, tls } : socket },
      });
    case 'cluster':
      return createCluster({
        rootNodes: address.nodes.map((node) => ({ ...common, socket: at(node) })),
        RESP: 2,
        defaults: { ...common, socket: tls ? { ...socket, tls } : socket },
      });
  }
}
