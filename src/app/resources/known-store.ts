/** Opens the store, refuses an empty one where another was before (`.configured` remembers its id), and tells of a restored one (SPEC 10, 15). */
import { AT_COMMAND_LINE, type Audit } from '../../accounts/audit.ts';
import { forgetRestored, MARK, markConfigured, rememberedStore, restoredMark } from '../../config/marks.ts';
import { storeFault } from '../../domain/store/store-fault.ts';
import type { StoreOptions } from '../../store/engine/engine.ts';
import { openStore, type Store } from '../../store/open-store.ts';

/** `directory`: where `.configured` is. Rejects with a sentence that names both ways out; nothing was made or changed then. */
export async function openKnownStore(directory: string, options: StoreOptions): Promise<Store> {
  const known = await rememberedStore(directory);
  if (known === undefined) return openStore(options);
  const onEmpty = (name: string): never => {
    throw storeFault('missing', lost(name, directory));
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

const lost = (name: string, directory: string): string =>
  `${name} is empty, but this configuration was used with a store that held accounts or records: check store.url and that its disk or volume is there, or bring a backup back with "postern restore FILE". To begin anew with an empty store and a new admin, remove ${directory}/${MARK}`;

interface OpenedStore {
  readonly store: Pick<Store, 'identity' | 'name'>;
  readonly log: { warn(fields: object, message: string): void };
}

interface StartedConfig {
  readonly directory: string;
  readonly config: { readonly isEmpty: boolean };
}

/** Records the store of this start, which the next start looks for. Call it when the service has started. */
export async function rememberStore({ directory, config }: StartedConfig, { store, log }: OpenedStore): Promise<void> {
  const [known, { id }] = [await rememberedStore(directory), await store.identity()];
  if (known !== undefined && known !== id)
    log.warn(
      { store: store.name },
      'the store is another one than at the last start: look at store.url if it was not exchanged or restored on purpose',
    );
  await markConfigured(directory, config.isEmpty, id);
}

/** Writes a warning and a record of the ledger at the first start behind a restore. */
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
    `the store was restored from a backup: ${mark.isRevoked ? ENDED : WORKING}, and passwords, roles, deleted users, the curtain and what the page Security set are those of the backup`,
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
