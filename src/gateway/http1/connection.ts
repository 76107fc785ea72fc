/**
 * One connection to an upstream: one exchange at a time, and kept only when both sides are certainly in step.
 *
 *     opening ─── open, with TLS behind the handshake ───► sent ◄── end of turn ── given ◄── give ── free
 *                                                           │ first byte                              ▲
 *                                                           ▼                                         │
 *                                                        answered ── head ──► streaming ── end, in step ┘
 *     any of them ──► over: a fault, a deadline, an abort, bytes that nothing asked for, or the end of a last exchange
 *
 * An exchange that was sent on a used connection and not answered at all may go out once more, on a new one.
 */
import type { IncomingMessage } from 'node:http';
import { connect, type OnReadOpts, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Upstream } from '../../domain/addresses.ts';
import type { ResponseControl } from '../narrow/held-body.ts';
import { atEndOfTurn } from '../response/client-socket.ts';
import { type Connection, type Exchange, isLast, type PoolSide, requestText, type TlsOptions } from './exchange.ts';
import { type FaultCode, type UpstreamHead, upstreamError } from './response-head.ts';
import { createResponseReader } from './response-reader.ts';

const TCP_PROBE_MS = 60_000;
/** Bytes that nothing has asked for must not become the response to the next request. */
const UNASKED: FaultCode = 'ECONNRESET';
/** Codes of a connection that the other side has closed. */
const CLOSED: readonly unknown[] = ['ECONNRESET', 'EPIPE'];

type State =
  | { readonly kind: 'opening'; readonly exchange: Exchange | undefined }
  | { readonly kind: 'given'; readonly exchange: Exchange }
  /** `isFirst`: the connection is new, and cannot be stale. */
  | { readonly kind: 'sent'; readonly exchange: Exchange; readonly isFirst: boolean }
  | { readonly kind: 'answered'; readonly exchange: Exchange }
  | { readonly kind: 'streaming'; readonly exchange: Exchange; readonly head: UpstreamHead; flow: Flow }
  /** `keptFor`: ticks of the pool. `isJustFree`: this is still the turn in which the response before ended. */
  | { readonly kind: 'free'; readonly exchange: undefined; readonly keptFor: number; isJustFree: boolean }
  | typeof OVER;
/** `stopped`: until lent memory is free, and the turn has room. `paused`: until the receiver of the response wants more. */
type Flow = 'reading' | 'stopped' | 'paused';

const OVER = { kind: 'over', exchange: undefined } as const;

const NEVER = Number.POSITIVE_INFINITY;

