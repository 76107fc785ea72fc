/** Two WebSockets joined: each message is judged on its way, nobody is read faster than heard, and both end together (SPEC 5, 6). */
import { type RawData, WebSocket } from 'ws';
import type { MessageObligations } from '../../access/access-verdict.ts';
import type { CameraView } from '../../access/camera-view.ts';
import { judgeInbound, narrowOutbound } from '../../access/narrow-messages.ts';
import type { UpstreamWatch } from '../decision/gate-watch.ts';

export interface JudgedPair {
  /** As it is now: cameras come and go while a socket is open. */
  readonly view: () => CameraView;
  readonly obligations: MessageObligations;
  readonly watch?: UpstreamWatch;
  /** Told how to end the sockets with a close code, once they are open. */
  readonly onOpen?: (end: (code: number) => void) => void;
}

/** Bytes that wait for a slow client; with more, the NVR is not read. */
const MOST_WAITING = 1024 * 1024;
/** A client that has gone without a word is noticed within two of these. */
const PING_MS = 30_000;

/** A side that does not answer a close frame is cut off. */
const GOODBYE_MS = 1_000;

const MALFORMED = 1007;
const GOING_AWAY = 1001;
/** RFC 6455 7.4.1: these are never sent. */
const NOT_SENT: readonly number[] = [1004, 1005, 1006, 1015];

/** Passes what may pass, closes both when one is closed. */
export function joinSockets(client: WebSocket, nvr: WebSocket, { view, obligations, watch, onOpen }: JudgedPair): void {
  for (const side of [client, nvr]) side.on('error', () => watch?.onEndedBy('error')); // a broken frame: `close` follows
  client.on('message', (bytes, isBinary) => {
    const verdict = isBinary ? { kind: 'malformed' as const } : judgeInbound(textOf(bytes), view(), obligations);
    if (verdict.kind === 'malformed') {
      watch?.onEndedBy('error');
      return client.close(MALFORMED, 'not a message of this socket');
    }
    if (verdict.kind === 'passed') sendOn(nvr, verdict.text, client);
  });
  nvr.on('message', (bytes, isBinary) => {
    const text = isBinary ? undefined : toldOf(textOf(bytes), view(), obligations);
    if (text !== undefined) sendOn(client, text, nvr);
  });
  client.once('close', () => {
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
  pingUntilClosed(client, () => watch?.onEndedBy('idle'));
  nvr.resume();
}

/** What is nested too deep to be read to its end is told to nobody: the reader's stack is exhausted, and not the process. */
function toldOf(text: string, view: CameraView, obligations: MessageObligations): string | undefined {
  try {
    return narrowOutbound(text, view, obligations);
  } catch {
    return undefined;
  }
}

/** Back-pressure: the sender is not read while its words wait at a slow reader. */
function sendOn(reader: WebSocket, text: string, sender: WebSocket): void {
  if (reader.readyState !== WebSocket.OPEN) return;
  reader.send(text, () => {
    if (sender.isPaused && reader.bufferedAmount < MOST_WAITING) sender.resume();
  });
  if (reader.bufferedAmount >= MOST_WAITING) sender.pause();
}

function pingUntilClosed(client: WebSocket, onSilence: () => void): void {
  let isAlive = true;
  client.on('pong', () => {
    isAlive = true;
  });
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
}

/** With the default `binaryType` a message is one buffer. */
const textOf = (bytes: RawData): string => (bytes instanceof Buffer ? bytes.toString('utf8') : '');
