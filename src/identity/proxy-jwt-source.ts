/** Who a signed token of a proxy in front says is calling, and the keys that it is checked by, when `auth.enabled` is false and `proxy.jwt` is set (SPEC 17). */
import { hash } from 'node:crypto';
import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { groupsIn, textClaim } from '../accounts/claims.ts';
import type { Settings } from '../config/schema/schema.ts';
import { type MaybePromise, mapMaybe, sharedRun } from '../domain/async.ts';
import { upTo } from '../domain/bounded.ts';
import type { IdentitySource, IdentityVerdict } from '../domain/caller.ts';
import { type Clock, unixSeconds } from '../domain/clock.ts';
import { isRecord } from '../domain/json.ts';
import type { RefusalReason } from '../domain/refusal.ts';
import { headerLines, type RequestFacts } from '../domain/request.ts';
import { err, faultMessage, ok, type Result } from '../domain/result.ts';
import { createBoundedFetch } from '../outbound/bounded-fetch.ts';
import { type HeaderTrace, headerTraces } from './identity-trace.ts';
import { judgeClaim, type ProxySourceOptions, proxyUserName } from './proxy-header-source.ts';
import { resolveGroups, ruleSentence } from './role-mapping.ts';

/** Names of the allowlist look like an identity, and are shown in the trace: none of them counts. */
export interface ProxyJwtOptions extends ProxySourceOptions {
  /** `proxy.jwt`. The first of its headers that is sent counts. */
  readonly jwt: NonNullable<Settings['proxy']['jwt']>;
  readonly keys: JWTVerifyGetKey;
}

export type TokenRefusal = Extract<RefusalReason, `proxy-token-${string}`>;

/** Asymmetric signatures alone: with HS256 the public key, which every client can read, could be the secret. */
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'];
const SKEW_SECONDS = 60;
/** A token has one or two thousand characters. Longer ones are refused before they are parsed. */
const LONGEST_TOKEN = 16_384;
const REMEMBERED_TOKENS = 5000;
/** A token that was verified is not verified again for so long: a key that is withdrawn counts no longer than that. */
const REMEMBERED_SECONDS = 60;

/** What a token says, once it was verified. Times are Unix seconds. */
interface Claimed {
  readonly user: string | undefined;
  readonly groups: readonly string[];
  /** It is accepted until then, with the tolerance of clocks. */
  readonly expiresAt: number;
  /** When its signature was checked. */
  readonly checkedAt: number;
}

type Reading = Result<Claimed, TokenRefusal>;

/** Never silent: no weaker source may be asked after it. */
export function createProxyJwtSource(options: ProxyJwtOptions): IdentitySource {
  const read = createReader(options);
  const judge = (request: RequestFacts, reading: Reading): IdentityVerdict => {
    const { user, groups = [], expiresAt } = reading.ok ? reading.value : {};
    const named = user === undefined ? undefined : proxyUserName(user);
    const role = reading.ok ? resolveGroups(groups, options.proxy, options.roles().cameras.keys()) : undefined;
    return judgeClaim(request, options, {
      user: named?.ok ? named : err(reading.ok ? 'proxy-token-user' : reading.error),
      role,
      expiresAt,
      told: () => ({ headers: headersBeside(request, options), groups, rule: role && ruleSentence(role), user }),
    });
  };
  return (request) => {
    const token = tokenIn(request, options.jwt.headers);
    return token.ok ? mapMaybe(read(token.value), (reading) => judge(request, reading)) : judge(request, token);
  };
}

/** The first of the headers that is sent: a proxy that sends two sends the same person in both. */
function tokenIn(request: RequestFacts, headers: readonly string[]): Result<string, TokenRefusal> {
  for (const name of headers) {
    const [line, ...others] = headerLines(request, name);
    if (line === undefined) continue;
    // Servers differ in which of two they take, and one of them may be the client's own.
    if (others.length > 0) return err('proxy-token-unfit');
    const token = name === 'authorization' ? /^bearer +(?<token>\S+)$/i.exec(line)?.groups?.['token'] : line.trim();
    if (token === undefined) continue;
    return token === '' || token.length > LONGEST_TOKEN ? err('proxy-token-unfit') : ok(token);
  }
  return err('proxy-token-missing');
}

