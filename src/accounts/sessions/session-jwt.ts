/** Session tokens: JSON Web Tokens, HS256 and nothing else; whether one still holds; and the cookie that carries it (interface 2.3, 5.1.6; SPEC 1, 4.1, 4.2, 11). */
import { hash } from 'node:crypto';
import { CompactSign, type CryptoKey, compactVerify } from 'jose';
import { z } from 'zod';
import type { User } from '../../domain/accounts/account.ts';
import type { Credential, SessionFault } from '../../domain/caller.ts';
import { isRecord, parsedJson } from '../../domain/json.ts';
import { ADMIN, parseCustomRoleName, parseUserName, type Role, type UserName, VIEWER } from '../../domain/names.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { readSalt } from '../passwords/password-hash.ts';

/** What of a session is known for as long as it is used. `secretsDigest` and `authenticatedAt` are absent in tokens made by the NVR. */
export type SessionFacts = Omit<Extract<Credential, { kind: 'session' }>, 'kind' | 'carriedBy'>;

/** Times are Unix seconds, always whole. */
export interface SessionClaims extends SessionFacts {
  readonly userName: UserName;
  /** What the role was when the token was issued: for clients to show, never for us to believe. */
  readonly role: Role;
  /** The id of the API token that the session was begun with: it is worth what the token is. */
  readonly apiToken?: string | undefined;
  /** The hour from which it holds; we never write one. */
  readonly notBefore?: number | undefined;
}

type TokenFault = Extract<SessionFault, 'malformed' | 'signature' | 'claims' | 'expired'>;

/** A session token has about 200 characters. Longer texts are refused before they are parsed. */
const LONGEST_TOKEN = 4096;
const LONGEST_TOKEN_ID = 128;
/** How far another machine's clock may be ahead of ours. For `exp` there is no leeway. */
const CLOCK_SKEW_SECONDS = 60;
const ALGORITHM = 'HS256';
/** Anything else asks for something that we do not do: `crit`, `jwk`, `jku`, `kid`, `b64`. */
const HEADER_NAMES: readonly string[] = ['alg', 'typ'];

const textEncoder = new TextEncoder();

export const importSigningKey = (key: Uint8Array<ArrayBuffer>): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);

export function signSessionToken({ notBefore: _, ...session }: SessionClaims, key: CryptoKey): Promise<string> {
  const claims: SessionClaims = session;
  const payload = Object.fromEntries(CLAIMS.map(([name, field]) => [name, claims[field]]));
  return new CompactSign(textEncoder.encode(JSON.stringify(payload)))
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
    .sign(key);
}

/** Everything about a token that holds whatever the time: its form, signature and claims. */
export async function readSessionToken(text: string, key: CryptoKey): Promise<Result<SessionClaims, TokenFault>> {
  const parts = text.length <= LONGEST_TOKEN ? text.split('.') : [];
  const [header, payload, signature] = parts;
  if (parts.length !== 3 || !parts.every(isCanonical)) return err('malformed');
  if (!header || !payload || !signature || !isOurHeader(parseJson(header))) return err('malformed');
  if (!(await isSigned(text, key))) return err('signature');
  const claims = claimsIn(parseJson(payload), signature);
  return claims ? ok(claims) : err('claims');
}

/** A token is over in the very second of its `exp`; one from the future would outlive every password change. */
export function timeFault(claims: SessionClaims, now: number): TokenFault | undefined {
  if (claims.expiresAt <= now) return 'expired';
  const isFromTheFuture = claims.issuedAt > now + CLOCK_SKEW_SECONDS || (claims.notBefore ?? 0) > now;
  return isFromTheFuture ? 'claims' : undefined;
}

/** Node decodes four spellings of the last character, `+/` for `-_`, and trailing junk, all alike: one token, one text. */
const isCanonical = (part: string): boolean => Buffer.from(part, 'base64url').toString('base64url') === part;

const parseJson = (part: string): unknown => parsedJson(Buffer.from(part, 'base64url').toString('utf8'));

const isOurHeader = (header: unknown): boolean =>
  isRecord(header) &&
  header['alg'] === ALGORITHM &&
  (header['typ'] === undefined || header['typ'] === 'JWT') &&
  Object.keys(header).every((name) => HEADER_NAMES.includes(name));

async function isSigned(text: string, key: CryptoKey): Promise<boolean> {
  try {
    await compactVerify(text, key, { algorithms: [ALGORITHM] });
    return true;
  } catch {
    return false;
  }
}

/** `"9999999999"`, `[9999999999]`, `1e999` and 1.5 all compare like numbers: only a whole number is a time. */
const SECOND = z.int();
const TEXT = z.string();

const isRole = (role: string): boolean => role === ADMIN || role === VIEWER || parseCustomRoleName(role).ok;

/** The claims as they are written, what each is called here, and its form. */
// biome-ignore format: a table
const CLAIMS = [
  ['sub',        'userName',          TEXT.refine((name) => parseUserName(name).ok)],
  ['role',       'role',              TEXT.refine(isRole)],
  ['iat',        'issuedAt',          SECOND],
  ['exp',        'expiresAt',         SECOND],
  ['nbf',        'notBefore',         SECOND.optional()],
  ['auth_time',  'authenticatedAt',   SECOND.optional()],
  ['proof_time', 'provenAt',          SECOND.optional()],
  ['jti',        'tokenId',           TEXT.min(1).max(LONGEST_TOKEN_ID)],
  ['gen',        'secretsDigest',     TEXT.optional()],
  ['idp',        'provider',          TEXT.optional()],
  ['idp_factor', 'hasProviderFactor', z.literal(true).optional().catch(undefined)],
  ['api_token',  'apiToken',          TEXT.optional()],
] as const satisfies readonly (readonly [name: string, field: keyof SessionClaims, form: z.ZodType])[];

