/** Opens the configuration, the store and the NVR's cameras for commands that change nothing. */
import { existsSync } from 'node:fs';
import { layoutOfNames } from '../../access/recorder-layout.ts';
import type { CommandPlace } from '../../config/load-config.ts';
import { underStored } from '../../config/load-config.ts';
import { formatProblems } from '../../config/problems/problems.ts';
import type { Settings } from '../../config/schema/schema.ts';
import { storeAddress } from '../../config/schema/store-schema.ts';
import { loadServiceConfig } from '../../config/service-config.ts';
import type { CameraName } from '../../domain/names.ts';
import type { StoredSettings } from '../../domain/stored-settings.ts';
import type { NvrConfig } from '../../gateway/forward/nvr-questions.ts';
import { watchCameras } from '../../gateway/forward/watch-cameras.ts';
import { openNvrDatabase } from '../../store/nvr-database.ts';
import { openStore, type Store } from '../../store/open-store.ts';
import { createLogs } from '../../telemetry/logs/log.ts';

/** Rejects with every problem of the configuration. `note` is told what could not be read. */
export async function openReadOnly(place: CommandPlace, note: (sentence: string) => void) {
  const read = (stored?: StoredSettings) => loadServiceConfig({ ...place, whenMissing: 'read', stored });
  const first = await read();
  if (first.kind === 'invalid') throw new Error(formatProblems(first.file, first.problems));
  const store = await openStoreReadOnly(first.settings);
  const config = await underStored(first, store?.settings ?? NOTHING_STORED, read);
  return {
    config,
    /** None before the first start, which makes it. */
    store,
    readLayout: () => layoutOf(config, store, note),
    close: async () => store?.close(),
  };
}

const NOTHING_STORED = { readSettings: async () => ({}) };

/** What the page Security keeps in the store; undefined for a store that cannot be read. */
export async function storedSettings(settings: Settings): Promise<StoredSettings | undefined> {
  try {
    const store = await openStoreReadOnly(settings, true);
    return store ? await store.settings.readSettings().finally(store.close) : {};
  } catch {
    return undefined;
  }
}

/** None before the first start, which makes it. */
export const openStoreReadOnly = async ({ store, server }: Settings, isBrief = false): Promise<Store | undefined> =>
  store.url.engine === 'postgres' || existsSync(store.url.file)
    ? openStore({ url: storeAddress(store.url), site: server.site, readOnly: true, isBrief })
    : undefined;

async function layoutOf(config: NvrConfig, store: Store | undefined, note: (sentence: string) => void) {
  const { settings } = config;
  if (!settings.nvr.url && !settings.nvr.cameras) return layoutOfNames(await camerasWithEvents(settings, store));
  const logs = createLogs({
    rules: { default: 'warn', logs: new Map() },
    destination: { write: () => note('the NVR did not answer the request for its list of cameras') },
    clock: { now: () => 0 }, // the line itself is not shown
  });
  const cameras = watchCameras(config, undefined, { stored: async () => [], log: logs.named('explain') });
  await cameras.refresh();
  cameras.stop();
  return cameras.layout();
}

async function camerasWithEvents({ events }: Settings, store: Store | undefined): Promise<CameraName[]> {
  if (events.source !== 'nvr-database' || events.nvr_database === undefined)
    return ((await store?.events.cameras()) ?? []) as CameraName[];
  const nvr = await openNvrDatabase(events.nvr_database);
  return (await nvr.events.cameras().finally(nvr.close)) as CameraName[];
}