/** Tokens with a good signature are remembered by their digest, so that most requests are answered without a promise. */
function createReader(options: ProxyJwtOptions): (token: string) => MaybePromise<Reading> {
  const remembered = new LRUCache<string, Claimed>(upTo(REMEMBERED_TOKENS));
  const verify = async (token: string, digest: string): Promise<Reading> => {
    const reading = await verified(token, options);
    if (reading.ok) remembered.set(digest, reading.value);
    else remembered.delete(digest);
    return reading;
  };
  return (token) => {
    const digest = hash('sha256', token, 'base64url');
    const known = remembered.get(digest);
    const now = unixSeconds(options.clock);
    const isFresh = known !== undefined && Math.abs(now - known.checkedAt) < REMEMBERED_SECONDS;
    return isFresh && now < known.expiresAt ? ok(known) : verify(token, digest);
  };
}

async function verified(token: string, options: ProxyJwtOptions): Promise<Reading> {
  const now = unixSeconds(options.clock);
  try {
    const { payload } = await jwtVerify(token, options.keys, {
      issuer: options.jwt.issuer,
      audience: options.jwt.audience,
      algorithms: ALGORITHMS,
      clockTolerance: SKEW_SECONDS,
      currentDate: new Date(now * 1000),
      requiredClaims: ['exp'],
    });
    if (payload.iat !== undefined && payload.iat > now + SKEW_SECONDS) return err('proxy-token-future');
    return ok({
      user: textClaim(payload, options.jwt.user_claim),
      groups: groupsIn(payload, options.jwt.groups_claim),
      expiresAt: Number(payload.exp) + SKEW_SECONDS,
      checkedAt: now,
    });
  } catch (fault) {
    return err(toTokenRefusal(fault));
  }
}

// biome-ignore format: a table
const REFUSAL_OF_CLAIM: Readonly<Record<string, TokenRefusal>> = {
  aud: 'proxy-token-audience',
  iss: 'proxy-token-issuer',
  nbf: 'proxy-token-future',
};
// biome-ignore format: a table
const REFUSAL_OF_CODE: Readonly<Record<string, TokenRefusal>> = {
  ERR_JWT_EXPIRED:                          'proxy-token-expired',
  ERR_JWKS_NO_MATCHING_KEY:                 'proxy-token-key',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS:          'proxy-token-key',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED:    'proxy-token-signature',
};

function toTokenRefusal(fault: unknown): TokenRefusal {
  if (fault instanceof KeysAway) return 'proxy-token-keys-away';
  const { code, claim } = Object(fault) as { readonly code?: unknown; readonly claim?: unknown };
  return REFUSAL_OF_CODE[String(code)] ?? REFUSAL_OF_CLAIM[String(claim)] ?? 'proxy-token-unfit';
}

const WHY_UNREAD = 'proxy.jwt is set, so plain identity headers are ignored';

/** The headers that came along: those of the token, which are not shown, and plain ones, which are not read. */
function headersBeside(
  request: RequestFacts,
  { allowlist, jwt: { headers } }: ProxyJwtOptions,
): readonly HeaderTrace[] {
  const shown = headers
    .filter((name) => headerLines(request, name).length > 0)
    .map((name) => ({ name, value: '[hidden]', fate: 'kept', why: undefined }) as const);
  const plain = headerTraces(request, allowlist, () => WHY_UNREAD).filter(({ name }) => !headers.includes(name));
  return [...shown, ...plain];
}

/** There are no keys that may be used. */
export class KeysAway extends Error {
  override readonly name = 'KeysAway';
}

