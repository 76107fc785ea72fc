/** Session tokens: JSON Web Tokens, HS256 and nothing else (interface 2.3, SPEC 4.2). */
import { createHash } from 'node:crypto';
import { CompactSign, type CryptoKey, compactVerify } from 'jose';
import { z } from 'zod';
import type { Credential, SessionFault } from '../../domain/caller.ts';
import { isRecord, parsedJson } from '../../domain/json.ts';
import { ADMIN, parseCustomRoleName, parseUserName, type Role, type UserName, VIEWER } from '../../domain/names.ts';
import { err, ok, type Result } from '../../domain/result.ts';

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
  const { jti = createHash('sha256').update(signature).digest('base64url'), ...others } = payload;
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
