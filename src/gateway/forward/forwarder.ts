/** What forwarding is given and does: the shapes that its parts share. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Upstream } from '../../domain/addresses.ts';
import type { RefusalReason } from '../../domain/refusal.ts';
import type { UpstreamListeners } from '../decision/gate-watch.ts';
import type { ResponseReader } from '../narrow/error-text.ts';
import type { NarrowingPlan } from '../narrow/response-filter.ts';
import type { PublicPlace } from '../response/public-place.ts';
import type { OwnWords } from '../response/response-headers.ts';
import type { UpstreamTls } from './upstream-tls.ts';

export interface ForwardRules extends UpstreamTls {
  readonly cookieName: string;
  /** `ui.frame_ancestors`, as the Content-Security-Policy spells it; absent: pages of this origin. */
  readonly frameAncestors?: string;
  /** What responses vary by that are not public; absent: as without a proxy's headers. */
  readonly varies?: string;
  /** Bytes of a request body. */
  readonly maxUpload: number;
  /** Seconds: to connect; to the head of the response; of silence on a stream. */
  readonly timeoutConnect: number;
  readonly timeoutResponse: number;
  readonly timeoutIdle: number;
}

/** A request as it was judged: exactly this is sent. */
export interface JudgedRequest extends UpstreamListeners {
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  /** Whether the response is the same for every caller. */
  readonly isPublic: boolean;
  /** Whether pages of other origins may be told that they may read it; absent: as the upstream says. */
  readonly allowsCors?: boolean;
  /** Lines that the gate adds to the head of the response. */
  readonly own?: OwnWords;
  /** Where clients see the upstream; absent: as it is. */
  readonly place?: PublicPlace | undefined;
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

export interface Forwarder {
  /** Returns what gives the request up, and says whether nothing of a response was sent: it may be another one then. */
  web(request: IncomingMessage, response: ServerResponse, upstream: Upstream, judged: JudgedRequest): () => boolean;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, upstream: Upstream, judged: JudgedRequest): void;
  /** Keeps no connection any more: each ends with its request. */
  retire(): void;
  /** Breaks what is under way. */
  close(): void;
}
