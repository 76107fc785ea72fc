/** The response of an upstream, streamed to the client: aborts both ways, cut responses, back-pressure (SPEC 6). */
import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { RefusalReason } from '../../domain/refusal.ts';
import { tellHead } from '../decision/gate-watch.ts';
import { codeOf, upstreamFailure } from '../decision/upstream-failure.ts';
import { type Narrowing, passNarrowed } from '../narrow/response-filter.ts';
import { cutOff } from '../response/client-socket.ts';
import { atEndOfTurn } from '../response/end-of-turn.ts';
import {
  hasLength,
  headerValues,
  passedTrailers,
  type ResponseHead,
  type ResponseHeadRules,
  responseFault,
  responseHeaders,
} from '../response/response-headers.ts';
import type { JudgedRequest } from './forwarder.ts';
import { createPausingWrite, writeLent } from './write-body.ts';

/** What the handler may do to the response that it is told of. */
export interface ResponseControl {
  abort(reason: Error): void;
  pause(): void;
  resume(): void;
}

/** Of undici's form, which Postern's own client speaks as well. */
export interface ResponseHandler extends Dispatcher.DispatchHandler {
  onRequestStart(control: ResponseControl): void;
  onResponseStart(control: ResponseControl, statusCode: number, headers: ResponseHead['headers']): void;
  onResponseData(control: ResponseControl, chunk: Buffer): void;
  /** The same for memory that is not to be kept: it is used up within the call or, where `onTaken` is given, when that is called. */
  onLentData(control: ResponseControl, chunk: Buffer, onTaken: (() => void) | undefined): void;
  onResponseEnd(control: ResponseControl, trailers: NodeJS.Dict<string | string[]>): void;
  onResponseError(control: ResponseControl, error: Error): void;
  /** Sends a refusal, or breaks a response that has begun. Only the first call counts. */
  fail(reason: RefusalReason): void;
  /** What to do, once, when the upstream closed a kept connection just as it was used again. */
  onStaleConnection(again: () => void): void;
}

const CLIENT_LEFT = new Error('the client closed the request');
/** A short body that came in one piece is sent in one piece: head and body as one text cost a tenth less than two writes. */
const LONGEST_AS_TEXT = 16 * 1024;
const NOT_WANTED = new Error('the response cannot be passed on');

export function createResponseHandler(
  response: ServerResponse,
  judged: JudgedRequest,
  cookieName: string,
): ResponseHandler {
  let controller: ResponseControl | undefined;
  let again: (() => void) | undefined;
  let held: PassThrough | undefined;
  /** Bytes of the body, as its head says; and all of them, when they came in one piece. */
  let announced: number | undefined;
  let whole: string | undefined;
  let isSettled = false;
  const write = createPausingWrite();
  const { isPublic, own, allowsCors } = judged;
  const rules = { cookieName, isPublic, own, allowsCors };
  response.on('close', () => {
    isSettled = true;
    if (!response.writableFinished) controller?.abort(CLIENT_LEFT);
  });

  const fail = (reason: RefusalReason): void => {
    if (isSettled) return;
    isSettled = true;
    controller?.abort(NOT_WANTED);
    if (response.headersSent) cutOff(response);
    else judged.onFailure(reason);
  };

  const holdForNarrowing = (head: ResponseHead, narrowing: Narrowing): PassThrough => {
    const body = new PassThrough().on('error', () => {});
    void passNarrowed({ ...head, body }, response, narrowing, rules, fail).catch(() => fail('nvr-bad-answer'));
    return body;
  };

  const keptAsText = (chunk: Buffer): boolean => {
    if (held || chunk.length !== announced || chunk.length > LONGEST_AS_TEXT) return false;
    whole = chunk.toString('latin1');
    return true;
  };

  return {
    fail,
    onStaleConnection: (retry) => {
      again = retry;
    },
    onRequestStart(started) {
      controller = started;
      if (isSettled) started.abort(CLIENT_LEFT);
    },
    onResponseStart(_started, statusCode, headers) {
      again = undefined;
      const head: ResponseHead = { statusCode, headers };
      if (isInterim(statusCode)) return;
      tellHead(judged, statusCode, headerValues(head, 'content-type')[0]);
      const fault = responseFault(head);
      if (fault) return fail(fault);
      announced = Number(headerValues(head, 'content-length')[0] ?? Number.NaN);
      if (judged.narrowing) held = holdForNarrowing(head, judged.narrowing);
      else writeHead(head, response, rules);
    },
    onResponseData(started, chunk) {
      judged.watch?.onBytes(chunk.length);
      if (!keptAsText(chunk)) write(held ?? response, started, chunk);
    },
    onLentData(started, chunk, onTaken) {
      judged.watch?.onBytes(chunk.length);
      if (keptAsText(chunk)) onTaken?.();
      else if (onTaken) writeLent(response, chunk, onTaken);
      else write(held ?? response, started, Buffer.from(chunk));
    },
    onResponseEnd(_ended, trailers) {
      if (held) return void held.end();
      isSettled = true;
      if (whole !== undefined) {
        const body = whole;
        return atEndOfTurn(() => response.end(body, 'latin1'));
      }
      response.addTrailers(passedTrailers(trailers));
      response.end();
    },
    onResponseError(_controller, error) {
      const retry = isStale(error) ? again : undefined;
      again = undefined;
      if (retry && !isSettled) return retry();
      if (!isSettled && response.headersSent) judged.watch?.onCut(codeOf(error));
      else if (!isSettled) judged.watch?.onUpstreamError(codeOf(error), error.message);
      held?.destroy();
      // A response that was begun and cut must break the client's connection, held back for narrowing or not.
      if (held && !isSettled) cutOff(response);
      else fail(upstreamFailure(error));
    },
  };
}

/**
 * What comes before the response itself is for this hop: 100 was said by this listener, and the check that Node makes of
 * the `Link` lines of a 103 takes exponential time on hostile ones.
 */
const isInterim = (statusCode: number): boolean => statusCode >= 100 && statusCode < 200;

function writeHead(head: ResponseHead, response: ServerResponse, rules: ResponseHeadRules): void {
  response.writeHead(head.statusCode ?? 502, responseHeaders(head, rules));
  // An event stream's first event may be an hour away; its head is wanted now.
  if (!hasLength(head)) response.flushHeaders();
}

/** A kept connection that had carried responses before, and was closed before it sent a byte of this one. */
function isStale(error: Error): boolean {
  const code = codeOf(error);
  const isClosed = code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
  const socket: unknown = Reflect.get(error, 'socket');
  const read: unknown = typeof socket === 'object' && socket !== null ? Reflect.get(socket, 'bytesRead') : undefined;
  return isClosed && (read === undefined || Number(read) > 0);
}
