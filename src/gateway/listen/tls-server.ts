/** The server of a listener with TLS: HTTP/2 or HTTP/1.1 by ALPN; WebSockets by HTTP/1.1. HTTP/2 has its limits: streams, header bytes, and the time without a request. */
import { constants } from 'node:crypto';
import type { IncomingMessage, ServerOptions, ServerResponse } from 'node:http';
import {
  createSecureServer,
  type Http2SecureServer,
  Http2ServerRequest,
  Http2ServerResponse,
  constants as http2,
  type SecureServerOptions,
  type ServerHttp2Session,
} from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { SecureContextOptions, Server, TLSSocket } from 'node:tls';
import type { OnConnectionRefused } from '../../domain/refusal.ts';
import { readPeer } from '../decision/request-facts.ts';
import type { Handlers } from '../entry/app.ts';
import { isClientAwaited, mayStayFull, type SilenceRules } from './http1-connections.ts';
import { likeHttp1 } from './http2-exchange.ts';

export interface ServedCertificate {
  /** PEM: the certificate and its intermediates. */
  readonly certificate: string;
  /** PEM. */
  readonly privateKey: string;
  /** Seconds of `Strict-Transport-Security`; undefined: the header is not sent. */
  readonly hstsSeconds: number | undefined;
}

/** Forward secrecy and authenticated encryption only, as in TLS 1.3. All are strong, so the client's order is used. */
const CIPHERS: readonly string[] = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
];

/** HTTP/2 forbids renegotiation (RFC 9113 9.2.1); in HTTP/1 it is only work that a client can cause. */
export const secureContext = ({ certificate, privateKey }: ServedCertificate): SecureContextOptions => ({
  cert: certificate,
  key: privateKey,
  minVersion: 'TLSv1.2',
  ciphers: CIPHERS.join(':'),
  honorCipherOrder: false,
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
});

export interface ServedCertificates {
  current(): ServedCertificate;
  /** Calls back with every later one. */
  onChange(use: (certificate: ServedCertificate) => void): void;
}

export interface TlsRules {
  readonly certificates: ServedCertificates;
  /**
   * Node drops header lines of HTTP/2 whose values it dislikes (control bytes), and nothing tells of it: a role header
   * that was dropped would look as if the proxy had sent none. So not where headers say who calls.
   */
  readonly offersHttp2: boolean;
  readonly silence: SilenceRules;
  readonly onConnectionRefused: OnConnectionRefused;
}

/** Codes of Node for a handshake that failed: by the client's alert, by what it offers, or by the time it took. */
const OF_HANDSHAKE = /^ERR_(?:SSL|TLS)_/;
/** A browser keeps its connection for the next page. */
const IDLE_MS = 60_000;

type EitherResponse = ServerResponse | Http2ServerResponse;

export type TlsServer = ReturnType<typeof createTlsServer>;

/** `http1` has the limits of HTTP/1; a handshake, and the first request of a connection, have as long as a head of HTTP/1. */
export function createTlsServer(rules: TlsRules, http1: ServerOptions) {
  const { certificates, silence, onConnectionRefused } = rules;
  const { headersTimeout: patienceMs = 0, maxHeaderSize: mostHeaderBytes = 0 } = http1;
  const options = { ...http1, ...secureContext(certificates.current()), handshakeTimeout: patienceMs };
  const { server, sessions } = rules.offersHttp2
    ? createHttp2Server(options, onConnectionRefused)
    : { server: createHttpsServer(options), sessions: undefined };
  startHandshakes(server, patienceMs, (socket) => onConnectionRefused('plain_http', readPeer(socket)));
  server.on('tlsClientError', ({ code = '' }: NodeJS.ErrnoException, socket) => {
    if (OF_HANDSHAKE.test(code)) onConnectionRefused('tls', readPeer(socket), code); // otherwise the client has left
  });
  // Open connections keep the certificate of their handshake.
  certificates.onChange((certificate) => server.setSecureContext(secureContext(certificate)));
  const through =
    (door: Handlers['onRequest']) => (received: IncomingMessage | Http2ServerRequest, sent: EitherResponse) => {
      const { request, response } = likeHttp1(received, sent);
      if (received instanceof Http2ServerRequest) endSilentStream(received, response, silence);
      if (headerBytes(request.rawHeaders) > mostHeaderBytes) {
        onConnectionRefused('head_too_large', readPeer(request.socket));
        return void response.writeHead(431).end();
      }
      setHsts(response, certificates.current().hstsSeconds);
      door(request, response);
    };
  return {
    server: server as Server,
    sessions,
    /** The handler, for requests of either version of HTTP. */
    requestsTo(judge: Handlers['onRequest']): Handlers['onRequest'] {
      const onRequest = through(judge);
      server.on('connect', (request, response) => {
        if (response instanceof Http2ServerResponse)
          onRequest(request, response); // refused as 'method-unknown'
        else response.destroy();
      });
      return onRequest;
    },
  };
}

