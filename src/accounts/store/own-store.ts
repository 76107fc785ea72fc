/** The store of this service: opens it, refuses an empty one where another was before (`.configured` remembers its id), takes a name on it, tells others on it of itself, and tells of a restored one (SPEC 10, 15, 20). */

import { existsSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Services } from '../../app/services.ts';
import type { CommandPlace } from '../../config/load-config.ts';
import { forgetRestored, MARK, markConfigured, rememberedStore, restoredMark } from '../../config/marks.ts';
import { about, type Finding, formatProblem } from '../../config/problems/problems.ts';
import type { Settings } from '../../config/schema/schema.ts';
import { storeAddress } from '../../config/schema/store-schema.ts';
import type { ServiceConfig } from '../../config/service-config.ts';
import { repeated } from '../../domain/async.ts';
import { unixSeconds } from '../../domain/clock.ts';
import type { Role } from '../../domain/names.ts';
import { storeFault } from '../../domain/store/store-fault.ts';
import type { StoreOptions } from '../../store/engine/engine.ts';
import type { SiteRecord } from '../../store/engine/tables.ts';
import { openStore, pendingMigration, type Store } from '../../store/open-store.ts';
import { isBlank } from '../../store/sqlite/sqlite-faults.ts';
import { watchFault } from '../../telemetry/readiness.ts';
import { AT_COMMAND_LINE, type Audit } from '../audit.ts';
import { findSigningSecret } from '../sessions/signing-secret.ts';
import { siteWarnings } from '../sites/sites.ts';

export const storeOptions = ({ store, server }: Settings): StoreOptions => ({
  url: storeAddress(store.url),
  ...(server.site !== undefined && { here: { site: server.site } }),
});

/** `directory`: where `.configured` is. Rejects with a sentence that names both ways out; nothing was made or changed then. */
export async function openKnownStore(directory: string, settings: Settings, more: Partial<StoreOptions> = {}) {
  const options = { ...storeOptions(settings), ...more };
  const known = await rememberedStore(directory);
  if (known === undefined) return openStore(options);
  const onEmpty = (name: string): never => {
    throw storeFault(
      'missing',
      `${name} is empty, but this configuration was used with a store that held accounts or records: check store.url and that its disk or volume is there, or bring a backup back with "postern restore FILE". To begin anew with an empty store and a new admin, remove ${directory}/${MARK}`,
    );
  };
  const store = await openStore({ ...options, onEmpty });
  try {
    const { id, isEmpty } = await store.identity();
    if (id !== known && isEmpty) onEmpty(store.name);
    return store;
  } catch (fault) {
    await store.close();
    throw fault;
  }
}

/** None before the first start, which makes it. Changes nothing. */
export const openStoreReadOnly = async (settings: Settings, isBrief = false): Promise<Store | undefined> => {
  const { url } = settings.store;
  const isThere = url.engine === 'postgres' || existsSync(url.file);
  return isThere ? openStore({ ...storeOptions(settings), readOnly: true, isBrief }) : undefined;
};

const RETRY_MS = 5000;

/** Tells the other services on the store of this one: its cameras, the roles of its file, the digest of its signing secret (SPEC 20). Rejects with a store fault. */
export async function openPublisher({ store, clock, log }: Pick<Services, 'store' | 'clock' | 'log'>, keyId: string) {
  const [sites, { site }] = [store.sites, store.here];
  const other = await otherSecret(store, keyId);
  if (other) log.error({ sites: other.sites }, other.message);
  const known = (await sites.listSites()).find((record) => record.site === site);
  let wanted: SiteRecord = { roles: [], changedAt: 0, ...known, site, keyId };
  let written = known;
  const state = watchFault<unknown>({
    // The store itself tells how it is.
    onFault: (err) =>
      log.warn({ err }, 'the cameras of this site could not be written to the store: retrying every 5 s'),
  });
  const writing = repeated(async () => {
    const record = wanted;
    if (isDeepStrictEqual(record, written)) return undefined;
    try {
      await sites.publishSite({ ...record, changedAt: unixSeconds(clock) });
      written = record;
      return state.found();
    } catch (fault) {
      state.found(fault);
      return RETRY_MS;
    }
  });
  /** Never rejects: what cannot be written is tried again. */
  const publish = (change: Partial<Pick<SiteRecord, 'cameras' | 'roles'>>): Promise<void> => {
    wanted = { ...wanted, ...change };
    return writing.now();
  };
  return {
    publish,
    /** The roles as they were published last, by this process or an earlier one. */
    publishedRoles: (): readonly Role[] => written?.roles ?? [],
    async warn(settings: Settings): Promise<void> {
      for (const sentence of await siteWarnings(settings, store)) log.warn(sentence);
    },
    close: writing.close,
  };
}

/** Which sites sign their sessions with another secret, and what is said of it; undefined where all have one. */
async function otherSecret(store: Pick<Store, 'sites' | 'here'>, keyId: string) {
  const records = await store.sites.listSites();
  const sites = records.filter((one) => one.site !== store.here.site && one.keyId !== keyId).map(({ site }) => site);
  const message = `the signing secret is not that of the site ${sites.join(', ')}, so a session of one site is none at the other: give all sites one secret, by SERVICE_JWT_SECRET or by a copy of the file .jwt_secret`;
  return sites.length > 0 ? { sites, message } : undefined;
}

