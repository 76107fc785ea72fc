/** Sessions: a token is valid only while its user, password and `jti` are (interface 5.1; SPEC 4.2, 12). */

import { hash, randomUUID } from 'node:crypto';
import type { CryptoKey } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Services } from '../../app/services.ts';
import type { Settings } from '../../config/schema/schema.ts';
import type { User } from '../../domain/accounts/account.ts';
import type { FactorOwed } from '../../domain/accounts/second-factor.ts';
import { isFramedElsewhere } from '../../domain/addresses.ts';
import { createTaskQueue, type MaybePromise, mapMaybe } from '../../domain/async.ts';
import { upTo } from '../../domain/bounded.ts';
import type { Caller, Credential, SessionFault, SessionVerdict } from '../../domain/caller.ts';
import { unixSeconds } from '../../domain/clock.ts';
import type { Role, UserName } from '../../domain/names.ts';
import { type ActiveRoles, toPerson } from '../../domain/rights.ts';
import { cookieValues } from '../../domain/sent-credentials.ts';
import type { AccountStore } from '../../store/accounts/accounts.ts';
import type { SeenSessions } from './seen-sessions.ts';
import {
  type CookieClient,
  type CookieSettings,
  clearingLines,
  cookieLine,
  digestSecrets,
  loginTime,
  readSessionToken,
  type SessionClaims,
  type SessionFacts,
  type SessionState,
  sessionStateFault,
  signSessionToken,
  timeFault,
} from './session-jwt.ts';

/** The login at a provider by which a session begins. */
export interface SessionOrigin {
  /** The id that the session will have, where it was announced before it begins. */
  readonly sessionId?: string;
  readonly provider: string;
  readonly issuer: string;
  readonly subject: string;
  /** The provider's name of its own session. */
  readonly sid?: string;
  /** The second factor was shown to the provider. */
  readonly hasFactor?: true;
  /** Unix seconds: the person has just proved to be the person there. */
  readonly provenAt?: number;
}

/** What sessions are verified, renewed and ended by. */
export type SessionServices = Pick<Services, 'clock' | 'key' | 'grace'> & {
  readonly store: { readonly accounts: Pick<AccountStore, 'findHolder' | 'revokeToken'> };
  readonly roleRegistry: Pick<Services['roleRegistry'], 'active'>;
  /** What an API token is worth now, by its id. */
  readonly tokens: Pick<Services['tokens'], 'callerNow'>;
};

/** What a running service knows of its sessions besides. */
export interface RunningSessions {
  /** `shownTo`: the provider that was shown a second factor, if it was not shown here. Default: nothing. */
  readonly factorOwed?: (user: User, shownTo: string | undefined) => FactorOwed;
  /** Whether this process ended the session, even where the store could not be told yet. */
  readonly isEndedHere?: (tokenId: string) => boolean;
  /** Default: the end of a session is that of the token at hand. */
  readonly ends?: SeenSessions['ends'] | undefined;
  /** Keeps which sessions a provider may end, by the ids of their tokens. Default: none are kept. */
  readonly providerSessions?: ProviderSessions | undefined;
}

export interface ProviderSessions {
  begun(tokenId: string, origin: SessionOrigin): Promise<void>;
  /** The session goes on under another id. */
  renamed(from: string, to: string): Promise<void>;
}

/** Facts, section 7: `session_length: 0` still needs tokens that live long enough to be sent back. */
const SHORTEST_SESSION = 10;
/** A proxy may ask `/auth` for every request of a page, so a renewal is signed once and reused for up to a minute. */
const LONGEST_REUSE_SECONDS = 60;
/** A renewal that is reused for longer would end a short session while it is in use. */
const REUSED_SHARE_OF_SESSION = 0.1;

type TokenCarrier = 'cookie' | 'bearer' | 'basic';
type TokenCredential = Extract<Credential, { kind: 'api-token' }>;

/** A session that was begun with an API token: worth exactly what the token is worth, and over with it (SPEC 4.1, 4.4). */
type TokenSession = SessionName & Pick<SessionClaims, 'expiresAt'> & { readonly apiToken: string };

export const mayLogIn = (caller: Caller): caller is Caller & { readonly credential: TokenCredential } =>
  caller.credential.kind === 'api-token' && caller.credential.logsIn === true;

