/** The three listeners: opened together, and drained when the service stops, telemetry last (SPEC 1, 2). */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Settings } from '../config/schema/schema.ts';
import type { ListenAddress } from '../domain/addresses.ts';
import type { OnConnectionRefused } from '../domain/refusal.ts';
import type { ListenerName } from '../domain/request.ts';
import { bind, type Listener, listen, type Serving } from '../gateway/listen/listeners.ts';
import type { ServedCertificates } from '../gateway/listen/tls-server.ts';

interface ListenerPlace {
  readonly settings: Settings;
  readonly serving: Serving;
  /** The certificates of the external listener. */
  readonly tls: ServedCertificates | undefined;
  /** Not listening yet. */
  readonly telemetry: Server;
  readonly onConnectionRefused: OnConnectionRefused;
  /** Seconds. */
  readonly timeoutHead?: number | undefined;
}

const HEAD_SECONDS = 15;

/** Rejects with a sentence when an address cannot be had; nothing is open then. */
export async function openListeners({
  settings,
  serving,
  tls,
  telemetry,
  timeoutHead = HEAD_SECONDS,
  ...rules
}: ListenerPlace) {
  const { server, auth } = settings;
  const opened: Listener[] = [];
  const open = async (name: ListenerName, at: ListenAddress): Promise<ListenAddress> => {
    const listener = await listen(at, name, serving, {
      ...rules,
      timeoutHeaders: timeoutHead,
      tls: name === 'external' && tls ? { certificates: tls, offersHttp2: auth.enabled } : undefined,
    });
    opened.push(listener);
    return listener.address;
  };
  /**
   * Stops accepting, lets requests in flight finish, and breaks what is left after `graceSeconds`. Until then `/readyz` says
   * that they drain.
   */
  const drain = async (graceSeconds: number): Promise<void> => {
    await Promise.all(opened.map((listener) => listener.close(graceSeconds)));
    if (!telemetry.listening) return;
    const closed = once(telemetry, 'close');
    telemetry.close();
    // A scraper keeps its connection, and would keep the process.
    telemetry.closeAllConnections();
    await closed;
  };
  try {
    const addresses = {
      external: await open('external', server.external),
      internal: server.internal ? await open('internal', server.internal) : undefined,
      telemetry: server.telemetry ? await bind(telemetry, server.telemetry) : undefined,
    };
    return { addresses, drain };
  } catch (fault) {
    await drain(0);
    throw fault;
  }
}
