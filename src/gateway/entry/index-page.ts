/** Page paths of the NVR that no row names: a browser that opens one gets the NVR's index page, as from the NVR's own web server (SPEC 5). Pure. */
import { type RequestFacts, singleHeader } from '../../domain/request.ts';
import { parseTarget } from '../decision/strict-target.ts';

/** Ids have a dot in their middle: `17.5-abc`. */
const FILE = /\.\w*$/;

/**
 * First segments below which the NVR's web server, or Postern, serves something else than pages. The web server takes every path
 * that begins with `/ws` for the WebSocket.
 */
const NO_PAGES =
  /^(?:ws.*|api|auth|live|vod|vod-not-found|stream|clips|recordings|exports|cache|assets|fonts|locales|images|login|logout|invitation|postern.*|s|\.well-known)$/i;

/** The request for the index page that stands for this one; undefined where no page is asked for. Nothing of its path or query is left. */
export function asIndexPage(request: RequestFacts): RequestFacts | undefined {
  const segments = opensPage(request) ? parseTarget(request.target)?.segments : undefined;
  if (!segments || NO_PAGES.test(segments[0] ?? '') || FILE.test(segments.at(-1) ?? '')) return undefined;
  return { ...request, target: '/' };
}

function opensPage(request: RequestFacts): boolean {
  if (request.isUpgrade || request.method !== 'GET') return false;
  return (
    singleHeader(request, 'sec-fetch-dest') === 'document' ||
    singleHeader(request, 'accept')?.includes('text/html') === true
  );
}