function createHttp2Server(
  options: ServerOptions & SecureContextOptions & { handshakeTimeout: number },
  onConnectionRefused: OnConnectionRefused,
) {
  const server = createSecureServer({ ...HTTP2_LIMITS, ...options, allowHTTP1: true });
  // Node's HTTP/2 server does not take the option for its HTTP/1 connections; it reads the property.
  Object.assign(server, { shouldUpgradeCallback: options.shouldUpgradeCallback });
  return {
    server,
    sessions: endIdleSessions(server, { first: options.handshakeTimeout, idle: IDLE_MS }, onConnectionRefused),
  };
}

/**
 * Ends a stream whose client takes nothing, or says nothing of its body: it would stay for ever, as on a connection of HTTP/1.
 */
function endSilentStream(request: Http2ServerRequest, response: ServerResponse, silence: SilenceRules): void {
  const { stream } = request;
  stream.setTimeout(silence.idleMs());
  stream.on('timeout', () => {
    if (!isClientAwaited(request, stream.state.remoteClose === 1, stream)) stream.setTimeout(silence.idleMs());
    else if (!mayStayFull(stream, response, silence)) stream.close(http2.NGHTTP2_CANCEL);
  });
}

/** The size of a head, for HTTP/2 only: Node's HTTP/1 parser refuses a larger one itself. */
function headerBytes(rawHeaders: readonly string[]): number {
  let bytes = 0;
  for (const text of rawHeaders) bytes += text.length;
  return bytes;
}

/**
 * Node's own listener gets the connections whose first byte is a TLS handshake, as if nothing had been read of them. A client that
 * sends nothing is closed after `patienceMs`.
 */
function startHandshakes(server: Server, patienceMs: number, onPlainHttp: (socket: Socket) => void): void {
  const [start] = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const onTimeout = (): void => void socket.destroy();
    socket.on('error', () => {}); // a client that resets now has asked nothing
    socket.setTimeout(patienceMs, onTimeout);
    socket.once('data', (chunk: Buffer) => {
      socket.setTimeout(0).off('timeout', onTimeout);
      const first = chunk.readUInt8(0);
      if (first === HANDSHAKE) {
        socket.pause();
        socket.unshift(chunk);
        start?.call(server, socket);
      } else if (first >= FIRST_LETTER && first <= LAST_LETTER) {
        onPlainHttp(socket);
        sayToUseHttps(socket);
      } else socket.destroy();
    });
  });
}

/** `seconds` is undefined for a self-signed certificate: a browser that insists on HTTPS allows no exception for it. */
function setHsts(response: ServerResponse, seconds: number | undefined): void {
  if (seconds !== undefined) response.setHeader('Strict-Transport-Security', `max-age=${seconds}`);
}

/** The record type that a TLS handshake begins with (RFC 8446 5.1). */
const HANDSHAKE = 0x16;
const [FIRST_LETTER, LAST_LETTER] = [0x41, 0x5a];

/** Long enough for the client to read the response. */
const LINGER_MS = 2_000;

const SENTENCE = 'This port speaks HTTPS: write https:// in the place of http:// in the address.\n';
const USE_HTTPS = [
  'HTTP/1.1 400 Bad Request',
  'Content-Type: text/plain; charset=utf-8',
  `Content-Length: ${SENTENCE.length}`,
  'Cache-Control: no-store',
  'Connection: close',
  '',
  SENTENCE,
].join('\r\n');

