/** What the gate reports to metrics and logs: each request, from its head to its last byte (SPEC 9). */
import type { RefusalReason } from '../../domain/refusal.ts';
import type { RequestFacts } from '../../domain/request.ts';
import type { Admission } from './admit.ts';

export interface GateWatch {
  /** The head of a request is there. `socket` is an upgrade's, whose bytes are counted while it is open. */
  onRequest(request: RequestFacts, socket?: CountedSocket): RequestWatch;
}

export interface CountedSocket {
  readonly bytesRead: number;
  readonly bytesWritten: number;
}

export interface RequestWatch extends UpstreamWatch {
  /** `judged` is the request that a proxy in front described, where it is not the one that came. */
  onDecision(admission: Admission, requestId: string, judged?: RequestFacts): void;
  /** Found out only on the way to the NVR, but a refusal all the same. */
  onRefusal(reason: RefusalReason): void;
  /** An admitted request got no response of its upstream. */
  onFailure(reason: RefusalReason): void;
  onFault(fault: unknown): void;
  /** The NVR has a response for a path that the route table does not list. */
  onUnknownRoute(): void;
  /** The last byte is out, or the client is gone. */
  onEnd(end: RequestEnd): void;
}

/** `error`: one side sent what its protocol does not allow. */
export type StreamEnd = 'client' | 'backend' | 'revoked' | 'expired' | 'idle' | 'error';

export interface RequestEnd {
  /** Undefined when the response of the NVR was passed on unread, or there was none. */
  readonly status: number | undefined;
  /** Whether the client got all of it. */
  readonly isWhole: boolean;
  /** Bytes of a response body that were not counted by `onBytes`. */
  readonly bytes: number;
  /** The client was cut off, because it took nothing of the response for an hour. */
  readonly isStalled?: boolean;
}

/** The listener of what becomes of a request upstream. */
export interface UpstreamListeners {
  readonly watch?: UpstreamWatch;
  /** Called with the head, beside the watch. */
  readonly onHead?: HeadListener | undefined;
}

/** `type` is the Content-Type of the response, `location` its Location, as the upstream wrote it. */
export type HeadListener = (status: number, type?: string, location?: string) => void;

export function tellHead({ watch, onHead }: UpstreamListeners, ...head: Parameters<HeadListener>): void {
  watch?.onHead(...head);
  onHead?.(...head);
}

/** What becomes of a request at the NVR, or at the events backend. */
export interface UpstreamWatch {
  onAsked(): void;
  onHead: HeadListener;
  /** Counts bytes of a body on their way to the client. */
  onBytes(bytes: number): void;
  /** Counts bytes of a body without an announced length, on their way to the NVR. */
  onUploaded(bytes: number): void;
  /** Node's code for what went wrong, and its sentence for the log. A failure follows. */
  onUpstreamError(code: string, sentence?: string): void;
  /** The upstream broke off in the middle of its response; Node's code for how. */
  onCut(code: string): void;
  /** What ended a WebSocket, or a response before it was whole. Only the first call counts. */
  onEndedBy(by: StreamEnd): void;
}
