/** HTTP/2 connections: what one of them may ask for at once, and for how long it may be open and ask for nothing. */
import type { Http2SecureServer, SecureServerOptions, ServerHttp2Session } from 'node:http2';
import type { TLSSocket } from 'node:tls';

export interface SessionPatience {
  /** Milliseconds to the first request, as whole as its head must be. */
  readonly first: number;
  /** Milliseconds from the end of the last one to the next. */
  readonly idle: number;
}

/**
 * Bytes of a head past which its stream is reset, with 32 for each name (RFC 9113 10.5.1); before that, what is too
 * large for the gate can be told so. The library holds to it only when the client has said that it knows.
 */
const MAX_HEADER_LIST = 32 * 1024;
/** A wall of cameras is many streams in one connection. */
const MAX_STREAMS = 128;

/**
 * CONTINUATION frames (8 for one head), unanswered SETTINGS and PING frames are bounded by the library that Node speaks
 * HTTP/2 with; what is past these bounds ends the connection.
 */
export const HTTP2_LIMITS: SecureServerOptions = {
  settings: { maxConcurrentStreams: MAX_STREAMS, maxHeaderListSize: MAX_HEADER_LIST },
  /** Without this a credential with a blank behind it would be dropped in silence, and look absent. */
  strictFieldWhitespaceValidation: false,
  /** More than the gate accepts (200), so that it can say 431: past this Node resets the stream. */
  maxHeaderListPairs: 1024,
  maxSettings: 32,
  /** Megabytes of streams, header tables and unsent answers. */
  maxSessionMemory: 10,
  /** Streams opened and taken back at once cost us more than the client (CVE-2023-44487). */
  streamResetBurst: 200,
  streamResetRate: 33,
  maxSessionInvalidFrames: 100,
  maxSessionRejectedStreams: 100,
  /** An NVR that says something twice is passed on as it is, not met with a fault of ours. */
  strictSingleValueFields: false,
};

/** Node waits until a connection that is ended has taken all that was written to it, and some never will. */
const LINGER_MS = 2_000;

/**
 * Node counts any frame as life, so that a client could stay for ever by PING alone, or by a head that it sends byte by
 * byte: here only a request that came to be counts.
 */
export function endIdleSessions(server: Http2SecureServer, patience: SessionPatience): void {
  let entering: TLSSocket | undefined; // the session that follows at once is this socket's, but does not give it away
  server.prependListener('secureConnection', (socket) => {
    entering = socket;
  });
  server.on('session', (session: ServerHttp2Session) => {
    const socket = entering;
    const leave = (): void => void setTimeout(() => socket?.destroy(), LINGER_MS).unref();
    const end = (): void => {
      session.destroy();
      leave();
    };
    let open = 0;
    let timer = setTimeout(end, patience.first).unref();
    session.on('stream', (stream) => {
      open += 1;
      clearTimeout(timer);
      stream.once('close', () => {
        open -= 1;
        if (open === 0) timer = setTimeout(end, patience.idle).unref();
      });
    });
    session.once('error', leave);
    session.once('close', () => clearTimeout(timer));
  });
}
