/** Joins the client's and the NVR's WebSocket: judges each message, holds back the sender of a slow reader, ends both together (SPEC 5, 6). */
import { type RawData, WebSocket } from 'ws';
import type { UpstreamListeners } from '../decision/gate-watch.ts';
import type { UnreadMemory } from '../response/unread.ts';
import type { Message, MessageJudge } from './message-judges.ts';

export interface JudgedSockets extends UpstreamListeners {
  readonly judge: MessageJudge;
  /** Called once both sockets are open, with the function that ends them with a close code. */
  readonly onOpen?: (end: (code: number) => void) => void;
}

/** Bytes that may wait for a slow reader; above it the sender is paused. */
const MOST_WAITING = 256 * 1024;
/** A client that vanished without closing is noticed within two of these. */
const PING_MS = 30_000;

/** A side that does not answer the close frame in this time is cut off. */
const GOODBYE_MS = 1_000;

const MALFORMED = 1007;
const GOING_AWAY = 1001;
/** RFC 6455 7.4.1: codes that must not be sent in a close frame. */
const NOT_SENT: readonly number[] = [1004, 1005, 1006, 1015];

/** Forwards the messages that may pass; when one side closes, closes the other. */
export function joinSockets(
  client: WebSocket,
  nvr: WebSocket,
  { judge, watch, onOpen }: JudgedSockets,
  unread: UnreadMemory,
): void {
  for (const side of [client, nvr]) side.on('error', () => watch?.onEndedBy('error')); // a broken frame: `close` follows
  client.on('message', (bytes, isBinary) => {
    const verdict = judge.fromClient(messageOf(bytes, isBinary));
    if (verdict.kind === 'malformed') {
      watch?.onEndedBy('error');
      return client.close(MALFORMED, 'this message is not allowed on this WebSocket');
    }
    if (verdict.kind === 'passed') sendOn(nvr, { data: verdict.text, isBinary: false }, client);
    if (verdict.kind === 'answered') sendOn(client, { data: verdict.text, isBinary: false }, client);
  });
  const noteAlive = pingUntilClosed(client, () => watch?.onEndedBy('idle'));
  const waiting = unread.open(() => {
    watch?.onEndedBy('idle');
    client.terminate();
  });
  const noteWaiting = (): void => waiting.holds(client.bufferedAmount);
  nvr.on('message', (bytes, isBinary) => {
    const message = judge.fromNvr(messageOf(bytes, isBinary));
    if (!message) return;
    sendOn(client, message, nvr, () => {
      noteAlive();
      noteWaiting();
    });
    noteWaiting();
  });
  client.once('close', () => {
    waiting.end();
    watch?.onEndedBy('client');
    nvr.close(GOING_AWAY);
  });
  nvr.once('close', (code) => {
    watch?.onEndedBy('backend');
    client.close(NOT_SENT.includes(code) ? GOING_AWAY : code);
  });
  onOpen?.((code) => {
    client.close(code);
    nvr.close(GOING_AWAY);
    setTimeout(() => [client, nvr].map((side) => side.terminate()), GOODBYE_MS).unref();
  });
  nvr.resume();
}

/** Back-pressure: the sender is not read while its messages wait at a slow reader. */
function sendOn(reader: WebSocket, { data, isBinary }: Message, sender: WebSocket, onSent?: () => void): void {
  if (reader.readyState !== WebSocket.OPEN) return;
  reader.send(data, { binary: isBinary }, (fault) => {
    if (!fault) onSent?.();
    if (sender.isPaused && reader.bufferedAmount < MOST_WAITING) sender.resume();
  });
  if (reader.bufferedAmount >= MOST_WAITING) sender.pause();
}

/** Returns what to call when the client has taken bytes: a ping waits behind the video that a slow client still reads. */
function pingUntilClosed(client: WebSocket, onSilence: () => void): () => void {
  let isAlive = true;
  const noteAlive = (): void => {
    isAlive = true;
  };
  client.on('pong', noteAlive);
  const timer = setInterval(() => {
    if (!isAlive) {
      onSilence();
      return client.terminate();
    }
    isAlive = false;
    client.ping();
  }, PING_MS);
  timer.unref();
  client.once('close', () => clearInterval(timer));
  return noteAlive;
}

/** The message of a frame: with the default `binaryType` it is one buffer. */
const messageOf = (bytes: RawData, isBinary: boolean): Message => ({
  data: bytes instanceof Buffer ? bytes : Buffer.alloc(0),
  isBinary,
});
