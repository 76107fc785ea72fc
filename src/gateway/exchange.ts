/** One request under way: its answer passed back, its aborts both ways, its time and size (SPEC 6). */
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import type { RefusalReason } from '../domain/refusal.ts';
import { answerHeaders, answerTrailers, isPlainAnswer } from './answer-headers.ts';
import type { JudgedRequest } from './forward.ts';
import { passNarrowed } from './narrow-exchange.ts';

export interface Exchange {
  readonly judged: JudgedRequest;
  /** Answers with a refusal, or breaks an answer that has begun. Only the first call counts. */
  readonly fail: (reason: RefusalReason) => void;
  upstreamRequest: ClientRequest | undefined;
  hasTimedOut: boolean;
}

/** Gives the upstream its time (seconds) for the head of an answer. */
export function watchUpstream(upstreamRequest: ClientRequest, exchange: Exchange, timeoutResponse: number): void {
  exchange.upstreamRequest = upstreamRequest;
  const timer = setTimeout(() => {
    exchange.hasTimedOut = true;
    upstreamRequest.destroy(new Error('no answer in time'));
  }, timeoutResponse * 1000);
  const settle = (): void => clearTimeout(timer);
  upstreamRequest.once('response', settle).once('upgrade', settle).once('close', settle);
}

/** A switch of protocols that nobody asked for would leave the client without an answer, and the socket to nobody. */
export function refuseUpgrade(upstreamRequest: ClientRequest, exchange: Exchange): void {
  upstreamRequest.once('upgrade', (_answer, socket) => {
    socket.destroy();
    exchange.fail('nvr-bad-answer');
  });
}

/** Streams the answer to the client. A cut answer breaks the client's connection: it must never look whole. */
export function passBack(
  answer: IncomingMessage,
  request: IncomingMessage,
  response: ServerResponse,
  exchange: Exchange,
  cookieName: string,
): void {
  answer.on('error', () => {}); // told by `close` below
  if (response.headersSent || response.destroyed) return void answer.destroy();
  if (!isPlainAnswer(answer)) {
    answer.destroy();
    exchange.fail('nvr-bad-answer');
    return;
  }
  const { narrowing } = exchange.judged;
  if (narrowing) {
    void passNarrowed(answer, response, narrowing, cookieName, exchange.fail).catch(() =>
      exchange.fail('nvr-bad-answer'),
    );
    return;
  }
  response.statusCode = answer.statusCode ?? 502;
  for (const [name, values] of answerHeaders(answer, { cookieName, isPublic: exchange.judged.isPublic })) {
    // The renewed session cookie is there already.
    if (name === 'set-cookie') for (const value of values) response.appendHeader(name, value);
    else response.setHeader(name, values.length === 1 ? (values[0] ?? '') : values);
  }
  // An event stream's first event may be an hour away; its head is wanted now.
  if (answer.headers['content-length'] === undefined) response.flushHeaders();
  answer.pipe(response, { end: false });
  answer.once('end', () => {
    response.addTrailers(answerTrailers(answer));
    response.end();
    freeUpload(request, exchange);
  });
  answer.once('close', () => {
    if (!answer.complete) response.destroy();
  });
}

/** An answer that came before the whole upload: the rest goes nowhere, and the upstream connection is not used again. */
function freeUpload(request: IncomingMessage, { upstreamRequest }: Exchange): void {
  if (!upstreamRequest || upstreamRequest.writableFinished) return;
  request.unpipe(upstreamRequest);
  request.resume();
  upstreamRequest.destroy();
}

/** False, with the request failed, when its length is too much; an unannounced body is counted as it streams. */
export function limitUpload(request: IncomingMessage, exchange: Exchange, maxUpload: number): boolean {
  if (Number(request.headers['content-length'] ?? 0) > maxUpload) {
    exchange.fail('body-too-large');
    return false;
  }
  if (request.headers['transfer-encoding'] === undefined) return true;
  let received = 0;
  request.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received <= maxUpload) return;
    exchange.fail('body-too-large');
    exchange.upstreamRequest?.destroy();
  });
  return true;
}

const UNREACHABLE_IN_TIME = 'ECONNECT_TIMEOUT';

export function failureOf(error: Error, exchange: Exchange): RefusalReason {
  const code = codeOf(error);
  if (exchange.hasTimedOut || code === UNREACHABLE_IN_TIME) return 'nvr-timeout';
  return code.startsWith('HPE_') ? 'nvr-bad-answer' : 'nvr-unreachable';
}

/** The upstream closed a kept connection just as it was used again: nothing was read, so a safe request may go anew. */
export function isStaleConnection(
  error: Error,
  request: IncomingMessage,
  { upstreamRequest }: Exchange,
  response: ServerResponse,
): boolean {
  const isSafe = request.method === 'GET' || request.method === 'HEAD';
  const hasBody = request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined;
  const isReset = codeOf(error) === 'ECONNRESET' || codeOf(error) === 'EPIPE';
  return (
    isReset &&
    isSafe &&
    !hasBody &&
    upstreamRequest?.reusedSocket === true &&
    !response.headersSent &&
    !response.destroyed
  );
}

const codeOf = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : '');
