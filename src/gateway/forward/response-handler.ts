/** The response of an upstream, streamed to the client: aborts both ways, cut responses, back-pressure (SPEC 6). */
import type { ServerResponse } from 'node:http';
import { PassThrough, type Writable } from 'node:stream';
import type { RefusalReason } from '../../domain/refusal.ts';
import { FilterEnded } from '../decision/ask-failure.ts';
import { tellHead } from '../decision/gate-watch.ts';
import { codeOf, upstreamFailure } from '../decision/upstream-failure.ts';
import { type HeldResponse, passError, type ResponseReader, readsErrorText } from '../narrow/error-text.ts';
import { isRedirect, passRedirect, redirectFault } from '../narrow/pass-redirect.ts';
import { passNarrowed } from '../narrow/response-filter.ts';
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
import type { ForwardRules, JudgedRequest } from './forwarder.ts';

/** What the handler may do to the response that it is told of. */
export interface ResponseControl {
  abort(reason: Error): void;
  pause(): void;
  resume(): void;
}

/** The listeners of a response, in this order. */
export interface ResponseHandler {
  onRequestStart(control: ResponseControl): void;
  onResponseStart(control: ResponseControl, statusCode: number, headers: ResponseHead['headers']): void;
  /** `chunk` is not to be kept: it is used up within the call or, where `onTaken` is given, when that is called. */
  onResponseData(control: ResponseControl, chunk: Buffer, onTaken: (() => void) | undefined): void;
  onResponseEnd(control: ResponseControl, trailers: NodeJS.Dict<string | string[]>): void;
  onResponseError(control: ResponseControl, error: Error): void;
  /** Wants nothing more of the response. Says whether nothing of it was sent. */
  giveUp(): boolean;
  /** Sends a refusal, or breaks a response that has begun. Only the first call counts. */
  fail(reason: RefusalReason): void;
}

const CLIENT_LEFT = new Error('the client closed the request');
/** A short body that came in one piece is sent in one piece: head and body as one text cost a tenth less than two writes. */
const LONGEST_AS_TEXT = 16 * 1024;
const NOT_WANTED = new Error('the response cannot be passed on');

type HandlerRules = Pick<ForwardRules, 'cookieName' | 'frameAncestors' | 'varies'>;

export const createResponseHandler = (
  response: ServerResponse,
  judged: JudgedRequest,
  rules: HandlerRules,
): ResponseHandler => new PassingHandler(response, judged, rules);

/** A class, so that its methods are not made anew for each request. */
class PassingHandler implements ResponseHandler {
  readonly #response: ServerResponse;
  readonly #judged: JudgedRequest;
  readonly #rules: ResponseHeadRules;
  #controller: ResponseControl | undefined;
  #held: PassThrough | undefined;
  /** Who reads the held body wants no more of it. */
  #isEnough = false;
  /** Bytes of the body, as its head says; and all of them, when they came in one piece. */
  #announced: number | undefined;
  #whole: string | undefined;
  #write: PausingWrite | undefined;
  #isSettled = false;

