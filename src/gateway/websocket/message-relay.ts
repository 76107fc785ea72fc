/** WebSocket proxying with every message judged in both directions, the NVR's own or live signalling: a server to the client, a client to the NVR (SPEC 5, 6). */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import type { MessageObligations, SignallingObligations } from '../../access/access-verdict.ts';
import { type CameraView, createCameraView } from '../../access/camera-view.ts';
import { createLiveSignalling, type LiveVerdict } from '../../access/live-messages.ts';
import type { MessageRules } from '../../access/nvr-adapter.ts';
import { type Upstream, upstreamOrigin } from '../../domain/addresses.ts';
import type { Caller } from '../../domain/caller.ts';
import type { RefusalReason } from '../../domain/refusal.ts';
import { attempt } from '../../domain/result.ts';
import { codeOf } from '../../outbound/ask-upstream.ts';
import type { Rules } from '../decision/admit.ts';
import { upstreamFailure } from '../decision/upstream-failure.ts';
import type { ForwardRules } from '../forward/forwarder.ts';
import { type JudgedRequest, tellHead } from '../forward/judged-request.ts';
import { leaveInTurn, UNREAD, type UnreadMemory } from '../response/client-socket.ts';

export type JudgedSocket = Pick<JudgedRequest, 'target' | 'headers' | 'watch' | 'onHead' | 'onFailure' | 'onOpen'> & {
  readonly upstream: Upstream;
  readonly judge: MessageJudge;
};

/** Bytes of a message. Pages send topics and offers; the NVR sends at most the state of all cameras, or a piece of video. */
const LARGEST_FROM_CLIENT = 64 * 1024;
const LARGEST_FROM_NVR = 16 * 1024 * 1024;
/** 101 Switching Protocols. */
const SWITCHED = 101;
/** The cameras that the caller sees now; computed again only when the list of cameras, or how far back is seen, has changed. */
export function currentView(caller: Caller, rules: () => Pick<Rules, 'surroundings'>): () => CameraView {
  let around = rules().surroundings();
  let view = createCameraView(caller, around);
  return () => {
    const latest = rules().surroundings();
    if (latest.layout !== around.layout || (caller.history && latest.now !== around.now)) {
      around = latest;
      view = createCameraView(caller, around);
    }
    return view;
  };
}

export type MessageRelay = ReturnType<typeof createMessageRelay>;
type RelayRules = Pick<ForwardRules, 'timeoutResponse' | 'ca' | 'verify'>;

/** `unread`: the memory for what clients have not read. */
export function createMessageRelay(rules: RelayRules, unread = UNREAD) {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: LARGEST_FROM_CLIENT,
    perMessageDeflate: false,
    handleProtocols: () => false,
  });
  return (request: IncomingMessage, socket: Duplex, head: Buffer, judged: JudgedSocket): void => {
    judged.watch?.onAsked();
    const nvr = connect(judged, rules);
    let isDecided = false;
    const fail = (reason: RefusalReason, code: string, message: string): void => {
      if (isDecided) return;
      isDecided = true;
      judged.watch?.onUpstreamError(code, message);
      judged.onFailure(reason);
    };
    const timer = setTimeout(() => {
      fail('nvr-timeout', 'ETIMEDOUT', `no WebSocket handshake within ${rules.timeoutResponse} s`);
      nvr.terminate();
    }, rules.timeoutResponse * 1000);
    nvr.once('close', () => clearTimeout(timer));
    nvr.once('open', () => {
      clearTimeout(timer);
      if (isDecided) return;
      nvr.pause(); // no message may arrive before the client's side is open
      server.handleUpgrade(request, socket, head, (client) => {
        isDecided = true;
        tellHead(judged, SWITCHED);
        joinSockets(client, nvr, judged, unread);
      });
    });
    nvr.once('error', (error) => fail(toFailure(error), codeOf(error), error.message));
    socket.once('close', () => {
      isDecided = true; // a client that leaves before is no failure of the NVR
      leaveInTurn(() => nvr.terminate());
    });
  };
}

function connect({ upstream, target, headers }: JudgedSocket, { ca, verify }: RelayRules): WebSocket {
  return new WebSocket(socketAddress(upstream, target), {
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN_HANDSHAKE.test(name))),
    maxPayload: LARGEST_FROM_NVR,
    perMessageDeflate: false,
    followRedirects: false,
    rejectUnauthorized: verify,
    ...(ca === undefined ? {} : { ca }),
  });
}

/** The relay makes its own handshake with the NVR. */
const OWN_HANDSHAKE = /^(?:sec-websocket-.*|connection|upgrade|content-length)$/;

