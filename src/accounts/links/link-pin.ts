/** A guess at the PIN of a link: limited by address, by link, and in all (SPEC 13). */
import type { Link, LinkStore } from '../../domain/accounts/link.ts';
import { isFailure, type NotJudged } from '../login/code-guess.ts';
import { type LoginLimiter, settled } from '../login/login-limiter.ts';
import type { LinkPasses } from './link-pass.ts';

export interface PinDeps {
  readonly linkStore: Pick<LinkStore, 'reserveGuess' | 'releaseGuess'>;
  readonly passes: Pick<LinkPasses, 'isPin'>;
  /** The limiter of failed logins, by address: a wrong PIN is one. */
  readonly limiter: LoginLimiter;
  /** The limiter of wrong codes, by account; its clauses stay whatever `failed_login_rate_limit` says. */
  readonly codeLimiter: LoginLimiter;
}

export type PinOutcome =
  | { readonly kind: 'right' | 'wrong' }
  /** Too many wrong ones in all: no PIN opens the link any more. */
  | { readonly kind: 'locked' }
  | NotJudged;

/** No user name has a colon. */
const keyOf = ({ id }: Link): string => `link:${id}`;

/** Each limit counts the guess before the PIN is compared, and a right one gives its places back. */
export async function judgePin(link: Link, pin: string, address: string, deps: PinDeps): Promise<PinOutcome> {
  const byLink = await deps.codeLimiter.reserve(keyOf(link));
  if (byLink.kind !== 'reserved') return byLink;
  return settled(
    byLink,
    async () => {
      const byAddress = await deps.limiter.reserve(address);
      if (byAddress.kind !== 'reserved') return byAddress;
      return settled(byAddress, () => compare(link, pin, deps), isFailure);
    },
    isFailure,
  );
}

async function compare(link: Link, pin: string, { linkStore, passes }: PinDeps): Promise<PinOutcome> {
  if (!(await linkStore.reserveGuess(link.id))) return { kind: 'locked' };
  if (!passes.isPin(link, pin)) return { kind: 'wrong' };
  await linkStore.releaseGuess(link.id);
  return { kind: 'right' };
}
