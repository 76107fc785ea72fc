/** Screens in tests: paired as a display and a person would, over HTTP (SPEC 18). */
import assert from 'node:assert/strict';
import type { Person } from './people.ts';
import { sendJson } from './second-factor.ts';
import { firstCookie } from './sessions.ts';
import type { Runtime } from './start-instance.ts';

export interface BegunPairing {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  readonly qr: string;
}

export interface PairedScreen {
  readonly id: string;
  /** `name=value`. */
  readonly cookie: string;
}

let displays = 0;
/** Displays have addresses of their own, where the instance trusts the test as a proxy. */
export const displayAddress = (): string => `2001:db8:d:${(++displays).toString(16)}::1`;

export async function beginPairing(at: Runtime, from = displayAddress()): Promise<BegunPairing> {
  const begun = await at.ask('/api/screens/code', {
    method: 'POST',
    headers: { 'x-forwarded-for': from, 'user-agent': 'TestDisplay/1.0' },
  });
  assert.equal(begun.status, 200, await begun.clone().text());
  return (await begun.json()) as BegunPairing;
}

export const pollPairing = (at: Runtime, code: string, from = displayAddress()): Promise<Response> =>
  at.ask('/api/screens/token', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
    body: JSON.stringify({ device_code: code }),
  });

/** `by`: a person who logs in for it, or a session. */
export async function pairScreen(at: Runtime, by: Person | string, wanted: object = {}): Promise<PairedScreen> {
  const begun = await beginPairing(at);
  const session = typeof by === 'string' ? by : await at.logIn(by);
  const given = { user_code: begun.user_code, name: 'hall', ...wanted };
  const confirmed = await sendJson(at, '/api/screens/confirm', given, session);
  assert.equal(confirmed.status, 201, await confirmed.clone().text());
  const { id } = (await confirmed.json()) as { id: string };
  const fetched = await pollPairing(at, begun.device_code);
  assert.equal(fetched.status, 200, await fetched.clone().text());
  return { id, cookie: firstCookie(fetched) };
}
