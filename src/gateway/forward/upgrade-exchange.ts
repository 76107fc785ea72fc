/** An upgrade under way at the upstream: its time, and what its faults mean (SPEC 6). */
import type { ClientRequest } from 'node:http';
import type { RefusalReason } from '../../domain/refusal.ts';
import type { JudgedRequest } from './forwarder.ts';

export interface Exchange {
  readonly judged: JudgedRequest;
  /** Answers with a refusal. Only the first call counts. */
  readonly fail: (reason: RefusalReason) => void;
  hasTimedOut: boolean;
}

/** Gives the upstream its time (seconds) for the head of an answer. */
export function watchUpstream(upstreamRequest: ClientRequest, exchange: Exchange, timeoutResponse: number): void {
  const timer = setTimeout(() => {
    exchange.hasTimedOut = true;
    upstreamRequest.destroy(new Error('no answer in time'));
  }, timeoutResponse * 1000);
  const settle = (): void => clearTimeout(timer);
  upstreamRequest.once('response', settle).once('upgrade', settle).once('close', settle);
}

const UNREACHABLE_IN_TIME = 'ECONNECT_TIMEOUT';

export function failureOf(error: Error, exchange: Exchange): RefusalReason {
  const code = codeOf(error);
  if (exchange.hasTimedOut || code === UNREACHABLE_IN_TIME) return 'nvr-timeout';
  return code.startsWith('HPE_') ? 'nvr-bad-answer' : 'nvr-unreachable';
}

/** Node's code, or undici's. What is no HTTP at all has none of its own. */
export function codeOf(error: Error): string {
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.name === 'HTTPParserError' ? 'HPE_INVALID' : '';
}