/** Adds what a start would end with, and warn of, on this store. Rejects with why it cannot be opened. Makes and changes nothing. */
export async function tryStore(
  settings: Settings,
  { directory, env }: Pick<CommandPlace, 'directory' | 'env'>,
  { problems, warnings }: { readonly problems: Finding[]; readonly warnings: string[] },
): Promise<void> {
  const { url, listen_url: listenUrl } = settings.store;
  const { site } = settings.server;
  const options = { ...storeOptions(settings), listenUrl, readOnly: true, isBrief: true };
  const isBlankFile = url.engine === 'sqlite' && isBlank(url.file);
  if (isBlankFile && (await rememberedStore(directory)) === undefined) return; // a first start makes it
  if (!isBlankFile && (await pendingMigration(options)) !== undefined)
    return void warnings.push(...(site === undefined ? [] : [NOT_COMPARED]));
  await using opened = new AsyncDisposableStack();
  const store = await openKnownStore(directory, settings, options);
  opened.defer(store.close);
  const fault = await nameFault(site, directory, store);
  problems.push(...about(['server', 'site'], !fault?.isFirst && fault?.message));
  if (site === undefined) return;
  const secret = await findSigningSecret({ environment: env, configDirectory: directory }, 'refuse');
  const other = secret.ok ? await otherSecret(store, secret.value.keyId) : undefined;
  problems.push(...about(['server', 'site'], other?.message));
  warnings.push(...(await siteWarnings(settings, store, settings.nvr.cameras)));
}

const NOT_COMPARED =
  'the sites were not compared: the tables of the store are those of an older version, and the next start changes them';

interface OpenedStore {
  readonly store: Pick<Store, 'identity' | 'name'>;
  readonly log: { warn(fields: object, message: string): void };
}

/** Records the store of this start, which the next start looks for. Call it when the service has started. */
export async function rememberStore(
  { directory, config }: { readonly directory: string; readonly config: { readonly isEmpty: boolean } },
  { store, log }: OpenedStore,
): Promise<void> {
  const [known, { id }] = [await rememberedStore(directory), await store.identity()];
  if (known !== undefined && known !== id)
    log.warn(
      { store: store.name },
      'the store is another one than at the last start: look at store.url if it was not exchanged or restored on purpose',
    );
  await markConfigured(directory, config.isEmpty, id);
}

/** Writes a warning and a record at the first start behind a restore. */
export async function tellRestored(
  directory: string,
  log: OpenedStore['log'],
  { audit, recorded }: { readonly audit: Audit; readonly recorded: () => Promise<void> },
): Promise<void> {
  const mark = await restoredMark(directory);
  if (!mark) return;
  const [backup, restored] = [mark.madeAt, mark.restoredAt].map((at) => new Date(at * 1000).toISOString());
  log.warn(
    { backup, restored },
    `the store was restored from a backup: ${mark.isRevoked ? ENDED : WORKING}, and passwords, roles, deleted users and all that was set since are those of the backup`,
  );
  const credentials = mark.isRevoked ? 'ended' : 'kept';
  const by = { who: undefined, from: AT_COMMAND_LINE, verdict: 'allowed' } as const;
  audit({ what: 'store-restored', ...by, ...(backup !== undefined && { backup }), credentials });
  await recorded();
  await forgetRestored(directory);
}

const ENDED = 'its sessions, tokens, links, invitations and screens were ended';
const WORKING =
  'sessions, tokens, links, invitations and screens that were revoked since then work again ("postern restore --replace --revoke FILE" ends them)';

/**
 * Takes the name of this service on its store at a start: refuses a service without a name beside others, and names the rows of one
 * that had none (SPEC 20). `directory`: where `.configured` is. Rejects with a sentence that names the next step.
 */
export async function claimName(
  directory: string,
  { file, placed, settings: { server } }: Pick<ServiceConfig, 'file' | 'placed' | 'settings'>,
  store: Pick<Store, 'sites' | 'identity'>,
  log: Pick<Services['log'], 'info'>,
): Promise<void> {
  const own = server.site;
  const fault = await nameFault(own, directory, store);
  if (!fault) return;
  if (fault.isFirst && own !== undefined && (await store.sites.renameSite('', own)) === 'renamed')
    return log.info({ site: own }, 'what was shared before this site had a name is of this site now');
  throw new Error(formatProblem(file, placed({ path: ['server', 'site'], message: fault.message })));
}

/** Why the service may not be called so on this store; `isFirst`: it may, as the only one, whose links and screens had no name before. */
async function nameFault(own: string | undefined, directory: string, store: Pick<Store, 'sites' | 'identity'>) {
  const sites = (await store.sites.listSites()).map(({ site }) => site);
  if (own === undefined) {
    const named = sites.filter((site) => site !== '');
    if (named.length === 0) return undefined;
    const listed = `${named.length === 1 ? 'the site' : 'the sites'} ${named.join(', ')}`;
    const message = `is missing, but the store is that of ${listed}: give this one a name of its own there, or remove what is left of a site with "postern sites forget NAME"`;
    return { isFirst: false, message };
  }
  if (!sites.includes('')) return undefined;
  const isFirst = (await rememberedStore(directory)) === (await store.identity()).id;
  const message = `is ${JSON.stringify(own)}, and the store is used by a service without a name: set server.site there and start it; if that was this one, run "postern sites rename - ${own}" here`;
  return { isFirst, message };
}
