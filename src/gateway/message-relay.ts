/** A WebSocket whose every message is judged, both ways: a server to the client, a client to the NVR (SPEC 5, 6). */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import type { MessageTerms } from '../access/access-verdict.ts';
import { type CameraView, viewOf } from '../access/camera-view.ts';
import { judgeInbound, narrowOutbound } from '../access/narrow-messages.ts';
import type { Caller } from '../domain/caller.ts';
import type { RefusalReason } from '../domain/refusal.ts';
import type { Upstream } from '../domain/socket-address.ts';
import type { Rules } from './admit.ts';
import type { UpstreamWatch } from './gate-watch.ts';

export interface RelayRules {
  /** Seconds until the NVR has switched protocols. */
  readonly timeoutResponse: number;
  readonly ca: string | undefined;
  readonly verify: boolean;
}

export interface JudgedSocket {
  readonly upstream: Upstream;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  /** As it is now: cameras come and go while a socket is open. */
  readonly view: () => CameraView;
  readonly terms: MessageTerms;
  readonly watch?: UpstreamWatch;
  /** Told how to end the sockets with a close code, once they are open. */
  readonly onOpen?: (end: (code: number) => void) => void;
  /** Called at most once, and only before the client's socket is open. */
  readonly onFailure: (reason: RefusalReason) => void;
}

/** What pages send is a topic and a word; what the NVR sends is at most the state of all cameras. */
const LARGEST_FROM_CLIENT = 64 * 1024;
const LARGEST_FROM_NVR = 16 * 1024 * 1024;
/** Bytes that wait for a slow client; with more, the NVR is not read. */
const MOST_WAITING = 1024 * 1024;
/** A client that has gone without a word is noticed within two of these. */
const PING_MS = 30_000;

/** 101 Switching Protocols. */
const SWITCHED = 101;
/** A side that does not answer a close frame is cut off. */
const GOODBYE_MS = 1_000;

const MALFORMED = 1007;
const GOING_AWAY = 1001;
/** RFC 6455 7.4.1: these are never sent. */
const NOT_SENT: readonly number[] = [1004, 1005, 1006, 1015];

/** What the caller sees at this moment; made anew only when the NVR has changed. */
export function currentView(caller: Caller, rules: () => Pick<Rules, 'surroundings'>): () => CameraView {
  let { layout } = rules().surroundings();
  let view = viewOf(caller, layout);
  return () => {
    const { layout: latest } = rules().surroundings();
    if (latest !== layout) {
      layout = latest;
      view = viewOf(caller, layout);
    }
    return view;
  };
}

export type MessageRelay = (request: IncomingMessage, socket: Duplex, head: Buffer, judged: JudgedSocket) => void;

export function createMessageRelay(rules: RelayRules): MessageRelay {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: LARGEST_FROM_CLIENT,
    perMessageDeflate: false,
    handleProtocols: () => false,
  });
  return (request, socket, head, judged) => {
    judged.watch?.onAsked();
    const nvr = connect(judged, rules);
    let isOpen = false;
    nvr.once('open', () => {
      nvr.pause(); // nobody listens until the client's side is open
      server.handleUpgrade(request, socket, head, (client) => {
        isOpen = true;
        judged.watch?.onHead(SWITCHED);
        join(client, nvr, judged);
      });
    });
    nvr.once('error', (error) => {
      if (isOpen) return;
      judged.watch?.onUpstreamError('code' in error && typeof error.code === 'string' ? error.code : '');
      judged.onFailure(failureOf(error));
    });
    socket.once('close', () => nvr.terminate());
  };
}

function connect({ upstream, target, headers }: JudgedSocket, { timeoutResponse, ca, verify }: RelayRules): WebSocket {
  return new WebSocket(addressOf(upstream, target), {
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN_HANDSHAKE.test(name))),
    handshakeTimeout: timeoutResponse * 1000,
    maxPayload: LARGEST_FROM_NVR,
    perMessageDeflate: false,
    followRedirects: false,
    rejectUnauthorized: verify,
    ...(ca === undefined ? {} : { ca }),
  });
}

/** This side shakes hands for itself. */
const OWN_HANDSHAKE = /^(?:sec-websocket-.*|connection|upgrade|content-length)$/;

function addressOf(upstream: Upstream, target: string): string {
  if (upstream.kind === 'unix') return `ws+unix:${upstream.path}:${target}`;
  const host = upstream.host.includes(':') ? `[${upstream.host}]` : upstream.host;
  return `${upstream.protocol === 'https:' ? 'wss' : 'ws'}://${host}:${upstream.port}${target}`;
}

/** Passes what may pass, closes both when one is closed. */
function join(client: WebSocket, nvr: WebSocket, { view, terms, watch, onOpen }: JudgedSocket): void {
  client.on('error', () => {}); // an oversized or broken frame: `close` follows
  nvr.on('error', () => {});
  client.on('message', (bytes, isBinary) => {
    const verdict = isBinary ? { kind: 'malformed' as const } : judgeInbound(textOf(bytes), view(), terms);
    if (verdict.kind === 'malformed') return client.close(MALFORMED, 'not a message of this socket');
    if (verdict.kind === 'passed') sendOn(nvr, verdict.text, client);
  });
  nvr.on('message', (bytes, isBinary) => {
    const text = isBinary ? undefined : toldOf(textOf(bytes), view(), terms);
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
  pingUntilClosed(client);
  nvr.resume();
}

/** What is nested too deep to be read to its end is told to nobody: the reader's stack is exhausted, and not the process. */
function toldOf(text: string, view: CameraView, terms: MessageTerms): string | undefined {
  try {
    return narrowOutbound(text, view, terms);
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

function pingUntilClosed(client: WebSocket): void {
  let isAlive = true;
  client.on('pong', () => {
    isAlive = true;
  });
  const timer = setInterval(() => {
    if (!isAlive) return client.terminate();
    isAlive = false;
    client.ping();
  }, PING_MS);
  timer.unref();
  client.once('close', () => clearInterval(timer));
}

/** With the default `binaryType` a message is one buffer. */
const textOf = (bytes: RawData): string => (bytes instanceof Buffer ? bytes.toString('utf8') : '');

const failureOf = (error: Error): RefusalReason =>
  error.message.startsWith('Unexpected server response')
    ? 'nvr-bad-answer'
    : error.message === 'Opening handshake has timed out'
      ? 'nvr-timeout'
      : 'nvr-unreachable';
