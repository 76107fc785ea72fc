/** Remembers the cookie that `/auth` sends to a caller who asks about itself (SPEC 4.2). */
import type { Caller } from '../../domain/caller.ts';
import { type MaybePromise, mapMaybe } from '../../domain/maybe-promise.ts';
import type { Remembering } from '../../domain/remembering.ts';
import type { CookieClient } from './session-cookie.ts';

type CookieMaker = (caller: Caller, client: CookieClient) => MaybePromise<string | undefined>;

interface Remembered extends CookieClient {
  readonly version: string;
  readonly second: number;
  readonly line: string;
}

/**
 * What `make` gave is sent again within the same second, while nothing changes, to a client of the same scheme and base path. It is
 * kept by the `Caller` object: an identity source must never give one object for two sessions.
 */
export function rememberedCookie(make: CookieMaker, { version, now }: Remembering): CookieMaker {
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