  constructor(
    response: ServerResponse,
    judged: JudgedRequest,
    { cookieName, frameAncestors = "'self'", varies }: HandlerRules,
  ) {
    this.#response = response;
    this.#judged = judged;
    const { isPublic, own, allowsCors, place } = judged;
    this.#rules = { cookieName, isPublic, own, allowsCors, frameAncestors, varies, place };
    response.on('close', () => this.#onClose());
  }

  #onClose(): void {
    this.#isSettled = true;
    if (!this.#response.writableFinished) this.#controller?.abort(CLIENT_LEFT);
  }

  giveUp(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    this.#controller?.abort(NOT_WANTED);
    this.#held?.destroy();
    return !this.#response.headersSent;
  }

  fail(reason: RefusalReason): void {
    if (this.#isSettled) return;
    if (this.giveUp()) this.#judged.onFailure(reason);
    else cutOff(this.#response);
  }

  onRequestStart(started: ResponseControl): void {
    this.#controller = started;
    if (this.#isSettled) started.abort(CLIENT_LEFT);
  }

  onResponseStart(_started: ResponseControl, statusCode: number, headers: ResponseHead['headers']): void {
    if (isInterim(statusCode)) return;
    const head: ResponseHead = { statusCode, headers };
    const judged = this.#judged;
    tellHead(judged, statusCode, headerValues(head, 'content-type')[0], headerValues(head, 'location')[0]);
    const fault = responseFault(head);
    if (fault) return void this.fail(fault);
    this.#announced = Number(headerValues(head, 'content-length')[0] ?? Number.NaN);
    const { narrowing } = judged;
    const reader = statusCode < 300 ? undefined : judged.errorReader?.();
    if (reader && reader.clearance !== 'admin' && isRedirect(statusCode)) this.#redirect(head, reader);
    else if (narrowing) this.#hold(head, (...held) => passNarrowed(...held, narrowing));
    else if (reader && !readsErrorText(reader, statusCode)) this.#hold(head, (...held) => passError(...held, reader));
    else writeHead(head, this.#response, this.#rules);
  }

  #redirect(head: ResponseHead, reader: ResponseReader): void {
    const fault = redirectFault(head, reader);
    if (fault) return void this.fail(fault);
    this.giveUp();
    passRedirect(head, this.#response, this.#rules);
  }

  /** The body is given to whoever writes the response; when that has read enough of it, the rest is not wanted. */
  #hold(head: ResponseHead, pass: (...held: HeldResponse) => Promise<void>): void {
    const body = new PassThrough().on('error', () => {});
    const fail = (reason: RefusalReason): void => this.fail(reason);
    body.once('close', () => {
      if (body.writableEnded) return;
      this.#isEnough = true;
      this.#controller?.abort(NOT_WANTED);
    });
    this.#held = body;
    void pass({ ...head, body }, this.#response, this.#rules, fail).catch((fault: unknown) =>
      fail(fault instanceof FilterEnded ? 'filter-ended' : 'nvr-bad-answer'),
    );
  }

  onResponseData(started: ResponseControl, chunk: Buffer, onTaken: (() => void) | undefined): void {
    this.#judged.watch?.onBytes(chunk.length);
    if (this.#keptAsText(chunk)) onTaken?.();
    else if (onTaken && !this.#held) writeLent(this.#response, chunk, onTaken);
    else {
      this.#pass(started, Buffer.from(chunk));
      onTaken?.();
    }
  }

  #keptAsText(chunk: Buffer): boolean {
    if (this.#held || chunk.length !== this.#announced || chunk.length > LONGEST_AS_TEXT) return false;
    this.#whole = chunk.toString('latin1');
    return true;
  }

  #pass(started: ResponseControl, chunk: Buffer): void {
    this.#write ??= createPausingWrite();
    this.#write(this.#held ?? this.#response, started, chunk);
  }

  onResponseEnd(_ended: ResponseControl, trailers: NodeJS.Dict<string | string[]>): void {
    if (this.#held) return void this.#held.end();
    this.#isSettled = true;
    const response = this.#response;
    const body = this.#whole;
    if (body !== undefined) return void atEndOfTurn(() => response.end(body, 'latin1'));
    response.addTrailers(passedTrailers(trailers));
    response.end();
  }

  onResponseError(_control: ResponseControl, error: Error): void {
    if (this.#isEnough) return;
    const { watch } = this.#judged;
    if (!this.#isSettled && this.#response.headersSent) watch?.onCut(codeOf(error));
    else if (!this.#isSettled) watch?.onUpstreamError(codeOf(error), error.message);
    this.#held?.destroy();
    // A response that was begun and cut must break the client's connection, held back for narrowing or not.
    if (this.#held && !this.#isSettled) cutOff(this.#response);
    else this.fail(upstreamFailure(error));
  }
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

interface PausableSource {
  pause(): void;
  resume(): void;
}

type PausingWrite = (sink: Writable, source: PausableSource, chunk: Buffer) => void;

/** Writes one response: `source` is paused while the sink is full. What was read before it stopped is still written. */
function createPausingWrite(): PausingWrite {
  let isFull = false;
  return (sink, source, chunk) => {
    if (sink.write(chunk) || isFull) return;
    isFull = true;
    source.pause();
    sink.once('drain', () => {
      isFull = false;
      source.resume();
    });
  };
}

/**
 * Written now and not at the end of the tick: mostly the kernel takes all of it, and the memory is free again at once. TLS and
 * HTTP/2 call back when it is encrypted. Of a response that is destroyed bytes may still be queued: its memory is not free.
 */
function writeLent(response: ServerResponse, chunk: Buffer, onTaken: () => void): void {
  let isTaken = false;
  const taken = (): void => {
    if (!isTaken) onTaken();
    isTaken = true;
  };
  response.write(chunk, (fault) => void (fault ?? taken()));
  response.socket?.uncork();
  if (response.writableLength === 0) taken();
}
