/** The keys that sign identities: read from the store every hour, replaced every 30 days, shared by all replicas (SPEC 17). */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import type { IdentityKeyChange, IdentityKeyStore, SealedIdentityKey } from '../../domain/identity/identity-key.ts';

export interface IdentityKey {
  /** The `kid`. */
  readonly id: string;
  readonly privateKey: KeyObject;
  /** RFC 7517, with `kid`, `use` and `alg`. */
  readonly jwk: Readonly<Record<string, unknown>>;
  /** Unix seconds. */
  readonly createdAt: number;
}

export interface IdentityKeys {
  /** Resolves when there is a key; rejects with a fault of the store when none can be had. */
  ready(): Promise<void>;
  /** The key that signs now. Never waits: what is due in the store is done beside it. Undefined before `ready`. */
  signing(): IdentityKey | undefined;
  /** The public keys, those that are about to sign and those that have signed until a day ago. */
  published(): Promise<readonly IdentityKey['jwk'][]>;
}

export interface IdentityKeyDeps {
  readonly store: IdentityKeyStore;
  readonly seal: (secret: Uint8Array, id: string) => string;
  /** Undefined for what was sealed with another signing secret. */
  readonly open: (sealed: string, id: string) => Buffer | undefined;
  readonly clock: Clock;
  readonly onFault: (fault: unknown) => void;
}

const DAY = 86_400;
const LIFETIME = 30 * DAY;
const PUBLISHED_AFTERWARDS = DAY;
const READ_EVERY = 3600;
const RETRY_AFTER = 60;
/** A new key waits until every replica has read it and every verifier's copy of the set is older than it. */
const PUBLISHED_BEFORE = 2 * READ_EVERY;

export function createIdentityKeys(deps: IdentityKeyDeps): IdentityKeys {
  let keys: readonly IdentityKey[] = [];
  let nextRead = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  const now = (): number => unixSeconds(deps.clock);

  const read = async (): Promise<void> => {
    const known = opened(await deps.store.listIdentityKeys(), keys, deps);
    const { added, forgotten } = changeOf(known, now(), deps);
    keys =
      added || forgotten.length > 0
        ? opened(
            await deps.store.changeIdentityKeys((all) => changeOf(opened(all, known, deps), now(), deps)),
            known,
            deps,
          )
        : known;
  };
  const refresh = (): Promise<void> => {
    reading ??= read()
      .then(() => {
        nextRead = now() + READ_EVERY;
      })
      .catch((fault) => {
        nextRead = now() + RETRY_AFTER;
        throw fault;
      })
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
  /** A clock that was set back makes no key wait for longer than an hour. */
  const isDue = (): boolean => now() >= nextRead || nextRead > now() + READ_EVERY;
  return {
    async ready() {
      if (keys.length === 0) await refresh();
    },
    signing() {
      if (isDue() && !reading) refresh().catch(deps.onFault);
      return signerOf(keys, now());
    },
    async published() {
      if (isDue()) await refresh().catch(deps.onFault);
      return keys.map(({ jwk }) => jwk);
    },
  };
}

/** The newest one that was published for long enough; the first key of all signs at once. */
const signerOf = (keys: readonly IdentityKey[], now: number): IdentityKey | undefined =>
  keys.findLast(({ createdAt }) => createdAt + PUBLISHED_BEFORE <= now) ?? keys[0];

function changeOf(keys: readonly IdentityKey[], now: number, { seal }: IdentityKeyDeps): IdentityKeyChange {
  const newest = keys.at(-1);
  const isOver = (_: IdentityKey, at: number): boolean => {
    const next = keys[at + 1];
    return next !== undefined && next.createdAt + PUBLISHED_BEFORE + PUBLISHED_AFTERWARDS <= now;
  };
  const forgotten = keys.filter(isOver).map(({ id }) => id);
  if (newest && newest.createdAt + LIFETIME - PUBLISHED_BEFORE > now) return { forgotten };
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomUUID();
  const sealed = seal(privateKey.export({ format: 'der', type: 'pkcs8' }), id);
  return { added: { id, sealed, createdAt: now }, forgotten };
}

/** Those that this signing secret opens; one that is known is not opened again. */
function opened(
  sealed: readonly SealedIdentityKey[],
  known: readonly IdentityKey[],
  { open }: Pick<IdentityKeyDeps, 'open'>,
): readonly IdentityKey[] {
  return sealed.flatMap((one) => {
    const before = known.find(({ id }) => id === one.id);
    if (before) return [before];
    const der = open(one.sealed, one.id);
    return der ? [keyOf(one, createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }))] : [];
  });
}

const keyOf = ({ id, createdAt }: SealedIdentityKey, privateKey: KeyObject): IdentityKey => ({
  id,
  privateKey,
  jwk: { ...createPublicKey(privateKey).export({ format: 'jwk' }), kid: id, use: 'sig', alg: 'ES256' },
  createdAt,
});
