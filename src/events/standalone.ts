/** The events backend as a process of its own, for another machine than the gate's (SPEC 1, `backend`). */
import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { rolesOfFile } from '../config/schema/role-schema.ts';
import type { Settings } from '../config/schema/schema.ts';
import { storeAddress } from '../config/schema/store-schema.ts';
import type { ListenAddress } from '../domain/addresses.ts';
import { type Clock, createDeletionGuard } from '../domain/clock.ts';
import { REFUSALS, type RefusalReason, refusalBody } from '../domain/refusal.ts';
import { MOST_HEAD_BYTES } from '../domain/request.ts';
import { openNvrDatabase } from '../store/nvr-database.ts';
import { openStore } from '../store/open-store.ts';
import { createEventsBackend } from './backend.ts';
import { keepEvents } from './event-upkeep.ts';
import { QUERY_SECONDS } from './open-events.ts';

interface BackendOptions {
  readonly settings: Settings;
  readonly at: ListenAddress;
  readonly clock: Clock;
  /** Milliseconds of a clock that is never set. */
  readonly now: () => number;
  /** `what` says what failed; unset: a request could not be answered. */
  readonly onFault: (fault: unknown, what?: string) => void;
}

/** A role made in the console holds here after so long. */
const ROLES_READ_EVERY_MILLISECONDS = 1000;

/** Rejects with a sentence for the operator when it may not or cannot start. `close` answers what is in flight, then ends. */
export async function startBackend({ settings, at, clock, now, onFault }: BackendOptions) {
  const { events, nvr } = settings;
  const secret = nvr.auth_secret;
  if (secret === undefined && !isLoopback(at.host)) {
    throw new Error(
      `${at.host} can be reached from other machines, and the events backend trusts the user and role in every request: set nvr.auth_secret here and at the gate, or listen on 127.0.0.1`,
    );
  }
  await using opened = new AsyncDisposableStack();
  const store = await openStore({ url: storeAddress(settings.store.url) });
  opened.defer(store.close);
  const file = events.source === 'nvr-database' ? events.nvr_database : undefined;
  const place = file === undefined ? store : await openNvrDatabase(file);
  if (file !== undefined) opened.defer(place.close);
  if (events.source === 'store') {
    const mayDelete = createDeletionGuard(clock, { now });
    const upkeep = keepEvents({ store, clock, mayDelete }, events.retention, () => {}, onFault);
    opened.defer(upkeep.close);
  }
  const { cameras: fixed } = rolesOfFile(settings.auth);
  let roles = fixed;
  const readRoles = async (): Promise<void> => {
    const made = (await store.roles.listRoles()).map(({ role, cameras }) => [role, cameras] as const);
    roles = new Map([...made, ...fixed]);
  };
  await readRoles();
  const reading = setInterval(() => void readRoles().catch(onFault), ROLES_READ_EVERY_MILLISECONDS);
  opened.defer(() => clearInterval(reading));
  const stopping = new AbortController();
  const handler = createEventsBackend({
    stopping: stopping.signal,
    events: place.events,
    roles: () => roles,
    cameras: () => nvr.cameras ?? null,
    showsUnlisted: file === undefined,
    queryTimeout: QUERY_SECONDS,
    now,
    startedAt: clock.now() / 1000,
    onFault,
  });
  const server = createServer({ maxHeaderSize: 2 * MOST_HEAD_BYTES }, guarded(handler, secret)).listen(
    at.port,
    at.host,
  );
  await once(server, 'listening');
  opened.defer(async () => {
    const closed = once(server, 'close');
    stopping.abort();
    server.close();
    server.closeIdleConnections();
    await closed;
  });
  const { address, port } = server.address() as AddressInfo;
  const running = opened.move();
  const bound: ListenAddress = { host: address, port };
  return { address: bound, close: () => running.disposeAsync() };
}

/** The gate sends the secret along; what the backend tells the gate alone is behind no path of the API. */
function guarded(handler: RequestListener, secret: string | undefined): RequestListener {
  const expected = secret === undefined ? undefined : digest(Buffer.from(secret));
  return (request, response) => {
    // Header bytes come as Latin-1 text.
    const given = Buffer.from(String(request.headers['x-proxy-secret'] ?? ''), 'latin1');
    const refuse = (reason: RefusalReason): void => {
      const head = { 'content-type': 'application/json' };
      response.writeHead(REFUSALS[reason].status, head).end(JSON.stringify(refusalBody(reason)));
    };
    if (expected && !timingSafeEqual(digest(given), expected)) return refuse('proxy-secret-mismatch');
    if (!request.url?.startsWith('/api/')) return refuse('path-not-found');
    handler(request, response);
  };
}

/** The digests have one length, so that the comparison takes the same time whatever was sent. */
const digest = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127\.[\d.]+$/.test(host);
