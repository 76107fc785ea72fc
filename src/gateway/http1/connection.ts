/**
 * One connection to an upstream: one exchange at a time, and kept only when both sides are certainly in step.
 *
 *     connecting ──────── connected (TLS: behind the handshake)
 *         │ give                │ give
 *         ▼                     ▼
 *       given ── end of turn ─► sent ── first byte ─► answered ── head ─► streaming
 *         ▲                       │                       │                   │ end, in step
 *         └──────── give ──────── │ ◄──── free ◄───────── │ ◄─────────────────┘
 *                                 ▼                       ▼
 *         over: a fault, a time that is over, an abort, bytes that nothing asked for, or a last exchange
 *
 * An exchange that was sent on a used connection and not answered at all may go out once more, on a new one.
 */
import { connect, type OnReadOpts, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { atEndOfTurn } from '../response/end-of-turn.ts';
import { createDeadline, NEVER } from './deadline.ts';
import { type Exchange, type ExchangeControl, isLast } from './exchange.ts';
import { type FaultCode, upstreamError } from './fault.ts';
import type { Connection, Place, PoolSide } from './pool-side.ts';
import { createReadMemory } from './read-memory.ts';
import type { UpstreamHead } from './response-head.ts';
import { createResponseReader } from './response-reader.ts';
import { sendExchange } from './send-exchange.ts';
import type { Upload } from './upload.ts';

const TCP_PROBE_MS = 60_000;
/** Bytes that nothing has asked for must not become the response to the next request. */
const UNASKED: FaultCode = 'ECONNRESET';
/** Codes of a connection that the other side has closed. */
const CLOSED: readonly unknown[] = ['ECONNRESET', 'EPIPE'];

export function openConnection(place: Place, pool: PoolSide): Connection {
  const { patience } = pool;
  const deadline = createDeadline(pool.ticks, patience.connect);
  const memory = createReadMemory();
  let exchange: Exchange | undefined;
  let head: UpstreamHead | undefined;
  let upload: Upload | undefined;
  /** Of the connection: whether a response has ended on it. Of the exchange: the rest. */
  let [wasUsed, isSent, hasAnswered, isPaused, isReading] = [false, false, false, false, true];

  /** TCP, and TLS where it is spoken: until then the time to connect runs. */
  let isOpen = false;
  /** In the turn in which the last response ended. */
  let isJustFree = false;

  /** The exchange is over. */
  const endExchange = (): Exchange | undefined => {
    const ended = exchange;
    exchange = undefined;
    memory.end();
    return ended;
  };

  /** The exchange is over, and the connection with it. */
  const breakOff = (): Exchange | undefined => {
    const broken = endExchange();
    reader.stop();
    upload?.stop();
    upload = undefined;
    socket.destroy();
    return broken;
  };

  const fail = (error: Error): void => {
    const failed = breakOff();
    if (!failed) return;
    const isStale = isSent && !hasAnswered && failed.isRepeatable && 'code' in error && CLOSED.includes(error.code);
    if (wasUsed && (isStale || !isSent)) pool.again(failed, isSent);
    else failed.onError(error);
  };

  /** What goes wrong in passing a response on costs this connection, and not the process. */
  const guarded = (act: () => void): void => {
    try {
      act();
    } catch (error) {
      fail(error instanceof Error ? error : new Error(String(error)));
    }
  };

  const readOn = (): void => {
    if (!exchange || isPaused || isReading || memory.isLent()) return;
    isReading = true;
    deadline.wait(patience.idle, 'ERR_UPSTREAM_IDLE');
    socket.read(0); // starts the reading that the callback of `onread` had stopped
  };

  /** The response may outlive its exchange; by then another one may be under way here. */
  const controlOf = (given: Exchange): ExchangeControl => ({
    abort: () => void (exchange === given && breakOff()),
    pause() {
      if (exchange === given) isPaused = true;
    },
    resume() {
      if (exchange !== given) return;
      isPaused = false;
      readOn();
    },
  });

  const reader = createResponseReader({
    onHead(received) {
      head = received;
      exchange?.onHead(received);
    },
    onBody: (bytes) => exchange?.onBody(bytes, memory.lend(readOn)),
    onEnd(trailers) {
      const ended = endExchange();
      const isInStep = head?.isKept === true && ended !== undefined && !isLast(ended);
      if (!isInStep) breakOff();
      ended?.onEnd(trailers);
    },
  });

  /** Of `onread`: whether to read on. The memory is read into again afterwards. */
  function onRead(count: number, buffer: Uint8Array): boolean {
    guarded(() => {
      hasAnswered = isSent;
      const rest = isSent && exchange ? reader.read((buffer as Buffer).subarray(0, count)) : UNASKED;
      if (typeof rest === 'string') fail(upstreamError(rest));
      else if (rest > 0)
        breakOff(); // behind the end of the response: the other side is out of step
      else if (exchange) memory.choose(count, exchange.mayBorrow);
      else if (!socket.destroyed) becomeFree();
    });
    isReading = !exchange || (!isPaused && !memory.isLent());
    if (exchange && head) deadline.wait(isReading ? patience.idle : NEVER, 'ERR_UPSTREAM_IDLE');
    return isReading;
  }

  const becomeFree = (): void => {
    wasUsed = true;
    // The last bytes may come behind a stop: TLS hands on every record that was read with it.
    if (!isReading) socket.read(0);
    if (head) deadline.wait(pool.keptFor(head));
    isJustFree = true;
    setImmediate(() => {
      isJustFree = false;
    });
    pool.onFree(connection);
  };

  const onOpen = (): void => {
    isOpen = true;
    waitForHead();
  };

  /** While a body is on its way and the upstream takes it, the client is awaited, as long as it likes. */
  const waitForHead = (): void => {
    if (!exchange || head || !isOpen) return;
    deadline.wait(upload && !socket.writableNeedDrain ? NEVER : patience.head);
  };

  const send = (): void =>
    guarded(() => {
      if (!exchange || isSent || socket.destroyed) return; // `close` is about to tell
      isSent = true;
      upload = sendExchange(exchange, socket, pool.host, {
        onProgress: waitForHead,
        onEnd() {
          upload = undefined;
          waitForHead();
        },
        onMismatch: () => fail(upstreamError('ECONNRESET')),
      });
      waitForHead();
    });

  const onEndOfConnection = (): void =>
    guarded(() => {
      const fault = reader.end();
      if (fault) fail(upstreamError(fault));
      else breakOff();
    });

  const socket = openSocket(place, { buffer: memory.buffer, callback: onRead });
  socket
    .on(READY[isTls(place) ? 'tls' : 'plain'], onOpen)
    .on('end', onEndOfConnection)
    .on('error', fail);
  socket.on('close', () => {
    fail(upstreamError('ECONNRESET'));
    pool.onClosed(connection);
  });

  const connection: Connection = {
    give(given) {
      exchange = given;
      head = undefined;
      [isSent, hasAnswered, isPaused] = [false, false, false];
      reader.expect(given.head.method);
      given.onStart(controlOf(given));
      // By then it is known whether the other side has closed the connection, or said something unasked. What a server says too
      // much it says soon: behind a response it gets a turn more for that.
      if (isJustFree) setImmediate(() => atEndOfTurn(send));
      else atEndOfTurn(send);
    },
    check() {
      const late = deadline.missed();
      if (late) fail(upstreamError(late));
    },
    destroy: () => fail(upstreamError('ECONNRESET')),
  };
  return connection;
}

const READY = { plain: 'connect', tls: 'secureConnect' } as const;

const isTls = (place: Place): boolean => 'tls' in place;

function openSocket({ ...place }: Place, onread: OnReadOpts): Socket {
  const socket = { noDelay: true, keepAlive: true, keepAliveInitialDelay: TCP_PROBE_MS, onread };
  if (!('tls' in place)) return connect({ ...place, ...socket });
  const { tls, ...address } = place;
  return connectTls({ ...address, ...tls, ...socket });
}
