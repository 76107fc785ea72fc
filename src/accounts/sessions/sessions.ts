/** Sessions: a token is valid only while its user, password and `jti` are (interface 5.1; SPEC 4.2). */

import { hash, randomUUID } from 'node:crypto';
import type { CryptoKey } from 'jose';
import { LRUCache } from 'lru-cache';
import type { User } from '../../domain/accounts/account.ts';
import type { FactorOwed } from '../../domain/accounts/second-factor.ts';
import { type MaybePromise, mapMaybe } from '../../domain/async.ts';
import { upTo } from '../../domain/bounded.ts';
import type { Caller, SessionFault, SessionVerdict } from '../../domain/caller.ts';
import { unixSeconds } from '../../domain/clock.ts';
import type { Role, UserName } from '../../domain/names.ts';
import type { ActiveRoles } from '../../domain/rights.ts';
import { cookieValues } from '../../domain/sent-credentials.ts';
import type { AccountStore } from '../../store/accounts/accounts.ts';
import { begunBy, begunWith, continuedBy, createIssuer, type SessionOrigin } from './issue-session.ts';
import { createSessionAge } from './session-age.ts';
import { type CookieClient, clearingLines, cookieLine } from './session-cookie.ts';
import type { SessionDeps } from './session-deps.ts';
import { createSessionEnds } from './session-ends.ts';
import { readSessionToken, type SessionClaims, timeFault } from './session-jwt.ts';
import { callerOf, type Lasting, type SessionState, secretsDigestOf, sessionStateFault } from './session-state.ts';
import { createStoreGrace, type StoreGrace } from './store-grace.ts';
import { inTokenSession, signTokenSession, type TokenCaller, type TokenSession } from './token-sessions.ts';

export type { SessionOrigin };

export interface Sessions {
  verify(token: string, carriedBy: 'cookie' | 'bearer'): MaybePromise<SessionVerdict>;
  /** A new session; `origin`: of a login at a provider, which may end it later. */
  issue(user: User, origin?: SessionOrigin): Promise<string>;
  /** The session is still to begin, after a second step: the provider can end it from now on. Gives the origin with its id. */
  announce(origin: SessionOrigin): Promise<SessionOrigin>;
  /** A fresh token for a session carried by cookie that is near its end; undefined when there is nothing to renew. */
  renewalFor(caller: Caller): MaybePromise<string | undefined>;
  /**
   * The same for `/auth`, at any time in a session's life (interface 5.1.5). Signed anew at most once a minute, or once in a
   * tenth of a short session; more often only where cookies of before and after a fresh proof are used in turn.
   */
  renew(caller: Caller): MaybePromise<string | undefined>;
  /** A session that is worth what the API token is worth; it is never renewed. */
  issueForToken(caller: TokenCaller): Promise<string>;
  /** A token of the same session, for a caller who has just given the password or a factor again; undefined when the session is over. */
  prove(caller: Caller): MaybePromise<string | undefined>;
  /**
   * A token for a session that has changed the password or the factors of its user, when its own token is over by that. The
   * login, its provider and the proof stay those of before: the change is no proof. Undefined when the session goes on as it
   * is, and when it was ended meanwhile.
   */
  goOn(caller: Caller, user: User, reason?: 'password_change'): Promise<string | undefined>;
  /** Who the holder of a session is now, with the end of its latest token; undefined when the session is over or was ended. */
  recheck(caller: Caller): Promise<Caller | undefined>;
  /** Logout: the session is void from here on, with all its tokens. Nothing happens to other kinds of credentials. */
  end(caller: Caller): Promise<void>;
  /** Logout with a token that may be over: its session may live on in a renewed one. Gives the user; undefined for a token of no session. */
  endShown(token: string): Promise<UserName | undefined>;
  /** The same for a session that is not the caller's. */
  revoke(tokenId: string, expiresAt: number): Promise<void>;
  /** The session that a token was signed for, even one that is over. */
  sessionNamedBy(token: string): Promise<SessionClaims | undefined>;
  tokensIn(cookieHeader: string): readonly string[];
  cookieFor(token: string, client: CookieClient): string;
  /** What makes a browser forget the session. */
  clearedCookies(client: CookieClient): readonly string[];
  /**
   * Ends the sessions that a login takes the place of, where `auth.cookie_domain` is set: a browser may keep a cookie for one
   * host beside the new one, and a request of two users is refused.
   */
  endReplaced(cookieHeader: string): Promise<void>;
}

