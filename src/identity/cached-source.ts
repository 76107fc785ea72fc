/** Caches a verdict on the connection while its cookie and token stay the same: a camera wall sends hundreds of requests a second. */

import { mapMaybe } from '../domain/async/maybe-promise.ts';
import type { Remembering } from '../domain/remembering.ts';
import { headerLines, type RequestFacts } from '../domain/request.ts';
import type { IdentitySource, IdentityVerdict } from '../domain/verdict.ts';

/** What a verdict depends on. It is dropped with its connection. */
interface Cached {
  readonly cookie: RequestFacts['headers'][string];
  readonly authorization: RequestFacts['headers'][string];
  readonly version: string;
  readonly second: number;
  readonly verdict: IdentityVerdict;
}

/**
 * `source` must decide by the headers `Cookie` and `Authorization` alone. Only an identified caller is cached: a refusal
 * is made, and counted, for each request.
 */
export function cachedOnConnection(source: IdentitySource, { version, now }: Remembering): IdentitySource {
  const known = new WeakMap<object, Cached>();
  return {
    name: source.name,
    identify(request) {
      const { connection, headers } = request;
      const { cookie, authorization } = headers;
      if (!connection || (cookie === undefined && authorization === undefined)) return source.identify(request);
      // Of several lines Node shows the first alone, and another may have decided.
      if (headerLines(request, 'authorization').length > 1) return source.identify(request);
      const before = known.get(connection);
      const [asOf, second] = [version(), now()];
      const isSame = before && before.cookie === cookie && before.authorization === authorization;
      if (isSame && before.version === asOf && before.second === second) return before.verdict;
      return mapMaybe(source.identify(request), (verdict) => {
        if (verdict.kind === 'identified')
          known.set(connection, { cookie, authorization, version: asOf, second, verdict });
        return verdict;
      });
    },
  };
}
