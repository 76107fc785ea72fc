/** What is sent on for an admitted request: exactly what was judged, in the names and below the path that the next hop knows (SPEC 6). */

import type { IncomingHttpHeaders } from 'node:http';
import { isPublic } from '../../access/route-table.ts';
import { targetAt } from '../../domain/addresses.ts';
import { isVisitor } from '../../domain/credentials.ts';
import type { RefusalReason } from '../../domain/refusal.ts';
import { headerLines, type RequestFacts } from '../../domain/request.ts';
import type { RequestWatch } from '../../telemetry/watch-gate.ts';
import type { Admitted } from '../decision/admit.ts';
import type { Served } from '../decision/destinations.ts';
import type { ResponseReader } from '../narrow/error-text.ts';
import { askingForWhole, type NarrowingPlan } from '../narrow/response-filter.ts';
import { makePlace } from '../response/public-place.ts';
import type { ResponseHeadRules } from '../response/response-headers.ts';
import { type HeaderRules, rewriteHeaders } from './rewrite-headers.ts';

/** `type` is the Content-Type of the response, `location` its Location, as the upstream wrote it. */
export type HeadListener = (status: number, type?: string, location?: string) => void;

export function tellHead(
  { watch, onHead }: Pick<JudgedRequest, 'watch' | 'onHead'>,
  ...head: Parameters<HeadListener>
): void {
  const [status, type] = head;
  watch?.onHead(status, type);
  onHead?.(...head);
}

/** A request as it was judged: exactly this is sent. */
export interface JudgedRequest extends Pick<ResponseHeadRules, 'isPublic' | 'allowsCors' | 'own' | 'place'> {
  readonly watch?: Omit<
    RequestWatch,
    'onDecision' | 'onRefusal' | 'onFailure' | 'onFault' | 'onUnknownRoute' | 'onEnd'
  >;
  /** Called with the head, beside the watch. */
  readonly onHead?: HeadListener | undefined;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  /** Sent in the place of the request's own body, which has been read. */
  readonly body?: Buffer;
  /** How the response is narrowed. */
  readonly narrowing?: NarrowingPlan;
  /** Who reads the text of the upstream's refusals and failures; asked when there is one. Absent: it is passed on as it is. */
  readonly errorReader?: (() => ResponseReader) | undefined;
  /** Called when an upgrade is open, with a function that ends it with a close code. */
  readonly onOpen?: (end: (code: number) => void) => void;
  /** Called at most once, and only while nothing of a response has been sent. */
  readonly onFailure: (reason: RefusalReason) => void;
}

export function judgedRequest(
  destination: Served,
  { facts, admission, requestId }: { facts: RequestFacts; admission: Admitted; requestId: string },
  rules: HeaderRules,
  settled: Pick<JudgedRequest, 'body' | 'narrowing'> & { readonly contentType?: string } = {},
): Omit<JudgedRequest, 'onFailure'> {
  const { query } = admission.target;
  const { upstream } = destination;
  const path = targetAt(upstream, admission.target.path);
  // A server without a prefix is seen as it is.
  const place =
    upstream.below === undefined
      ? undefined
      : makePlace(upstream, { path, hosts: headerLines(facts, 'host'), client: admission.client });
  const isOurs = destination.kind === 'events-backend';
  // The events backend is our own: it knows the interface's names (5.5.4) and needs no secret and no signature.
  const spoken = isOurs ? { ...rules, nvrSecret: undefined } : rules;
  const headers = rewriteHeaders(facts, { caller: admission.caller, client: admission.client, requestId }, spoken);
  if (isOurs) nameCameras(headers, admission);
  // The server's own addresses are written below the prefix when its response comes: it must not do the same.
  if (place) delete headers['x-ingress-path'];
  const isOfVisitor = admission.caller !== undefined && isVisitor(admission.caller);
  if (isOfVisitor) for (const name of OF_THE_BROWSER) delete headers[name];
  const judged = {
    target: query === '' ? path : `${path}?${query}`,
    headers,
    allowsCors: facts.listener === 'external' && !isOfVisitor,
    isPublic: isPublic(admission.route),
    ...(place && { place }),
  };
  const { body, narrowing } = settled;
  if (!body && !narrowing) return judged;
  return { ...judged, headers: headersFor(headers, settled), ...(body && { body }), ...(narrowing && { narrowing }) };
}

/** A visitor needs none of them, and they may be about other pages of this site. */
const OF_THE_BROWSER = ['cookie', 'authorization', 'referer', 'origin'] as const;

/** A body that was read is sent with its length, however it came; a response that is narrowed is asked for whole. */
const headersFor = (
  headers: IncomingHttpHeaders,
  { body, narrowing, contentType }: Parameters<typeof judgedRequest>[3] & {},
): IncomingHttpHeaders => ({
  ...(narrowing ? askingForWhole(headers) : headers),
  ...(body && { 'content-length': String(body.length), 'transfer-encoding': undefined }),
  ...(contentType !== undefined && { 'content-type': contentType }),
});

/**
 * The events backend narrows by role, and a token may see less than its role does: so it is told what is left. No client
 * can say it in its place: `remote-*` ends at the gate.
 */
function nameCameras(headers: IncomingHttpHeaders, { caller, obligations }: Admitted): void {
  if (obligations?.view.clearance !== 'restricted') return;
  const { cameras, since } = obligations.view;
  headers['remote-cameras'] = cameras.map(encodeURIComponent).join(',');
  if (since !== undefined) headers['remote-since'] = String(since);
  if (caller?.roles) headers['remote-roles'] = caller.roles.join(',');
}
