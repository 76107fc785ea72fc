/** Password hashes in the NVR's own format, checked a few at a time (interface 2.1, 5.1.1; SPEC 4.1). */
import { pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { createConcurrencyLimit, type Waiter } from './concurrency-limit.ts';

/** Interface 2.1. */
export const PBKDF2_ITERATIONS = 600_000;
/** A hash may have so many times the configured count: checking it occupies a thread, and every wrong password costs as much. */
const MOST_TIMES = 10;
/** The most iterations of a hash that is taken; one with more is treated as malformed. The NVR's own are always taken. */
export const mostIterations = (configured: number): number => Math.max(configured * MOST_TIMES, PBKDF2_ITERATIONS);
/** Node's thread pool has four threads, and files and DNS need one of them, on any number of cores (G22). */
const MOST_LANES = 3;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
const FORMAT = /^pbkdf2_sha256\$([1-9][0-9]{0,9})\$([^$]+)\$([A-Za-z0-9+/]{43}=)$/;

export interface StoredHash {
  readonly iterations: number;
  /** Used as text: its bytes are the salt, not what its hex digits stand for. */
  readonly salt: string;
  readonly key: Buffer;
}

export interface HashSettings {
  readonly iterations: number;
  /** Cores less one, at least one: logins must never starve forwarding. */
  readonly concurrency: number;
  /** Clients whose hashes may wait; past that none is made. */
  readonly queue: number;
  /** Called with the iteration count of each derivation. */
  readonly onHash?: (iterations: number) => void;
}

export type PasswordHasher = ReturnType<typeof createPasswordHasher>;

export function createPasswordHasher({ iterations, concurrency, queue, onHash }: HashSettings) {
  const most = mostIterations(iterations);
  const lanes = createConcurrencyLimit({ lanes: Math.min(concurrency, MOST_LANES), queue });
  const unknownUser: StoredHash = { iterations, salt: newSalt(), key: randomBytes(KEY_BYTES) };
  /** The highest iteration count known: imported hashes, or hashes from before the count was lowered, may have more. */
  let dearest = iterations;

  const derive = (password: string, salt: string, count: number): Promise<Buffer> => {
    onHash?.(count);
    return promisify(pbkdf2)(password, salt, count, KEY_BYTES, 'sha256');
  };
  const hashWith = (password: string, salt: string): Promise<string | undefined> =>
    lanes
      .run(async () => hashText(await derive(password, salt, iterations), salt, iterations))
      .then((hash) => (hash === 'busy' ? undefined : hash));
  const matches = async (password: string, stored: string | undefined): Promise<'match' | 'mismatch'> => {
    const known = stored === undefined ? undefined : parseHash(stored, most);
    const expected = known ?? unknownUser;
    const isSame = timingSafeEqual(await derive(password, expected.salt, expected.iterations), expected.key);
    if (isSame && known) return 'match';
    // A known user with a cheaper or dearer hash would answer sooner or later than an unknown one, which tells that the user exists.
    dearest = Math.max(dearest, expected.iterations);
    if (expected.iterations < dearest) await derive(password, unknownUser.salt, dearest - expected.iterations);
    return 'mismatch';
  };

  return {
    /** Hashes that wait for a lane. */
    waiting: lanes.waiting,
    /** The iteration counts that the store has now: a wrong password costs as much as with the dearest of them, and no more. */
    follow(counts: readonly number[]): void {
      dearest = Math.max(iterations, ...counts.filter((count) => count <= most));
    },
    /** Undefined while too many wait for theirs. */
    hash: (password: string): Promise<string | undefined> => hashWith(password, newSalt()),
    /** `undefined` for an unknown user: costs what a known one costs, and never matches. */
    check: (password: string, stored: string | undefined, waiter?: Waiter): Promise<'match' | 'mismatch' | 'busy'> =>
      lanes.run(() => matches(password, stored), waiter),
    /** A stronger hash of the same password; undefined when the stored one is strong enough, and while too many wait. The salt stays. */
    async strengthen(password: string, stored: string): Promise<string | undefined> {
      const known = parseHash(stored, most);
      if (!known || known.iterations >= iterations) return undefined;
      return await hashWith(password, known.salt);
    },
  };
}

/** The parts of a stored hash; undefined when it is malformed. */
export function parseHash(stored: string, most = mostIterations(PBKDF2_ITERATIONS)): StoredHash | undefined {
  const [, count, salt, key] = FORMAT.exec(stored) ?? [];
  if (!count || !salt || !key || Number(count) > most) return undefined;
  return { iterations: Number(count), salt, key: Buffer.from(key, 'base64') };
}

/** The salt, which identifies the password; the whole text of a malformed hash. */
export const readSalt = (stored: string): string => stored.split('$')[2] ?? stored;

const newSalt = (): string => randomBytes(SALT_BYTES).toString('hex');

const hashText = (key: Buffer, salt: string, iterations: number): string =>
  `pbkdf2_sha256$${iterations}$${salt}$${key.toString('base64')}`;

/** Password checks that may wait for their turn (SPEC 4.1). */
const WAITING_CHECKS = 32;

/** One queue for each iteration count: waiting checks go on when a reload leaves the count as it is. */
export function createHashers(): (iterations: number) => PasswordHasher {
  const hashers = new Map<number, PasswordHasher>();
  const concurrency = Math.max(1, availableParallelism() - 1);
  return (iterations) => {
    const hasher = hashers.get(iterations) ?? createPasswordHasher({ iterations, concurrency, queue: WAITING_CHECKS });
    hashers.set(iterations, hasher);
    return hasher;
  };
}

const UNKNOWN_BYTES = 32;

/** A password that no person knows, for an account that is made without one. */
export const unknownPassword = (): string => randomBytes(UNKNOWN_BYTES).toString('base64url');
