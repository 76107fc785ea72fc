/** A visit of a link: whether its page shows, asks for the PIN, or is over (SPEC 13). */

import { auditedAgent } from '../../accounts/audit.ts';
import { isFailure, type NotJudged } from '../../accounts/login/guesses.ts';
import { settled } from '../../accounts/login/login-limiter.ts';
import { cookieClient, cookieLine } from '../../accounts/sessions/session-cookie.ts';
import type { Services } from '../../app/services.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { REFUSALS } from '../../domain/refusal.ts';
import { cookieValues } from '../../domain/sent-credentials.ts';
import type { RouteContext } from '../../routes/own-route.ts';
import type { LinkJudge } from './link-judge.ts';
import { hasDigitsAlone, type LinkPasses, PASS_COOKIE, PASS_SECONDS } from './link-pass.ts';
import type { Links, Viewers } from './links.ts';
import { linkPath } from './make-link.ts';
import type { Openings } from './openings.ts';
import type { Link } from './tables.ts';

/** What a visit is judged by; `codeLimiter` keeps its clauses, whatever `failed_login_rate_limit` says. */
export type VisitServices = Pick<Services, 'clock' | 'audit' | 'limiter' | 'codeLimiter'> & {
  readonly links: Links;
  readonly viewers: Viewers;
  readonly openings: Openings;
  readonly passes: LinkPasses;
  readonly judge: LinkJudge;
};

type ClosedLink =
  /** Unknown, ended, revoked, used up, or its maker may no longer see it: all alike. */
  | { readonly kind: 'over' }
  | { readonly kind: 'limited'; readonly seconds: number }
  /** The NVR cannot be asked at the moment. */
  | { readonly kind: 'busy' };

/** `cookie` is a line of `Set-Cookie` for a viewer who has none. */
export type LinkVisit =
  | ClosedLink
  /** Digits alone: by the keyboard for them. */
  | { readonly kind: 'pin'; readonly isNumeric: boolean }
  | { readonly kind: 'shown'; readonly link: Link; readonly cookie: string | undefined };

export type PinVisit =
  | ClosedLink
  | { readonly kind: 'wrong'; readonly isNumeric: boolean }
  | { readonly kind: 'right'; readonly cookie: string; readonly expiresAt: number };

const LIMITED_SECONDS = 60;
const OVER = { kind: 'over' } as const;

export async function visitLink(secret: string, ctx: RouteContext, deps: VisitServices): Promise<LinkVisit> {
  const { clientAddress: address, clientAgent: agent } = ctx.state;
  const cookies = cookieValues(ctx.get('Cookie'), PASS_COOKIE);
  const verdict = await deps.links.verify(secret, cookies, address);
  if (verdict.kind === 'invalid' && verdict.reason !== 'pin-missing') return shutFor(verdict.reason);
  const found = await deps.links.look(secret, cookies);
  if (verdict.kind === 'invalid')
    return found.kind === 'invalid' ? OVER : { kind: 'pin', isNumeric: hasDigitsAlone(found.link) };
  const { credential } = verdict.caller;
  if (credential.kind !== 'link' || found.kind === 'invalid') return OVER;
  const { viewer } = credential;
  if (!(await deps.viewers.mayEnter({ linkId: credential.linkId, viewer, address, agent }))) return OVER;
  // The page shows nothing that the NVR would not be asked for.
  const denied = await deps.judge.denial(verdict.caller);
  if (denied) return REFUSALS[denied].status >= 500 ? { kind: 'busy' } : OVER;
  const cookie = viewer === undefined ? passFor(found.link, secret, ctx, deps).cookie : undefined;
  return { kind: 'shown', link: found.link, cookie };
}

export async function givePin(
  given: { readonly secret: string; readonly pin: string },
  ctx: RouteContext,
  deps: VisitServices,
): Promise<PinVisit> {
  const { clientAddress: from, requestId } = ctx.state;
  const verdict = await deps.links.verify(given.secret, [], from);
  if (verdict.kind === 'invalid' && verdict.reason !== 'pin-missing') return shutFor(verdict.reason);
  const found = await deps.links.look(given.secret, []);
  if (found.kind === 'invalid') return OVER;
  const { link } = found;
  if (link.pinHash === null) return { kind: 'right', ...passFor(link, given.secret, ctx, deps) };
  const outcome = await judgePin(link, given.pin, from, deps);
  const entry = {
    what: 'link-pin',
    who: undefined,
    from,
    ...auditedAgent(ctx.state),
    linkId: link.id,
    requestId,
  } as const;
  if (outcome.kind === 'right') deps.audit({ ...entry, verdict: 'allowed' });
  else deps.audit({ ...entry, verdict: 'refused', reason: REASON[outcome.kind] });
  switch (outcome.kind) {
    case 'right':
      return { kind: 'right', ...passFor(link, given.secret, ctx, deps) };
    case 'wrong':
      return { kind: 'wrong', isNumeric: hasDigitsAlone(link) };
    case 'locked':
      return OVER;
    case 'limited':
      return { kind: 'limited', seconds: outcome.retryAfterSeconds };
    case 'busy':
      return { kind: 'limited', seconds: BUSY_SECONDS };
  }
}

// biome-ignore format: a table
const REASON = { wrong: 'pin-wrong', locked: 'pin-locked', limited: 'rate-limited', busy: 'busy' } as const;
/** Guesses that wait for others are judged by then. */
const BUSY_SECONDS = 5;

const shutFor = (reason: string): ClosedLink =>
  reason === 'limited' ? { kind: 'limited', seconds: LIMITED_SECONDS } : OVER;

function passFor(link: Link, secret: string, { state }: RouteContext, { passes, clock }: VisitServices) {
  const now = unixSeconds(clock);
  const expiresAt = Math.floor(Math.min(link.expiresAt, now + PASS_SECONDS));
  const settings = { name: PASS_COOKIE, secure: 'auto', sameSite: 'lax', path: linkPath(secret) } as const;
  const cookie = cookieLine(
    settings,
    passes.issue(link, expiresAt),
    Math.max(1, expiresAt - Math.floor(now)),
    cookieClient(state),
  );
  return { cookie, expiresAt };
}

type PinOutcome =
  | { readonly kind: 'right' | 'wrong' }
  /** Too many wrong ones in all: no PIN opens the link any more. */
  | { readonly kind: 'locked' }
  | NotJudged;

/** No user name has a colon. */
const keyOf = ({ id }: Link): string => `link:${id}`;

/** A guess is limited by address, by link, and in all (SPEC 13). Each limit counts it before the PIN is compared, and a right one gives its places back. */
async function judgePin(link: Link, pin: string, address: string, deps: VisitServices): Promise<PinOutcome> {
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

async function compare(link: Link, pin: string, { openings, passes }: VisitServices): Promise<PinOutcome> {
  if (!(await openings.reserveGuess(link.id))) return { kind: 'locked' };
  if (!passes.isPin(link, pin)) return { kind: 'wrong' };
  await openings.releaseGuess(link.id);
  return { kind: 'right' };
}
