/** WebSocket proxying with every message judged in both directions: a server to the client, a client to the NVR (SPEC 5, 6). */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { type CameraView, viewOf } from '../../access/camera-view.ts';
import { originOf, type Upstream } from '../../domain/addresses.ts';
import type { Caller } from '../../domain/caller.ts';
import type { RefusalReason } from '../../domain/refusal.ts';
import type { Rules } from '../decision/admit.ts';
import { tellHead } from '../decision/gate-watch.ts';
import { codeOf, upstreamFailure } from '../decision/upstream-failure.ts';
import { UNREAD } from '../response/unread.ts';
import { type JudgedSockets, joinSockets } from './join-sockets.ts';

export interface RelayRules {
  /** Seconds until the NVR has switched protocols. */
  readonly timeoutResponse: number;
  readonly ca: string | undefined;
  readonly verify: boolean;
}

export interface JudgedSocket extends JudgedSockets {
  readonly upstream: Upstream;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  /** Called at most once, and only before the client's socket is open. */
  readonly onFailure: (reason: RefusalReason) => void;
}

/** Bytes of a message. Pages send topics and offers; the NVR sends at most the state of all cameras, or a piece of video. */
const LARGEST_FROM_CLIENT = 64 * 1024;
const LARGEST_FROM_NVR = 16 * 1024 * 1024;
/** 101 Switching Protocols. */
const SWITCHED = 101;
/** The cameras that the caller sees now; computed again only when the list of cameras, or how far back is seen, has changed. */
export function currentView(caller: Caller, rules: () => Pick<Rules, 'surroundings'>): () => CameraView {
  let { layout, now } = rules().surroundings();
  let view = viewOf(caller, now, layout);
  return () => {
    const latest = rules().surroundings();
    if (latest.layout !== layout || (caller.history && latest.now !== now)) {
      ({ layout, now } = latest);
      view = viewOf(caller, now, layout);
    }
    return view;
  };
}

export type MessageRelay = (request: IncomingMessage, socket: Duplex, head: Buffer, judged: JudgedSocket) => void;

/** `unread`: the memory for what clients have not read. */
export function createMessageRelay(rules: RelayRules, unread = UNREAD): MessageRelay {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: LARGEST_FROM_CLIENT,
    perMessageDeflate: false,
    handleProtocols: () => false,
  });
  return (request, socket, head, judged) => {
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
    nvr.once('error', (error) => fail(failureOf(error), codeOf(error), error.message));
    socket.once('close', () => {
      isDecided = true; // a client that leaves before is no failure of the NVR
      nvr.terminate();
    });
  };
}

function connect({ upstream, target, headers }: JudgedSocket, { ca, verify }: RelayRules): WebSocket {
  return new WebSocket(addressOf(upstream, target), {
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

function addressOf(upstream: Upstream, target: string): string {
  if (upstream.kind === 'unix') return `ws+unix:${upstream.path}:${target}`;
  return originOf(upstream).replace(/^http/, 'ws') + target;
}

/** Errors of Node have a code. Those without one are of the WebSocket library: what the NVR sent is no handshake. */
const failureOf = (error: Error): RefusalReason => (codeOf(error) === '' ? 'nvr-bad-answer' : upstreamFailure(error));
