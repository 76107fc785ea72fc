/** The first door: a request is judged, then answered by a route of our own, or forwarded on its terms. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type Koa from 'koa';
import { REFUSALS, type RefusalReason } from '../domain/refusal.ts';
import { type ListenerName, type RequestFacts, singleHeader } from '../domain/request.ts';
import type { CorridorState } from '../domain/verdict.ts';
import { type Admission, type Admitted, admit, type Client } from './admit.ts';
import { type Destination, destinationOf } from './destinations.ts';
import { admitDescribed, describedRequest, forwardAuthAnswer } from './forward-auth.ts';
import type { GateParts } from './gate.ts';
import type { RequestWatch } from './gate-watch.ts';
import { belowBasePath } from './ingress.ts';
import { judgedRequest, type Passage } from './judged-request.ts';
import { type Settled, settleTerms } from './narrow-terms.ts';
import { type Answer, refusalAnswer } from './refuse.ts';
import { requestFacts } from './request-facts.ts';
import type { UnknownRoutes } from './unknown-routes.ts';

/** What the first door hands to those behind it. */
export interface GateState extends CorridorState {
  facts: RequestFacts;
  admission: Admitted;
  watch: RequestWatch;
}

type Context = Koa.ParameterizedContext<GateState>;

const KEPT_REQUEST_ID = /^[\w.-]{1,64}$/;

export async function judged(
  ctx: Context,
  next: Koa.Next,
  listener: ListenerName,
  parts: GateParts,
  awaitsContinue: WeakSet<IncomingMessage>,
): Promise<void> {
  const facts = belowBasePath(requestFacts(ctx.req, listener), parts.rules());
  ctx.req.url = facts.target; // the service's own routes are matched by it
  const watch = parts.watch.onRequest(facts);
  let admission: Admission | undefined;
  let requestId = parts.newRequestId();
  ctx.res.once('close', () => {
    if (admission?.kind === 'admitted') noteUnknown(facts, admission, ctx.res, { ...parts, watch });
    watch.onEnd({ status: ctx.res.statusCode, isWhole: ctx.res.writableFinished, bytes: bodyBytes(facts, ctx.res) });
  });
  try {
    const rules = parts.rules();
    const question = describedRequest(facts, rules);
    admission = question ? await admitDescribed(facts, question, rules) : await admit(facts, rules);
    requestId = keptRequestId(facts, admission.client) ?? requestId;
    ctx.res.setHeader('X-Request-Id', requestId);
    watch.onDecision(admission, requestId, question?.described);
    if (admission.caller) parts.onCaller(admission.caller, admission.client, question?.described ?? facts);
    if (question) return await answerQuestion(ctx, facts, admission, requestId, parts);
    if (admission.kind !== 'admitted') return answerUnadmitted(ctx, facts, admission, requestId, parts);
    if (awaitsContinue.has(ctx.req)) ctx.res.writeContinue();
    Object.assign(ctx.state, stateOf(facts, admission, requestId), { watch });
    await next();
    await renewSession(ctx, ctx.state.admission, parts);
  } catch (fault) {
    watch.onFault(fault);
    send(ctx, refusalAnswer('internal-error', facts, requestId, parts.refusals()));
  }
}

function answerUnadmitted(
  ctx: Context,
  facts: RequestFacts,
  admission: Exclude<Admission, Admitted>,
  requestId: string,
  parts: GateParts,
): void {
  const isRefused = admission.kind === 'refused';
  send(
    ctx,
    isRefused ? refusalAnswer(admission.reason, facts, requestId, parts.refusals()) : jsonAnswer(admission.answer),
  );
}

/** A page answers at every path below the root: only what is no page is a route of its own. */
function noteUnknown(
  facts: RequestFacts,
  { route, target }: Admitted,
  response: ServerResponse,
  { unknownRoutes, watch }: { unknownRoutes: UnknownRoutes; watch: RequestWatch },
): void {
  if (route.kind !== 'unlisted' || response.statusCode >= 400) return;
  if (String(response.getHeader('content-type') ?? '').startsWith('text/html')) return;
  unknownRoutes.note(facts.method, target.segments);
  watch.onUnknownRoute();
}

/** What its head says that the body is long; a head alone, or "not modified", has none. */
const bodyBytes = ({ method }: RequestFacts, response: ServerResponse): number =>
  method === 'HEAD' || response.statusCode === 304 ? 0 : Number(response.getHeader('content-length') ?? 0);

/** A proxy in front asked about a request of its own client (SPEC 4.2). */
async function answerQuestion(
  ctx: Context,
  facts: RequestFacts,
  admission: Admission,
  requestId: string,
  parts: GateParts,
): Promise<void> {
  send(ctx, forwardAuthAnswer(admission, facts, requestId, parts.refusals()));
  if (admission.kind === 'admitted') await renewSession(ctx, admission, parts);
}

