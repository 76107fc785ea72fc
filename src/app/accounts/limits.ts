/** Opens the login limiters: in the memory of this process, or in the store that replicas share (SPEC 4.5, 10). */
import { createHmac } from 'node:crypto';
import { CODE_CLAUSES, createCodeLimiter } from '../../accounts/login/code-guess.ts';
import { inTurn, type LoginLimiter } from '../../accounts/login/login-limiter.ts';
import { createNetworkLimiter } from '../../accounts/login/network-limiter.ts';
import { accountWindows, addressWindows, createSharedLimiter } from '../../accounts/login/shared-limiter.ts';
import type { Clock } from '../../domain/clock.ts';
import type { AttemptStore } from '../../domain/store/attempt-store.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { countedEvictions } from '../telemetry/counting.ts';

export interface LoginLimiters {
  readonly limiter: LoginLimiter;
  /** Codes of a second factor, by account. */
  readonly codeLimiter: LoginLimiter;
}

export interface LimitsDeps {
  /** Undefined: one process counts in its own memory. */
  readonly attempts: AttemptStore | undefined;
  readonly steadyClock: Clock;
  /** The time that the store is told. Undefined: its server's own. */
  readonly sharedClock: Clock | undefined;
  /** All replicas have the same: the one that sessions are signed with. */
  readonly key: Uint8Array;
  readonly metrics: Metrics;
}

export function openLimits({ attempts, steadyClock, sharedClock, key, metrics }: LimitsDeps): LoginLimiters {
  const onEvict = countedEvictions('ip', metrics);
  const limiter = inTurn(createNetworkLimiter({ clauses: [], clock: steadyClock, onEvict }));
  const codeLimiter = inTurn(createCodeLimiter(steadyClock));
  if (!attempts) return { limiter, codeLimiter };
  const digest = digestWith(key);
  const shared = { attempts, now: sharedClock && (() => sharedClock.now()) };
  const sharedCodes = createSharedLimiter({ ...shared, local: codeLimiter, windowsOf: accountWindows(digest) });
  sharedCodes.setClauses(CODE_CLAUSES);
  return {
    limiter: createSharedLimiter({ ...shared, local: limiter, windowsOf: addressWindows(digest) }),
    codeLimiter: sharedCodes,
  };
}

const DIGEST_BYTES = 16;

/** A keyed digest: what is stored tells no address. */
function digestWith(key: Uint8Array): (text: string) => string {
  const own = createHmac('sha256', key).update('login limits').digest();
  return (text) => createHmac('sha256', own).update(text).digest().subarray(0, DIGEST_BYTES).toString('base64url');
}
