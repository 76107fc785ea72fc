/** Session tokens: JSON Web Tokens, HS256 and nothing else (interface 2.3, SPEC 4.2). */
import { createHash } from 'node:crypto';
import { CompactSign, type CryptoKey, compactVerify } from 'jose';
import { z } from 'zod';
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

export function signSessionToken({ notBefore: _, ...claims }: SessionClaims, key: CryptoKey): Promise<string> {
  const payload = Object.fromEntries(NAMES.map(([name, field]) => [name, (claims as SessionClaims)[field]]));
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

/** The claims as they are written, and what each is called here. */
// biome-ignore format: a table
const NAMES = [
  ['sub', 'userName'], ['role', 'role'], ['iat', 'issuedAt'], ['exp', 'expiresAt'], ['nbf', 'notBefore'],
  ['auth_time', 'authenticatedAt'], ['proof_time', 'provenAt'], ['jti', 'tokenId'], ['gen', 'secretsDigest'],
  ['idp', 'provider'], ['idp_factor', 'hasProviderFactor'], ['api_token', 'apiToken'],
] as const satisfies readonly (readonly [string, keyof SessionClaims])[];

/** `"9999999999"`, `[9999999999]`, `1e999` and 1.5 all compare like numbers: only a whole number is a time. */
const SECOND = z.int();
const TEXT = z.string().optional();

const PAYLOAD = z
  .object({
    sub: z.string().refine((name) => parseUserName(name).ok),
    role: z.string().refine(isRole),
    iat: SECOND,
    exp: SECOND,
    nbf: SECOND.optional(),
    auth_time: SECOND.optional(),
    proof_time: SECOND.optional(),
    jti: z.string().min(1).max(LONGEST_TOKEN_ID),
    gen: TEXT,
    idp: TEXT,
    idp_factor: z.unknown().optional(),
    api_token: TEXT,
  })
  // A login after the token was issued would put off the end of the session.
  .refine(({ iat, auth_time = iat, proof_time = iat }) => Math.max(auth_time, proof_time) <= iat);

/** The NVR gives its tokens no `jti`; the signature names one as well. */
function claimsIn(payload: unknown, signature: string): SessionClaims | undefined {
  if (!isRecord(payload)) return undefined;
  const { jti = createHash('sha256').update(signature).digest('base64url'), ...given } = payload;
  const { data } = PAYLOAD.safeParse({ ...given, jti });
  if (!data) return undefined;
  const isOfProvider = data.idp !== undefined && data.idp_factor === true;
  const claims = { ...data, idp_factor: isOfProvider || undefined };
  const named = NAMES.map(([name, field]) => [field, claims[name]] as const);
  return Object.fromEntries(named.filter(([, value]) => value !== undefined)) as unknown as SessionClaims;
}

function isRole(role: string): boolean {
  return role === ADMIN || role === VIEWER || parseCustomRoleName(role).ok;
}
