/** A passkey's response as a browser sends it, taken apart with bounds: nothing of it is believed until its signature is verified (WebAuthn level 3, 5.1.8; SPEC 12). And the challenges that it answers. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { z } from 'zod';
import type { PublicUrl } from '../../domain/addresses.ts';
import { parsedJson } from '../../domain/json.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { PasskeyRecord } from '../../store/engine/tables.ts';

/** WebAuthn allows ids of 1023 bytes; the rest fits what authenticators send, several times over. */
const LONGEST = { id: 1364, userHandle: 88, text: 6000 } as const;
const NO_OBJECT = 'Input should be an object';
const UNFIT = 'Input should be base64url, not too long';
/** The transports of the standard are kept, in one spelling; what else is named is passed over. */
const TRANSPORTS: readonly string[] = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];

const base64urlTo = (longest: number) => z.string(UNFIT).regex(new RegExp(`^[A-Za-z0-9_-]{1,${longest}}$`), UNFIT);
const LONG_TEXT = base64urlTo(LONGEST.text);

/** The field `credential` of a body, taken apart. All texts are base64url. */
const response = <Fields extends z.ZodRawShape>(fields: Fields) =>
  z
    .object(
      {
        id: base64urlTo(LONGEST.id),
        rawId: z.unknown().optional(),
        type: z.literal('public-key', 'Input should be "public-key"'),
        response: z.object(fields, NO_OBJECT),
      },
      NO_OBJECT,
    )
    .refine(({ id, rawId }) => rawId === undefined || rawId === id, { path: ['id'], error: UNFIT })
    .transform(({ id, response }) => ({ id, ...response }));

/** `RegistrationResponseJSON` of WebAuthn. */
export const NEW_CREDENTIAL = response({
  clientDataJSON: LONG_TEXT,
  attestationObject: LONG_TEXT,
  transports: z
    .array(z.unknown())
    .catch([])
    .transform((named) => TRANSPORTS.filter((transport) => named.includes(transport))),
});
export type NewCredential = z.output<typeof NEW_CREDENTIAL>;

/** `AuthenticationResponseJSON` of WebAuthn. */
export const ASSERTION = response({
  clientDataJSON: LONG_TEXT,
  authenticatorData: LONG_TEXT,
  signature: LONG_TEXT,
  /** Absent from keys that do not keep their users. */
  userHandle: base64urlTo(LONGEST.userHandle)
    .nullish()
    .transform((handle) => handle ?? undefined),
});
export type Assertion = z.output<typeof ASSERTION>;

/** The challenge of a response, whether it is good or not; undefined for a text that is no client data. */
export function clientDataIn(
  text: string,
): { readonly challenge: string; readonly isCrossOrigin: boolean } | undefined {
  const { challenge, crossOrigin } = Object(parsedJson(Buffer.from(text, 'base64url').toString()));
  return typeof challenge === 'string' ? { challenge, isCrossOrigin: (crossOrigin ?? false) !== false } : undefined;
}

/** EdDSA, ES256, RS256 (COSE): what browsers and keys have; any other algorithm is refused. */
export const ALGORITHMS = [-8, -7, -257] as const;

/**
 * Browsers were asked for no attestation and then send `none`, or a signature by the new key itself. Certificates of makers
 * are not read: no decision here uses them, and their parsers would be open to every user.
 */
const ATTESTATIONS: readonly string[] = ['none', 'packed'];

/** What a signature must be of. `mustVerifyUser`: by fingerprint, face or PIN, for a passkey that is all that is shown. */
interface Expected {
  readonly challenge: string;
  readonly party: RelyingParty;
  readonly mustVerifyUser: boolean;
}

const expectation = ({ challenge, party, mustVerifyUser }: Expected) => ({
  expectedChallenge: challenge,
  expectedOrigin: party.origin,
  expectedRPID: party.id,
  requireUserVerification: mustVerifyUser,
});

/** Undefined for whatever is not right: what exactly is not told to the client. The package is loaded when the first passkey comes. */
export async function verifyNew(
  { id, clientDataJSON, attestationObject }: NewCredential,
  expected: Expected,
): Promise<
  Omit<PasskeyRecord, 'user' | 'userHandle' | 'transports' | 'name' | 'createdAt' | 'lastUsedAt'> | undefined
> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  try {
    const attestation = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')));
    if (!ATTESTATIONS.includes(attestation.get('fmt')) || attestation.get('attStmt').get('x5c')) return undefined;
    const { registrationInfo: found } = await verifyRegistrationResponse({
      response: { ...OUTER, id, rawId: id, response: { clientDataJSON, attestationObject } },
      ...expectation(expected),
      supportedAlgorithmIDs: [...ALGORITHMS],
    });
    if (!found || found.credential.id !== id) return undefined;
    const { publicKey, counter } = found.credential;
    const isBackupEligible = found.credentialDeviceType === 'multiDevice';
    return { id, publicKey: base64url(publicKey), counter, isBackupEligible, isBackedUp: found.credentialBackedUp };
  } catch {
    return undefined;
  }
}

export async function verifyUse(
  { id, clientDataJSON, authenticatorData, signature }: Assertion,
  { publicKey }: PasskeyRecord,
  expected: Expected,
): Promise<Pick<PasskeyRecord, 'counter' | 'isBackedUp'> | undefined> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  try {
    const { verified, authenticationInfo: used } = await verifyAuthenticationResponse({
      response: { ...OUTER, id, rawId: id, response: { clientDataJSON, authenticatorData, signature } },
      ...expectation(expected),
      // The store compares counters, in the transaction that writes the new one.
      credential: { id, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')), counter: 0 },
    });
    return verified ? { counter: used.newCounter, isBackedUp: used.credentialBackedUp } : undefined;
  } catch {
    return undefined;
  }
}

const OUTER = { type: 'public-key', clientExtensionResults: {} } as const;

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

/** The relying party of passkeys: taken from `server.public_url` alone, never from a request (SPEC 12). */
export interface RelyingParty {
  /** A domain: passkeys of it are shown on its pages and on no others (WebAuthn, "RP ID"). */
  readonly id: string;
  /** The origin as browsers write it: `https://nvr.example.com`. */
  readonly origin: string;
}

/** The sentence says why there are no passkeys, and what to do. */
export function toRelyingParty(publicUrl: PublicUrl | undefined): Result<RelyingParty, string> {
  if (!publicUrl)
    return err('Passkeys are off: they are made for one address, so server.public_url must say where the service is');
  const { hostname, origin } = publicUrl;
  if (isIP(hostname) !== 0 || hostname.startsWith('['))
    return err(
      `Passkeys are off: browsers make them for a host name only, and server.public_url has the IP address ${hostname}`,
    );
  return ok({ id: hostname, origin });
}

/** What a challenge may be issued for, and what it is bound to then. `secretsDigest`: a digest of password and factors. */
const PARTS = {
  /** A session adds a passkey to its own account. `session`: the id of its tokens, and no other can answer. */
  add: ['user', 'secretsDigest', 'session'],
  /** A session proves again whose it is. */
  prove: ['user', 'secretsDigest', 'session'],
  /** The holder of an invitation accepts it for the user that it is made for. `invitation`: the digest of its token. */
  accept: ['user', 'secretsDigest', 'invitation'],
  /** A browser logs in, whose user is not known yet. `browser`: a random text that it keeps as a cookie. */
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