/** `tls`: for an upstream that speaks it. */
export function openConnection(upstream: Upstream, tls: TlsOptions, pool: PoolSide): Connection {
  const { patience } = pool;
  let lateAt = pool.ticks() + patience.connect;
  let lateness: FaultCode = 'ETIMEDOUT';
  const memory = createReadMemory();
  let state = { kind: 'opening', exchange: undefined } as State;
  let upload: Upload | undefined;

  /** Restarts the deadline: `ticks` from now. `code` is the fault when it is missed. */
  const wait = (ticks: number, code: FaultCode = 'ETIMEDOUT'): void => {
    lateAt = pool.ticks() + ticks;
    lateness = code;
  };

  /** Ends the exchange and the connection. Returns the exchange, once. */
  const breakOff = (): Exchange | undefined => {
    const { exchange } = state;
    state = OVER;
    memory.end();
    reader.stop();
    upload?.stop();
    upload = undefined;
    socket.destroy();
    return exchange;
  };

  const fail = (error: Error): void => {
    const isUnsent = state.kind === 'given';
    const isStale = state.kind === 'sent' && !state.isFirst && state.exchange.isRepeatable && isClosed(error);
    const failed = breakOff();
    if (!failed) return;
    if (isUnsent || isStale) pool.again(failed, isStale);
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
    if (state.kind !== 'streaming' || state.flow !== 'stopped' || memory.isLent()) return;
    if (readInTurn > MOST_IN_TURN) return void setImmediate(readOn);
    state.flow = 'reading';
    wait(patience.idle, 'ERR_UPSTREAM_IDLE');
    socket.read(0); // starts the reading that the callback of `onread` had stopped
  };

  /** The response may outlive its exchange; by then another one may be under way here. */
  const controlOf = (given: Exchange): ResponseControl => ({
    abort: () => void (state.exchange === given && breakOff()),
    pause() {
      if (state.kind === 'streaming' && state.exchange === given) state.flow = 'paused';
    },
    resume() {
      if (state.kind !== 'streaming' || state.exchange !== given || state.flow !== 'paused') return;
      state.flow = 'stopped';
      readOn();
    },
  });

  const reader = createResponseReader({
    onHead(head) {
      const { exchange } = state;
      if (!exchange) return;
      state = { kind: 'streaming', exchange, head, flow: 'reading' };
      exchange.onHead(head);
    },
    onBody: (bytes) => state.exchange?.onBody(bytes, memory.lend(readOn)),
    onEnd(trailers) {
      if (state.kind !== 'streaming') return;
      const { exchange, head, flow } = state;
      if (head.isKept && !isLast(exchange)) {
        // The last bytes may come behind a stop: TLS hands on every record that was read with it.
        if (flow !== 'reading') socket.read(0);
        state = { kind: 'free', exchange: undefined, keptFor: pool.keptFor(head), isJustFree: true };
        memory.end();
      } else breakOff();
      exchange.onEnd(trailers);
    },
  });

  /** The callback of `onread`. Returns whether to read on: the memory is read into again afterwards. */
  function onRead(count: number, buffer: Uint8Array): boolean {
    guarded(() => takeBytes((buffer as Buffer).subarray(0, count)));
    if (state.kind !== 'streaming') return true;
    const isEnough = isEnoughForTurn(count);
    if (state.flow !== 'paused') state.flow = isEnough || memory.isLent() ? 'stopped' : 'reading';
    if (isEnough) readOn();
    wait(state.flow === 'reading' ? patience.idle : NEVER, 'ERR_UPSTREAM_IDLE');
    return state.flow === 'reading';
  }

  function takeBytes(bytes: Buffer): void {
    if (state.kind === 'sent') state = { kind: 'answered', exchange: state.exchange };
    const isAsked = state.kind === 'answered' || state.kind === 'streaming';
    const rest = isAsked ? reader.read(bytes) : UNASKED;
    if (typeof rest === 'string') fail(upstreamError(rest));
    else if (rest > 0)
      breakOff(); // behind the end of the response: the other side is out of step
    else becomeReady(bytes.length);
  }

  /** Gets ready for the next bytes of the response, or for the next exchange. */
  function becomeReady(count: number): void {
    const now = state;
    if (now.exchange) memory.choose(count, now.exchange.mayBorrow);
    if (now.kind !== 'free') return;
    wait(now.keptFor);
    setImmediate(() => {
      now.isJustFree = false;
    });
    pool.onFree(connection);
  }

  /** While a body is on its way and the upstream takes it, the client is awaited, as long as it likes. */
  const waitForHead = (): void => {
    if (state.kind !== 'sent' && state.kind !== 'answered') return;
    wait(upload && !socket.writableNeedDrain ? NEVER : patience.head);
  };

  const send = (): void =>
    guarded(() => {
      const { kind, exchange } = state;
      // When the socket is destroyed, its `close` follows, and the exchange fails or goes out on another connection.
      if ((kind !== 'opening' && kind !== 'given') || !exchange || socket.destroyed) return;
      state = { kind: 'sent', exchange, isFirst: kind === 'opening' };
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

  const socket = openSocket(upstream, tls, { buffer: memory.buffer, callback: onRead });
  socket
    .on(speaksTls(upstream) ? 'secureConnect' : 'connect', send)
    .on('end', onEndOfConnection)
    .on('error', fail);
  socket.on('close', () => {
    fail(upstreamError('ECONNRESET'));
    pool.onClosed(connection);
  });

  const connection: Connection = {
    give(given) {
      const was = state;
      if (was.kind === 'over') return pool.again(given, false); // its socket has not closed yet
      state = { kind: was.kind === 'opening' ? 'opening' : 'given', exchange: given };
      reader.expect(given.head.method);
      given.onStart(controlOf(given));
      // By then it is known whether the other side has closed the connection, or said something unasked. What a server says too
      // much it says soon: behind a response it gets a turn more for that.
      if (was.kind === 'free' && was.isJustFree) setImmediate(() => atEndOfTurn(send));
      else if (was.kind !== 'opening') atEndOfTurn(send);
    },
    check() {
      if (pool.ticks() >= lateAt) fail(upstreamError(lateness));
    },
    destroy: () => fail(upstreamError('ECONNRESET')),
  };
  return connection;
}

const isClosed = (error: Error): boolean => 'code' in error && CLOSED.includes(error.code);

const speaksTls = (upstream: Upstream): boolean => upstream.kind === 'tcp' && upstream.protocol === 'https:';

function openSocket(upstream: Upstream, tls: TlsOptions, onread: OnReadOpts): Socket {
  const options = { noDelay: true, keepAlive: true, keepAliveInitialDelay: TCP_PROBE_MS, onread };
  if (upstream.kind === 'unix') return connect({ path: upstream.path, ...options });
  const { host, port } = upstream;
  return speaksTls(upstream) ? connectTls({ host, port, ...tls, ...options }) : connect({ host, port, ...options });
}

/** Read into by every connection that has no memory of its own: what is read is used up, or copied, before the call ends. */
const SHARED = Buffer.allocUnsafeSlow(64 * 1024);
/** Fewer reads and writes for each byte than with less. */
const LOAN_BYTES = 256 * 1024;
/** Less than this in one read is no long body, or a slow one: copying it costs less than memory of its own. */
const SHALLOW_READ = 32 * 1024;
const MOST_KEPT = 16;
const kept: Buffer[] = [];

/** Bytes of bodies, of all connections together. A few downloads could otherwise be read for a tenth of a second, while others wait. */
const MOST_IN_TURN = 2 * 1024 * 1024;
let readInTurn = 0;

/** Counts what was read in this turn of the event loop. When it is much, each connection reads once more at most. */
function isEnoughForTurn(count: number): boolean {
  if (readInTurn === 0)
    setImmediate(() => {
      readInTurn = 0;
    });
  readInTurn += count;
  return readInTurn > MOST_IN_TURN;
}

/** Memory that one connection reads into alone. Writes to its client read from it until the kernel has taken their bytes. */
interface Loan {
  readonly buffer: Buffer;
  /** Writes that still read from it. */
  writes: number;
  /** The connection reads into it no more. */
  isOver: boolean;
}

function createReadMemory() {
  let loan: Loan | undefined;
  const end = (): void => {
    if (!loan) return;
    loan.isOver = true;
    giveBack(loan);
    loan = undefined;
  };
  return {
    /** The body is over: what was its own becomes another's as soon as no write needs it. */
    end,
    /** What the next read goes into. */
    buffer: (): Buffer => loan?.buffer ?? SHARED,
    /** Whether writes still read from the memory that the next read goes into. */
    isLent: (): boolean => loan !== undefined && loan.writes > 0,
    /** Chooses it, after a read of so many bytes. */
    choose(count: number, mayBorrow: boolean): void {
      if (!loan && mayBorrow && count === SHARED.length) loan = takeLoan();
      else if (count < SHALLOW_READ) end();
    },
    /**
     * Lends the bytes of the last read; the function is called when a write has taken them. Undefined where they must be used up
     * at once. `onFree` is called when the same memory may be read into again.
     */
    lend(onFree: () => void): (() => void) | undefined {
      if (!loan) return undefined;
      const lent = loan;
      lent.writes += 1;
      return () => {
        lent.writes -= 1;
        giveBack(lent);
        if (lent.writes === 0 && !lent.isOver) onFree();
      };
    },
  };
}

const takeLoan = (): Loan => ({ buffer: kept.pop() ?? Buffer.allocUnsafeSlow(LOAN_BYTES), writes: 0, isOver: false });

/** A loan whose writes never end, because their socket was destroyed, is left to the garbage collection. */
function giveBack({ buffer, writes, isOver }: Loan): void {
  if (isOver && writes === 0 && kept.length < MOST_KEPT) kept.push(buffer);
}

/** Gives the body that is under way, if one streams. Throws when the head cannot be written (see `requestText`). */
function sendExchange(
  exchange: Exchange,
  socket: Socket,
  host: string,
  rules: Omit<UploadRules, 'length'>,
): Upload | undefined {
  const { head, body, upload } = exchange;
  const text = requestText(head, host, isLast(exchange));
  if (!body) socket.write(text, 'latin1');
  else {
    socket.cork();
    socket.write(text, 'latin1');
    socket.write(body);
    socket.uncork();
  }
  return upload && startUpload(upload.request, socket, { ...rules, length: upload.length });
}

/** The body of a request on its way to an upstream: streamed, with back-pressure, and framed as it was judged. */
interface UploadRules {
  /** Bytes of the body as its head says; undefined where it is sent in chunks. */
  readonly length: number | undefined;
  /** Something was sent, or the upstream took it. */
  readonly onProgress: () => void;
  readonly onEnd: () => void;
  /** The client sent more or less than it announced. */
  readonly onMismatch: () => void;
}

type Upload = ReturnType<typeof startUpload>;

function startUpload(request: IncomingMessage, socket: Socket, rules: UploadRules) {
  const { length, onProgress, onEnd, onMismatch } = rules;
  let sent = 0;
  const send = length === undefined ? sendChunk : (bytes: Buffer) => socket.write(bytes);
  const onData = (bytes: Buffer): void => {
    sent += bytes.length;
    if (length !== undefined && sent > length) return void fail();
    if (bytes.length === 0) return;
    if (!send(bytes)) request.pause();
    onProgress();
  };
  const onDrain = (): void => {
    request.resume();
    onProgress();
  };
  const onWhole = (): void => {
    if (length !== undefined && sent !== length) return void fail();
    if (length === undefined) socket.write('0\r\n\r\n', 'latin1');
    detach();
    onEnd();
  };
  const detach = (): void => {
    request.off('data', onData).off('end', onWhole);
    socket.off('drain', onDrain);
  };
  const fail = (): void => {
    detach();
    onMismatch();
  };
  function sendChunk(bytes: Buffer): boolean {
    socket.cork();
    socket.write(`${bytes.length.toString(16)}\r\n`, 'latin1');
    socket.write(bytes);
    const isTaken = socket.write('\r\n', 'latin1');
    socket.uncork();
    return isTaken;
  }
  socket.on('drain', onDrain);
  request.on('data', onData).on('end', onWhole);
  request.resume();
  return {
    /** What the upstream has not read by now is read and dropped, so that the client can read its response. */
    stop(): void {
      detach();
      request.resume();
    },
  };
}
