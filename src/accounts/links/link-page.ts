/** The page of a link: whether it shows, asks for the PIN, or is over; and its routes (SPEC 13). */
import { z } from 'zod';
import type { Link } from '../../domain/accounts/grant.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { LINK_PATH } from '../../domain/page-paths.ts';
import { REFUSALS, refusalBody } from '../../domain/refusal.ts';
import { cookieValues } from '../../domain/sent-credentials.ts';
import type { OwnRoute, RouteContext } from '../../routes/own-route.ts';
import { BODY_NO, named } from '../../routes/shapes.ts';
import type { Store } from '../../store/open-store.ts';
import { type Audit, auditedAgent } from '../audit.ts';
import { type GrantServices, refusedUntil } from '../grants/grants.ts';
import { GIVEN_PIN } from '../http/answers.ts';
import { GIVEN_TEXT } from '../http/json-body.ts';
import { type AccountResponseDeps, declaring, type OpenCall, orByForm, Refused, refusedFor } from '../http/kernel.ts';
import { isFailure, type NotJudged } from '../login/guesses.ts';
import { type LoginLimiter, settled } from '../login/login-limiter.ts';
import { cookieClient, cookieLine } from '../sessions/session-cookie.ts';
import { hasDigitsAlone, type LinkPasses, PASS_COOKIE, PASS_SECONDS } from './link-pass.ts';
import type { OpenLinks } from './links.ts';
import { type LinkJudge, linkPath } from './make-link.ts';

/** What a visit is judged by. */
export interface VisitServices extends Pick<GrantServices, 'clock'> {
  readonly store: Pick<Store, 'openings'>;
  readonly links: Pick<OpenLinks, 'look' | 'mayEnter' | 'verifyFrom'>;
  readonly passes: Pick<LinkPasses, 'isPin' | 'issue'>;
  readonly judge: LinkJudge;
  readonly audit: Audit;
  /** The limiter of failed logins, by address: a wrong PIN is one. */
  readonly limiter: LoginLimiter;
  /** The limiter of wrong codes, by account; its clauses stay whatever `failed_login_rate_limit` says. */
  readonly codeLimiter: LoginLimiter;
}

/** The page takes a form, and whatever else is not JSON. */
type PageServices = AccountResponseDeps & VisitServices & { readonly linkForm: (ctx: RouteContext) => Promise<void> };

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
  const verdict = await deps.links.verifyFrom(secret, cookies, address);
  if (verdict.kind === 'invalid' && verdict.reason !== 'pin-missing') return shutFor(verdict.reason);
  const found = await deps.links.look(secret, cookies);
  if (verdict.kind === 'invalid')
    return found.kind === 'invalid' ? OVER : { kind: 'pin', isNumeric: hasDigitsAlone(found.link) };
  const { credential } = verdict.caller;
  if (credential.kind !== 'link' || found.kind === 'invalid') return OVER;
  const { viewer } = credential;
  if ((await deps.links.mayEnter({ linkId: credential.linkId, viewer, address, agent })) !== 'may') return OVER;
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
  const verdict = await deps.links.verifyFrom(given.secret, [], from);
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

async function compare(link: Link, pin: string, { store: { openings }, passes }: VisitServices): Promise<PinOutcome> {
  if (!(await openings.reserveGuess(link.id))) return { kind: 'locked' };
  if (!passes.isPin(link, pin)) return { kind: 'wrong' };
  await openings.releaseGuess(link.id);
  return { kind: 'right' };
}

const BUSY_RETRY_SECONDS = 5;
const FILE_NO = [206, 304, 403, 404, 416, 429, 502, 503, 504];

const PIN = named('Pin', z.object({ pin: GIVEN_TEXT }));

const route = declaring<PageServices>();

/** The secret in the address is the credential. With `link` the path stands for one of the NVR, judged with the rights of the link. */
// biome-ignore format: a table
export const LINK_PAGE_ROUTES: readonly OwnRoute<PageServices>[] = [
  orByForm(route({ route: `POST ${LINK_PATH}/{secret}`, access: 'public', who: 'anyone', secret: true, note: 'the PIN', summary: 'Give the PIN of a link, as JSON or by the form of the page: the answer sets a cookie for that link', body: PIN, yes: [200, GIVEN_PIN], no: [...BODY_NO, 303, 403, 404, 408, 429], type: 'text/html', run: answer }), (ctx, deps) => deps.linkForm(ctx)),
  { route: `GET ${LINK_PATH}/{secret}/{file}`, access: 'public', link: true, summary: 'What a link shows: snapshot.jpg, thumbnail.jpg, clip.mp4, preview.gif or live', yes: [200], no: FILE_NO, type: 'application/octet-stream' },
  { route: `GET ${LINK_PATH}/{secret}/vod/{file}`, access: 'public', link: true, note: 'a playlist and its segments', summary: 'The playlist of a link, index.m3u8, and its segments', yes: [200], no: FILE_NO, type: 'application/octet-stream' },
  { route: `OPTIONS ${LINK_PATH}/{secret}/{file}`, access: 'public', summary: 'Pages of other sites may read what a link shows, and its parts by Range: for cast devices', yes: [204], no: [404],
    handler: allowReading },
  { route: `OPTIONS ${LINK_PATH}/{secret}/vod/{file}`, access: 'public', summary: 'The same for a playlist and its segments', yes: [204], no: [404],
    handler: allowReading },
  { route: `WS ${LINK_PATH}/{secret}`, access: 'none' },
  { route: `WS ${LINK_PATH}/{secret}/{rest...}`, access: 'none' },
];

/** The same for every secret: nothing is asked of the link, and the answer is no credential. */
function allowReading(ctx: RouteContext): void {
  ctx.set({
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': 'GET, HEAD',
    'Access-Control-Allow-Headers': 'Range',
    'Access-Control-Max-Age': '86400',
    'Cache-Control': 'no-store',
  });
  ctx.status = 204;
}

async function answer({ ctx, params, body }: OpenCall<{ pin: string }>, deps: PageServices): Promise<object> {
  const outcome = await givePin({ secret: params['secret'] ?? '', pin: body.pin }, ctx, deps);
  switch (outcome.kind) {
    case 'right':
      ctx.append('Set-Cookie', outcome.cookie);
      return { success: true, expires_at: outcome.expiresAt };
    case 'wrong':
      throw new Refused(403, 'That PIN is not right', { fields: { reason: 'link-pin-wrong' } });
    case 'over':
      throw refusedFor('link-over');
    case 'busy':
      throw new Refused(503, REFUSALS['nvr-unreachable'].message, {
        headers: { 'Retry-After': String(BUSY_RETRY_SECONDS) },
        fields: refusalBody('nvr-unreachable'),
      });
    case 'limited':
      throw refusedUntil(outcome.seconds);
  }
}
