/** Forwarding: sends an admitted request to its upstream over kept connections, and the response back, both as streams: aborts both ways, cut responses, back-pressure (SPEC 6). */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Upstream, wakeUp } from '../../domain/addresses.ts';
import type { RefusalReason } from '../../domain/refusal.ts';
import { codeOf, keptByUpstream, tlsOptionsFor, type UpstreamTls } from '../../outbound/ask-upstream.ts';
import { FilterEnded, upstreamFailure } from '../decision/upstream-failure.ts';
import { createConnectionPool, type PoolRules } from '../http1/connection-pool.ts';
import { type Exchange, NOTHING_BEGUN, type RequestHead } from '../http1/exchange.ts';
import type { HeaderLines, UpstreamHead } from '../http1/response-head.ts';
import { HeldBody, type ResponseControl } from '../narrow/held-body.ts';
import { type HeldResponse, passError, passNarrowed, passRedirect, wayOf } from '../narrow/response-filter.ts';
import { atEndOfTurn, cutOff, isOverNetwork } from '../response/client-socket.ts';
import {
  hasLength,
  headerValues,
  passedTrailers,
  type ResponseHead,
  type ResponseHeadRules,
  responseHeaders,
} from '../response/response-headers.ts';
import { type JudgedRequest, tellHead } from './judged-request.ts';

export type Forwarder = ReturnType<typeof createForwarder>;

export function createForwarder(rules: ForwardRules) {
  let isRetired = false;
  const pools = keptByUpstream((upstream) => {
    const pool = createConnectionPool(upstream, rules, tlsOptionsFor(upstream, rules));
    if (isRetired) pool.retire();
    return pool;
  });
  return {
    /** Returns what gives the request up, and says whether nothing of a response was sent: it may be another one then. */
    web(request: IncomingMessage, response: ServerResponse, upstream: Upstream, judged: JudgedRequest): () => boolean {
      // The connection of a client that left before the verdict closes no second time: the upstream's would stay open.
      if (request.socket.destroyed) return () => false;
      const isChunked = judged.headers['transfer-encoding'] !== undefined;
      const length = Number(judged.headers['content-length'] ?? 0);
      if (length > rules.maxUpload) {
        judged.onFailure('body-too-large');
        return () => false;
      }
      const hasUpload = judged.body === undefined && (isChunked || length > 0);
      const upload = hasUpload ? { request, length: isChunked ? undefined : length } : undefined;
      const exchange = new ForwardedExchange(request, response, upload, judged, rules);
      if (hasUpload && isChunked) limitUpload(request, rules.maxUpload, judged, exchange);
      judged.watch?.onAsked();
      const waking = wakeUp(upstream);
      if (!waking) pools.get(upstream).dispatch(exchange);
      else
        void waking.then(() => {
          if (!response.destroyed) pools.get(upstream).dispatch(exchange);
        });
      return () => exchange.giveUp();
    },
    /** Keeps no connection any more: each ends with its request. */
    retire() {
      isRetired = true;
      for (const pool of pools.all()) pool.retire();
    },
    /** Breaks what is under way. */
    close() {
      for (const pool of pools.all()) pool.close();
    },
  };
}

/** Counts the bytes of a body without an announced length as they stream. `maxUpload` is in bytes. */
function limitUpload(
  request: IncomingMessage,
  maxUpload: number,
  { watch }: JudgedRequest,
  exchange: ForwardedExchange,
): void {
  let received = 0;
  // Not `on`: it starts the flow, and who sends the body on may begin to listen later.
  request.prependListener('data', (chunk: Buffer) => {
    received += chunk.length;
    watch?.onUploaded(chunk.length);
    if (received > maxUpload) exchange.fail('body-too-large');
  });
}

export interface ForwardRules
  extends UpstreamTls,
    PoolRules,
    Pick<ResponseHeadRules, 'cookieName' | 'frameAncestors' | 'varies'> {
  /** Bytes of a request body. */
  readonly maxUpload: number;
}

/** A short body that came in one piece is sent in one piece: head and body as one text cost a tenth less than two writes. */
const LONGEST_AS_TEXT = 16 * 1024;

/** One forwarded request and its response, streamed to the client. A class, so that its methods are not made anew for each request. */
class ForwardedExchange implements Exchange {
  readonly head: RequestHead;
  readonly body: Buffer | undefined;
  readonly upload: Exchange['upload'];
  readonly isRepeatable: boolean;
  readonly mayBorrow: boolean;
  readonly #response: ServerResponse;
  readonly #judged: JudgedRequest;
  readonly #rules: ResponseHeadRules;
  #control: ResponseControl = NOTHING_BEGUN;
  #held: HeldBody | undefined;
  /** Bytes of the body, as its head says; and all of them, when they came in one piece. */
  #announced: number | undefined;
  #whole: string | undefined;
  #isFull = false;
  #isSettled = false;

