/** Parts that a reload reopens only when their own settings have changed: events backend, camera list, connections to the NVR. */
import { isDeepStrictEqual } from 'node:util';
import { type EventsBackend, type EventsDeps, openEvents } from '../../events/open-events.ts';
import { createForwarder, type Forwarder } from '../../gateway/forward/forwarder.ts';
import { type NvrConfig, readForwardRules, readNvrTls } from '../../gateway/forward/nvr-questions.ts';
import { type KnownCameraList, watchCameras } from '../../gateway/forward/watch-cameras.ts';
import { createMessageRelay, type MessageRelay } from '../../gateway/websocket/message-relay.ts';
import { createUpgradeProxy, type UpgradeProxy } from '../../gateway/websocket/proxy-upgrade.ts';

export interface Components {
  /** Undefined when the NVR answers for events itself. */
  readonly events: ReloadedPart<EventsBackend | undefined>;
  readonly cameras: ReloadedPart<KnownCameraList>;
  readonly transports: ReloadedPart<{
    readonly forwarder: Forwarder;
    readonly relay: MessageRelay;
    readonly passUpgrade: UpgradeProxy;
  }>;
}

interface ReloadedPart<It> {
  /** What it was opened with. */
  readonly given: unknown;
  readonly it: It;
  /** It ends with what still uses it. Absent: it is closed a while after it was replaced. */
  readonly retire?: () => void;
  close(): Promise<void>;
}

/** Keeps the parts of `before` whose settings are the same, and opens the others anew. Rejects with nothing opened. */
export async function openComponents(config: NvrConfig, deps: EventsDeps, before?: Components): Promise<Components> {
  const { settings, tableHead } = config;
  await using opened = new AsyncDisposableStack();
  const kept = async <It>(
    part: ReloadedPart<It> | undefined,
    given: unknown,
    open: () => Promise<It>,
    close: (it: It) => Promise<void> | void,
    retire?: (it: It) => void,
  ): Promise<ReloadedPart<It>> => {
    if (part && isDeepStrictEqual(part.given, given)) return part;
    const it = await open();
    const fresh = { given, it, close: async () => close(it), ...(retire && { retire: () => retire(it) }) };
    opened.defer(fresh.close);
    return fresh;
  };
  const { nvr } = settings;
  const events = await kept(
    before?.events,
    [settings.events, nvr.url, nvr.cameras],
    () => openEvents(settings, deps),
    async (backend) => backend?.close(),
  );
  const cameras = await kept(
    before?.cameras,
    [
      events.it,
      nvr.url,
      nvr.routes,
      nvr.cameras,
      nvr.auth_secret,
      await readNvrTls(settings),
      tableHead.cameras,
      tableHead.adapter,
    ],
    () => openCameras(config, events.it, deps),
    (list) => list.stop(),
  );
  const rules = await readForwardRules(settings);
  const transports = await kept(
    before?.transports,
    rules,
    async () => ({
      forwarder: createForwarder(rules),
      relay: createMessageRelay(rules),
      passUpgrade: createUpgradeProxy(rules),
    }),
    ({ forwarder }) => forwarder.close(),
    ({ forwarder }) => forwarder.retire(),
  );
  opened.move();
  return { events, cameras, transports };
}

async function openCameras(
  config: NvrConfig,
  backend: EventsBackend | undefined,
  { store, log, publishCameras }: Pick<EventsDeps, 'store' | 'log' | 'publishCameras'>,
): Promise<KnownCameraList> {
  const cameras = watchCameras(config, backend, {
    stored: store.events.cameras,
    onChange: (names) => void publishCameras(names),
    log,
  });
  await cameras.refresh();
  // Before anything is served: no other service on the store may take a name for its own alone.
  const known = cameras.current();
  if (known) await publishCameras(known);
  return cameras;
}

/** The parts of `before` that `kept` does not use any more. */
export const replacedComponents = (
  before: Components,
  kept: Components | undefined,
): readonly ReloadedPart<unknown>[] => {
  const still = kept ? [kept.transports, kept.cameras, kept.events] : [];
  // A part that asks is closed before the part that it asks.
  return [before.transports, before.cameras, before.events].filter(
    (part) => !(still as ReloadedPart<unknown>[]).includes(part),
  );
};

/** A request admitted under the old configuration may still use an old part: it is closed so much later. */
const RETIRE_AFTER_MS = 10_000;

export function createRetirement() {
  const waiting = new Set<() => Promise<void>>();
  return {
    /** Retired at once, or closed in a while. */
    add(parts: readonly ReloadedPart<unknown>[]): void {
      for (const part of parts) {
        if (part.retire) {
          part.retire();
          continue;
        }
        const end = async (): Promise<void> => {
          clearTimeout(timer);
          if (waiting.delete(end)) await part.close();
        };
        const timer = setTimeout(() => void end(), RETIRE_AFTER_MS).unref();
        waiting.add(end);
      }
    },
    /** Closes at once what still waits. */
    close: async (): Promise<void> => void (await Promise.all([...waiting].map((end) => end()))),
  };
}
