/** Limits of an HTTP/2 connection: streams, header bytes, and the time it may be open without a request. */
import { constants, type Http2SecureServer, type SecureServerOptions, type ServerHttp2Session } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { OnConnectionRefused } from '../../domain/connection-refusal.ts';
import { peerOf } from '../decision/request-facts.ts';

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
export const HTTP2_LIMITS: SecureServerOptions = {
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
const LINGER_MS = 2_000;

export interface Http2Sessions {
  /**
   * Tells a session with open streams to open no more (GOAWAY), and ends one without when it was idle for so many calls. Call
   * it again and again while the listener is left.
   */
  leave(calls: number): void;
}

/**
 * Ends idle sessions. Node's own time-out counts any frame as activity: a client could stay for ever by PING alone, or by a
 * head sent byte by byte. Here only a whole request counts.
 */
export function endIdleSessions(
  server: Http2SecureServer,
  patience: SessionPatience,
  onConnectionRefused: OnConnectionRefused,
): Http2Sessions {
  const all = new Map<ServerHttp2Session, { open: number; resets: number; idleCalls: number }>();
  let entering: TLSSocket | undefined; // of the session that is created next; the session does not expose its socket
  server.prependListener('secureConnection', (socket) => {
    entering = socket;
  });
  server.on('session', (session: ServerHttp2Session) => {
    const socket = entering;
    const peer = socket ? peerOf(socket) : '';
    const leave = (): void => void setTimeout(() => socket?.destroy(), LINGER_MS).unref();
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
        if (stream.rstCode !== constants.NGHTTP2_NO_ERROR) streams.resets += 1;
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
    leave(calls) {
      for (const [session, streams] of all) {
        streams.idleCalls = streams.open > 0 ? 0 : streams.idleCalls + 1;
        if (!session.closed && (streams.open > 0 || streams.idleCalls > calls)) session.close();
      }
    },
  };
}
