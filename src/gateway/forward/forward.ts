/** Step 6. Passing a judged request on and its answer back, both as streams (SPEC 6). */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RefusalReason } from '../../domain/refusal.ts';
import type { Upstream } from '../../domain/socket-address.ts';
import type { UpstreamWatch } from '../decision/gate-watch.ts';
import type { Narrowing } from '../narrow/narrow-exchange.ts';
import type { OwnWords } from '../response/response-headers.ts';
import { createRequestForwarder } from './forward-request.ts';
import { createUpgradeForwarder } from './forward-upgrade.ts';
import type { UpstreamTls } from './upstream-tls.ts';

export interface ForwardRules extends UpstreamTls {
  readonly cookieName: string;
  /** Bytes of a request body. */
  readonly maxUpload: number;
  /** Seconds: to connect; to the answer's head; of silence on a stream. */
  readonly timeoutConnect: number;
  readonly timeoutResponse: number;
  readonly timeoutIdle: number;
}

/** A request as it was judged: exactly this is sent. */
export interface JudgedRequest {
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  /** The same answer for everybody. */
  readonly isPublic: boolean;
  /** What the gate says itself in the answer's head. */
  readonly own?: OwnWords;
  /** Sent in the place of the request's own body, which has been read. */
  readonly body?: Buffer;
  /** What must become of the answer. */
  readonly narrowing?: Narrowing;
  readonly watch?: UpstreamWatch;
  /** Of an upgrade: told how to end it with a close code, once it is open. */
  readonly onOpen?: (end: (code: number) => void) => void;
  /** Called at most once, and only while nothing of an answer has been sent. */
  readonly onFailure: (reason: RefusalReason) => void;
}

export interface Forwarder {
  web(request: IncomingMessage, response: ServerResponse, upstream: Upstream, judged: JudgedRequest): void;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, upstream: Upstream, judged: JudgedRequest): void;
  close(): void;
}

export function createForwarder(rules: ForwardRules): Forwarder {
  const requests = createRequestForwarder(rules);
  const forwardUpgrade = createUpgradeForwarder(rules);
  return {
    // A client that was gone before its request was judged will not close again: nobody would end the upstream's.
    web: (request, response, upstream, judged) => {
      if (!request.socket.destroyed) requests.send(request, response, upstream, judged);
    },
    upgrade: (request, socket, head, upstream, judged) => {
      if (!socket.destroyed) forwardUpgrade(request, socket, head, upstream, judged);
    },
    close: requests.close,
  };
}
