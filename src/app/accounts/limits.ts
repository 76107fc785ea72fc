/** Opens the login limiter: in the memory of this process, or on the server that all replicas share (SPEC 4.5, 10). */
import { createHmac } from 'node:crypto';
import type { Logger } from 'pino';
import { CODE_CLAUSES, createCodeLimiter } from '../../accounts/login/code-guess.ts';
import { inTurn, type LoginLimiter } from '../../accounts/login/login-limiter.ts';
import { createNetworkLimiter } from '../../accounts/login/network-limiter.ts';
import { accountWindows, addressWindows, createSharedLimiter } from '../../accounts/login/shared-limiter.ts';
import type { Settings } from '../../config/schema/schema.ts';
import type { Clock } from '../../domain/clock.ts';
import { createConnection } from '../../limits/redis-connection.ts';
import { createRedisWindows } from '../../limits/redis-windows.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { type Check, OK } from '../../telemetry/readiness.ts';
import { countedEvictions } from '../telemetry/counted.ts';

export interface Limits {
  readonly limiter: LoginLimiter;
  /** Codes of a second factor, by account. */
  readonly codeLimiter: LoginLimiter;
  /** Without the server logins go on, so no replica is taken out for it. */
  check(): Check;
  close(): Promise<void>;
}

export interface LimitsDeps {
  /** Of the start. */
  readonly limits: Settings['limits'];
  readonly steadyClock: Clock;
  /** The time that the server of the shared windows is told. Undefined: its own. */
  readonly sharedClock: Clock | undefined;
  /** All replicas have the same: the one that sessions are signed with. */
  readonly key: Uint8Array;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** A server that cannot be reached keeps no start up: the replica limits by itself until it answers. */
export async function openLimits(deps: LimitsDeps): Promise<Limits> {
  const { limits, steadyClock, sharedClock, key, log, metrics } = deps;
  const onEvict = countedEvictions('ip', metrics);
  const memory = createNetworkLimiter({ clauses: [], clock: steadyClock, onEvict });
  const { redis_url: address, replicas } = limits;
  const codes = createCodeLimiter(steadyClock);
  if (!address) {
    const [limiter, codeLimiter] = [inTurn(memory), inTurn(codes)];
    return { limiter, codeLimiter, check: () => ({ kind: 'unused' }), close: async () => {} };
  }
  let check: Check = OK;
  const shared = createRedisWindows({
    connect: (onLost) => createConnection(address, onLost),
    clock: sharedClock,
    onChange(fault) {
      metrics.limitsUp.set(fault ? 0 : 1);
      check = fault ? { kind: 'degraded', reason: alone(fault, replicas) } : OK;
      if (fault) log.error({ err: fault }, `${alone(fault, replicas)}; see limits.redis_url`);
      else log.info('failed logins are counted together with the other replicas');
    },
  });
  const digest = digestWith(key);
  const limiter = createSharedLimiter({ shared, memory, replicas, windowsOf: addressWindows(digest) });
  const codeLimiter = createSharedLimiter({ shared, memory: codes, replicas, windowsOf: accountWindows(digest) });
  codeLimiter.setClauses(CODE_CLAUSES);
  await shared.start();
  return { limiter, codeLimiter, check: () => check, close: shared.close };
}

const alone = ({ message }: Error, replicas: number): string =>
  `failed logins are counted by this replica alone, at 1/${replicas} of each limit, because Redis cannot be used: ${message}`;

const DIGEST_BYTES = 16;

/** With a key: the server's keys tell no address, and two installations on one server do not meet. */
function digestWith(key: Uint8Array): (text: string) => string {
  const own = createHmac('sha256', key).update('login limits').digest();
  return (text) => createHmac('sha256', own).update(text).digest().subarray(0, DIGEST_BYTES).toString('base64url');
}
