/** The three listeners: opened together, and drained when the service stops, telemetry last (SPEC 1, 2). */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Settings } from '../config/schema/schema.ts';
import type { ListenAddress } from '../domain/addresses.ts';
import type { OnConnectionRefused } from '../domain/refusal.ts';
import type { ListenerName } from '../domain/request.ts';
import type { Handlers } from '../gateway/entry/app.ts';
import { bind, type Listener, listen } from '../gateway/listen/listeners.ts';
import type { ServedCertificates } from '../gateway/listen/tls-server.ts';

export interface Addresses {
  readonly external: ListenAddress;
  readonly internal: ListenAddress | undefined;
  readonly telemetry: ListenAddress | undefined;
}

interface ListenerDeps {
  readonly settings: Settings;
  readonly gates: Readonly<Record<ListenerName, Handlers>>;
  /** The active `nvr.timeout_idle`. */
  readonly timeoutIdle: () => number;
  /** The certificates of the external listener. */
  readonly tls: ServedCertificates | undefined;
  /** Not listening yet. */
  readonly telemetry: Server;
  readonly onConnectionRefused: OnConnectionRefused;
  /** Seconds. */
  readonly timeoutHead?: number | undefined;
}

const HEAD_SECONDS = 15;

export type Listeners = Awaited<ReturnType<typeof openListeners>>;

/** Rejects with a sentence when an address cannot be had; nothing is open then. */
export async function openListeners(deps: ListenerDeps) {
  const { settings, gates, timeoutIdle, tls, telemetry } = deps;
  const { server } = settings;
  const opened: Listener[] = [];
  const open = async (name: ListenerName, at: ListenAddress): Promise<ListenAddress> => {
    const listener = await listen(at, gates[name], {
      timeoutHeaders: deps.timeoutHead ?? HEAD_SECONDS,
      timeoutIdle,
      onConnectionRefused: deps.onConnectionRefused,
      tls: name === 'external' && tls ? { certificates: tls, offersHttp2: settings.auth.enabled } : undefined,
    });
    opened.push(listener);
    return listener.address;
  };
  /** Stops accepting, lets requests in flight finish, and breaks what is left after `graceSeconds`. */
  const drain = (graceSeconds: number): Promise<void> => drainListeners(opened, telemetry, graceSeconds);
  try {
    const addresses = {
      external: await open('external', server.external),
      internal: server.internal ? await open('internal', server.internal) : undefined,
      telemetry: await openTelemetry(server, telemetry),
    };
    return { addresses, drain };
  } catch (fault) {
    await drain(0);
    throw fault;
  }
}

/** Undefined where it is off. */
const openTelemetry = async (
  { telemetry: at }: Settings['server'],
  server: Server,
): Promise<ListenAddress | undefined> => (at ? bind(server, at) : undefined);

/** What is left after `graceSeconds` is broken off. Until the listeners are closed, `/readyz` says that they drain. */
async function drainListeners(
  listeners: readonly Listener[],
  telemetry: Server | undefined,
  graceSeconds: number,
): Promise<void> {
  await Promise.all(listeners.map((listener) => listener.close(graceSeconds)));
  if (telemetry) await end(telemetry);
}

/** A scraper keeps its connection, and would keep the process. */
async function end(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
