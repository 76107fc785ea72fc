/** Opens the login limiters: in the memory of this process, or in the store that replicas share (SPEC 4.5, 10). */
import { createHmac } from 'node:crypto';
import { clientKey, networkKey } from '../../accounts/login/client-key.ts';
import { CODE_CLAUSES, createCodeLimiter } from '../../accounts/login/code-guess.ts';
import { createLoginBlocks, type LoginBlocksDeps, type NamesBlock } from '../../accounts/login/login-blocks.ts';
import { inTurn } from '../../accounts/login/login-limiter.ts';
import { createNetworkLimiter } from '../../accounts/login/network-limiter.ts';
import {
  accountWindows,
  addressWindows,
  createSharedLimiter,
  type WindowsOf,
} from '../../accounts/login/shared-limiter.ts';
import type { Clock } from '../../domain/clock.ts';
import type { AttemptStore } from '../../domain/store/attempt-store.ts';

export interface LimitsDeps extends Omit<LoginBlocksDeps, 'attempts'> {
  /** Undefined: one process counts in its own memory. */
  readonly attempts: AttemptStore | undefined;
  /** `server.site`. */
  readonly site: string | undefined;
  /** The time that the store is told. Undefined: its server's own. */
  readonly sharedClock: Clock | undefined;
  /** All replicas have the same: the one that sessions are signed with. */
  readonly key: Uint8Array;
}

/** A restart clears what one process counted in its memory. */
export async function openLimits(deps: LimitsDeps) {
  const { attempts, steadyClock, sharedClock, key } = deps;
  const blocks = createLoginBlocks(deps);
  const limiter = inTurn(createNetworkLimiter({ clauses: [], clock: steadyClock }));
  const codeLimiter = inTurn(createCodeLimiter(steadyClock));
  if (!attempts) {
    // Those of another site on the same file last.
    if (deps.site === undefined) await deps.store.forgetBlocks();
    return {
      limiter: blocks.watched(limiter, addressBlocks()),
      codeLimiter: blocks.watched(codeLimiter, codeBlocks()),
      blocks,
    };
  }
  const digest = digestWith(key);
  const shared = { attempts, now: sharedClock && (() => sharedClock.now()) };
  const addresses = addressWindows(digest);
  const accounts = accountWindows(digest);
  const sharedLimiter = createSharedLimiter({ ...shared, local: limiter, windowsOf: addresses });
  const sharedCodes = createSharedLimiter({ ...shared, local: codeLimiter, windowsOf: accounts });
  sharedCodes.setClauses(CODE_CLAUSES);
  return {
    limiter: blocks.watched(sharedLimiter, addressBlocks(addresses)),
    codeLimiter: blocks.watched(sharedCodes, codeBlocks(accounts)),
    blocks,
  };
}

/** The shared window of a key: its own, or that of its network. */
const windowIn = (windowsOf: WindowsOf | undefined, key: string, at: 0 | 1): string | null =>
  windowsOf?.(key, false, [])[at]?.key ?? null;

const addressBlocks =
  (windowsOf?: WindowsOf): NamesBlock =>
  (address, window) =>
    window === 'network'
      ? { kind: 'network', subject: networkKey(address), window: windowIn(windowsOf, address, 1) }
      : { kind: 'address', subject: clientKey(address), window: windowIn(windowsOf, address, 0) };

/** The key is the account, the account and a session of it, or `link:` and the id of a link. No name has a colon. */
const codeBlocks =
  (windowsOf?: WindowsOf): NamesBlock =>
  (key) => {
    const [subject = key] = key.split(' ', 1);
    const window = windowIn(windowsOf, key, 0);
    const [, link] = subject.split(':');
    return link === undefined ? { kind: 'codes', subject, window } : { kind: 'pins', subject: link, window };
  };

const DIGEST_BYTES = 16;

/** A keyed digest: what is stored tells no address. */
function digestWith(key: Uint8Array): (text: string) => string {
  const own = createHmac('sha256', key).update('login limits').digest();
  return (text) => createHmac('sha256', own).update(text).digest().subarray(0, DIGEST_BYTES).toString('base64url');
}
