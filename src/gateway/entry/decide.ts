/** Second in the pipeline: the decision. A refusal is sent here; what is admitted goes on, with the target as it was judged. */
import { isServedHere } from '../../access/route-table.ts';
import { type MaybePromise, mapMaybe } from '../../domain/async.ts';
import { isVisitor } from '../../domain/credentials.ts';
import { type RequestFacts, type RequestTarget, singleHeader } from '../../domain/request.ts';
import { type Admission, type Admitted, admit, type Rules, refused } from '../decision/admit.ts';
import type { TakePlace } from '../decision/client-limits.ts';
import type { Client } from '../decision/request-facts.ts';
import { parseTarget } from '../decision/strict-target.ts';
import type { Gate } from '../gate.ts';
import { jsonResponse, toNewPassword, viewedResponse } from '../response/error-responses.ts';
import { admitDescribed, describedRequest, type ForwardAuthDescription, forwardAuthRefusal } from './forward-auth.ts';
import { lostMeanwhile, type Middleware, type PipelineContext, refusalFor, respond } from './pipeline.ts';

type DecideGate = Pick<Gate, 'rules' | 'refusals' | 'onCaller' | 'enter' | 'visitorFault' | 'recheck'>;

/** Not an async function: most requests are decided without waiting, and each promise would cost them. */
export function decide(gate: DecideGate): Middleware {
  return (ctx, next) => {
    const { facts, takePlace } = ctx.state;
    const rules = gate.rules();
    const question = describedRequest(facts, rules);
    const admission = question
      ? admitDescribed(facts, question, rules, takePlace)
      : admitOrIndex(facts, rules, takePlace);
    const current = mapMaybe(admission, (known) => (hasWaited(known) ? stillAdmitted(known, gate) : known));
    const settled = mapMaybe(current, (known) => (isOfVisitor(known) ? entered(known, facts, gate) : known));
    return Promise.resolve(mapMaybe(settled, (known) => actOn(known, ctx, question, gate) && next()));
  };
}

/** The path itself is not forwarded: the request that is admitted in its place is the one for the index page. */
function admitOrIndex(facts: RequestFacts, rules: Rules, takePlace: TakePlace): MaybePromise<Admission> {
  return mapMaybe(admit(facts, rules, takePlace), (admission) => {
    const isUnlisted = admission.kind === 'refused' && admission.reason === 'route-unlisted';
    const index = isUnlisted ? asIndexPage(facts) : undefined;
    if (!index) return admission;
    return mapMaybe(admit(index, rules, takePlace), (instead) => (instead.kind === 'admitted' ? instead : admission));
  });
}

const hasWaited = (admission: Admission): admission is Admitted =>
  admission.kind === 'admitted' && admission.obligations?.owners !== undefined;

/** While the NVR was asked whose an id is, the caller may have lost the rights. */
async function stillAdmitted(admission: Admitted, gate: DecideGate): Promise<Admission> {
  const { caller, client } = admission;
  const reason = await lostMeanwhile(caller, gate);
  return reason ? refused(reason, client, caller) : admission;
}

const isOfVisitor = ({ caller }: Admission): boolean => caller !== undefined && isVisitor(caller);

/** A visitor is counted last: a request that is refused uses nothing up. */
async function entered(admission: Admission, facts: RequestFacts, gate: DecideGate): Promise<Admission> {
  const { caller, client, kind } = admission;
  if (!caller || kind === 'nothing-visible') return admission;
  if (kind === 'refused') {
    const [path = ''] = facts.target.split('?');
    const reason = await gate.visitorFault?.(caller, path, admission.reason);
    return { ...admission, reason: reason ?? admission.reason };
  }
  const reason = await gate.enter(caller, client, facts);
  return reason ? refused(reason, client, caller) : admission;
}

/** `question`: what a proxy asks about, if it does. Undefined: the response was sent. */
function actOn(
  admission: Admission,
  ctx: PipelineContext,
  question: ForwardAuthDescription | undefined,
  gate: DecideGate,
): true | undefined {
  const { state } = ctx;
  const { facts, watch } = state;
  const { caller, client } = admission;
  state.requestId = receivedRequestId(facts, client) ?? state.requestId;
  watch.onDecision(admission, state.requestId, question?.described);
  if (caller) gate.onCaller(caller, client, question?.described ?? facts);
  if (admission.kind === 'refused') {
    const refusal = refusalFor(ctx, caller, admission, gate);
    return void respond(ctx, question ? forwardAuthRefusal(refusal) : refusal);
  }
  if (admission.kind === 'nothing-visible')
    return void respond(ctx, viewedResponse(jsonResponse(admission.body, gate.refusals), caller));
  const elsewhere = caller && !isServedHere(admission.route) && toNewPassword(caller, facts, gate.refusals);
  if (elsewhere) return void respond(ctx, elsewhere);
  state.admission = admission;
  state.isForwardAuth = question !== undefined;
  state.describedMethod = question?.described?.method ?? facts.method;
  ctx.url = targetUrl(admission.target);
  if (awaitsContinue(facts)) ctx.res.writeContinue();
  return true;
}

const targetUrl = ({ path, query }: RequestTarget): string => (query === '' ? path : `${path}?${query}`);

/** The client waits for leave to send its body; it gets it only when admitted. HTTP/1.0 has no interim responses. */
const awaitsContinue = ({ headers, httpVersion }: RequestFacts): boolean =>
  headers['expect'] !== undefined && httpVersion !== '1.0';

const REQUEST_ID = /^[\w.-]{1,64}$/;

function receivedRequestId(facts: RequestFacts, client: Client): string | undefined {
  const received = client.viaTrustedProxy ? singleHeader(facts, 'x-request-id') : undefined;
  return received !== undefined && REQUEST_ID.test(received) ? received : undefined;
}

/** Ids have a dot in their middle: `17.5-abc`. */
const FILE = /\.\w*$/;

/**
 * First segments below which the NVR's web server, or Postern, serves something else than pages. The web server takes every path
 * that begins with `/ws` for the WebSocket.
 */
const NO_PAGES =
  /^(?:ws.*|api|auth|live|vod|vod-not-found|stream|clips|recordings|exports|cache|assets|fonts|locales|images|login|logout|invitation|postern.*|s|\.well-known)$/i;

/** The request for the index page that stands for this one; undefined where no page is asked for. Nothing of its path or query is left. */
function asIndexPage(request: RequestFacts): RequestFacts | undefined {
  const segments = opensPage(request) ? parseTarget(request.target)?.segments : undefined;
  if (!segments || NO_PAGES.test(segments[0] ?? '') || FILE.test(segments.at(-1) ?? '')) return undefined;
  return { ...request, target: '/' };
}

function opensPage(request: RequestFacts): boolean {
  if (request.isUpgrade || request.method !== 'GET') return false;
  return (
    singleHeader(request, 'sec-fetch-dest') === 'document' ||
    singleHeader(request, 'accept')?.includes('text/html') === true
  );
}