/** No digest of secrets is spelt so: whatever takes such a token for a session of the person's own refuses it. */
const NO_SECRETS = 'api-token';

/** A session that begins, or goes on: then with the times of a token of it. Without `provenAt` the password or a factor was never given in it. */
type Begun = Pick<SessionClaims, 'tokenId' | 'provider' | 'hasProviderFactor' | 'authenticatedAt' | 'provenAt'> &
  Partial<Pick<SessionClaims, 'issuedAt'>>;
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

export type Sessions = ReturnType<typeof createSessions>;

export function createSessions(
  { auth, ui, server, store: { grace: graceSeconds } }: Pick<Settings, 'auth' | 'ui' | 'server' | 'store'>,
  services: SessionServices,
  running: RunningSessions = {},
) {
  const { store, key, clock, roleRegistry, tokens } = services;
  const { factorOwed = () => 'nothing', ends, providerSessions } = running;
  const { session_length: length, session_max_age: maxAge } = auth;
  // A page of another site that shows ours in a frame gets no other cookie (SPEC 8).
  const isFramed = isFramedElsewhere(ui.frame_ancestors, server.public_url?.origin, auth.cookie_domain);
  const cookie: CookieSettings = {
    name: auth.cookie_name,
    secure: auth.cookie_secure,
    sameSite: isFramed ? 'none' : 'lax',
    path: '/',
    domain: auth.cookie_domain,
  };
  // 0 asks for a login on nearly every access (interface 5.1.4).
  const isRenewable = length !== 0;
  const lifetime = isRenewable ? length : SHORTEST_SESSION;
  // As long as the session, it would renew it with every request.
  const window = Math.min(auth.refresh_time, Math.floor(lifetime / 2));
  const reuseSeconds = Math.min(LONGEST_REUSE_SECONDS, lifetime * REUSED_SHARE_OF_SESSION);
  const read = createTokenReader(key);
  const stateOf = createStateLookup(services, running);
  const renewals = new LRUCache<string, RenewedToken>(upTo(REMEMBERED_TOKENS));

  /** Asked anew each time: a provider may be trusted with second factors no more since the login. */
  const owedIn = ({ provider, hasProviderFactor }: SessionFacts, user: User): FactorOwed =>
    factorOwed(user, hasProviderFactor && provider);
  const faultOf = (session: SessionFacts, state: SessionState, now: number): SessionFault | undefined => {
    const fault = sessionStateFault(session, state, now);
    return fault ?? (state.user && owedIn(session, state.user) === 'login' ? 'factor-owed' : undefined);
  };
  /** The role is the user's role now, whatever the token says (SPEC 11). */
  const callerIn = (session: SessionFacts, user: User, carriedBy: 'cookie' | 'bearer', roles: ActiveRoles): Caller => ({
    ...toPerson(user, roles, unixSeconds(clock), owedIn(session, user) === 'enrolment'),
    credential: {
      kind: 'session',
      tokenId: session.tokenId,
      issuedAt: session.issuedAt,
      expiresAt: session.expiresAt,
      carriedBy,
      secretsDigest: session.secretsDigest,
      authenticatedAt: loginTime(session),
      ...(session.provenAt !== undefined && { provenAt: session.provenAt }),
      ...(session.provider !== undefined && { provider: session.provider }),
      ...(session.hasProviderFactor && { hasProviderFactor: true }),
    },
  });

  /** The absolute end of a session: counted from its login, whatever renewed it since; it may have been brought forward (SPEC 12). */
  const endByAge = (session: Pick<SessionFacts, 'issuedAt' | 'authenticatedAt'>): number =>
    maxAge === null ? Number.POSITIVE_INFINITY : loginTime(session) + maxAge;

  /** The same by the text of a token, which many answers of /auth carry in turn. */
  const endsOfTokens = new LRUCache<string, number>({
    ...upTo(REMEMBERED_TOKENS),
    memoMethod(token) {
      const { auth_time, iat } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
      return endByAge({ authenticatedAt: auth_time, issuedAt: iat });
    },
  });

  /** Issues a token of the session: ending it ends the tokens of before and after. */
  const sign = (user: User, { tokenId, provider, hasProviderFactor, ...begun }: Begun): Promise<string> => {
    const issuedAt = unixSeconds(clock);
    const authenticatedAt = Math.min(loginTime({ issuedAt, ...begun }), issuedAt);
    const expiresAt = Math.min(issuedAt + lifetime, endByAge({ authenticatedAt, issuedAt }));
    ends?.note(tokenId, expiresAt);
    const provenAt = begun.provenAt && Math.min(begun.provenAt, issuedAt);
    const times = { issuedAt, expiresAt, authenticatedAt, provenAt };
    const claims = { userName: user.name, role: user.role, tokenId, secretsDigest: digestSecrets(user) };
    return signSessionToken({ ...claims, ...times, provider, hasProviderFactor }, key);
  };
  const renew = (caller: Caller): MaybePromise<string | undefined> => {
    const { credential } = caller;
    if (!isRenewable || credential.kind !== 'session' || credential.carriedBy !== 'cookie') return undefined;
    // No token lives longer: a new cookie would change nothing.
    if (credential.expiresAt >= endByAge(credential)) return undefined;
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
      const token = sign(user, credential);
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
      return sign(state.user, { ...credential, provenAt: now });
    });
  };

  /** A token of this session that another request or replica renewed expires later than this one. */
  const revoke = async (tokenId: string, expiresAt: number): Promise<void> => {
    const late = graceSeconds + CLOCK_TOLERANCE_SECONDS;
    const longest = unixSeconds(clock) + Math.max(lifetime, maxAge ?? 0) + late;
    await store.accounts.revokeToken(tokenId, Math.max(expiresAt, ends?.latest(tokenId) ?? 0, longest));
  };

  const endOf = async (tokenId: string, expiresAt: number): Promise<number> => {
    const end = Math.max(expiresAt, ends?.latest(tokenId) ?? 0);
    return end > unixSeconds(clock) ? end : Math.max(end, (await ends?.recorded(tokenId)) ?? 0);
  };

  /** The caller of a session, by what the API token is worth now; undefined when it is no longer good for it. */
  const callerOfToken = async (session: TokenSession, carriedBy: TokenCarrier): Promise<Caller | undefined> => {
    const { isRevoked } = await stateOf(session);
    const caller = isRevoked ? undefined : await tokens.callerNow(session.apiToken);
    if (caller?.name !== session.userName || !mayLogIn(caller)) return undefined;
    const { credential } = caller;
    const { tokenId, expiresAt } = session;
    const end = Math.min(expiresAt, credential.expiresAt ?? Number.POSITIVE_INFINITY);
    return { ...caller, credential: { ...credential, carriedBy, expiresAt: end, session: { tokenId, expiresAt } } };
  };

  const announce = async (origin: SessionOrigin): Promise<SessionOrigin & { readonly sessionId: string }> => {
    const { sessionId = randomUUID() } = origin;
    await providerSessions?.begun(sessionId, origin);
    return { ...origin, sessionId };
  };

  const end = async (caller: Caller | undefined, tokens: readonly string[] = []): Promise<UserName | undefined> => {
    const shown = (await Promise.all(tokens.map(read))).flatMap((claims) => (claims.ok ? [claims.value] : []));
    const { credential } = caller ?? {};
    const own = credential?.kind === 'session' ? credential : credential?.kind === 'api-token' && credential.session;
    const ends = new Map<string, number>();
    for (const { tokenId, expiresAt } of [...shown, ...(own ? [own] : [])])
      ends.set(tokenId, Math.max(expiresAt, ends.get(tokenId) ?? 0));
    await Promise.all([...ends].map(([tokenId, expiresAt]) => revoke(tokenId, expiresAt)));
    return caller?.name ?? shown[0]?.userName;
  };

  return {
    /** The session is still to begin, after a second step: the provider can end it from now on. Gives the origin with its id. */
    announce,
    /** A session that is worth what the API token is worth, and ends with it at the latest; it is never renewed. */
    issueForToken({ name, role, credential }: Caller & { readonly credential: TokenCredential }): Promise<string> {
      const issuedAt = unixSeconds(clock);
      const expiresAt = Math.min(issuedAt + lifetime, credential.expiresAt ?? Number.POSITIVE_INFINITY);
      const named = { userName: name, role, tokenId: randomUUID(), secretsDigest: NO_SECRETS };
      const times = { issuedAt, expiresAt, authenticatedAt: issuedAt };
      return signSessionToken({ ...named, ...times, apiToken: credential.tokenId }, key);
    },
    /** A new session, with a proof of this moment; `origin`: of a login at a provider, which may end it later. */
    async issue(user: User, origin?: SessionOrigin): Promise<string> {
      if (!origin) return sign(user, { tokenId: randomUUID(), provenAt: unixSeconds(clock) });
      // Before the session is there, so that the provider can end it at any moment.
      const { sessionId: tokenId, provider, hasFactor: hasProviderFactor, provenAt } = await announce(origin);
      return sign(user, { tokenId, provider, hasProviderFactor, provenAt });
    },
    /**
     * A fresh token for a session carried by cookie, for `/auth`, at any time in a session's life (interface 5.1.5); undefined
     * when there is nothing to renew. Signed anew at most once a minute, or once in a tenth of a short session; more often only
     * where cookies of before and after a fresh proof are used in turn.
     */
    renew,
    /** A token of the same session, for a caller who has just given the password or a factor again; undefined when the session is over. */
    prove,
    /** The session is void from here on, with all its tokens: also one that is not the caller's. */
    revoke,
    /**
     * A token for a session that has changed the password or the factors of its user, when its own token is over by that. The
     * login, its provider and the proof stay those of before: the change is no proof. Undefined when the session goes on as it
     * is, and when it was ended meanwhile.
     */
    async goOn({ credential }: Caller, user: User, reason?: 'password_change'): Promise<string | undefined> {
      if (credential.kind !== 'session' || credential.secretsDigest === digestSecrets(user)) return undefined;
      // A factor that has just been set up was shown here: it takes the place of one that its provider is trusted with no more.
      const isShownHere = reason !== 'password_change' && owedIn(credential, user) === 'login';
      // Under another id: what is left of the session with the former one is over.
      const next = { ...credential, tokenId: randomUUID(), ...(isShownHere && { hasProviderFactor: undefined }) };
      if (credential.provider !== undefined) await providerSessions?.renamed(credential.tokenId, next.tokenId);
      // Not before: its provider ends the session by the id that it has.
      const { isRevoked } = await stateOf({ userName: user.name, tokenId: credential.tokenId });
      return isRevoked ? undefined : sign(user, next);
    },
    verify: (token: string, carriedBy: 'cookie' | 'bearer'): MaybePromise<SessionVerdict> =>
      mapMaybe(read(token), (claims) => {
        if (!claims.ok) return { kind: 'invalid', reason: claims.error };
        const now = unixSeconds(clock);
        const late = timeFault(claims.value, now) ?? (endByAge(claims.value) <= now ? 'expired' : undefined);
        if (late) return { kind: 'invalid', reason: late };
        const { apiToken } = claims.value;
        if (apiToken !== undefined)
          return callerOfToken({ ...claims.value, apiToken }, carriedBy).then(
            (caller): SessionVerdict => (caller ? { kind: 'valid', caller } : { kind: 'invalid', reason: 'revoked' }),
          );
        return mapMaybe(stateOf(claims.value), (state) => {
          const { user } = state;
          const fault = faultOf(claims.value, state, now);
          if (fault || !user) return { kind: 'invalid', reason: fault ?? 'user-gone' };
          return mapMaybe(roleRegistry.active(), (roles) => ({
            kind: 'valid',
            caller: callerIn(claims.value, user, carriedBy, roles),
          }));
        });
      }),
    /** `renew`, for a session that is near its end. */
    renewalFor(caller: Caller): MaybePromise<string | undefined> {
      const { credential } = caller;
      if (credential.kind !== 'session' || credential.expiresAt - unixSeconds(clock) > window) return undefined;
      return renew(caller);
    },
    /** Who the holder of a session is now, with the end of its latest token; undefined when the session is over or was ended. */
    async recheck({ name, credential }: Caller): Promise<Caller | undefined> {
      if (credential.kind === 'api-token' && credential.session) {
        const { session, carriedBy = 'bearer' } = credential;
        if (session.expiresAt <= unixSeconds(clock)) return undefined;
        return callerOfToken({ ...session, userName: name as UserName, apiToken: credential.tokenId }, carriedBy);
      }
      if (credential.kind !== 'session') return undefined;
      const expiresAt = Math.min(await endOf(credential.tokenId, credential.expiresAt), endByAge(credential));
      if (expiresAt <= unixSeconds(clock)) return undefined;
      const claims = { ...credential, expiresAt, userName: name };
      const state = await stateOf(claims);
      if (!state.user || faultOf(claims, state, unixSeconds(clock))) return undefined;
      return callerIn(claims, state.user, credential.carriedBy, await roleRegistry.active());
    },
    /**
     * Logout: ends the session of the caller and those of the tokens, each once. A token may be over, and its session live on in a
     * renewed one. Nothing happens to other kinds of credentials. Gives the user; undefined where there is no session.
     */
    end,
    /** The session that a token was signed for, even one that is over. */
    async sessionNamedBy(token: string): Promise<SessionClaims | undefined> {
      const claims = await read(token);
      // One of an API token shows no browser of the person.
      return claims.ok && claims.value.apiToken === undefined ? claims.value : undefined;
    },
    tokensIn: (cookieHeader: string): readonly string[] => cookieValues(cookieHeader, cookie.name),
    cookieFor(token: string, client: CookieClient): string {
      const left = maxAge === null ? lifetime : endsOfTokens.memo(token) - unixSeconds(clock);
      return cookieLine(cookie, token, Math.max(0, Math.min(lifetime, left)), client);
    },
    /** What makes a browser forget the session. */
    clearedCookies: (client: CookieClient): readonly string[] => clearingLines(cookie, client),
    /**
     * Ends the sessions that a login takes the place of, where `auth.cookie_domain` is set: a browser may keep a cookie for one
     * host beside the new one, and a request of two users is refused.
     */
    async endReplaced(cookieHeader: string): Promise<void> {
      if (cookie.domain === undefined) return;
      // All of them: the end of one may not be written.
      await end(undefined, cookieValues(cookieHeader, cookie.name));
    },
  };
}

