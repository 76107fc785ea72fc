/** One's own second factors, read from whatever GET /api/second-factor answers (SPEC 12). */
import { isFields, textOf, textsOf } from '../shared/fields.ts';

export interface FactorState {
  readonly isRequired: boolean;
  readonly hasTotp: boolean;
  readonly recoveryCodesLeft: number;
}

export interface TotpOffer {
  readonly secret: string;
  /** SVG. */
  readonly qr: string;
}

export function readFactors(body: unknown): FactorState {
  const { required, totp, recovery_codes_left: left } = isFields(body) ? body : {};
  return {
    isRequired: required === true,
    hasTotp: totp === true,
    recoveryCodesLeft: typeof left === 'number' ? left : 0,
  };
}

export function readOffer(body: unknown): TotpOffer | undefined {
  const { secret, qr } = isFields(body) ? { secret: textOf(body['secret']), qr: textOf(body['qr']) } : {};
  return secret === undefined || qr === undefined ? undefined : { secret, qr };
}

export const readRecoveryCodes = (body: unknown): readonly string[] =>
  isFields(body) ? textsOf(body['recovery_codes']) : [];