/** The NVR gives its tokens no `jti`; the signature names one as well. */
function claimsIn(payload: unknown, signature: string): SessionClaims | undefined {
  if (!isRecord(payload)) return undefined;
  const { jti = hash('sha256', signature, 'base64url'), ...others } = payload;
  const given: Readonly<Record<string, unknown>> = { ...others, jti };
  const read = CLAIMS.map(([name, field, form]) => [field, form.safeParse(given[name])] as const);
  if (read.some(([, { success }]) => !success)) return undefined;
  const told = read.map(([field, { data }]) => [field, data] as const).filter(([, data]) => data !== undefined);
  const { hasProviderFactor, ...claims } = Object.fromEntries(told) as unknown as SessionClaims;
  const { issuedAt, authenticatedAt = issuedAt, provenAt = issuedAt, provider } = claims;
  // A login after the token was issued would put off the end of the session.
  if (Math.max(authenticatedAt, provenAt) > issuedAt) return undefined;
  return { ...claims, ...(provider !== undefined && hasProviderFactor && { hasProviderFactor }) };
}

/** What the store says about a token. */
export interface SessionState {
  readonly user: User | undefined;
  /** The digest of the user's password and factors; undefined without a user. */
  readonly secretsDigest: string | undefined;
  readonly isRevoked: boolean;
  /** The store cannot be reached: it may have ended the session since. */
  readonly isInGrace?: boolean;
}

/** When the user last proved to be the user. The NVR's tokens, and those of older versions, do not say it. */
export const loginTime = ({ authenticatedAt, issuedAt }: Pick<SessionFacts, 'authenticatedAt' | 'issuedAt'>): number =>
  authenticatedAt ?? issuedAt;

/**
 * Why a token is void, if it is. `secretsDigest` names the password exactly; the second of the last change decides only
 * for tokens of the NVR, which have none. So a password or an account from a time when the clock was
 * ahead does not lock its user out.
 */
export function sessionStateFault(
  { issuedAt, secretsDigest }: SessionFacts,
  { user, secretsDigest: current, isRevoked }: SessionState,
  now: number,
): SessionFault | undefined {
  if (isRevoked) return 'revoked';
  if (!user || (user.createdAt <= now && issuedAt < Math.floor(user.createdAt))) return 'user-gone';
  if (secretsDigest !== undefined) return secretsDigest === current ? undefined : 'password-changed';
  // The NVR knows nothing of second factors: a token of its own was got by a password alone.
  if (user.factorEpoch !== undefined) return 'password-changed';
  return issuedAt < Math.floor(user.passwordChangedAt ?? 0) ? 'password-changed' : undefined;
}

/**
 * Times tell passwords apart by the second; the salt does so exactly, and tells apart two users of one name as well.
 * It is new with each password, and stays when a hash is strengthened. The epoch is new when the user gets a second factor:
 * a session of before was begun without it. Tokens carry only their digest.
 */
export const digestSecrets = ({ passwordHash, factorEpoch }: User): string =>
  hash('sha256', `${readSalt(passwordHash)}${factorEpoch === undefined ? '' : ` ${factorEpoch}`}`, 'base64url').slice(
    0,
    DIGEST_CHARACTERS,
  );

const DIGEST_CHARACTERS = 16;

export interface CookieSettings {
  readonly name: string;
  /** `auto`: when the client came over TLS, here or at a trusted proxy. */
  readonly secure: 'auto' | boolean;
  readonly sameSite: 'lax' | 'strict' | 'none';
  /** The path below the base path. */
  readonly path: string;
  /** `auth.cookie_domain`: the browser sends it to all hosts below, whatever their base paths. Absent: to this host alone. */
  readonly domain?: string | undefined;
}

/** What is known of the client that gets the cookie. */
export interface CookieClient {
  readonly clientEncrypted: boolean;
  /** The prefix below which it sees the service. */
  readonly basePath?: string | undefined;
}

/** The order and the spelling are the reference's: its clients read the line with more or less care. */
export function cookieLine(
  { name, domain, path, secure, sameSite }: CookieSettings,
  token: string,
  maxAge: number,
  { clientEncrypted, basePath = '' }: CookieClient,
): string {
  const [hosts, place] = domain === undefined ? ['', `${basePath}${path}`] : [`; Domain=${domain}`, path];
  // Browsers drop a `SameSite=None` cookie that is not Secure.
  const isSecure = sameSite === 'none' || (secure === 'auto' ? clientEncrypted : secure);
  return `${name}=${token}${hosts}; HttpOnly; Max-Age=${maxAge}; Path=${place}; SameSite=${sameSite}${isSecure ? '; Secure' : ''}`;
}

/** What makes a browser forget the cookie: the one of the domain, and one from before there was a domain. */
export const clearingLines = (settings: CookieSettings, client: CookieClient): readonly string[] => [
  cookieLine(settings, '', 0, client),
  ...(settings.domain === undefined ? [] : [cookieLine({ ...settings, domain: undefined }, '', 0, client)]),
];
