/** A passkey's response as a browser sends it, taken apart with bounds: nothing of it is believed yet (WebAuthn level 3, 5.1.8). */
import { z } from 'zod';
import { isRecord, parsedJson } from '../../domain/json.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { FieldFault } from '../http/body-fields.ts';

/** Base64url throughout. */
export interface NewCredential {
  readonly id: string;
  readonly clientDataJSON: string;
  readonly attestationObject: string;
  readonly transports: readonly string[];
}

export interface Assertion {
  readonly id: string;
  readonly clientDataJSON: string;
  readonly authenticatorData: string;
  readonly signature: string;
  /** Absent from keys that do not keep their users. */
  readonly userHandle: string | undefined;
}

/** Taken apart below, with words of its own for what is wrong. */
export const ASSERTION = z
  .unknown()
  .optional()
  .meta({ type: 'object', description: 'AuthenticationResponseJSON of WebAuthn' });
export const NEW_CREDENTIAL = z
  .unknown()
  .optional()
  .meta({ type: 'object', description: 'RegistrationResponseJSON of WebAuthn' });

type CredentialFaults = readonly FieldFault[];

/** WebAuthn allows ids of 1023 bytes; the rest fits what authenticators send, several times over. */
const LONGEST = { id: 1364, userHandle: 88, text: 6000 } as const;
const BASE64URL = /^[A-Za-z0-9_-]+$/;
/** The transports of the standard are kept, in one spelling; what else is named is passed over. */
const TRANSPORTS: readonly string[] = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];

/** `value`: the field `credential` of a body. */
export function newCredential(value: unknown): Result<NewCredential, CredentialFaults> {
  const outer = outerOf(value);
  if (!outer.ok) return outer;
  const { id, response } = outer.value;
  const fields = textsOf(response, ['clientDataJSON', 'attestationObject']);
  return fields.ok ? ok({ id, ...fields.value, transports: transportsIn(response) }) : fields;
}

export function assertion(value: unknown): Result<Assertion, CredentialFaults> {
  const outer = outerOf(value);
  if (!outer.ok) return outer;
  const { id, response } = outer.value;
  const fields = textsOf(response, ['clientDataJSON', 'authenticatorData', 'signature']);
  if (!fields.ok) return fields;
  const userHandle = response['userHandle'] ?? undefined;
  if (userHandle !== undefined && !isBase64url(userHandle, LONGEST.userHandle))
    return err([fault(['response', 'userHandle'])]);
  return ok({ id, ...fields.value, userHandle });
}

/** The challenge of a response, whether it is good or not; undefined for a text that is no client data. */
export function clientDataIn(
  text: string,
): { readonly challenge: string; readonly isCrossOrigin: boolean } | undefined {
  const { challenge, crossOrigin } = Object(parsedJson(Buffer.from(text, 'base64url').toString()));
  return typeof challenge === 'string' ? { challenge, isCrossOrigin: (crossOrigin ?? false) !== false } : undefined;
}

function outerOf(
  value: unknown,
): Result<{ readonly id: string; readonly response: Readonly<Record<string, unknown>> }, CredentialFaults> {
  if (!isRecord(value)) return err([fault([], 'Input should be an object')]);
  const { id, rawId, type, response } = value;
  if (!isBase64url(id, LONGEST.id) || (rawId !== undefined && rawId !== id)) return err([fault(['id'])]);
  if (type !== 'public-key') return err([fault(['type'], 'Input should be "public-key"')]);
  return isRecord(response) ? ok({ id, response }) : err([fault(['response'], 'Input should be an object')]);
}

function textsOf<Name extends string>(
  response: Readonly<Record<string, unknown>>,
  names: readonly Name[],
): Result<Readonly<Record<Name, string>>, CredentialFaults> {
  const wrong = names.filter((name) => !isBase64url(response[name], LONGEST.text));
  if (wrong.length > 0) return err(wrong.map((name) => fault(['response', name])));
  return ok(Object.fromEntries(names.map((name) => [name, response[name]])) as Record<Name, string>);
}

function transportsIn({ transports }: Readonly<Record<string, unknown>>): readonly string[] {
  const named: readonly unknown[] = Array.isArray(transports) ? transports : [];
  return TRANSPORTS.filter((transport) => named.includes(transport));
}

const isBase64url = (value: unknown, longest: number): value is string =>
  typeof value === 'string' && value.length <= longest && BASE64URL.test(value);

const fault = (where: readonly string[], msg = 'Input should be base64url, not too long'): FieldFault => ({
  loc: ['body', 'credential', ...where],
  msg,
  type: 'value_error',
});
