/** WebSocket upgrades: decided by the same steps as a request, then proxied unread, or relayed message by message. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Obligations } from '../../access/access-verdict.ts';
import { adapterFor } from '../../access/route-table.ts';
import { Ending } from '../../domain/async.ts';
import type { RefusalFacts, RefusalReason } from '../../domain/refusal.ts';
import type { ListenerName } from '../../domain/request.ts';
import type { CountedSocket } from '../../telemetry/watch-gate.ts';
import { type Admitted, admit } from '../decision/admit.ts';
import { findDestination } from '../decision/destinations.ts';
import { noteStarted } from '../decision/owner-lookup.ts';
import { belowBasePath, requestFacts } from '../decision/request-facts.ts';
import { type HeadListener, judgedRequest } from '../forward/judged-request.ts';
import type { Gate } from '../gate.ts';
import { errorReaderFor } from '../narrow/response-filter.ts';
import { errorResponse, reasonOfFault } from '../response/error-responses.ts';
import { currentView, judgeSignalling, judgeTopics, type MessageJudge } from '../websocket/message-relay.ts';
import { refuseUpgrade } from '../websocket/proxy-upgrade.ts';
import { endWithRights, REFUSED_FOR } from './open-streams.ts';
import { viewingNoter } from './pipeline.ts';

/** `handleUpgrade` responds to faults behind it. A fault of its own costs this connection, and no other. */
export const upgradesTo =
  (listener: ListenerName, gate: Gate) =>
  (request: IncomingMessage, socket: Duplex, head: Buffer): void =>
    void handleUpgrade(request, socket, head, listener, gate).catch(() => socket.destroy());

async function handleUpgrade(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  listener: ListenerName,
  gate: Gate,
): Promise<void> {
  socket.on('error', () => {}); // before anything else: a reset now would end the process
  const facts = belowBasePath(requestFacts(request, listener, head), gate.rules());
  const requestId = gate.newRequestId();
  const watch = gate.watch.onRequest(facts, request.socket satisfies CountedSocket);
  let status: number | undefined;
  let hasHead = false;
  const ending = new Ending();
  /** A client that ends its side before the head of a response has left, as that of a plain request has. */
  const leaveAtEnd = (): void => void (hasEnded(socket) && socket.destroy());
  socket.on('readable', leaveAtEnd);
  const takePlace = gate.clientLimits.placeUntil(ending);
  socket.once('close', () => {
    watch.onEnd({ status, isWhole: status !== undefined || hasHead, bytes: 0 });
    ending.end();
  });
  const refuse = (reason: RefusalReason, more?: RefusalFacts): void => {
    const response = errorResponse(reason, facts, requestId, gate.refusals, more);
    status = response.status;
    socket.off('readable', leaveAtEnd);
    refuseUpgrade(socket, response, requestId);
  };
  try {
    const admission = await admit(facts, gate.rules(), takePlace);
    watch.onDecision(admission, requestId);
    if (admission.kind === 'refused') return refuse(admission.reason, admission);
    if (admission.kind === 'nothing-visible') return refuse('camera-not-in-role');
    const destination = findDestination('WS', admission.target, gate.destinations);
    if (!destination) return refuse('no-nvr');
    const onFailure = (reason: RefusalReason): void => {
      watch.onFailure(reason);
      refuse(reason);
    };
    const sharer = takePlace(admission, gate.rules().trusted);
    if (!sharer) {
      watch.onRefusal('client-busy');
      return refuse('client-busy');
    }
    const sent = judgedRequest(destination, { facts, admission, requestId }, gate.headers());
    /** A close frame, once the socket is open; before the 101 a refusal, or a cut at a stop. */
    let endSocket: ((code: number) => void) | undefined;
    const onOpen = (end: (code: number) => void): void => {
      endSocket = end;
    };
    ending.defer(gate.openStreams.addSocket(() => (endSocket ? endSocket(GOING_AWAY) : socket.destroy())));
    endWithRights(gate.openStreams, { request: facts, admission }, { watch, ending }, (code) =>
      endSocket ? endSocket(code) : refuse(REFUSED_FOR[code]),
    );
    if (Object.keys(admission.obligations ?? {}).some((kind) => !MET.has(kind))) return refuse('not-narrowable');
    const judge = messageJudge(admission, gate);
    const noteViewing = viewingNoter(gate.viewings, { admission, method: 'WS' }, ending);
    const onHead: HeadListener = (...head) => {
      hasHead = true;
      socket.off('readable', leaveAtEnd);
      noteViewing?.(...head);
    };
    const { upstream } = destination;
    const passed = { ...sent, watch, onOpen, onHead, onFailure };
    const forward = (): void => {
      if (!socket.writable) return;
      if (judge) gate.relay(request, socket, head, { ...passed, upstream, judge });
      else
        gate.passUpgrade(request, socket, head, upstream, {
          ...passed,
          errorReader: errorReaderFor(admission, destination, gate.rules),
        });
    };
    if (ending.isOver) return;
    ending.defer(gate.upstreamSlots.take(upstream, sharer, forward, () => onFailure('nvr-busy')));
  } catch (fault) {
    watch.onFault(fault);
    refuse(reasonOfFault(fault));
  }
}

/** Obligations that an upgrade fulfils. */
const MET: ReadonlySet<string> = new Set<keyof Obligations>(['view', 'owners', 'messages', 'signalling', 'startedFor']);

/** Whether a client has ended its side: 'end' comes behind what it has sent ahead, which is not read before the 101. */
const hasEnded = (socket: Duplex): boolean =>
  (socket as Duplex & { readonly _readableState: { readonly ended: boolean } })._readableState.ended;

/** Undefined for a WebSocket whose frames pass unread. */
function messageJudge(
  { caller, obligations, route }: Admitted,
  { rules }: Pick<Gate, 'rules'>,
): MessageJudge | undefined {
  const { messages, signalling, startedFor } = obligations ?? {};
  const { messages: ofNvr } = adapterFor(route);
  if (messages && caller && ofNvr) return judgeTopics(ofNvr, currentView(caller, rules), messages);
  return signalling && judgeSignalling(signalling, startedFor && ((playlist) => noteStarted(startedFor, playlist)));
}

/** RFC 6455 7.4.1: the service goes down. */
const GOING_AWAY = 1001;
