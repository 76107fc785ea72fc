/** Passkeys of the browser: options as the API gives them, and the response as it takes it (WebAuthn level 3, 5.1.8). */

/** `elsewhere`: the page is not at the address that passkeys are made for. `known`: this device has one of the account. */
export type PasskeyProblem = 'cancelled' | 'elsewhere' | 'known' | 'failed';

/** Whether the browser has passkeys, and this page is at their address. */
export const hasPasskeysFor = (origin: string): boolean =>
  'PublicKeyCredential' in window && origin === location.origin;

export async function createPasskey(options: unknown): Promise<object> {
  const publicKey = withBytes(options) as PublicKeyCredentialCreationOptions;
  return answered(await navigator.credentials.create({ publicKey }), ['clientDataJSON', 'attestationObject']);
}

/** `offer`: it waits in the autofill of the user's field, until this ends it. */
export async function showPasskey(options: unknown, offer?: AbortSignal): Promise<object> {
  const publicKey = withBytes(options) as PublicKeyCredentialRequestOptions;
  const waiting = offer && ({ signal: offer, mediation: 'conditional' } as const);
  const credential = await navigator.credentials.get({ publicKey, ...waiting });
  return answered(credential, ['clientDataJSON', 'authenticatorData', 'signature', 'userHandle']);
}

/** Browsers give every refusal of the person, and running out of time, the same name. */
export function toPasskeyProblem(fault: unknown): PasskeyProblem {
  const name = fault instanceof DOMException ? fault.name : '';
  if (name === 'NotAllowedError' || name === 'AbortError') return 'cancelled';
  if (name === 'SecurityError') return 'elsewhere';
  return name === 'InvalidStateError' ? 'known' : 'failed';
}

/** The challenge and the ids are bytes; that of the relying party is its name. */
function withBytes(options: unknown): object {
  const { rp, ...rest } = Object(options);
  const decoded = JSON.parse(JSON.stringify(rest), (key, value) =>
    key === 'challenge' || key === 'id'
      ? Uint8Array.from(atob(value.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0))
      : value,
  );
  return { ...decoded, ...(rp && { rp }) };
}

/** The parts of the response with these names, as base64url. */
function answered(credential: Credential | null, names: readonly string[]): object {
  if (!(credential instanceof PublicKeyCredential)) throw new DOMException('no passkey', 'NotAllowedError');
  const { id, type, response } = credential;
  const parts: Partial<AuthenticatorAttestationResponse> & Record<string, unknown> = Object(response);
  const encoded = names.map((name) => [name, parts[name] && encodeBase64url(parts[name] as ArrayBuffer)]);
  const transports = 'attestationObject' in response && { transports: parts.getTransports?.() ?? [] };
  const shown = { ...Object.fromEntries(encoded), ...transports };
  return { id, rawId: id, type, clientExtensionResults: {}, response: shown };
}

const encodeBase64url = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
