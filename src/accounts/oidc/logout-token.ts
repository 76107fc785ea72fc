/** Reads a logout token (OpenID Connect Back-Channel Logout 1.0, sections 2.4 and 2.6). */
import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { isRecord } from '../../domain/json.ts';
import { err, ok, type Result } from '../../domain/result.ts';

/** What a provider is asked with: bounds of time and size, no redirect, the configured authority. */
export type ProviderFetch = (
  url: string,
  request: { readonly method?: string; readonly headers?: Headers | Record<string, string>; readonly body?: unknown },
) => Promise<Response>;

/** Which session ends: all of `subject`, or the one with `sid`; with both, both must fit. */
export interface LogoutToken {
  readonly issuer: string;
  readonly subject: string | undefined;
  readonly sid: string | undefined;
  readonly id: string;
  /** Unix seconds: until then the token could be sent again. */
  readonly expiresAt: number;
}

export interface LogoutTokenRules {
  readonly issuer: string;
  readonly keys: JWTVerifyGetKey;
  readonly audience: string;
  readonly algorithms: readonly string[];
  readonly skewSeconds: number;
  /** Unix seconds. */
  readonly now: number;
}

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** A token without `exp`, which older providers send, is taken for so long after `iat`. */
const LIFETIME_SECONDS = 300;
const LONGEST_ID = 255;
const LONGEST_TOKEN = 16_384;
/** The least time between two questions for an unknown key. */
const COOLDOWN_MILLISECONDS = 60_000;

/** Errs with the sentence for the log. */
export async function readLogoutToken(token: string, rules: LogoutTokenRules): Promise<Result<LogoutToken, string>> {
  if (token.length > LONGEST_TOKEN) return err('the logout token is too long');
  const payload = await verified(token, rules);
  if (!payload.ok) return payload;
  const { events, nonce, sub, sid, jti, iat, exp } = payload.value;
  if (!isRecord(events) || !isRecord(events[EVENT])) return err('the token is no logout token: it has no such event');
  if (nonce !== undefined) return err('the token is no logout token: it has a nonce, as ID tokens do');
  if (typeof iat !== 'number' || iat > rules.now + rules.skewSeconds) return err('the logout token is from the future');
  if (iat + LIFETIME_SECONDS + rules.skewSeconds < rules.now) return err('the logout token is too old');
  if (typeof jti !== 'string' || jti === '' || jti.length > LONGEST_ID)
    return err('the logout token has no usable jti');
  const [subject, session] = [textOf(sub), textOf(sid)];
  if (subject === undefined && session === undefined) return err('the logout token names neither sub nor sid');
  return ok({
    issuer: rules.issuer,
    subject,
    sid: session,
    id: jti,
    expiresAt: Math.max(Number(exp ?? 0), iat + LIFETIME_SECONDS) + rules.skewSeconds,
  });
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

async function verified(token: string, rules: LogoutTokenRules): Promise<Result<Record<string, unknown>, string>> {
  try {
    const { payload, protectedHeader } = await jwtVerify(token, rules.keys, {
      issuer: rules.issuer,
      audience: rules.audience,
      algorithms: [...rules.algorithms],
      clockTolerance: rules.skewSeconds,
      currentDate: new Date(rules.now * 1000),
    });
    // Many providers write plain "JWT", or nothing; another type is another token.
    const { typ = 'logout+jwt' } = protectedHeader;
    return /^(?:application\/)?(?:logout\+jwt|jwt)$/i.test(typ) ? ok(payload) : err('the token has another type');
  } catch (cause) {
    const code: unknown = Object(cause).code;
    return err(`the logout token does not hold (${typeof code === 'string' ? code : 'its keys could not be read'})`);
  }
}

/** The keys at an address: asked for when they are first needed, and for an unknown key at most once a minute. */
export const keySetAt = (address: string, fetch: ProviderFetch): JWTVerifyGetKey =>
  createRemoteJWKSet(new URL(address), {
    cooldownDuration: COOLDOWN_MILLISECONDS,
    [customFetch]: (url, { method, headers }) => fetch(url, { method, headers }),
  });
