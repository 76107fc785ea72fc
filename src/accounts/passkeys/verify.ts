/** Checks what an authenticator has signed: the package that reads it is loaded when the first passkey comes (SPEC 12). */
import type { PasskeyRecord } from '../../domain/accounts/second-factor.ts';
import type { Assertion, NewCredential } from './credential-json.ts';
import type { RelyingParty } from './relying-party.ts';

/** EdDSA, ES256, RS256 (COSE): what browsers and keys have; any other algorithm is refused. */
export const ALGORITHMS = [-8, -7, -257] as const;

/** Base64url. */
export interface VerifiedCredential {
  readonly id: string;
  /** COSE. */
  readonly publicKey: string;
  readonly counter: number;
  readonly isBackupEligible: boolean;
  readonly isBackedUp: boolean;
}

export interface VerifiedUse {
  readonly counter: number;
  readonly isBackedUp: boolean;
}

/**
 * Browsers were asked for no attestation and then send `none`, or a signature by the new key itself. Certificates of makers
 * are not read: no decision here uses them, and their parsers would be open to every user.
 */
const ATTESTATIONS: readonly string[] = ['none', 'packed'];

/** What a signature must be of. `mustVerifyUser`: by fingerprint, face or PIN, for a passkey that is all that is shown. */
export interface Expected {
  readonly challenge: string;
  readonly site: RelyingParty;
  readonly mustVerifyUser: boolean;
}

/** Undefined for whatever is not right: what exactly is not told to the client. */
export async function verifyNew(
  { id, clientDataJSON, attestationObject }: NewCredential,
  { challenge, site: { id: expectedRPID, origin: expectedOrigin }, mustVerifyUser }: Expected,
): Promise<VerifiedCredential | undefined> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  try {
    const attestation = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')));
    if (!ATTESTATIONS.includes(attestation.get('fmt')) || attestation.get('attStmt').get('x5c')) return undefined;
    const { registrationInfo: found } = await verifyRegistrationResponse({
      response: {
        ...OUTER,
        id,
        rawId: id,
        response: { clientDataJSON, attestationObject },
      },
      expectedChallenge: challenge,
      expectedOrigin,
      expectedRPID,
      requireUserVerification: mustVerifyUser,
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
): Promise<VerifiedUse | undefined> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  try {
    const { verified, authenticationInfo: used } = await verifyAuthenticationResponse({
      response: { ...OUTER, id, rawId: id, response: { clientDataJSON, authenticatorData, signature } },
      expectedChallenge: expected.challenge,
      expectedOrigin: expected.site.origin,
      expectedRPID: expected.site.id,
      requireUserVerification: expected.mustVerifyUser,
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
