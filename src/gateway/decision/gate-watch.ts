/** What the gate tells whoever counts and logs: each request, from its head to its last byte (SPEC 9). */
import type { RefusalReason } from '../../domain/refusal.ts';
import type { RequestFacts } from '../../domain/request.ts';
import type { Admission } from './admit.ts';

export interface GateWatch {
  /** The head of a request is there. `socket` is an upgrade's, whose bytes are counted while it is open. */
  onRequest(request: RequestFacts, socket?: CountedSocket): RequestWatch;
}

/** As much of a TCP or TLS socket as is counted. */
export interface CountedSocket {
  readonly bytesRead: number;
  readonly bytesWritten: number;
}

export interface RequestWatch extends UpstreamWatch {
  /** `judged` is the request that a proxy in front described, where it is not the one that came. */
  onDecision(admission: Admission, requestId: string, judged?: RequestFacts): void;
  /** Found out only on the way to the NVR, but a refusal all the same. */
  onRefusal(reason: RefusalReason): void;
  /** An admitted request that could not be answered. */
  onFailure(reason: RefusalReason): void;
  onFault(fault: unknown): void;
  /** The NVR has answered at a path that the route table does not know. */
  onUnknownRoute(): void;
  /** The last byte is out, or the client is gone. */
  onEnd(end: RequestEnd): void;
}

/** `error`: somebody said what makes no sense. */
export type StreamEnd = 'client' | 'backend' | 'revoked' | 'expired' | 'idle' | 'error';

export interface RequestEnd {
  /** Undefined when the NVR's answer was passed on unread, or none was given. */
  readonly status: number | undefined;
  /** Whether the client got all of it. */
  readonly isWhole: boolean;
  /** Bytes of an answer's body that nobody counted on their way. */
  readonly bytes: number;
}

/** What becomes of a request at the NVR, or at the events backend. */
export interface UpstreamWatch {
  onAsked(): void;
  /** `type` is the answer's Content-Type. */
  onHead(status: number, type?: string): void;
  /** Of a body, on their way to the client. */
  onBytes(bytes: number): void;
  /** Of a body without an announced length, on their way to the NVR. */
  onUploaded(bytes: number): void;
  /** Node's code for what went wrong, and its sentence for the log. A failure follows. */
  onUpstreamError(code: string, sentence?: string): void;
  /** The upstream broke off in the middle of its answer; Node's or undici's code for how. */
  onCut(code: string): void;
  /** Who or what ended a WebSocket or an answer, if it was not whole; only the first call counts. */
  onEndedBy(by: StreamEnd): void;
}
