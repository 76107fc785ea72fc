/** Session tokens: JSON Web Tokens, HS256 and nothing else (interface 2.3, SPEC 4.2). */
import { createHash } from 'node:crypto';
import { CompactSign, type CryptoKey, compactVerify } from 'jose';
import type { SessionFault } from '../../domain/caller.ts';
import { isRecord, parsedJson } from '../../domain/json.ts';
import { ADMIN, parseCustomRoleName, parseUserName, type Role, type UserName, VIEWER } from '../../domain/names.ts';
import { err, ok, type Result } from '../../domain/result.ts';

/** Times are Unix seconds, always whole. */
export interface SessionClaims {
  readonly userName: UserName;
  /** What the role was when the token was issued: for clients to show, never for us to believe. */
  readonly role: Role;
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly tokenId: string;
  /** The login from which the session has been renewed since (`auth_time`); absent in tokens made by the NVR: `issuedAt`. */
  readonly authenticatedAt?: number | undefined;
  /** When the password or a factor was last given in this session (`proof_time`); absent: never. */
  readonly provenAt?: number | undefined;
  /** Which password of which account the token was issued for; absent in tokens made by the NVR. */
  readonly secretsDigest?: string | undefined;
  /** The OpenID Connect provider that the session began with. */
  readonly provider?: string | undefined;
  /** The second factor was shown to that provider. */
  readonly hasProviderFactor?: true | undefined;
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

export function signSessionToken(claims: SessionClaims, key: CryptoKey): Promise<string> {
  const { userName, role, issuedAt, expiresAt, tokenId, secretsDigest, authenticatedAt, provenAt } = claims;
  const origin = { idp: claims.provider, idp_factor: claims.hasProviderFactor, api_token: claims.apiToken };
  const times = { iat: issuedAt, exp: expiresAt, auth_time: authenticatedAt, proof_time: provenAt };
  const payload = { sub: userName, role, ...times, jti: tokenId, gen: secretsDigest, ...origin };
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

function claimsIn(payload: unknown, signature: string): SessionClaims | undefined {
  if (!isRecord(payload)) return undefined;
  const { sub, role, iat, exp, nbf, jti, gen, auth_time, proof_time, idp, idp_factor, api_token } = payload;
  const userName = typeof sub === 'string' ? parseUserName(sub) : undefined;
  const tokenId = jti === undefined ? hashTokenId(signature) : jti;
  if (!userName?.ok || !isRole(role) || !isSecond(iat) || !isSecond(exp)) return undefined;
  if (nbf !== undefined && !isSecond(nbf)) return undefined;
  // A login after the token was issued would put off the end of the session.
  if (auth_time !== undefined && !(isSecond(auth_time) && auth_time <= iat)) return undefined;
  if (proof_time !== undefined && !(isSecond(proof_time) && proof_time <= iat)) return undefined;
  if (gen !== undefined && typeof gen !== 'string') return undefined;
  if (idp !== undefined && typeof idp !== 'string') return undefined;
  if (api_token !== undefined && typeof api_token !== 'string') return undefined;
  if (typeof tokenId !== 'string' || tokenId === '' || tokenId.length > LONGEST_TOKEN_ID) return undefined;
  const claims = { userName: userName.value, role, issuedAt: iat, expiresAt: exp, tokenId };
  return {
    ...claims,
    ...(auth_time !== undefined && { authenticatedAt: auth_time }),
    ...(proof_time !== undefined && { provenAt: proof_time }),
    ...(gen !== undefined && { secretsDigest: gen }),
    ...(idp !== undefined && { provider: idp }),
    ...(idp !== undefined && idp_factor === true && { hasProviderFactor: true }),
    ...(api_token !== undefined && { apiToken: api_token }),
    ...(nbf !== undefined && { notBefore: nbf }),
  };
}

/** `"9999999999"`, `[9999999999]`, `1e999` and 1.5 all compare like numbers: only a whole number is a time. */
const isSecond = (value: unknown): value is number => Number.isSafeInteger(value);

const isRole = (value: unknown): value is Role =>
  typeof value === 'string' && (value === ADMIN || value === VIEWER || parseCustomRoleName(value).ok);

/** The NVR gives its tokens no `jti`; the signature names one as well. */
const hashTokenId = (signature: string): string => createHash('sha256').update(signature).digest('base64url');
