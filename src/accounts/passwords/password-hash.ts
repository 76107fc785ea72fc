/** Password hashes in the NVR's own format, checked a few at a time (interface 2.1, 5.1.1; SPEC 4.1). */
import { pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { unlessAborted } from '../../domain/async.ts';

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
  const unknownUser = { iterations, salt: newSalt(), key: randomBytes(KEY_BYTES) };
  /** The highest iteration count known: imported hashes, or hashes from before the count was lowered, may have more. */
  let dearest = iterations;

  const derive = (password: string, salt: string, count: number): Promise<Buffer> => {
    onHash?.(count);
    return promisify(pbkdf2)(password, salt, count, KEY_BYTES, 'sha256');
  };
  const hashWith = async (password: string, salt: string): Promise<string | undefined> => {
    const key = await lanes.run(() => derive(password, salt, iterations));
    return key === 'busy' ? undefined : `pbkdf2_sha256$${iterations}$${salt}$${key.toString('base64')}`;
  };
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

/** The parts of a stored hash; undefined when it is malformed. The salt is used as text: its bytes, not what its hex digits stand for. */
export function parseHash(stored: string, most = mostIterations(PBKDF2_ITERATIONS)) {
  const [, count, salt, key] = FORMAT.exec(stored) ?? [];
  if (!count || !salt || !key || Number(count) > most) return undefined;
  return { iterations: Number(count), salt, key: Buffer.from(key, 'base64') };
}

/** The salt, which identifies the password; the whole text of a malformed hash. */
export const readSalt = (stored: string): string => stored.split('$')[2] ?? stored;

const newSalt = (): string => randomBytes(SALT_BYTES).toString('hex');

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

/** The client for which a piece of work is done. */
export interface Waiter {
  readonly client: string;
  /** The network of the client, which may hold a share of the line only. */
  readonly network: string;
  /** Logged in before: waits in a line that strangers cannot fill. */
  readonly isKnown: boolean;
  /** Aborted when the client has left: the wait ends, by rejecting with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Work that the service itself asks for, such as the hash of a new password. */
const SERVICE: Waiter = { client: '', network: '', isKnown: true };
/** The share of a line that one network may hold: forty addresses of one owner leave room for others. */
const SHARE_OF_A_NETWORK = 0.5;

/** `lanes`: pieces of work that run at once. `queue`: clients that may wait, in each of the two lines; and pieces of work of one client. */
export function createConcurrencyLimit({ lanes, queue }: { readonly lanes: number; readonly queue: number }) {
  const known = createLine(queue);
  const strangers = createLine(queue);
  let running = 0;
  let isKnownNext = true;

  /** The two lines take turns, so that neither keeps the other waiting. */
  const next = (): (() => void) | undefined => {
    const [first, second] = isKnownNext ? [known, strangers] : [strangers, known];
    isKnownNext = !isKnownNext;
    return first.take() ?? second.take();
  };
  // The lane goes to the next in line without becoming free in between, so that nothing overtakes.
  const leave = (): void => {
    const start = next();
    if (start) start();
    else running -= 1;
  };

  return {
    /** Pieces of work that wait. */
    waiting: (): number => known.size() + strangers.size(),
    /** The work's own outcome, or `busy` at once when the line is full. */
    async run<Outcome>(work: () => Promise<Outcome>, waiter: Waiter = SERVICE): Promise<Outcome | 'busy'> {
      if (running < lanes) running += 1;
      else {
        const turn = Promise.withResolvers<void>();
        const line = waiter.isKnown ? known : strangers;
        if (!line.add(waiter, turn.resolve)) return 'busy';
        try {
          await unlessAborted(turn.promise, waiter.signal);
        } catch (reason) {
          // A turn that came in the same moment goes on to the next.
          if (!line.remove(turn.resolve)) leave();
          throw reason;
        }
      }
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}

/** Clients in the order of their turns: after one piece of work a client goes to the end of the line. */
function createLine(mostClients: number) {
  const mostOfNetwork = Math.max(1, Math.floor(mostClients * SHARE_OF_A_NETWORK));
  let queue: readonly { readonly waiter: Waiter; readonly start: () => void }[] = [];
  const waiting = (by: 'client' | 'network', name: string) => queue.filter(({ waiter }) => waiter[by] === name);
  const clientsIn = (those: typeof queue): number => new Set(those.map(({ waiter }) => waiter.client)).size;
  return {
    size: () => queue.length,
    /** False when there is no place. */
    add(waiter: Waiter, start: () => void): boolean {
      const own = waiting('client', waiter.client).length;
      const hasPlace =
        own > 0
          ? own < mostClients
          : clientsIn(queue) < mostClients && clientsIn(waiting('network', waiter.network)) < mostOfNetwork;
      if (hasPlace) queue = [...queue, { waiter, start }];
      return hasPlace;
    },
    /** False when its turn has come. */
    remove(start: () => void): boolean {
      const before = queue.length;
      queue = queue.filter((one) => one.start !== start);
      return queue.length < before;
    },
    take(): (() => void) | undefined {
      const [first, ...rest] = queue;
      const isSame = ({ waiter }: { readonly waiter: Waiter }): boolean => waiter.client === first?.waiter.client;
      queue = [...rest.filter((one) => !isSame(one)), ...rest.filter(isSame)];
      return first?.start;
    },
  };
}
