/** The HTTP/1 connections of a listener: one request of each is under way at a time, and silence ends one whose client is awaited. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import type { Handlers } from '../entry/app.ts';
import { inTurns, noteStalled } from '../response/client-socket.ts';

export interface SilenceRules {
  /** The time for silence; a reload may change it. */
  readonly idleMs: () => number;
  /** The time in which a client must take something of the response that waits for it. */
  readonly stalledMs: number;
}

/** What has a time for silence: a connection of HTTP/1, or a stream of HTTP/2. */
type Timed = Pick<Duplex, 'writableLength' | 'once'> & { readonly timeout?: number; setTimeout(ms: number): unknown };

const full = new WeakSet<ServerResponse>();

/**
 * Called when nothing was read or written in the time for silence. A client whose side is full gets the longer time instead,
 * until it has taken all that waits. False once that is over, too.
 */
export function mayStayFull(to: Timed, response: ServerResponse, rules: SilenceRules): boolean {
  const { idleMs, stalledMs } = rules;
  if (to.writableLength === 0) return false;
  const more = stalledMs - idleMs();
  if (full.has(response) || more <= 0) {
    noteStalled(response);
    return false;
  }
  full.add(response);
  to.setTimeout(more);
  to.once('drain', () => {
    // Node has given a connection whose response is out the time of a kept one.
    if (full.delete(response) && (to.timeout ?? more) === more) to.setTimeout(idleMs());
  });
  return true;
}

/**
 * Requests that wait on one connection; then nothing more is read from it. Until then its end is noticed at once, so that
 * the request under way ends with it.
 */
const MOST_AHEAD = 50;
/**
 * The same on all connections together: one read brings 64 KB, which can be some thousand requests. The connection that
 * brings more is cut.
 */
const MOST_WAITING = 20_000;

export const TOO_SLOW = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';

/** The first request of each connection: thousands may connect at once, and send theirs. */
const arriveInTurn = inTurns();

type Serve = Handlers['onRequest'];

interface Http1Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly serve: Serve;
}

interface Http1Connection {
  /** The latest request that is served; it may be over. */
  current: Http1Exchange | undefined;
  readonly waiting: Http1Exchange[];
  /** Calls of `closeIdle` in which it was idle. */
  idleCalls: number;
  forget(): void;
}

export type Http1Connections = ReturnType<typeof createHttp1Connections>;

export function createHttp1Connections(silence: SilenceRules) {
  const all = new Map<Duplex, Http1Connection>();
  let waiting = 0;
  let isLeaving = false;

  const begin = (connection: Http1Connection, exchange: Http1Exchange): void => {
    connection.current = exchange;
    if ((isLeaving && connection.waiting.length === 0) || isLastRead(exchange))
      exchange.response.shouldKeepAlive = false;
    exchange.serve(exchange.request, exchange.response);
  };

  const drop = (connection: Http1Connection): void => {
    waiting -= connection.waiting.length;
    connection.waiting.length = 0;
  };

  /** The response before is out, and Node has given the socket to the next, or closes it behind a response that was the last. */
  const next = (socket: Socket, connection: Http1Connection): void => {
    if (!socket.writable) drop(connection);
    const exchange = connection.waiting.shift();
    if (!exchange) return;
    waiting -= 1;
    if (connection.waiting.length > 0) exchange.response.once('close', () => next(socket, connection));
    if (connection.waiting.length < MOST_AHEAD) socket.resume();
    begin(connection, exchange);
  };

  const wait = (socket: Socket, connection: Http1Connection, exchange: Http1Exchange): void => {
    connection.waiting.push(exchange);
    waiting += 1;
    if (waiting > MOST_WAITING) {
      socket.destroy();
      drop(connection);
    }
    const { length } = connection.waiting;
    if (length === 1) connection.current?.response.once('close', () => next(socket, connection));
    // Node reads on behind each whole request, so not before it has parsed what it has read.
    if (length === MOST_AHEAD) process.nextTick(() => pauseWhileMany(socket, connection));
  };

  return {
    add(socket: Socket): void {
      const onResume = (): void => pauseWhileMany(socket, connection); // Node resumes it after each response
      const connection: Http1Connection = {
        current: undefined,
        waiting: [],
        idleCalls: 0,
        forget() {
          drop(connection);
          all.delete(socket);
          socket.off('close', connection.forget).off('resume', onResume);
        },
      };
      all.set(socket, connection);
      socket.on('close', connection.forget).on('resume', onResume);
    },
    /** Requests that a client sends ahead wait until the response before theirs is out; of many nothing more is read. */
    inTurn:
      (serve: Serve): Serve =>
      (request, response) => {
        const { socket } = request;
        const connection = all.get(socket);
        if (!connection) return serve(request, response); // a stream of HTTP/2
        const exchange = { request, response, serve };
        if (isUnderWay(connection)) return wait(socket, connection, exchange);
        if (connection.current) return begin(connection, exchange);
        connection.current = exchange; // what is sent ahead waits behind it
        arriveInTurn(() => void (socket.destroyed || begin(connection, exchange)), socket);
      },
    /**
     * The connection is no longer one of HTTP. False for an upgrade that was sent ahead: its bytes and those of a response
     * would mix.
     */
    handOver(socket: Socket): boolean {
      const connection = all.get(socket);
      if (!connection || isUnderWay(connection)) return false;
      connection.forget();
      socket.setTimeout(0);
      return true;
    },
    /**
     * Nothing was read or written for as long as the socket's time-out. A client that is awaited is cut off; while the gate
     * or the upstream is awaited, the connection stays.
     */
    onSilence(socket: unknown): void {
      if (!(socket instanceof Socket)) return; // a session of HTTP/2, whose streams have their own time-outs
      const { current } = all.get(socket) ?? {};
      if (!current || isOver(current)) return void socket.destroy();
      const { request, response } = current;
      if (!isClientAwaited(request, request.complete, socket)) return void socket.setTimeout(silence.idleMs());
      if (mayStayFull(socket, response, silence)) return;
      if (response.headersSent || !socket.writable) return void socket.destroy();
      socket.end(TOO_SLOW, () => socket.destroy());
    },
    /** Makes the last response of each connection say that it is the last. */
    leave(): void {
      isLeaving = true;
      for (const { current, waiting: behind } of all.values())
        if (current && behind.length === 0 && !current.response.headersSent) current.response.shouldKeepAlive = false;
    },
    /** Closes connections that were idle for so many calls. Call it again and again after `leave`. */
    closeIdle(calls: number): void {
      for (const [socket, connection] of all) {
        connection.idleCalls = isUnderWay(connection) ? 0 : connection.idleCalls + 1;
        if (connection.idleCalls > calls) socket.destroy();
      }
    },
  };
}

const isOver = ({ response }: Http1Exchange): boolean => response.writableFinished || response.closed;

const isUnderWay = ({ current, waiting }: Http1Connection): boolean =>
  waiting.length > 0 || (current !== undefined && !isOver(current));

/** Node's parser loses what it has read behind an offer of another protocol: such a request is the last of its connection. */
const isLastRead = ({ request }: Http1Exchange): boolean => request.headers.upgrade !== undefined;

function pauseWhileMany(socket: Socket, { waiting }: Http1Connection): void {
  if (waiting.length >= MOST_AHEAD) socket.pause();
}

/** It does not read its response, or says nothing of the rest of its request, which the upstream would take. */
export const isClientAwaited = (request: Readable, isWhole: boolean, writes: Pick<Duplex, 'writableLength'>): boolean =>
  writes.writableLength > 0 || (!isWhole && !request.isPaused());
