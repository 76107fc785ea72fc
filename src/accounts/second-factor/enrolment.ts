/** Setting up and removing one's own second factors (SPEC 12). */
import { randomBytes } from 'node:crypto';
import encodeQR from 'qr';
import type { z } from 'zod';
import type { User } from '../../domain/accounts/account.ts';
import { unixSeconds } from '../../domain/clock.ts';
import type { SECOND_FACTOR, TOTP_OFFER } from '../http/answers.ts';
import { base32 } from './base32.ts';
import { newRecoveryCodes } from './recovery-codes.ts';
import {
  firstFactor,
  hashesOf,
  isFactorRequired,
  newEpoch,
  type SecondFactorDeps,
  withoutFactor,
} from './second-factor.ts';
import { matchingStep, TOTP_SECRET_BYTES, totpUri } from './totp.ts';

type FactorState = z.output<typeof SECOND_FACTOR>;
type TotpOffer = z.output<typeof TOTP_OFFER>;

type TotpConfirmation =
  /** `user`: as it is then. The codes to show once; undefined when the user had a factor before, whose codes stay. */
  | { readonly kind: 'confirmed'; readonly user: User; readonly recoveryCodes: readonly string[] | undefined }
  | { readonly kind: 'wrong-code' | 'none-waits' };

export interface Enrolment {
  stateOf(user: User): Promise<FactorState>;
  /** A secret that counts once a code has confirmed it. */
  offerTotp(user: User): Promise<TotpOffer | undefined>;
  confirmTotp(user: User, code: string): Promise<TotpConfirmation>;
  /** The user as it is then; undefined when there is no such factor. */
  removeTotp(user: User): Promise<User | undefined>;
  removeAll(user: User): Promise<User | undefined>;
  /** The old ones are void. Undefined for a user without a factor, who has no use for them. */
  newRecoveryCodes(user: User): Promise<readonly string[] | undefined>;
}

/** How long a secret waits for its first code. */
const WAIT_SECONDS = 900;
/** The name in the list of an authenticator app. */
const SERVICE = 'Postern';

export function createEnrolment({
  store,
  sealer,
  clock,
  mode,
}: Omit<SecondFactorDeps, 'hasPasskeys' | 'trusted'>): Enrolment {
  return {
    async stateOf({ name, role }) {
      const [totp, passkeys] = [await store.findTotp(name), await store.listPasskeys(name)];
      return {
        required: isFactorRequired(mode, role),
        totp: totp?.secret !== undefined,
        passkeys: passkeys.map(({ id, name, createdAt, lastUsedAt }) => ({
          id,
          name,
          created_at: createdAt,
          last_used_at: lastUsedAt,
        })),
        recovery_codes_left: await store.countRecoveryCodes(name),
      };
    },
    async offerTotp({ name }) {
      const secret = randomBytes(TOTP_SECRET_BYTES);
      const started = await store.startTotp(name, sealer.seal(secret, name), unixSeconds(clock) + WAIT_SECONDS);
      const uri = totpUri(secret, { user: name, service: SERVICE });
      return started === 'started' ? { secret: base32(secret), uri, qr: qrCode(uri) } : undefined;
    },
    async confirmTotp(user, written) {
      const { name } = user;
      const now = unixSeconds(clock);
      const { pending: sealed, pendingUntil = 0 } = (await store.findTotp(name)) ?? {};
      const secret = sealed === undefined || pendingUntil <= now ? undefined : sealer.open(sealed, name);
      if (sealed === undefined || !secret) return { kind: 'none-waits' };
      const step = matchingStep(secret, written.replace(/\s/g, ''), now);
      if (step === undefined) return { kind: 'wrong-code' };
      const { codes, first } = firstFactor(user);
      const outcome = await store.confirmTotp(name, { sealed, step, first });
      if (outcome === 'gone') return { kind: 'none-waits' };
      if (outcome === 'more') return { kind: 'confirmed', user, recoveryCodes: undefined };
      const confirmed = { ...user, hasFactor: true, factorEpoch: first.epoch } as const;
      return { kind: 'confirmed', user: confirmed, recoveryCodes: codes };
    },
    removeTotp: (user) => without(user, (epoch) => store.removeTotp(user.name, epoch)),
    removeAll: (user) => without(user, (epoch) => store.removeFactors(user.name, epoch)),
    async newRecoveryCodes(user) {
      const codes = newRecoveryCodes();
      const outcome = await store.replaceRecoveryCodes(user.name, hashesOf(user.name, codes), user);
      return outcome === 'replaced' ? codes : undefined;
    },
  };
}

async function without(
  user: User,
  remove: (epoch: string) => Promise<'last' | 'more' | 'absent'>,
): Promise<User | undefined> {
  const epoch = newEpoch();
  const outcome = await remove(epoch);
  return outcome === 'absent' ? undefined : withoutFactor(user, epoch, outcome);
}

/** Modules of white around the code (ISO/IEC 18004, 4 on each side). */
const QUIET_ZONE = 4;

export const qrCode = (text: string): string => encodeQR(text, 'svg', { ecc: 'medium', border: QUIET_ZONE });
