/** What the gate reports to metrics and logs: each request, from its head to its last byte (SPEC 9). */
import type { RequestFacts } from '../../domain/request.ts';
import type { CountedSocket, WatchedRequest } from '../../telemetry/watch-gate.ts';

export interface GateWatch {
  /** The head of a request is there. `socket` is an upgrade's, whose bytes are counted while it is open. */
  onRequest(request: RequestFacts, socket?: CountedSocket): RequestWatch;
}

/** What is told of a request. */
export type RequestWatch = Pick<WatchedRequest, keyof WatchedRequest>;
export type RequestEnd = Parameters<RequestWatch['onEnd']>[0];

/** The listener of what becomes of a request at the NVR, or at the events backend. */
export interface UpstreamListeners {
  readonly watch?: Omit<
    RequestWatch,
    'onDecision' | 'onRefusal' | 'onFailure' | 'onFault' | 'onUnknownRoute' | 'onEnd'
  >;
  /** Called with the head, beside the watch. */
  readonly onHead?: HeadListener | undefined;
}

/** `type` is the Content-Type of the response, `location` its Location, as the upstream wrote it. */
export type HeadListener = (status: number, type?: string, location?: string) => void;

export function tellHead({ watch, onHead }: UpstreamListeners, ...head: Parameters<HeadListener>): void {
  const [status, type] = head;
  watch?.onHead(status, type);
  onHead?.(...head);
}