/** Facts, section 7: `session_length: 0` still needs tokens that live long enough to be sent back. */
const SHORTEST_SESSION = 10;
/** A proxy may ask `/auth` for every request of a page, so a renewal is signed once and reused for up to a minute. */
const LONGEST_REUSE_SECONDS = 60;
/** A renewal that is reused for longer would end a short session while it is in use. */
const REUSED_SHARE_OF_SESSION = 0.1;

type TokenCarrier = 'cookie' | 'bearer' | 'basic';

/** Another replica's clock may be so far ahead when it signs a token. */
const CLOCK_TOLERANCE_SECONDS = 600;

/** The role, the digest of the secrets and the proof are part of it: it is reused only where all of them are the same. */
interface RenewedToken {
  readonly at: number;
  readonly role: Role;
  readonly secretsDigest: string | undefined;
  readonly provenAt: number | undefined;
  token: MaybePromise<string>;
}

export function createSessions(deps: SessionDeps): Sessions {
  const { store, key, clock, cookie, ends = createSessionEnds(), isEndedHere = () => false } = deps;
  const { factorOwed = () => 'nothing', graceSeconds = 0, providerSessions } = deps;
  const { grace = createStoreGrace({ version: deps.accountsVersion }) } = deps;
  const isRenewable = deps.sessionLength !== 0;
  const lifetime = isRenewable ? deps.sessionLength : SHORTEST_SESSION;
  // As long as the session, it would renew it with every request.
  const window = Math.min(deps.refreshTime, Math.floor(lifetime / 2));
  const reuseSeconds = Math.min(LONGEST_REUSE_SECONDS, lifetime * REUSED_SHARE_OF_SESSION);
  const age = createSessionAge(deps.maxAge);
  const read = createTokenReader(key);
  const stateOf = createStateLookup({ store, grace, isEndedHere });
  const renewals = new LRUCache<string, RenewedToken>(upTo(REMEMBERED_TOKENS));

  /** Asked anew each time: a provider may be trusted with second factors no more since the login. */
  const owedIn = ({ provider, hasProviderFactor }: Lasting, user: User): FactorOwed =>
    factorOwed(user, hasProviderFactor && provider);
  const faultOf = (session: Lasting, state: SessionState, now: number): SessionFault | undefined => {
    const fault = sessionStateFault(session, state, now);
    return fault ?? (state.user && owedIn(session, state.user) === 'login' ? 'factor-owed' : undefined);
  };
  const callerIn = (session: Lasting, user: User, carriedBy: 'cookie' | 'bearer', roles: ActiveRoles): Caller =>
    callerOf(user, session, carriedBy, {
      roles,
      now: unixSeconds(clock),
      owesFactor: () => owedIn(session, user) === 'enrolment',
    });

  const issue = createIssuer({ key, clock, lifetime, age, ends });

  const renew = (caller: Caller): MaybePromise<string | undefined> => {
    const { credential } = caller;
    if (!isRenewable || credential.kind !== 'session' || credential.carriedBy !== 'cookie') return undefined;
    // No token lives longer: a new cookie would change nothing.
    if (credential.expiresAt >= age.endOf(credential)) return undefined;
    return mapMaybe(stateOf({ userName: caller.name, tokenId: credential.tokenId }), (state) => {
      const { user, secretsDigest } = state;
      const { tokenId, provenAt } = credential;
      const now = unixSeconds(clock);
      // The session may have ended while the request ran, or elsewhere while the store is away: a new token would revive it.
      if (!user || state.isInGrace || faultOf(credential, state, now)) return undefined;
      const { role } = user;
      const known = renewals.get(tokenId);
      const isSame = known?.role === role && known.secretsDigest === secretsDigest && known.provenAt === provenAt;
      if (isSame && Math.abs(now - known.at) < reuseSeconds) return known.token;
      // The same `jti`: it is the same session, so ending it ends the tokens of before and after.
      const token = issue(user, begunBy(credential));
      const renewal: RenewedToken = { at: now, role, secretsDigest, provenAt, token };
      renewals.set(tokenId, renewal);
      return token.then((signed) => {
        renewal.token = signed; // the next to ask need not wait
        return signed;
      });
    });
  };

  const prove = ({ name, credential }: Caller): MaybePromise<string | undefined> => {
    if (credential.kind !== 'session') return undefined;
    return mapMaybe(stateOf({ userName: name, tokenId: credential.tokenId }), (state) => {
      const now = unixSeconds(clock);
      if (!state.user || state.isInGrace || faultOf(credential, state, now)) return undefined;
      return issue(state.user, { ...begunBy(credential), proof: now });
    });
  };

  /** A token of this session that another request or replica renewed expires later than this one. */
  const revoke = async (tokenId: string, expiresAt: number): Promise<void> => {
    const late = graceSeconds + CLOCK_TOLERANCE_SECONDS;
    const longest = unixSeconds(clock) + Math.max(lifetime, deps.maxAge ?? 0) + late;
    await store.revokeToken(tokenId, Math.max(expiresAt, ends.latest(tokenId) ?? 0, longest));
  };

  const endOf = async (tokenId: string, expiresAt: number): Promise<number> => {
    const end = Math.max(expiresAt, ends.latest(tokenId) ?? 0);
    return end > unixSeconds(clock) ? end : Math.max(end, (await ends.recorded(tokenId)) ?? 0);
  };

  type NamedByToken = TokenSession & Pick<SessionClaims, 'userName'>;
  const callerOfToken = async (session: NamedByToken, carriedBy: TokenCarrier): Promise<Caller | undefined> => {
    const { isRevoked } = await stateOf(session);
    return isRevoked
      ? undefined
      : inTokenSession(await deps.apiTokenNow?.(session.apiToken), session, session.userName, carriedBy);
  };
  const verifyOfToken = async (
    claims: SessionClaims,
    apiToken: string,
    carriedBy: TokenCarrier,
  ): Promise<SessionVerdict> => {
    const caller = await callerOfToken({ ...claims, apiToken }, carriedBy);
    return caller ? { kind: 'valid', caller } : { kind: 'invalid', reason: 'revoked' };
  };

  const announce: Sessions['announce'] = async (origin) => {
    const { sessionId = randomUUID() } = origin;
    await providerSessions?.begun(sessionId, origin);
    return { ...origin, sessionId };
  };

  return {
    announce,
    issueForToken: (caller) => signTokenSession(caller, unixSeconds(clock), lifetime, key),
    async issue(user, origin) {
      if (!origin) return issue(user);
      // Before the session is there, so that the provider can end it at any moment.
      return issue(user, begunWith(await announce(origin), unixSeconds(clock)));
    },
    renew,
    prove,
    revoke,
    async goOn({ credential }, user, reason) {
      if (credential.kind !== 'session' || credential.secretsDigest === secretsDigestOf(user)) return undefined;
      // A factor that has just been set up was shown here: it takes the place of one that its provider is trusted with no more.
      const isShownHere = reason !== 'password_change' && owedIn(credential, user) === 'login';
      const next = { ...continuedBy(credential), ...(isShownHere && { hasProviderFactor: undefined }) };
      if (credential.provider !== undefined) await providerSessions?.renamed(credential.tokenId, next.tokenId);
      // Not before: its provider ends the session by the id that it has.
      const { isRevoked } = await stateOf({ userName: user.name, tokenId: credential.tokenId });
      return isRevoked ? undefined : issue(user, next);
    },
    verify: (token, carriedBy) =>
      mapMaybe(read(token), (claims) => {
        if (!claims.ok) return { kind: 'invalid', reason: claims.error };
        const now = unixSeconds(clock);
        const late = timeFault(claims.value, now) ?? age.fault(claims.value, now);
        if (late) return { kind: 'invalid', reason: late };
        if (claims.value.apiToken !== undefined) return verifyOfToken(claims.value, claims.value.apiToken, carriedBy);
        return mapMaybe(stateOf(claims.value), (state) => {
          const { user } = state;
          const fault = faultOf(claims.value, state, now);
          if (fault || !user) return { kind: 'invalid', reason: fault ?? 'user-gone' };
          return mapMaybe(deps.roles(), (roles) => ({
            kind: 'valid',
            caller: callerIn(claims.value, user, carriedBy, roles),
          }));
        });
      }),
    renewalFor(caller) {
      const { credential } = caller;
      if (credential.kind !== 'session' || credential.expiresAt - unixSeconds(clock) > window) return undefined;
      return renew(caller);
    },
    async recheck({ name, credential }) {
      if (credential.kind === 'api-token' && credential.session) {
        const { session, carriedBy = 'bearer' } = credential;
        if (session.expiresAt <= unixSeconds(clock)) return undefined;
        return callerOfToken({ ...session, userName: name, apiToken: credential.tokenId }, carriedBy);
      }
      if (credential.kind !== 'session') return undefined;
      const expiresAt = Math.min(await endOf(credential.tokenId, credential.expiresAt), age.endOf(credential));
      if (expiresAt <= unixSeconds(clock)) return undefined;
      const claims = { ...credential, expiresAt, userName: name };
      const state = await stateOf(claims);
      if (!state.user || faultOf(claims, state, unixSeconds(clock))) return undefined;
      return callerIn(claims, state.user, credential.carriedBy, await deps.roles());
    },
    async end({ credential }) {
      if (credential.kind === 'api-token' && credential.session)
        await revoke(credential.session.tokenId, credential.session.expiresAt);
      if (credential.kind === 'session') await revoke(credential.tokenId, credential.expiresAt);
    },
    async endShown(token) {
      const claims = await read(token);
      if (!claims.ok) return undefined;
      await revoke(claims.value.tokenId, claims.value.expiresAt);
      return claims.value.userName;
    },
    async sessionNamedBy(token) {
      const claims = await read(token);
      // One of an API token shows no browser of the person.
      return claims.ok && claims.value.apiToken === undefined ? claims.value : undefined;
    },
    tokensIn: (header) => cookieValues(header, cookie.name),
    cookieFor: (token, client) => cookieLine(cookie, token, age.within(lifetime, token, clock), client),
    clearedCookies: (client) => clearingLines(cookie, client),
    async endReplaced(cookieHeader) {
      if (cookie.domain === undefined) return;
      // All of them: the end of one may not be written.
      await Promise.all(
        cookieValues(cookieHeader, cookie.name).map(async (token) => {
          const claims = await read(token);
          if (claims.ok) await revoke(claims.value.tokenId, claims.value.expiresAt);
        }),
      );
    },
  };
}

