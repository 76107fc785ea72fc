/** One password hasher for each iteration count, kept over reloads (SPEC 4.1). */
import { availableParallelism } from 'node:os';
import { createPasswordHasher, type PasswordHasher } from '../../accounts/passwords/password-hash.ts';

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
