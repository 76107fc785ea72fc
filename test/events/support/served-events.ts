/** The events backend over real HTTP, on a real store with events in it. */
import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CustomRoles } from '../../../src/domain/camera-scope.ts';
import type { EventRecord } from '../../../src/domain/events/event.ts';
import type { CameraName, Role } from '../../../src/domain/names.ts';
import { createEventsBackend } from '../../../src/events/backend.ts';
import { importEvents } from '../../../src/events/import-events.ts';
import type { BoundedEventSource } from '../../../src/store/events/events-table.ts';
import { openStore, type Store } from '../../../src/store/open-store.ts';
import { makeScratch } from '../../store/support/scratch-store.ts';
import { recordedStream } from '../../support/recorded.ts';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed body. */
  json(): unknown;
}

export interface AskOptions {
  /** `admin` unless given; null sends no role at all. */
  readonly role?: string | null;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ServedEvents {
  readonly store: Store;
  readonly faults: unknown[];
  readonly port: number;
  ask(target: string, options?: AskOptions): Promise<Answer>;
  close(): Promise<void>;
}

export interface Runtime {
  readonly events?: readonly EventRecord[];
  readonly roles?: Readonly<Record<string, readonly string[] | null>>;
  readonly cameras?: readonly string[] | null;
  readonly showsUnlisted?: boolean;
  /** Instead of the store. */
  readonly source?: BoundedEventSource;
  /** The address of an empty store; unset: an SQLite file of its own. */
  readonly storeUrl?: string | undefined;
  /** Seconds. Default: more than any question takes beside other tests. */
  readonly queryTimeout?: number;
  /** Milliseconds; unset: the machine's steady clock. */
  readonly now?: () => number;
}

/** 20 November 2026. */
const STARTED_AT = 1_795_132_800;

export async function serveEvents({
  events = [],
  roles = {},
  cameras = null,
  showsUnlisted = false,
  source,
  queryTimeout = 60,
  storeUrl,
  now = () => performance.now(),
}: Runtime): Promise<ServedEvents> {
  const scratch = makeScratch();
  const store = await openStore({ url: storeUrl ?? scratch.url, statementSeconds: queryTimeout });
  await store.writeEvents(events);
  const faults: unknown[] = [];
  const backend = createEventsBackend({
    events: source ?? store.events,
    roles: () => customRoles(roles),
    cameras: () => cameras as readonly CameraName[] | null,
    showsUnlisted,
    queryTimeout,
    now,
    startedAt: STARTED_AT,
    onFault: (fault) => faults.push(fault),
  });
  const server = createServer(backend);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    store,
    faults,
    port,
    ask: (target, options) => askAt({ host: '127.0.0.1', port }, target, options),
    async close() {
      await new Promise((resolve) => server.close(resolve));
      await store.close();
      scratch.remove();
    },
  };
}

const customRoles = (roles: Readonly<Record<string, readonly string[] | null>>): CustomRoles =>
  new Map(Object.entries(roles).flatMap(([role, cameras]) => (cameras ? [[role as Role, cameras] as const] : [])));

export function askAt(
  place: { readonly host: string; readonly port: number } | { readonly socketPath: string },
  target: string,
  { role = 'admin', method = 'GET', headers: more = {} }: AskOptions = {},
): Promise<Answer> {
  const headers = role === null ? more : { ...more, 'remote-user': 'somebody', 'remote-role': role };
  return new Promise((resolve, reject) => {
    const asked = request({ ...place, path: target, method, headers, agent: false }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      const text = Buffer.concat(chunks).toString();
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        text,
        json: () => JSON.parse(text),
      });
    });
    asked.once('error', reject).end();
  });
}

export async function importRecorded(store: Store): Promise<void> {
  await importEvents(recordedStream(), { writeEvents: store.writeEvents });
}
