/** One's own second factors, read from whatever GET /api/second-factor answers (SPEC 12). */
import { isFields, textOf, textsOf, timeOf } from '../forms/fields.ts';

export interface FactorState {
  readonly isRequired: boolean;
  readonly hasTotp: boolean;
  readonly recoveryCodesLeft: number;
  readonly passkeys: readonly PasskeyRecord[];
}

/** Times are Unix seconds. */
export interface PasskeyRecord {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number | undefined;
  readonly lastUsedAt: number | undefined;
}

export interface TotpOffer {
  readonly secret: string;
  /** SVG. */
  readonly qr: string;
}

export function readFactors(body: unknown): FactorState {
  const { required, totp, recovery_codes_left: left, passkeys } = isFields(body) ? body : {};
  return {
    isRequired: required === true,
    hasTotp: totp === true,
    recoveryCodesLeft: typeof left === 'number' ? left : 0,
    passkeys: Array.isArray(passkeys) ? passkeys.map(readPasskey).filter((passkey) => passkey !== undefined) : [],
  };
}

function readPasskey(value: unknown): PasskeyRecord | undefined {
  const fields = isFields(value) ? value : {};
  const id = textOf(fields['id']);
  if (id === undefined) return undefined;
  const [createdAt, lastUsedAt] = [timeOf(fields['created_at']), timeOf(fields['last_used_at'])];
  return { id, name: textOf(fields['name']) ?? id, createdAt, lastUsedAt };
}

export function readOffer(body: unknown): TotpOffer | undefined {
  const { secret, qr } = isFields(body) ? { secret: textOf(body['secret']), qr: textOf(body['qr']) } : {};
  return secret === undefined || qr === undefined ? undefined : { secret, qr };
}

export const readRecoveryCodes = (body: unknown): readonly string[] =>
  isFields(body) ? textsOf(body['recovery_codes']) : [];