/** Session tokens and the state of their users, remembered: no signature check and no query twice for the same answer (SPEC 4.2). */
type TokenReading = Awaited<ReturnType<typeof readSessionToken>>;
type SessionName = Pick<SessionClaims, 'userName' | 'tokenId'>;

const REMEMBERED_TOKENS = 5000;

/** Reads a token, whatever the time. Tokens with a good signature are remembered by their digest. */
function createTokenReader(key: CryptoKey): (token: string) => MaybePromise<TokenReading> {
  const signed = new LRUCache<string, TokenReading>(upTo(REMEMBERED_TOKENS));
  const check = async (token: string, digest: string): Promise<TokenReading> => {
    const reading = await readSessionToken(token, key);
    if (reading.ok) signed.set(digest, reading);
    return reading;
  };
  return (token) => {
    const digest = hash('sha256', token, 'base64url');
    return signed.get(digest) ?? check(token, digest);
  };
}

interface StateLookupDeps {
  readonly store: Pick<AccountStore, 'findUser' | 'isRevoked'>;
  readonly grace: StoreGrace;
  /** Whether this process ended the session, even where the store could not be told yet. */
  readonly isEndedHere: (tokenId: string) => boolean;
}

/** What the store says of a session: remembered while nothing changes, and for a grace while the store cannot be reached. */
function createStateLookup({
  store,
  grace,
  isEndedHere,
}: StateLookupDeps): (session: SessionName) => MaybePromise<SessionState> {
  const remembered = grace.memory<SessionState>(REMEMBERED_TOKENS, {
    rowsOf(key) {
      const [userName = '', tokenId = ''] = key.split(' ', 2);
      return [`users ${userName}`, `revoked_tokens ${tokenId}`];
    },
    inGrace: (state) => ({ ...state, isInGrace: true }),
  });
  const read = async ({ userName, tokenId }: SessionName): Promise<SessionState> => {
    const [user, isRevoked] = await Promise.all([store.findUser(userName), store.isRevoked(tokenId)]);
    return { user, isRevoked, secretsDigest: user && secretsDigestOf(user) };
  };
  return (session) => {
    const { userName, tokenId } = session;
    return mapMaybe(
      remembered(`${userName} ${tokenId}`, () => read(session)),
      (state) => (isEndedHere(tokenId) ? { ...state, isRevoked: true } : state),
    );
  };
}
