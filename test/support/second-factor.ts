/** A person who sets up an authenticator app, and the codes that it shows. */
import { codeAt, stepAt } from '../../src/accounts/second-factor/second-factor.ts';
import { unixSeconds } from '../../src/domain/clock.ts';
import type { Person } from './people.ts';
import { JSON_TYPE, sessionIn } from './sessions.ts';
import type { Runtime } from './start-instance.ts';

export interface Enrolled {
  /** The secret as the API gives it, base32. */
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
  /** The session that goes on. */
  readonly token: string;
  /** The code of now; the clock goes one step on first, so that it is a new one. */
  codeNow(): string;
}

export const sendJson = (at: Runtime, path: string, body: object, token?: string, method = 'POST'): Promise<Response> =>
  at.ask(path, { method, headers: JSON_TYPE, body: JSON.stringify(body), ...(token !== undefined && { token }) });

/** Enrols with a session at hand, or a fresh login. */
export async function enrolled(at: Runtime, person: Person, given?: string): Promise<Enrolled> {
  const session = given ?? (await at.logIn(person));
  const { secret } = (await (await sendJson(at, '/api/second-factor/totp', {}, session)).json()) as { secret: string };
  const codeNow = (): string => {
    at.clock.advance(30);
    return codeOf(secret, unixSeconds(at.clock));
  };
  const confirmed = await sendJson(at, '/api/second-factor/totp/confirm', { code: codeNow() }, session);
  const { recovery_codes: recoveryCodes } = (await confirmed.json()) as { recovery_codes: string[] };
  return { secret, recoveryCodes, token: sessionIn(confirmed) ?? session, codeNow };
}

/** `now`: Unix seconds. */
export const codeOf = (secret: string, now: number): string => codeAt(bytesOf(secret), stepAt(now));

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** RFC 4648, read by other code than that which wrote it. */
function bytesOf(secret: string): Buffer {
  const bits = [...secret].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
