/** The head of what an admin sees as another person: no cache keeps it, it sets no cookie, and it says whose view it is. */
import type { Caller } from '../../domain/caller.ts';
import { variesBy } from './caches.ts';
import type { CompressedResponse, OwnResponse } from './error-responses.ts';

/** Undefined: the caller sees it as itself. */
export function viewedHeaders(caller: Caller | undefined): Readonly<Record<string, string>> | undefined {
  if (caller?.credential.kind !== 'view-as') return undefined;
  return {
    'cache-control': 'private, no-store',
    vary: `${variesBy()}, X-Postern-View-As`,
    // The page shows nothing without it: something in between may have dropped the header of the request.
    'x-postern-view-as': encodeURIComponent(caller.name),
  };
}

/** A response of Postern's own. */
export function viewedResponse<Response extends OwnResponse | CompressedResponse>(
  response: Response,
  caller: Caller | undefined,
): Response {
  const viewed = viewedHeaders(caller);
  return viewed ? { ...response, headers: { ...response.headers, ...viewed } } : response;
}
