/** One request and its response, as the connections of an upstream see it. */
import type { IncomingMessage } from 'node:http';
import type { HeaderLines } from './header-lines.ts';
import type { RequestHead } from './request-text.ts';
import type { UpstreamHead } from './response-head.ts';

/** What the receiver of a response may do to it. */
export interface ExchangeControl {
  /** Nothing more of the response is wanted, and nothing more is told. */
  abort(): void;
  pause(): void;
  resume(): void;
}

/** The control of an exchange that has not begun. */
export const NOTHING_BEGUN: ExchangeControl = { abort() {}, pause() {}, resume() {} };

export interface Exchange {
  readonly head: RequestHead;
  /** A body that is there already, or one that streams. */
  readonly body?: Buffer | undefined;
  readonly upload?: { readonly request: IncomingMessage; readonly length: number | undefined } | undefined;
  /** Whether it may go out once more when its connection was closed under it. */
  readonly isRepeatable: boolean;
  /** Whether long parts of a body may be lent to it, until it says that they are used up. */
  readonly mayBorrow: boolean;
  onStart(control: ExchangeControl): void;
  onHead(head: UpstreamHead): void;
  /**
   * `bytes` are there during the call, and must be copied to be kept; with `onTaken` they are lent until that is called.
   */
  onBody(bytes: Buffer, onTaken: (() => void) | undefined): void;
  onEnd(trailers: HeaderLines): void;
  onError(error: Error): void;
}

/**
 * Whether it is the last on its connection. Servers that are wrong send a body behind HEAD, or do not read the one that they
 * are sent: it would be the response to another request, or another request, in the name that its sender chose.
 */
export const isLast = ({ head, body, upload }: Exchange): boolean =>
  head.method === 'HEAD' || body !== undefined || upload !== undefined;