function socketAddress(upstream: Upstream, target: string): string {
  if (upstream.kind === 'unix') return `ws+unix:${upstream.path}:${target}`;
  return upstreamOrigin(upstream).replace(/^http/, 'ws') + target;
}

/** Errors of Node have a code. Those without one are of the WebSocket library: what the NVR sent is no handshake. */
const toFailure = (error: Error): RefusalReason => (codeOf(error) === '' ? 'nvr-bad-answer' : upstreamFailure(error));

/** Bytes that may wait for a slow reader; above it the sender is paused. */
const MOST_WAITING = 256 * 1024;
/** A client that vanished without closing is noticed within two of these. */
const PING_MS = 30_000;

/** A side that does not answer the close frame in this time is cut off. */
const GOODBYE_MS = 1_000;

const MALFORMED_CODE = 1007;
const GOING_AWAY = 1001;
/** RFC 6455 7.4.1: codes that must not be sent in a close frame. */
const NOT_SENT: readonly number[] = [1004, 1005, 1006, 1015];

/** Forwards the messages that may pass; when one side closes, closes the other. */
function joinSockets(
  client: WebSocket,
  nvr: WebSocket,
  { judge, watch, onOpen }: Pick<JudgedSocket, 'judge' | 'watch' | 'onOpen'>,
  unread: UnreadMemory,
): void {
  for (const side of [client, nvr]) side.on('error', () => watch?.onEndedBy('error')); // a broken frame: `close` follows
  client.on('message', (bytes, isBinary) => {
    const verdict = isBinary ? MALFORMED : judge.fromClient(String(bytes));
    if (verdict.kind === 'malformed') {
      watch?.onEndedBy('error');
      return client.close(MALFORMED_CODE, 'this message is not allowed on this WebSocket');
    }
    if (verdict.kind === 'passed') sendOn(nvr, verdict.text, client);
    if (verdict.kind === 'answered') sendOn(client, verdict.text, client);
  });
  const noteAlive = pingUntilClosed(client, () => watch?.onEndedBy('idle'));
  const waiting = unread.open(() => {
    watch?.onEndedBy('idle');
    client.terminate();
  });
  const noteWaiting = (): void => waiting.holds(client.bufferedAmount);
  nvr.on('message', (bytes, isBinary) => {
    // With the default `binaryType` a message is one buffer.
    const told = judge.fromNvr(bytes as Buffer, isBinary);
    if (told === undefined) return;
    sendOn(client, told, nvr, isBinary, () => {
      noteAlive();
      noteWaiting();
    });
    noteWaiting();
  });
  client.once('close', () => {
    waiting.end();
    watch?.onEndedBy('client');
    leaveInTurn(() => nvr.close(GOING_AWAY));
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
function sendOn(
  reader: WebSocket,
  data: Buffer | string,
  sender: WebSocket,
  binary = false,
  onSent?: () => void,
): void {
  if (reader.readyState !== WebSocket.OPEN) return;
  reader.send(data, { binary }, (fault) => {
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

/** Judges what passes a WebSocket, message by message: the NVR's own messages, or live signalling (SPEC 5). */
export interface MessageJudge {
  fromClient(text: string): LiveVerdict;
  /** What the client is told; undefined for nothing. A binary message passes as it is, or not at all. */
  fromNvr(message: Buffer, isBinary: boolean): Buffer | string | undefined;
}

/** No client sends anything binary. */
const MALFORMED: LiveVerdict = { kind: 'malformed' };

/** `view` is asked for each message: cameras come and go while a socket is open. */
export const judgeTopics = (
  rules: MessageRules,
  view: () => CameraView,
  obligations: MessageObligations,
): MessageJudge => ({
  fromClient: (text) => rules.fromClient(text, view(), obligations),
  fromNvr(message, isBinary) {
    const current = view();
    if (current.clearance === 'admin') return message;
    // JSON that is nested too deep exhausts the stack of its reader: such a message is dropped.
    return isBinary ? undefined : attempt(() => rules.fromNvr(String(message), current, obligations));
  },
});

/** The judge of one socket: playlists of the NVR are told, offers and candidates are counted. Pictures and answers pass untouched. */
export function judgeSignalling(
  obligations: SignallingObligations,
  onPlaylist?: (playlist: string) => void,
): MessageJudge {
  const { fromClient, fromServer } = createLiveSignalling(obligations, onPlaylist);
  return { fromClient, fromNvr: (message, isBinary) => (isBinary ? message : fromServer(String(message))) };
}
