/** The cookie that `/auth` sends a caller with every response: made once in a second, and after each change of the accounts (SPEC 4.2). */
import type { Caller } from '../../domain/caller.ts';
import { type MaybePromise, mapMaybe } from '../../domain/maybe-promise.ts';
import type { CookieClient } from './session-cookie.ts';

type CookieMaker = (caller: Caller, client: CookieClient) => MaybePromise<string | undefined>;

export interface RememberingRules {
  /** Another text after any change of accounts, roles and revocations. */
  readonly version: () => string;
  /** Unix seconds: a cookie is sent again within one second. */
  readonly now: () => number;
}

interface Remembered extends CookieClient {
  readonly version: string;
  readonly second: number;
  readonly line: string;
}

/**
 * `make` gives the line, or undefined for none; it must depend on nothing else than the caller, the client, the accounts and the
 * second. A caller who is remembered on a connection brings the line along; nobody else is ever sent it.
 */
export function rememberedCookie(make: CookieMaker, { version, now }: RememberingRules): CookieMaker {
  const lines = new WeakMap<Caller, Remembered>();
  return (caller, client) => {
    const known = lines.get(caller);
    // Taken before it is made: a change meanwhile makes the next request ask again.
    const [asOf, second] = [version(), now()];
    const isSame = known?.encrypted === client.encrypted && known.basePath === client.basePath;
    if (isSame && known.version === asOf && known.second === second) return known.line;
    return mapMaybe(make(caller, client), (line) => {
      const { encrypted, basePath } = client;
      if (line !== undefined) lines.set(caller, { version: asOf, second, encrypted, basePath, line });
      return line;
    });
  };
}
