/** Logins over HTTP, and what their sessions are called. */
import type { Person } from './people.ts';

export const JSON_TYPE = { 'content-type': 'application/json' };

/** The answer of `POST /api/login` of the server at that address. */
export const postLogin = (
  url: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  fetch(`${url}/api/login`, { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) });

/** The token of a new session. */
export async function logInAt(
  url: string,
  { name, password }: Pick<Person, 'name' | 'password'>,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const answer = await postLogin(url, { user: name, password }, headers);
  const token = sessionIn(answer);
  if (answer.status !== 200 || token === undefined)
    throw new Error(`${name} could not log in: ${answer.status} ${await answer.text()}`);
  return token;
}

/** The token in the session cookie that the answer sets. */
export const sessionIn = (answer: Response): string | undefined =>
  /^frigate_token=([^;]+)/.exec(answer.headers.getSetCookie()[0] ?? '')?.[1];

/** The id under which lists and records know the session of a token. */
export const sessionIdOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).jti;

/** `name=value` of the first cookie that the answer sets; empty: none. */
export const firstCookie = (answer: Response): string => answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';

/** The cookie of a session, as a client sends it. */
export const cookieFor = (token: string): string => `frigate_token=${token}`;
