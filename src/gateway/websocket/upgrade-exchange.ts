/** A WebSocket upgrade under way at the upstream: the time it may take, and what its failures mean (SPEC 6). */
import type { ClientRequest, IncomingHttpHeaders } from 'node:http';
import type { RefusalReason } from '../../domain/refusal.ts';
import type { UpstreamListeners } from '../decision/gate-watch.ts';
import { upstreamFailure } from '../decision/upstream-failure.ts';
import type { ResponseReader } from '../narrow/error-text.ts';
import type { PublicPlace } from '../response/public-place.ts';

/** An upgrade as it was judged: exactly this is sent. */
export interface JudgedUpgrade extends UpstreamListeners {
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  /** Where clients see the upstream; absent: as it is. */
  readonly place?: PublicPlace | undefined;
  /** Who reads the text of a response that is no 101; absent: it is passed on as it is. */
  readonly errorReader?: (() => ResponseReader) | undefined;
  /** Called once the WebSocket is open, with a function that ends it with a close code. */
  readonly onOpen?: (end: (code: number) => void) => void;
  /** Called at most once, and only while nothing of a response has been sent. */
  readonly onFailure: (reason: RefusalReason) => void;
}

export interface UpgradeExchange {
  readonly judged: JudgedUpgrade;
  /** Answers with a refusal; once the head of a response was sent it cuts the connection instead. */
  readonly fail: (reason: RefusalReason) => void;
  /** Whether the client has been sent the head of a response, or the 101. */
  hasHead: boolean;
  hasTimedOut: boolean;
  upstreamRequest: ClientRequest | undefined;
}

/** Gives the upstream its time (seconds) for the head of a response. */
export function limitTime(upstreamRequest: ClientRequest, exchange: UpgradeExchange, timeoutResponse: number): void {
  const timer = setTimeout(() => {
    exchange.hasTimedOut = true;
    upstreamRequest.destroy(new Error('no response in time'));
  }, timeoutResponse * 1000);
  const settle = (): void => clearTimeout(timer);
  upstreamRequest.once('response', settle).once('upgrade', settle).once('close', settle);
}

export const failureOf = (error: Error, exchange: UpgradeExchange): RefusalReason =>
  exchange.hasTimedOut ? 'nvr-timeout' : upstreamFailure(error);
