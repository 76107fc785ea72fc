/** Passkeys of the browser: options as the API gives them, and the response as it takes it (WebAuthn level 3, 5.1.8). */

/** `elsewhere`: the page is not at the address that passkeys are made for. `known`: this device has one of the account. */
export type PasskeyProblem = 'cancelled' | 'elsewhere' | 'known' | 'failed';

/** Whether the browser has passkeys, and this page is at their address. */
export const hasPasskeysFor = (origin: string): boolean =>
  'PublicKeyCredential' in window && origin === location.origin;

export async function createPasskey(options: unknown): Promise<object> {
  const { challenge, user, excludeCredentials = [], ...rest } = options as PublicKeyCredentialCreationOptionsJSON;
  const publicKey = {
    ...rest,
    challenge: decodeBase64url(challenge),
    user: { ...user, id: decodeBase64url(user.id) },
    excludeCredentials: excludeCredentials.map(withBytes),
  } as object as PublicKeyCredentialCreationOptions;
  const credential = made(await navigator.credentials.create({ publicKey }));
  const response = credential.response as AuthenticatorAttestationResponse;
  const { clientDataJSON, attestationObject } = response;
  const transports = response.getTransports?.() ?? [];
  return { ...outer(credential), response: { ...encoded({ clientDataJSON, attestationObject }), transports } };
}

/** `signal` ends a question that waits in the autofill of the user's field (`conditional`). */
export async function showPasskey(
  options: unknown,
  { signal, isConditional }: { readonly signal: AbortSignal; readonly isConditional: boolean },
): Promise<object> {
  const { challenge, allowCredentials = [], ...rest } = options as PublicKeyCredentialRequestOptionsJSON;
  const publicKey = {
    ...rest,
    challenge: decodeBase64url(challenge),
    allowCredentials: allowCredentials.map(withBytes),
  } as object as PublicKeyCredentialRequestOptions;
  const mediation = isConditional ? { mediation: 'conditional' as const } : {};
  const credential = made(await navigator.credentials.get({ publicKey, signal, ...mediation }));
  const { clientDataJSON, authenticatorData, signature, userHandle } =
    credential.response as AuthenticatorAssertionResponse;
  return { ...outer(credential), response: encoded({ clientDataJSON, authenticatorData, signature, userHandle }) };
}

/** Browsers give every refusal of the person, and running out of time, the same name. */
export function toPasskeyProblem(fault: unknown): PasskeyProblem {
  const name = fault instanceof DOMException ? fault.name : '';
  if (name === 'NotAllowedError' || name === 'AbortError') return 'cancelled';
  if (name === 'SecurityError') return 'elsewhere';
  return name === 'InvalidStateError' ? 'known' : 'failed';
}

function made(credential: Credential | null): PublicKeyCredential {
  if (credential instanceof PublicKeyCredential) return credential;
  throw new DOMException('no passkey', 'NotAllowedError');
}

const outer = ({ id, type }: PublicKeyCredential): object => ({ id, rawId: id, type, clientExtensionResults: {} });

const withBytes = ({ id, ...described }: PublicKeyCredentialDescriptorJSON) => ({
  ...described,
  id: decodeBase64url(id),
});

const decodeBase64url = (base64url: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));

const encoded = (parts: Readonly<Record<string, ArrayBuffer | null>>): Record<string, string | null> =>
  Object.fromEntries(Object.entries(parts).map(([name, bytes]) => [name, bytes && encodeBase64url(bytes)]));

const encodeBase64url = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
