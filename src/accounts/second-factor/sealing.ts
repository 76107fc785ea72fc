/** Keys made from the signing secret, one for each purpose: none of them opens what another one signs or seals (SPEC 12). What is sealed, and the sealed ticket between two steps. */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { LOGIN_PATH } from '../../domain/page-paths.ts';
import { attempt } from '../../domain/result.ts';
import type { SessionOrigin } from '../sessions/sessions.ts';

/** A purpose is never used for another thing, and never renamed: what it sealed could not be opened any more. Features have their own. */
export const PURPOSES = {
  totp: 'postern: TOTP secrets at rest, 1',
  secondStep: 'postern: second step of a login, 2',
  passkeys: 'postern: challenges of passkeys, 1',
  passkeyUsers: 'postern: users as authenticators know them, 1',
} as const;

export type KeyPurpose = `postern: ${string}, ${number}`;

const KEY_BYTES = 32;
/** RFC 5869 section 3.1: without a salt where the input is a key already. */
const NO_SALT = '';

/** 256 bits. */
export const derivedKey = (signingKey: Uint8Array, purpose: KeyPurpose): Buffer =>
  Buffer.from(hkdfSync('sha256', signingKey, NO_SALT, purpose, KEY_BYTES));

const KEY_ID_CHARACTERS = 12;
const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Secrets sealed at rest: AES-256-GCM, bound to the user. */
export type Sealer = ReturnType<typeof createSealer>;

/** A nonce is random: with fewer than 2^32 secrets under one key no two are alike (NIST SP 800-38D, 8.3). */
export function createSealer(key: Uint8Array) {
  // Tells one derived key from another, and nothing of either.
  const keyId = createHash('sha256').update('key id').update(key).digest('hex').slice(0, KEY_ID_CHARACTERS);
  return {
    /** Stands in front of every text that was sealed with the key. */
    keyId,
    /** `<key id>.<base64url of nonce, tag and cipher text>`. */
    seal(secret: Uint8Array, user: string): string {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(user));
      const text = Buffer.concat([cipher.update(secret), cipher.final()]);
      return `${keyId}.${Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url')}`;
    },
    /** Undefined for what was sealed with another key or for another user, or changed since. */
    open(sealed: string, user: string): Buffer | undefined {
      const [id, text = ''] = sealed.split('.', 2);
      const bytes = Buffer.from(text, 'base64url');
      if (id !== keyId || bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
      return attempt(() => {
        const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
        decipher.setAAD(Buffer.from(user)).setAuthTag(tag);
        return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
      });
    },
  };
}

/**
 * The ticket between the two steps of a login without script: a sealed text that says whose password was right. It opens
 * nothing (SPEC 12). Times are Unix seconds.
 */
export interface StepTicket {
  readonly user: string;
  /** A digest of password and factors: a change of either ends the login that is under way. */
  readonly secretsDigest: string;
  readonly expiresAt: number;
  /** The first step was taken at a provider. */
  readonly origin?: SessionOrigin;
  /** The digest of the invitation that is accepted with the second step. */
  readonly invitation?: string;
}

/** Sent to the form of the login page alone, and by no page of another site. */
export const STEP_COOKIE = { name: 'postern_step', secure: 'auto', sameSite: 'strict', path: LOGIN_PATH } as const;

/** Long enough to find the phone. */
export const TICKET_SECONDS = 300;

/** Compares in a time that tells nothing of the two; their lengths are no secret. */
export function isSame(one: string | Uint8Array, other: string | Uint8Array): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** The key is made from the signing secret for this alone, so a ticket is no session token, and no token a ticket. */
export function createTickets(key: Uint8Array) {
  const { seal, open } = createSealer(key);
  return {
    sign: (ticket: StepTicket): string => seal(Buffer.from(JSON.stringify(ticket)), ''),
    /** Undefined for a text that was not sealed here, and for a ticket that is over. */
    read(text: string, now: number): StepTicket | undefined {
      const opened = open(text, '');
      const ticket: StepTicket | undefined = opened && JSON.parse(opened.toString());
      return ticket && ticket.expiresAt > now ? ticket : undefined;
    },
  };
}

export type Tickets = ReturnType<typeof createTickets>;