  constructor(
    { method = '' }: IncomingMessage,
    response: ServerResponse,
    upload: Exchange['upload'],
    judged: JudgedRequest,
    { cookieName, frameAncestors = "'self'", varies }: ForwardRules,
  ) {
    this.head = { method, target: judged.target, headers: judged.headers };
    this.body = judged.body;
    this.upload = upload;
    this.isRepeatable = !upload && !judged.body && (method === 'GET' || method === 'HEAD');
    this.mayBorrow = isOverNetwork(response);
    this.#response = response;
    this.#judged = judged;
    const { isPublic, own, allowsCors, place } = judged;
    this.#rules = { cookieName, isPublic, own, allowsCors, frameAncestors, varies, place };
    response.on('close', () => this.#onClose());
  }

  #onClose(): void {
    this.#isSettled = true;
    if (!this.#response.writableFinished) this.#control.abort();
    this.#held?.drop();
  }

  /** Wants nothing more of the response. Says whether nothing of it was sent. */
  giveUp(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    this.#control.abort();
    this.#held?.drop();
    return !this.#response.headersSent;
  }

  /** Sends a refusal, or breaks a response that has begun. Only the first call counts. */
  fail(reason: RefusalReason): void {
    if (this.#isSettled) return;
    if (this.giveUp()) this.#judged.onFailure(reason);
    else cutOff(this.#response);
  }

  onStart(control: ResponseControl): void {
    this.#control = control;
    if (this.#isSettled) control.abort();
  }

  onHead(head: UpstreamHead): void {
    const judged = this.#judged;
    tellHead(judged, head.statusCode, headerValues(head, 'content-type')[0], headerValues(head, 'location')[0]);
    const way = wayOf(head, judged.errorReader);
    if (way.kind === 'failed') return void this.fail(way.reason);
    this.#announced = Number(headerValues(head, 'content-length')[0] ?? Number.NaN);
    const { narrowing } = judged;
    if (way.kind === 'redirected') {
      this.giveUp();
      passRedirect(head, this.#response, this.#rules);
    } else if (narrowing) this.#hold(head, (held) => passNarrowed(held, narrowing).finally(narrowing.hold.release));
    else if (way.kind === 'told') this.#hold(head, (held) => passError(held, way.reader));
    else writeHead(head, this.#response, this.#rules);
  }

  /** `pass` reads the body and writes the response; when it has read enough of the body, the rest is not wanted. */
  #hold(head: ResponseHead, pass: (held: HeldResponse) => Promise<void>): void {
    const body = new HeldBody(this.#control, this.#announced, this.#judged.narrowing?.turn);
    const fail = (reason: RefusalReason): void => this.fail(reason);
    this.#held = body;
    const held = { received: { ...head, body }, response: this.#response, rules: this.#rules, fail };
    void pass(held)
      .catch((fault: unknown) => fail(fault instanceof FilterEnded ? 'filter-ended' : 'nvr-bad-answer'))
      .finally(() => body.release());
  }

  onBody(chunk: Buffer, onTaken: (() => void) | undefined): void {
    this.#judged.watch?.onBytes(chunk.length);
    if (this.#keptAsText(chunk)) onTaken?.();
    else if (onTaken && !this.#held) writeLent(this.#response, chunk, onTaken);
    else {
      if (this.#held) this.#held.add(chunk);
      else this.#write(Buffer.from(chunk));
      onTaken?.();
    }
  }

  /** The upstream is paused while the sink is full. What was read before it stopped is still written. */
  #write(chunk: Buffer): void {
    const sink = this.#response;
    const source = this.#control;
    if (sink.write(chunk) || this.#isFull) return;
    this.#isFull = true;
    source.pause();
    sink.once('drain', () => {
      this.#isFull = false;
      source.resume();
    });
  }

  #keptAsText(chunk: Buffer): boolean {
    if (this.#held || chunk.length !== this.#announced || chunk.length > LONGEST_AS_TEXT) return false;
    this.#whole = chunk.toString('latin1');
    return true;
  }

  onEnd(trailers: HeaderLines): void {
    if (this.#held) return void this.#held.end();
    this.#isSettled = true;
    const response = this.#response;
    const body = this.#whole;
    if (body !== undefined) return void atEndOfTurn(() => response.end(body, 'latin1'));
    response.addTrailers(passedTrailers(trailers));
    response.end();
  }

  onError(error: Error): void {
    const { watch } = this.#judged;
    if (!this.#isSettled && this.#response.headersSent) watch?.onCut(codeOf(error));
    else if (!this.#isSettled) watch?.onUpstreamError(codeOf(error), error.message);
    this.#held?.drop();
    // A response that was begun and cut must break the client's connection, held back for narrowing or not.
    if (this.#held && !this.#isSettled) cutOff(this.#response);
    else this.fail(upstreamFailure(error));
  }
}

function writeHead(head: ResponseHead, response: ServerResponse, rules: ResponseHeadRules): void {
  response.writeHead(head.statusCode ?? 502, responseHeaders(head, rules));
  // An event stream's first event may be an hour away; its head is wanted now.
  if (!hasLength(head)) response.flushHeaders();
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