/** The rest of the request is read and dropped: closing a socket with unread bytes resets the connection, and the response is lost. */
function sayToUseHttps(socket: Socket): void {
  socket.end(USE_HTTPS);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/**
 * Bytes of a head past which its stream is reset, with 32 for each name (RFC 9113 10.5.1); before that, what is too
 * large for the gate can be told so. The library holds to it only when the client has said that it knows.
 */
const MAX_HEADER_LIST = 64 * 1024;
/**
 * Node's default for streams that a client resets at once (CVE-2023-44487), with 33 more each second: a connection that resets
 * more is ended. A page with 80 pictures that is left and opened a few times within a second stays below it.
 */
const RESET_BURST = 1000;
/** A wall of cameras is many streams in one connection. */
const MAX_STREAMS = 128;

/**
 * CONTINUATION frames (8 for one head), unanswered SETTINGS and PING frames are bounded by the library that Node speaks
 * HTTP/2 with; what is past these bounds ends the connection.
 */
const HTTP2_LIMITS: SecureServerOptions = {
  settings: { maxConcurrentStreams: MAX_STREAMS, maxHeaderListSize: MAX_HEADER_LIST },
  /**
   * Refuses blanks around a value: Node would drop a credential with a blank behind it in silence, and it would look absent.
   */
  strictFieldWhitespaceValidation: false,
  /** More than the gate accepts (200), so that it can say 431: past this Node resets the stream. */
  maxHeaderListPairs: 1024,
  maxSettings: 32,
  /** Megabytes of streams, header tables and unsent responses. */
  maxSessionMemory: 10,
  maxSessionInvalidFrames: 100,
  maxSessionRejectedStreams: 100,
  /** A response header that the NVR sends twice is passed on twice, and is no error of ours. */
  strictSingleValueFields: false,
};

/** Node waits until a connection that is ended has taken all that was written to it; some clients never read it. */
const SESSION_LINGER_MS = 2_000;

export type Http2Sessions = ReturnType<typeof endIdleSessions>;

/**
 * Ends idle sessions. `patience`, in milliseconds: to the first request, as whole as its head must be, and from the end of the
 * last one to the next. Node's own time-out counts any frame as activity: a client could stay for ever by PING alone, or by a
 * head sent byte by byte. Here only a whole request counts.
 */
export function endIdleSessions(
  server: Http2SecureServer,
  patience: Readonly<Record<'first' | 'idle', number>>,
  onConnectionRefused: OnConnectionRefused,
) {
  const all = new Map<ServerHttp2Session, { open: number; resets: number; idleCalls: number }>();
  let entering: TLSSocket | undefined; // of the session that is created next; the session does not expose its socket
  server.prependListener('secureConnection', (socket) => {
    entering = socket;
  });
  server.on('session', (session: ServerHttp2Session) => {
    const socket = entering;
    const peer = socket ? readPeer(socket) : '';
    const leave = (): void => void setTimeout(() => socket?.destroy(), SESSION_LINGER_MS).unref();
    const end = (): void => {
      session.destroy();
      leave();
    };
    const streams = { open: 0, resets: 0, idleCalls: 0 };
    all.set(session, streams);
    let timer = setTimeout(end, patience.first).unref();
    session.on('stream', (stream) => {
      streams.open += 1;
      clearTimeout(timer);
      stream.once('close', () => {
        streams.open -= 1;
        if (stream.rstCode !== http2.NGHTTP2_NO_ERROR) streams.resets += 1;
        if (streams.open === 0) timer = setTimeout(end, patience.idle).unref();
      });
    });
    session.once('error', ({ code }: NodeJS.ErrnoException) => {
      onConnectionRefused(streams.resets >= RESET_BURST ? 'http2_resets' : 'http2', peer, code);
      leave();
    });
    session.once('close', () => {
      clearTimeout(timer);
      all.delete(session);
    });
  });
  return {
    /**
     * Tells a session with open streams to open no more (GOAWAY), and ends one without when it was idle for so many calls. Call
     * it again and again while the listener is left.
     */
    leave(calls: number): void {
      for (const [session, streams] of all) {
        streams.idleCalls = streams.open > 0 ? 0 : streams.idleCalls + 1;
        if (!session.closed && (streams.open > 0 || streams.idleCalls > calls)) session.close();
      }
    },
  };
}
