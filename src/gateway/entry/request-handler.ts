/** The first door: a request is judged, and answered with a refusal here, or by whoever stands behind. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ListenerName, type RequestFacts, singleHeader } from '../../domain/request.ts';
import { type Admission, type Admitted, admit, type Client } from '../decision/admit.ts';
import { belowBasePath } from '../decision/base-path.ts';
import { requestFacts } from '../decision/request-facts.ts';
import { type Answer, jsonAnswer, reasonOfFault, refusalAnswer } from '../response/refuse.ts';
import { send } from '../response/send.ts';
import { admitDescribed, asksForAuth, describedRequest, forwardAuthAnswer, knownAnswer } from './forward-auth.ts';
import type { GateDeps } from './gate-deps.ts';
import { createOwnRoutes } from './own-routes.ts';
import { proxyRequest } from './proxy-request.ts';
import type { AdmittedRequest, RequestContext } from './request-context.ts';

/** `awaitsContinue`: the client waits for leave to send its body, which it gets only when admitted. */
export type RequestHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  awaitsContinue: boolean,
) => Promise<void>;

const KEPT_REQUEST_ID = /^[\w.-]{1,64}$/;

export function createRequestHandler(listener: ListenerName, parts: GateDeps): RequestHandler {
  const ownRoutes = createOwnRoutes(parts);
  return async (request, response, awaitsContinue) => {
    const rules = parts.rules();
    const facts = belowBasePath(requestFacts(request, listener), rules);
    request.url = facts.target; // the service's own routes are matched by it
    const visit: RequestContext = { request, response, facts, watch: parts.watch.onRequest(facts) };
    const { watch } = visit;
    let requestId = parts.newRequestId();
    response.on('close', () => {
      watch.onEnd({ status: response.statusCode, isWhole: response.writableFinished, bytes: bodyBytes(visit) });
    });
    try {
      const question = describedRequest(facts, rules);
      const judged = question ? admitDescribed(facts, question, rules) : admit(facts, rules);
      const admission = judged instanceof Promise ? await judged : judged;
      const { caller, client } = admission;
      requestId = keptRequestId(facts, client) ?? requestId;
      watch.onDecision(admission, requestId, question?.described);
      if (caller) parts.onCaller(caller, client, question?.described ?? facts);
      if (question) return await answerQuestion(visit, admission, requestId, parts);
      if (admission.kind !== 'admitted') return send(visit, answerOf(admission, facts, requestId, parts), requestId);
      if (awaitsContinue) response.writeContinue();
      if (asksForAuth(facts)) return await answerKnown(visit, admission, requestId, parts);
      const guest: AdmittedRequest = { ...visit, admission, requestId };
      const asked = ownRoutes.asked(admission.target.segments);
      await (asked ? ownRoutes.answer(guest, asked) : proxyRequest(guest, parts));
    } catch (fault) {
      watch.onFault(fault);
      send(visit, refusalAnswer(reasonOfFault(fault), facts, requestId, parts.refusals()), requestId);
    }
  };
}

const answerOf = (
  admission: Exclude<Admission, Admitted>,
  facts: RequestFacts,
  requestId: string,
  parts: GateDeps,
): Answer =>
  admission.kind === 'refused'
    ? refusalAnswer(admission.reason, facts, requestId, parts.refusals())
    : jsonAnswer(admission.answer);

/** What its head says that the body is long; a head alone, or "not modified", has none. */
const bodyBytes = ({ facts: { method }, response }: RequestContext): number =>
  method === 'HEAD' || response.statusCode === 304 ? 0 : Number(response.getHeader('content-length') ?? 0);

/** A proxy in front asked about a request of its own client (SPEC 4.2). */
async function answerQuestion(
  visit: RequestContext,
  admission: Admission,
  requestId: string,
  parts: GateDeps,
): Promise<void> {
  const { caller, client } = admission;
  const cookie = admission.kind === 'admitted' && caller ? await parts.renewal(caller, client) : undefined;
  send(visit, forwardAuthAnswer(admission, visit.facts, requestId, parts.refusals()), requestId, cookie);
}

/** The same question without a description: is whoever asks known? It refreshes a session (interface 5.1.5). */
async function answerKnown(
  visit: RequestContext,
  { caller, client }: Admitted,
  requestId: string,
  parts: GateDeps,
): Promise<void> {
  if (!caller) {
    return send(visit, refusalAnswer('no-credentials', visit.facts, requestId, parts.refusals()), requestId);
  }
  const refreshed = parts.refresh(caller, client);
  send(visit, knownAnswer(caller), requestId, refreshed instanceof Promise ? await refreshed : refreshed);
}

const keptRequestId = (facts: RequestFacts, client: Client): string | undefined => {
  const received = client.viaTrustedProxy ? singleHeader(facts, 'x-request-id') : undefined;
  return received !== undefined && KEPT_REQUEST_ID.test(received) ? received : undefined;
};
