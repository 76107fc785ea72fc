/** Back-channel logout: the token by which a provider ends sessions (OpenID Connect Back-Channel Logout 1.0, sections 2.4 and 2.6), those sessions, and what may be used once (SPEC 16). */

import { hash } from 'node:crypto';
import { createRemoteJWKSet, customFetch, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import type { ProviderSessions } from '../../accounts/sessions/sessions.ts';
import type { Services } from '../../app/services.ts';
import type { Settings } from '../../config/schema/schema.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { isRecord } from '../../domain/json.ts';
import type { UserName } from '../../domain/names.ts';
import type { BoundedFetch } from '../../outbound/bounded-fetch.ts';
import type { RecordOf } from '../../store/engine/tables.ts';
import { providerFault } from './attempt.ts';

type BegunSession = RecordOf<'oidc_sessions'>;

/** Which session ends: all of `subject`, or the one with `sid`; with both, both must fit. */
export type LogoutToken = Awaited<ReturnType<typeof readLogoutToken>>;

interface LogoutTokenRules {
  readonly issuer: string;
  readonly keys: JWTVerifyGetKey;
  readonly audience: string;
  /** Unix seconds. */
  readonly now: number;
}

/** Asymmetric signatures alone: with HS256 the public key, which is known to all, could be the secret. */
export const ALGORITHMS: readonly string[] = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'];
export const SKEW_SECONDS = 60;
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** A token without `exp`, which older providers send, is taken for so long after `iat`. */
const LIFETIME_SECONDS = 300;
const LONGEST_ID = 255;
const LONGEST_TOKEN = 16_384;
/** The least time between two questions for an unknown key. */
const COOLDOWN_MILLISECONDS = 60_000;

/** Rejects with a `SignInFault`. */
export async function readLogoutToken(token: string, rules: LogoutTokenRules) {
  if (token.length > LONGEST_TOKEN) throw unfit('the logout token is too long');
  const { events, nonce, sub, sid, jti, iat, exp } = await verified(token, rules);
  if (!isRecord(events) || !isRecord(events[EVENT])) throw unfit('the token is no logout token: it has no such event');
  if (nonce !== undefined) throw unfit('the token is no logout token: it has a nonce, as ID tokens do');
  if (typeof iat !== 'number' || iat > rules.now + SKEW_SECONDS) throw unfit('the logout token is from the future');
  if (iat + LIFETIME_SECONDS + SKEW_SECONDS < rules.now) throw unfit('the logout token is too old');
  if (typeof jti !== 'string' || jti === '' || jti.length > LONGEST_ID)
    throw unfit('the logout token has no usable jti');
  const [subject, session] = [textOf(sub), textOf(sid)];
  if (subject === undefined && session === undefined) throw unfit('the logout token names neither sub nor sid');
  return {
    issuer: rules.issuer,
    subject,
    sid: session,
    id: jti,
    /** Unix seconds: until then the token could be sent again. */
    expiresAt: Math.max(Number(exp ?? 0), iat + LIFETIME_SECONDS) + SKEW_SECONDS,
  };
}

/** An answer of the provider that proves nothing. */
export const unfit = (why: string) => providerFault('sign-in-unfit', why);

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

async function verified(token: string, rules: LogoutTokenRules): Promise<JWTPayload> {
  const { payload, protectedHeader } = await jwtVerify(token, rules.keys, {
    issuer: rules.issuer,
    audience: rules.audience,
    algorithms: [...ALGORITHMS],
    clockTolerance: SKEW_SECONDS,
    currentDate: new Date(rules.now * 1000),
  }).catch(({ code }: { readonly code?: unknown }) => {
    throw unfit(`the logout token does not hold (${typeof code === 'string' ? code : 'its keys could not be read'})`);
  });
  // Many providers write plain "JWT", or nothing; another type is another token.
  const { typ = 'logout+jwt' } = protectedHeader;
  if (!/^(?:application\/)?(?:logout\+jwt|jwt)$/i.test(typ)) throw unfit('the token has another type');
  return payload;
}

/** The keys at an address: asked for when they are first needed, and for an unknown key at most once a minute. */
export const keySetAt = (address: string, fetch: BoundedFetch): JWTVerifyGetKey =>
  createRemoteJWKSet(new URL(address), {
    cooldownDuration: COOLDOWN_MILLISECONDS,
    [customFetch]: (url, { method, headers }) => fetch(url, { method, headers }),
  });

/** Kept for as long as a session may be renewed: the provider can end it until then. */
const WITHOUT_END_SECONDS = 400 * 86_400;

export const openProviderSessions = (
  { auth }: Settings,
  { store, clock }: Pick<Services, 'store' | 'clock'>,
): ProviderSessions => ({
  async begun(sessionId, { issuer, subject, sid }) {
    const expiresAt = unixSeconds(clock) + (auth.session_max_age ?? WITHOUT_END_SECONDS);
    await store.signIns.noteSession({ sessionId, issuer, subject, ...(sid !== undefined && { sid }), expiresAt });
  },
  renamed: (from, to) => store.signIns.renameSession(from, to),
});

const toMark = (id: string): string => hash('sha256', id, 'base64url');

/** Whether it was used, here or at another replica. */
export const wasUsed = ({ store }: Pick<Services, 'store'>, id: string): Promise<boolean> =>
  store.accounts.isRevoked(toMark(id));

/**
 * False for what was used before, also at that moment. Rejects when the mark could not be written: it holds here all the
 * same, and is written later. `until`: Unix seconds.
 */
export const markUsed = ({ store }: Pick<Services, 'store'>, id: string, until: number): Promise<boolean> =>
  store.accounts.revokeToken(toMark(id), until);

/** Whose account is connected with that person at the provider. */
export const findOwner = async (
  { issuer, subject }: Pick<BegunSession, 'issuer' | 'subject'>,
  { store }: Pick<Services, 'store'>,
): Promise<UserName | undefined> => (await store.signIns.findSignIn(issuer, subject))?.user;

/**
 * Ends the sessions that began with that person at the provider, all of them also where the end of one could not be
 * written; gives their users, and those faults.
 */
export async function endProviderSessions(
  { issuer, subject, sid }: LogoutToken,
  { store, seenSessions, sessions }: Pick<Services, 'store' | 'seenSessions' | 'sessions'>,
): Promise<{ readonly users: readonly UserName[]; readonly faults: readonly unknown[] }> {
  const users = new Set<UserName>();
  const begun = () => store.signIns.sessionsOf(issuer, subject, sid);
  const faults = await endAll(begun, async ({ sessionId, expiresAt, ...of }) => {
    // The name is for the record: the session ends without it, too.
    const seen = await seenSessions.find(sessionId).catch(() => undefined);
    const user = seen?.user ?? (await findOwner(of, { store }).catch(() => undefined));
    if (user) users.add(user);
    await sessions.revoke(sessionId, expiresAt);
  });
  return { users: [...users], faults };
}

/**
 * Ends each session, sessions that begin meanwhile too: a new password names the session anew, and looks behind that whether
 * the old name is revoked. Returns the faults of sessions that could not be ended.
 */
export async function endAll(
  begun: () => Promise<readonly BegunSession[]>,
  end: (session: BegunSession) => Promise<void>,
): Promise<readonly unknown[]> {
  const tried = new Set<string>();
  const faults: unknown[] = [];
  for (;;) {
    const left = (await begun()).filter(({ sessionId }) => !tried.has(sessionId));
    if (left.length === 0) return faults;
    for (const { sessionId } of left) tried.add(sessionId);
    const outcomes = await Promise.allSettled(left.map(end));
    faults.push(...outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : [])));
  }
}
