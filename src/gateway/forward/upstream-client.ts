/** The client for upstreams: requests that were judged, over the kept connections to each address. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { originOf, type Upstream } from '../../domain/addresses.ts';
import { type ConnectionPool, createConnectionPool } from '../http1/connection-pool.ts';
import { type Exchange, type ExchangeControl, NOTHING_BEGUN } from '../http1/exchange.ts';
import type { HeaderLines } from '../http1/header-lines.ts';
import type { RequestHead } from '../http1/request-text.ts';
import type { UpstreamHead } from '../http1/response-head.ts';
import { isOverNetwork } from '../response/client-socket.ts';
import type { ForwardRules, JudgedRequest } from './forwarder.ts';
import type { ResponseHandler } from './response-handler.ts';
import { tlsOptionsFor } from './upstream-tls.ts';

export interface AskedUpstream {
  readonly upstream: Upstream;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly judged: JudgedRequest;
  /** The request's own body, which streams; `length` is undefined where it comes in chunks. */
  readonly upload: { readonly length: number | undefined } | undefined;
  readonly handler: ResponseHandler;
}

export interface UpstreamClient {
  dispatch(asked: AskedUpstream): void;
  /** Keeps no connection any more: each ends with its request. */
  retire(): void;
  /** Breaks what is under way. */
  close(): void;
}

/** What may go out once more when its connection was closed under it. */
export const isRepeatable = ({ request, judged, upload }: AskedUpstream): boolean =>
  !upload && !judged.body && (request.method === 'GET' || request.method === 'HEAD');

export function createUpstreamClient(rules: ForwardRules): UpstreamClient {
  const pools = new Map<string, ConnectionPool>();
  let isRetired = false;
  /** The pool of each `Upstream` object, found without building its origin. */
  const known = new WeakMap<Upstream, ConnectionPool>();
  const poolOf = (upstream: Upstream): ConnectionPool => {
    const before = known.get(upstream);
    if (before) return before;
    const origin = originOf(upstream);
    const pool = pools.get(origin) ?? createConnectionPool(upstream, rules, tlsOptionsFor(upstream, rules));
    if (isRetired) pool.retire();
    pools.set(origin, pool);
    known.set(upstream, pool);
    return pool;
  };
  return {
    dispatch: (asked) => poolOf(asked.upstream).dispatch(new AskedExchange(asked)),
    retire() {
      isRetired = true;
      for (const pool of pools.values()) pool.retire();
    },
    close() {
      for (const pool of pools.values()) pool.close();
    },
  };
}

/** A class, so that its methods are not made anew for each request. */
class AskedExchange implements Exchange {
  readonly head: RequestHead;
  readonly body: Buffer | undefined;
  readonly upload: Exchange['upload'];
  readonly isRepeatable: boolean;
  readonly mayBorrow: boolean;
  readonly #handler: ResponseHandler;
  /** The control that `onStart` gives, which comes first. */
  #control: ExchangeControl = NOTHING_BEGUN;

  constructor(asked: AskedUpstream) {
    const { request, response, judged, upload, handler } = asked;
    this.head = { method: request.method ?? '', target: judged.target, headers: judged.headers };
    this.body = judged.body;
    this.upload = upload && { request, length: upload.length };
    this.isRepeatable = isRepeatable(asked);
    this.mayBorrow = isOverNetwork(response);
    this.#handler = handler;
  }

  onStart(control: ExchangeControl): void {
    this.#control = control;
    this.#handler.onRequestStart(control);
  }

  onHead({ statusCode, headers }: UpstreamHead): void {
    this.#handler.onResponseStart(this.#control, statusCode, headers);
  }

  onBody(bytes: Buffer, onTaken: (() => void) | undefined): void {
    this.#handler.onResponseData(this.#control, bytes, onTaken);
  }

  onEnd(trailers: HeaderLines): void {
    this.#handler.onResponseEnd(this.#control, trailers);
  }

  onError(error: Error): void {
    this.#handler.onResponseError(this.#control, error);
  }
}
