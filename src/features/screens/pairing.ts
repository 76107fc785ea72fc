/** Pairs a display: it gets a code, shows the letters of it, and polls until a person has answered (SPEC 18, RFC 8628). */
import { hash, randomInt } from 'node:crypto';
import { shortText } from '../../accounts/audit.ts';
import { newSecret, secretHash } from '../../accounts/grants/grants.ts';
import { createLoginLimiter, type MemoryLimiter, settled } from '../../accounts/login/login-limiter.ts';
import type { Screen } from '../../domain/accounts/grant.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import type { Clause } from '../../domain/rate-limit.ts';
import type { Store } from '../../store/open-store.ts';

export const CODE_SECONDS = 600;
export const POLL_SECONDS = 5;
/** What a network takes off the time between two polls. */
const JITTER_SECONDS = 1;
/** Codes of all displays that wait. */
const MOST_CODES = 1000;
const TRIES = 5;

export interface Device {
  readonly address: string;
  readonly agent: string | undefined;
}

export type BegunPairing =
  | { readonly kind: 'begun'; readonly deviceCode: string; readonly userCode: string }
  | { readonly kind: 'limited'; readonly seconds: number };

/** The errors of RFC 8628 section 3.5. */
export type PollError = 'authorization_pending' | 'slow_down' | 'expired_token' | 'access_denied' | 'invalid_grant';

export type PollOutcome =
  | { readonly kind: 'paired'; readonly secret: string; readonly screen: Screen }
  | { readonly kind: 'error'; readonly error: PollError }
  | { readonly kind: 'limited'; readonly seconds: number };

const FULL_SECONDS = 60;
const error = (name: PollError): PollOutcome => ({ kind: 'error', error: name });

/** RFC 8628 section 6.1: no vowels, so no words, and no letters that look like digits. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const LETTER_COUNT = 8;
const HALF = LETTER_COUNT / 2;

/** Two halves, so that a person can read it out: `WDJB-MJHT`. */
function newUserCode(): string {
  const letters = Array.from({ length: LETTER_COUNT }, () => LETTERS[randomInt(LETTERS.length)] ?? '').join('');
  return `${letters.slice(0, HALF)}-${letters.slice(HALF)}`;
}

const TYPED = new RegExp(`^[${LETTERS}]{${LETTER_COUNT}}$`);
/** A code that is typed may have blanks and other dashes. */
const LONGEST_TYPED = 32;

/** The digest of letters as a person types them; undefined for what is no such code. */
export function userCodeHash(typed: string): string | undefined {
  if (typed.length > LONGEST_TYPED) return undefined;
  const letters = typed.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
  return TYPED.test(letters) ? hash('sha256', letters, 'base64url') : undefined;
}

/** A display makes one in ten minutes, and another one when its page is loaded again. */
const CODE_CLAUSES: readonly Clause[] = [
  { count: 10, windowSeconds: 60, text: '10/minute' },
  { count: 60, windowSeconds: 3600, text: '60/hour' },
];

export const createPairingLimiter = (clock: Clock): MemoryLimiter =>
  createLoginLimiter({ clauses: CODE_CLAUSES, clock });

/** `codeMakers`: the limiter of codes that are made, by address. `screenLimiter`: of secrets that are none; it bounds the questions to the store. */
export function createPairing({
  store: { screenCodes, grants },
  clock,
  codeMakers,
  screenLimiter,
}: {
  readonly store: Pick<Store, 'screenCodes' | 'grants'>;
  readonly clock: Clock;
  readonly codeMakers: MemoryLimiter;
  readonly screenLimiter: MemoryLimiter;
}) {
  const poll = async (deviceCode: string): Promise<PollOutcome> => {
    const deviceHash = secretHash(deviceCode);
    const code = deviceHash === undefined ? undefined : await screenCodes.findCode({ deviceHash });
    if (!code) return error('invalid_grant');
    const now = unixSeconds(clock);
    if (code.expiresAt <= now) return error('expired_token');
    switch (code.state) {
      case 'denied':
        return error('access_denied');
      case 'pending': {
        const isInTime = await screenCodes.notePoll(code.deviceHash, now, POLL_SECONDS - JITTER_SECONDS);
        return error(isInTime ? 'authorization_pending' : 'slow_down');
      }
      case 'confirmed': {
        const secret = newSecret();
        const outcome = await screenCodes.pickUp(code.deviceHash, secretHash(secret) ?? '', now);
        const screen = outcome === 'gone' ? undefined : await grants.find('screen', { id: code.screenId ?? '' });
        // Revoked before the display came for it, or another one was faster.
        return screen ? { kind: 'paired', secret, screen } : error('access_denied');
      }
    }
  };
  return {
    async begin({ address, agent }: Device): Promise<BegunPairing> {
      const place = codeMakers.reserve(address);
      if (place.kind === 'limited') return { kind: 'limited', seconds: place.retryAfterSeconds };
      place.keep();
      for (let tries = 0; tries < TRIES; tries += 1) {
        const [deviceCode, userCode, createdAt] = [newSecret(), newUserCode(), unixSeconds(clock)];
        const [deviceHash = '', userHash = ''] = [secretHash(deviceCode), userCodeHash(userCode)];
        const times = { createdAt, expiresAt: createdAt + CODE_SECONDS };
        const shown = agent === undefined ? null : shortText(agent);
        const code = {
          deviceHash,
          userHash,
          address,
          agent: shown,
          ...times,
          state: 'pending',
          screenId: null,
        } as const;
        const outcome = await screenCodes.addCode(code, MOST_CODES);
        if (outcome === 'added') return { kind: 'begun', deviceCode, userCode };
        if (outcome === 'too-many') break;
      }
      return { kind: 'limited', seconds: FULL_SECONDS };
    },

    async poll(deviceCode: string, address: string): Promise<PollOutcome> {
      const place = screenLimiter.reserve(address);
      if (place.kind === 'limited') return { kind: 'limited', seconds: place.retryAfterSeconds };
      const isBad = (outcome: PollOutcome) => outcome.kind === 'error' && outcome.error === 'invalid_grant';
      return settled(place, () => poll(deviceCode), isBad);
    },
  };
}

export type Pairing = ReturnType<typeof createPairing>;
