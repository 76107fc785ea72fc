/** Opens the store, refuses an empty one where another was before (`.configured` remembers its id), and tells of a restored one (SPEC 10, 15). */

import { existsSync } from 'node:fs';
import type { Services } from '../../app/services.ts';
import { forgetRestored, MARK, markConfigured, rememberedStore, restoredMark } from '../../config/marks.ts';
import { formatProblem } from '../../config/problems/problems.ts';
import type { Settings } from '../../config/schema/schema.ts';
import { storeAddress } from '../../config/schema/store-schema.ts';
import type { ServiceConfig } from '../../config/service-config.ts';
import { storeFault } from '../../domain/store/store-fault.ts';
import type { StoreOptions } from '../../store/engine/engine.ts';
import { openStore, type Store } from '../../store/open-store.ts';
import { AT_COMMAND_LINE, type Audit } from '../audit.ts';

/** `directory`: where `.configured` is. Rejects with a sentence that names both ways out; nothing was made or changed then. */
export async function openKnownStore(directory: string, options: StoreOptions): Promise<Store> {
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
export const openStoreReadOnly = async ({ store, server }: Settings, isBrief = false): Promise<Store | undefined> =>
  store.url.engine === 'postgres' || existsSync(store.url.file)
    ? openStore({ url: storeAddress(store.url), site: server.site, readOnly: true, isBrief })
    : undefined;

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
 * Takes the place of this site on its store at a start: refuses a service without a name beside others, and names the rows of one
 * that had none (SPEC 20). `directory`: where `.configured` is. Rejects with a sentence that names the next step.
 */
export async function claimSite(
  directory: string,
  { file, placed, settings: { server } }: Pick<ServiceConfig, 'file' | 'placed' | 'settings'>,
  store: Pick<Store, 'sites' | 'identity'>,
  log: Pick<Services['log'], 'info'>,
): Promise<void> {
  const own = server.site;
  const claim = await makeClaim(own, directory, store);
  if (claim.kind === 'free') return;
  if (claim.kind === 'unnamed' && own !== undefined && (await store.sites.renameSite('', own)) === 'renamed')
    return log.info({ site: own }, 'what was shared before this site had a name is of this site now');
  throw new Error(formatProblem(file, placed({ path: ['server', 'site'], message: claim.message })));
}

/** `unnamed`: the only site of the store gets its first name now, its links and screens have none; else `message` says why not. */
type Claim = { readonly kind: 'free' } | { readonly kind: 'unnamed' | 'refused'; readonly message: string };

/** Changes nothing. */
export async function makeClaim(
  own: string | undefined,
  directory: string,
  store: Pick<Store, 'sites' | 'identity'>,
): Promise<Claim> {
  const sites = (await store.sites.listSites()).map(({ site }) => site);
  if (own === undefined) {
    const named = sites.filter((site) => site !== '');
    if (named.length === 0) return { kind: 'free' };
    const listed = `${named.length === 1 ? 'the site' : 'the sites'} ${named.join(', ')}`;
    const message = `is missing, but the store is that of ${listed}: give this one a name of its own there, or remove what is left of a site with "postern sites forget NAME"`;
    return { kind: 'refused', message };
  }
  if (!sites.includes('')) return { kind: 'free' };
  const isOwn = (await rememberedStore(directory)) === (await store.identity()).id;
  const message = `is ${JSON.stringify(own)}, and the store is used by a service without a name: set server.site there and start it; if that was this one, run "postern sites rename - ${own}" here`;
  return { kind: isOwn ? 'unnamed' : 'refused', message };
}