type TokenReading = Awaited<ReturnType<typeof readSessionToken>>;
type SessionName = Pick<SessionClaims, 'userName' | 'tokenId'>;

/** Tokens, and states of their users: no signature is checked and nothing is asked twice for the same answer (SPEC 4.2). */
const REMEMBERED_TOKENS = 5000;
/** Thousands come at once after a restart, with tokens that are new to this process: others have turns in between. */
const NEW_IN_TURN = 8;

/** Reads a token, whatever the time. Tokens with a good signature are remembered by their digest. */
function createTokenReader(key: CryptoKey): (token: string) => MaybePromise<TokenReading> {
  const signed = new LRUCache<string, TokenReading>(upTo(REMEMBERED_TOKENS));
  const { enter } = createTaskQueue(NEW_IN_TURN);
  const check = async (token: string, digest: string): Promise<TokenReading> => {
    const leave = await enter();
    try {
      const reading = signed.get(digest) ?? (await readSessionToken(token, key));
      if (reading.ok) signed.set(digest, reading);
      return reading;
    } finally {
      setImmediate(leave);
    }
  };
  return (token) => {
    const digest = hash('sha256', token, 'base64url');
    return signed.get(digest) ?? check(token, digest);
  };
}

/** What the store says of a session: remembered while nothing changes, and for a grace while the store cannot be reached. */
function createStateLookup(
  { store, grace }: SessionServices,
  { isEndedHere = () => false }: RunningSessions,
): (session: SessionName) => MaybePromise<SessionState> {
  const remembered = grace.memory<SessionState>(REMEMBERED_TOKENS, {
    rowsOf(key) {
      const [userName = '', tokenId = ''] = key.split(' ', 2);
      return [`users ${userName}`, `revoked_tokens ${tokenId}`];
    },
    inGrace: (state) => ({ ...state, isInGrace: true }),
  });
  const read = async ({ userName, tokenId }: SessionName): Promise<SessionState> => {
    const holder = await store.accounts.findHolder(userName, tokenId);
    return { ...holder, secretsDigest: holder.user && digestSecrets(holder.user) };
  };
  return (session) => {
    const { userName, tokenId } = session;
    return mapMaybe(
      remembered(`${userName} ${tokenId}`, () => read(session)),
      (state) => (isEndedHere(tokenId) ? { ...state, isRevoked: true } : state),
    );
  };
}