/** Keys are confirmed so often while they are used. */
const FRESH_SECONDS = 600;
/** Keys that cannot be confirmed are used for so long. */
const GRACE_SECONDS = 3600;
/** The least time between two questions for an unknown key, and between two after a failure. */
const COOLDOWN_SECONDS = 60;
const PAUSE_SECONDS = 5;
const UNKNOWN_KEY = 'ERR_JWKS_NO_MATCHING_KEY';

interface Known {
  readonly find: JWTVerifyGetKey;
  /** When the server last confirmed them. */
  readonly at: number;
}

/** The public keys at an address: kept while they can be had, for a grace while they cannot, and asked for anew for an unknown key (SPEC 17). */
export function createKeySet({
  url,
  fetch,
  clock,
  onAnswer,
}: {
  readonly url: string;
  readonly fetch: (url: string) => Promise<Response>;
  /** One that is never set. */
  readonly clock: Clock;
  /** Called with each answer; `why` there is none. */
  readonly onAnswer: (why?: string) => void;
}): JWTVerifyGetKey {
  let known: Known | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  let isFailing = false;

  /** Never rejects: what was known stays. */
  const ask = sharedRun(async (): Promise<void> => {
    askedAt = unixSeconds(clock);
    const found = await keysAt(url, fetch).catch((fault: unknown) => {
      onAnswer(faultMessage(fault));
    });
    isFailing = found === undefined;
    if (!found) return;
    known = { find: found, at: unixSeconds(clock) };
    onAnswer();
  });
  const mayAskAfter = (seconds: number): boolean => unixSeconds(clock) - askedAt >= seconds;

  const current = async (): Promise<Known> => {
    const age = unixSeconds(clock) - (known?.at ?? Number.NEGATIVE_INFINITY);
    if (known && age < FRESH_SECONDS) return known;
    const mayAsk = mayAskAfter(isFailing ? PAUSE_SECONDS : 0);
    // The grace is for a server that fails: of another one the answer is awaited, which may withdraw a key.
    if (known && isFailing && age < FRESH_SECONDS + GRACE_SECONDS) {
      if (mayAsk) void ask();
      return known;
    }
    await (mayAsk ? ask() : ask.underWay());
    if (known && unixSeconds(clock) - known.at < FRESH_SECONDS + GRACE_SECONDS) return known;
    throw new KeysAway();
  };

  return async (header, token) => {
    const keys = await current();
    try {
      return await keys.find(header, token);
    } catch (fault) {
      if (Object(fault).code !== UNKNOWN_KEY || !mayAskAfter(COOLDOWN_SECONDS)) throw fault;
      await ask();
      return (known ?? keys).find(header, token);
    }
  };
}

async function keysAt(url: string, fetch: (url: string) => Promise<Response>): Promise<JWTVerifyGetKey> {
  const response = await fetch(url);
  if (response.status !== 200) throw new Error(`its keys were answered with status ${response.status}`);
  const keys: unknown = await response.json().catch(() => undefined);
  if (!isRecord(keys) || !Array.isArray(keys['keys']) || !keys['keys'].every(isRecord))
    throw new Error('its keys are no key set (RFC 7517)');
  return createLocalJWKSet(keys as unknown as JSONWebKeySet);
}

const ANSWER_SECONDS = 5;
const LARGEST_ANSWER = 64 * 1024;

/** The keys of `proxy.jwt`, asked for with bounds (SPEC 17). Undefined where no signed token is configured. `onAnswer` hears of each answer. */
export function openProxyKeys(
  { auth, proxy: { jwt } }: Settings,
  onAnswer: (why?: string) => void = () => {},
): JWTVerifyGetKey | undefined {
  if (auth.enabled || !jwt) return undefined;
  return createKeySet({
    url: jwt.jwks_url,
    fetch: createBoundedFetch({ seconds: ANSWER_SECONDS, bytes: LARGEST_ANSWER }),
    clock: { now: () => performance.now() },
    onAnswer,
  });
}
