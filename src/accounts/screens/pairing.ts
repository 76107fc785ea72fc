/** Pairs a display: it gets a code, shows the letters of it, and polls until a person has answered (SPEC 18, RFC 8628). */
import type { Screen, ScreenStore } from '../../domain/accounts/screen.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import { shortText } from '../audit.ts';
import { type MemoryLimiter, settled } from '../login/login-limiter.ts';
import { newScreenSecret, newUserCode, secretHash, userCodeHash } from './screen-secret.ts';

export interface PairingDeps {
  readonly screenStore: Pick<ScreenStore, 'addCode' | 'findCode' | 'notePoll' | 'pickUp' | 'findScreen'>;
  readonly clock: Clock;
  /** The limiter of codes that are made, by address. */
  readonly codeMakers: MemoryLimiter;
  /** The limiter of secrets that are none, by address: it bounds the questions to the store. */
  readonly badSecrets: MemoryLimiter;
}

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

export function createPairing({ screenStore, clock, codeMakers, badSecrets }: PairingDeps) {
  const poll = async (deviceCode: string): Promise<PollOutcome> => {
    const deviceHash = secretHash(deviceCode);
    const code = deviceHash === undefined ? undefined : await screenStore.findCode({ deviceHash });
    if (!code) return error('invalid_grant');
    const now = unixSeconds(clock);
    if (code.expiresAt <= now) return error('expired_token');
    switch (code.state) {
      case 'denied':
        return error('access_denied');
      case 'pending': {
        const isInTime = await screenStore.notePoll(code.deviceHash, now, POLL_SECONDS - JITTER_SECONDS);
        return error(isInTime ? 'authorization_pending' : 'slow_down');
      }
      case 'confirmed': {
        const secret = newScreenSecret();
        const outcome = await screenStore.pickUp(code.deviceHash, secretHash(secret) ?? '', now);
        const screen = outcome === 'gone' ? undefined : await screenStore.findScreen({ id: code.screenId ?? '' });
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
        const [deviceCode, userCode, createdAt] = [newScreenSecret(), newUserCode(), unixSeconds(clock)];
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
        const outcome = await screenStore.addCode(code, MOST_CODES);
        if (outcome === 'added') return { kind: 'begun', deviceCode, userCode };
        if (outcome === 'too-many') break;
      }
      return { kind: 'limited', seconds: FULL_SECONDS };
    },

    async poll(deviceCode: string, address: string): Promise<PollOutcome> {
      const place = badSecrets.reserve(address);
      if (place.kind === 'limited') return { kind: 'limited', seconds: place.retryAfterSeconds };
      const isBad = (outcome: PollOutcome) => outcome.kind === 'error' && outcome.error === 'invalid_grant';
      return settled(place, () => poll(deviceCode), isBad);
    },
  };
}

export type Pairing = ReturnType<typeof createPairing>;