const jsonAnswer = (body: string): Answer => ({
  status: 200,
  headers: { 'content-type': 'application/json', 'cache-control': 'private' },
  body,
});

function send(ctx: Context, answer: Answer): void {
  if (ctx.res.headersSent || ctx.res.destroyed) return void ctx.res.destroy();
  // The body of a refused request is not read, so the connection cannot be used for another one.
  if (ctx.req.headers['content-length'] !== undefined || ctx.req.headers['transfer-encoding'] !== undefined) {
    ctx.set('Connection', 'close');
  }
  ctx.respond = true;
  ctx.body = answer.body;
  ctx.status = answer.status;
  ctx.set(answer.headers);
}

const keptRequestId = (facts: RequestFacts, client: Client): string | undefined => {
  const received = client.viaTrustedProxy ? singleHeader(facts, 'x-request-id') : undefined;
  return received !== undefined && KEPT_REQUEST_ID.test(received) ? received : undefined;
};

const stateOf = (facts: RequestFacts, admission: Admitted, requestId: string): Omit<GateState, 'watch'> => ({
  facts,
  admission,
  requestId,
  caller: admission.caller,
  clientAddress: admission.client.address,
  clientEncrypted: admission.client.encrypted,
  ...(facts.basePath === undefined ? {} : { basePath: facts.basePath }),
  clientAgent: singleHeader(facts, 'user-agent'),
});

/** A route that set a cookie itself (login, logout) has the last word. */
async function renewSession(ctx: Context, { caller, client }: Admitted, parts: GateParts): Promise<void> {
  if (!caller || ctx.res.headersSent || ctx.res.hasHeader('set-cookie')) return;
  const cookie = await parts.renewal(caller, client);
  if (cookie !== undefined) ctx.res.appendHeader('set-cookie', cookie);
}

export async function forwarded(ctx: Context, parts: GateParts): Promise<void> {
  const { facts, admission, requestId, watch } = ctx.state;
  const destination = destinationOf(facts.method, admission.target, parts.destinations());
  if (destination.kind === 'nobody') return send(ctx, refusalAnswer('no-nvr', facts, requestId, parts.refusals()));
  const refusal = (reason: RefusalReason): Answer => {
    tell(reason, watch);
    return refusalAnswer(reason, facts, requestId, parts.refusals());
  };
  const settled = await settledTerms(ctx, destination, parts);
  if (settled.kind === 'refused') return send(ctx, refusal(settled.reason));
  await renewSession(ctx, ctx.state.admission, parts);
  if (settled.kind === 'answered') return send(ctx, jsonAnswer(settled.json));
  const { kind: _, ...sent } = settled;
  ctx.respond = false;
  if (admission.caller && !ctx.res.destroyed) {
    ctx.res.once(
      'close',
      parts.openStreams.add(admission.caller, { request: facts, terms: admission.terms }, (_, by) => {
        watch.onEndedBy(by);
        ctx.res.destroy();
      }),
    );
  }
  parts.forwarder.web(ctx.req, ctx.res, destination.upstream, {
    ...judgedRequest(destination, passageOf(ctx.state), parts.headers(), sent),
    watch,
    onFailure: (reason) => end(ctx.res, refusal(failureAt(destination, reason))),
  });
}

/** Nothing is to be settled of most requests, nor of what a route of our own has left of one. */
function settledTerms(
  { req, state: { admission, sentInstead } }: Context,
  destination: Exclude<Destination, { kind: 'nobody' }>,
  { desk, rules }: GateParts,
): Settled | Promise<Settled> {
  if (sentInstead) return { kind: 'sent', body: sentInstead.body };
  if (!admission.terms) return { kind: 'sent' };
  return settleTerms(req, admission, destination, { ...desk, owners: rules().owners });
}

/** What a route of our own has left of the request, if it took a part. */
const passageOf = ({ facts, requestId, admission, sentInstead }: GateState): Passage => {
  const query = sentInstead?.query ?? admission.target.query;
  return { facts, requestId, admission: { ...admission, target: { ...admission.target, query } } };
};

/** Found out only on the way, but a refusal all the same. */
function tell(reason: RefusalReason, watch: RequestWatch): void {
  if (REFUSALS[reason].status >= 500) watch.onFailure(reason);
  else watch.onRefusal(reason);
}

/** Koa has let go of the response by now. */
function end(response: ServerResponse, { status, headers, body }: Answer): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  response.writeHead(status, { ...headers, connection: 'close' }).end(body);
}

const failureAt = (destination: Destination, reason: RefusalReason): RefusalReason =>
  destination.kind === 'events-backend' && REFUSALS[reason].status >= 500 ? 'backend-unavailable' : reason;
