/** A person with a passkey, and the requests of a browser that uses it. */
import assert from 'node:assert/strict';
import type { Person } from './people.ts';
import { sendJson } from './second-factor.ts';
import { firstCookie, sessionIn } from './sessions.ts';
import { made, newPasskey, type SoftPasskey } from './soft-authenticator.ts';
import type { Runtime } from './start-instance.ts';

export const PASSKEYS = '/api/second-factor/passkeys';

export interface CreationOptions {
  readonly challenge: string;
  readonly rp: { readonly id: string };
  readonly user: { readonly id: string };
  readonly excludeCredentials: readonly { readonly id: string }[];
}

export const creationOptions = async (at: Runtime, token: string): Promise<CreationOptions> =>
  (await (await sendJson(at, `${PASSKEYS}/options`, {}, token)).json()) as CreationOptions;

export interface PasskeyOwner {
  readonly person: Person;
  readonly passkey: SoftPasskey;
  /** The session that goes on. */
  readonly token: string;
  readonly recoveryCodes: readonly string[];
}

export async function withPasskey(at: Runtime, person: Person): Promise<PasskeyOwner> {
  const token = await at.logIn(person);
  const passkey = newPasskey();
  const body = { name: 'Phone', credential: made(passkey, await creationOptions(at, token)) };
  const answer = await sendJson(at, PASSKEYS, body, token);
  assert.equal(answer.status, 201, await answer.clone().text());
  const { recovery_codes: recoveryCodes } = (await answer.json()) as { recovery_codes: string[] };
  return { person, passkey, token: sessionIn(answer) ?? '', recoveryCodes };
}

export interface AskedPasskey {
  readonly challenge: string;
  /** The text that ties the challenge to the browser. */
  readonly cookie: string;
  readonly userVerification: string;
  readonly allowCredentials: readonly { readonly id: string }[];
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** `body`: user and password, for the second step. */
export async function askedForPasskey(at: Runtime, body: object = {}, cookie = ''): Promise<AskedPasskey> {
  const options = { method: 'POST', headers: { ...JSON_TYPE, cookie }, body: JSON.stringify(body) };
  const answer = await at.ask('/api/login/passkey/options', options);
  assert.equal(answer.status, 200, await answer.clone().text());
  const kept = firstCookie(answer);
  return { ...((await answer.json()) as AskedPasskey), cookie: kept };
}

export const logInByPasskey = (
  at: Runtime,
  credential: object,
  { cookie }: Pick<AskedPasskey, 'cookie'>,
): Promise<Response> => {
  const headers = { ...JSON_TYPE, cookie };
  return at.ask('/api/login/passkey', { method: 'POST', headers, body: JSON.stringify({ credential }) });
};
