/** A visit of a link: whether its page shows, asks for the PIN, or is over (SPEC 13). */

import { auditedAgent } from '../../accounts/audit.ts';
import { type LimiterPlace, type Reserved, settled } from '../../accounts/login/login-limiter.ts';
import { cookieLine } from '../../accounts/sessions/session-jwt.ts';
import type { Services } from '../../app/services.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { REFUSALS } from '../../domain/refusal.ts';
import { cookieValues } from '../../domain/sent-credentials.ts';
import type { RouteContext } from '../../routes/own-route.ts';
import type { LinkJudge } from './link-judge.ts';
import {
  hasDigitsAlone,
  type LinkPasses,
  type Links,
  type LinkVerdict,
  PASS_COOKIE,
  PASS_SECONDS,
  type Viewers,
} from './links.ts';
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

/** What came of it. `cookie` is a line of `Set-Cookie`. */
export type Visit =
  /** Unknown, ended, revoked, used up, or its maker may no longer see it: all alike. */
  | { readonly kind: 'over' }
  | { readonly kind: 'limited'; readonly seconds: number }
  /** The NVR cannot be asked at the moment. */
  | { readonly kind: 'busy' }
  /** Digits alone: by the keyboard for them. */
  | { readonly kind: 'pin'; readonly isNumeric: boolean }
  | { readonly kind: 'wrong'; readonly isNumeric: boolean }
  | { readonly kind: 'shown'; readonly link: Link; readonly cookie: string | undefined }
  | { readonly kind: 'right'; readonly cookie: string; readonly expiresAt: number };

const LIMITED_SECONDS = 60;
const OVER = { kind: 'over' } as const;

export async function visitLink(secret: string, ctx: RouteContext, services: VisitServices): Promise<Visit> {
  const { clientAddress: address, clientAgent: agent } = ctx.state;
  const verdict = await services.links.verify(secret, cookieValues(ctx.get('Cookie'), PASS_COOKIE), address);
  const { link } = verdict;
  if (!link) return shutFor(verdict);
  if (verdict.kind === 'invalid') return { kind: 'pin', isNumeric: hasDigitsAlone(link) };
  const { caller } = verdict;
  const viewer = caller.credential.kind === 'link' ? caller.credential.viewer : undefined;
  if (!(await services.viewers.mayEnter({ linkId: link.id, viewer, address, agent }))) return OVER;
  // The page shows nothing that the NVR would not be asked for.
  const denied = await services.judge.denial(caller);
  if (denied) return REFUSALS[denied].status >= 500 ? { kind: 'busy' } : OVER;
  return {
    kind: 'shown',
    link,
    cookie: viewer === undefined ? passFor(link, secret, ctx, services).cookie : undefined,
  };
}

export async function givePin(secret: string, pin: string, ctx: RouteContext, services: VisitServices): Promise<Visit> {
  const { clientAddress: from, requestId } = ctx.state;
  const verdict = await services.links.verify(secret, [], from);
  const { link } = verdict;
  if (!link) return shutFor(verdict);
  const right = (): Visit => ({ kind: 'right', ...passFor(link, secret, ctx, services) });
  if (link.pinHash === null) return right();
  const outcome = await judgePin(link, pin, from, services);
  const told = REASON[outcome.kind];
  const by = { who: undefined, from, ...auditedAgent(ctx.state), linkId: link.id, requestId };
  services.audit({
    what: 'link-pin',
    ...by,
    ...(told ? { verdict: 'refused', reason: told } : { verdict: 'allowed' }),
  });
  if (outcome.kind === 'right') return right();
  if (outcome.kind === 'wrong') return { kind: 'wrong', isNumeric: hasDigitsAlone(link) };
  if (outcome.kind === 'locked') return OVER;
  return { kind: 'limited', seconds: outcome.kind === 'limited' ? outcome.retryAfterSeconds : BUSY_SECONDS };
}

// biome-ignore format: a table
const REASON = { right: undefined, wrong: 'pin-wrong', locked: 'pin-locked', limited: 'rate-limited', busy: 'busy' } as const;
/** Guesses that wait for others are judged by then. */
const BUSY_SECONDS = 5;

const shutFor = (verdict: LinkVerdict): Visit =>
  verdict.kind === 'invalid' && verdict.reason === 'limited' ? { kind: 'limited', seconds: LIMITED_SECONDS } : OVER;

function passFor(link: Link, secret: string, { state }: RouteContext, { passes, clock }: VisitServices) {
  const now = unixSeconds(clock);
  const expiresAt = Math.floor(Math.min(link.expiresAt, now + PASS_SECONDS));
  const cookie = { name: PASS_COOKIE, secure: 'auto', sameSite: 'lax', path: linkPath(secret) } as const;
  const seconds = Math.max(1, expiresAt - Math.floor(now));
  return { cookie: cookieLine(cookie, passes.issue(link, expiresAt), seconds, state), expiresAt };
}

type PinOutcome =
  | { readonly kind: 'right' | 'wrong' }
  /** Too many wrong ones in all: no PIN opens the link any more. */
  | { readonly kind: 'locked' }
  | Exclude<LimiterPlace, Reserved>;

/** A guess is limited by address, by link, and in all (SPEC 13). Each limit counts it before the PIN is compared, and a right one gives its places back. */
async function judgePin(link: Link, pin: string, address: string, services: VisitServices): Promise<PinOutcome> {
  // No user name has a colon.
  const atAddress = (): Promise<PinOutcome> =>
    settled(services.limiter.reserve(address), () => compare(link, pin, services), isWrong);
  return settled(services.codeLimiter.reserve(`link:${link.id}`), atAddress, isWrong);
}

const isWrong = ({ kind }: PinOutcome): boolean => kind === 'wrong';

async function compare(link: Link, pin: string, { openings, passes }: VisitServices): Promise<PinOutcome> {
  if (!(await openings.reserveGuess(link.id))) return { kind: 'locked' };
  if (!passes.isPin(link, pin)) return { kind: 'wrong' };
  await openings.releaseGuess(link.id);
  return { kind: 'right' };
}
