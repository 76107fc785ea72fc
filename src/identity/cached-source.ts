/** A source that is not asked again while a connection goes on saying the same: a camera wall does, hundreds of times a second. */

import { mapMaybe } from '../domain/maybe-promise.ts';
import type { RequestFacts } from '../domain/request.ts';
import type { IdentitySource, IdentityVerdict } from '../domain/verdict.ts';

export interface CacheRules {
  /** Another text after any change of accounts, roles and revocations. */
  readonly version: () => string;
  /** Unix seconds: what depends on the time does so by the second. */
  readonly now: () => number;
}

/** What a verdict depends on: who shows what, and when. Nothing of it outlives its connection. */
interface Remembered {
  readonly cookie: RequestFacts['headers'][string];
  readonly authorization: RequestFacts['headers'][string];
  readonly version: string;
  readonly second: number;
  readonly verdict: IdentityVerdict;
}

/** `source` must decide by the headers `Cookie` and `Authorization` alone. Only who is known is remembered: who is refused is judged, and counted, each time. */
export function cachedOnConnection(source: IdentitySource, { version, now }: CacheRules): IdentitySource {
  const known = new WeakMap<object, Remembered>();
  return {
    name: source.name,
    identify(request) {
      const { connection, headers } = request;
      const { cookie, authorization } = headers;
      if (!connection || (cookie === undefined && authorization === undefined)) return source.identify(request);
      const before = known.get(connection);
      const [asOf, second] = [version(), now()];
      const isSaidAgain = before && before.cookie === cookie && before.authorization === authorization;
      if (isSaidAgain && before.version === asOf && before.second === second) return before.verdict;
      return mapMaybe(source.identify(request), (verdict) => {
        if (verdict.kind === 'identified')
          known.set(connection, { cookie, authorization, version: asOf, second, verdict });
        return verdict;
      });
    },
  };
}
