/** Challenges of passkeys: signed texts that any replica can check, each for one purpose and one session (SPEC 12). */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** What a challenge may be issued for, and what it is bound to then. `secretsDigest`: a digest of password and factors. */
const PARTS = {
  /** A session adds a passkey to its own account. */
  add: ['user', 'secretsDigest', 'session'],
  /** A session proves again whose it is. */
  prove: ['user', 'secretsDigest', 'session'],
  /** The holder of an invitation accepts it for the user that it is made for. `invitation`: the digest of its token. */
  accept: ['user', 'secretsDigest', 'invitation'],
  /** A browser logs in, whose user is not known yet. */
  'log-in': ['browser'],
  /** A browser takes the second step, after the right password. */
  'second-step': ['browser', 'user', 'secretsDigest'],
} as const;

/** Other values of any part make it another challenge. */
export type ChallengeScope = {
  [To in keyof typeof PARTS]: { readonly to: To } & Readonly<Record<(typeof PARTS)[To][number], string>>;
}[keyof typeof PARTS];

export type ChallengeVerdict =
  /** Unix seconds. `id` is what the store remembers, so that it counts once. */
  { readonly kind: 'good'; readonly id: string; readonly expiresAt: number } | { readonly kind: 'foreign' | 'over' };

/** Long enough to find the key or the phone; browsers give up after that by themselves. */
export const CHALLENGE_SECONDS = 300;

const TIME_BYTES = 6;
const RANDOM_BYTES = 16;
const MAC_BYTES = 32;
const BYTES = TIME_BYTES + RANDOM_BYTES + MAC_BYTES;
const TEXT = /^[A-Za-z0-9_-]{72}$/;

/** `key`: made from the signing secret for this alone. */
export function createChallenges(key: Uint8Array) {
  const macOf = (head: Uint8Array, scope: ChallengeScope): Buffer =>
    createHmac('sha256', key).update(head).update(scopeParts(scope)).digest();
  return {
    /** Base64url. */
    issue(scope: ChallengeScope, now: number): string {
      const time = Buffer.alloc(TIME_BYTES);
      time.writeUIntBE(now + CHALLENGE_SECONDS, 0, TIME_BYTES);
      const head = Buffer.concat([time, randomBytes(RANDOM_BYTES)]);
      return Buffer.concat([head, macOf(head, scope)]).toString('base64url');
    },
    read(text: string, scope: ChallengeScope, now: number): ChallengeVerdict {
      const bytes = Buffer.from(TEXT.test(text) ? text : '', 'base64url');
      if (bytes.length !== BYTES) return { kind: 'foreign' };
      const head = bytes.subarray(0, TIME_BYTES + RANDOM_BYTES);
      if (!timingSafeEqual(bytes.subarray(head.length), macOf(head, scope))) return { kind: 'foreign' };
      const expiresAt = head.readUIntBE(0, TIME_BYTES);
      const id = `challenge ${head.subarray(TIME_BYTES).toString('base64url')}`;
      return expiresAt > now ? { kind: 'good', id, expiresAt } : { kind: 'over' };
    },
  };
}

export type Challenges = ReturnType<typeof createChallenges>;

/** A list, written as JSON: no text of one part can be read as two. */
const scopeParts = ({ to, ...parts }: ChallengeScope & { readonly [part: string]: string }): string =>
  JSON.stringify([to, ...PARTS[to].map((part) => parts[part])]);
