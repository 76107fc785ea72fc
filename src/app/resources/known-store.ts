/** Opens the store, and refuses an empty one where another was before: `.configured` remembers the id of the store (SPEC 10). */
import { MARK, markConfigured, rememberedStore } from '../../config/configured-mark.ts';
import { storeFault } from '../../domain/store/store-fault.ts';
import { openStore, type Store, type StoreOptions } from '../../store/open-store.ts';

/** `directory`: where `.configured` is. Rejects with a sentence that names both ways out; nothing was made or changed then. */
export async function openKnownStore(directory: string, options: StoreOptions): Promise<Store> {
  const known = await rememberedStore(directory);
  if (known === undefined) return openStore(options);
  const onEmpty = (name: string): never => {
    throw storeFault('missing', lost(name, directory), undefined);
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
