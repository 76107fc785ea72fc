/** One's own second factors, in the shapes that the routes declare (SPEC 12). */
import type { z } from 'zod';
import type { SECOND_FACTOR, TOTP_OFFER } from '../../../../accounts/http/answers.ts';
import { isFields, textOf, textsOf } from '../forms/fields.ts';

export type FactorState = z.output<typeof SECOND_FACTOR>;
export type PasskeyRecord = FactorState['passkeys'][number];
export type TotpOffer = Pick<z.output<typeof TOTP_OFFER>, 'secret' | 'qr'>;

export const NO_FACTORS: FactorState = { required: false, totp: false, passkeys: [], recovery_codes_left: 0 };

export const readFactors = (body: unknown): FactorState => ({ ...NO_FACTORS, ...(isFields(body) ? body : {}) });

export function readOffer(body: unknown): TotpOffer | undefined {
  const { secret, qr } = isFields(body) ? { secret: textOf(body['secret']), qr: textOf(body['qr']) } : {};
  return secret === undefined || qr === undefined ? undefined : { secret, qr };
}

export const readRecoveryCodes = (body: unknown): readonly string[] =>
  isFields(body) ? textsOf(body['recovery_codes']) : [];
