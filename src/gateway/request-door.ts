/** The first door: a request is judged, and answered with a refusal here, or by whoever stands behind. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type Koa from 'koa';
import { type ListenerName, type RequestFacts, singleHeader } from '../domain/request.ts';
import type { CorridorState } from '../domain/verdict.ts';
import { type Admission, type Admitted, admit, type Client } from './admit.ts';
import { admitDescribed, describedRequest, forwardAuthAnswer } from './forward-auth.ts';
import type { GateParts } from './gate.ts';
import type { RequestWatch } from './gate-watch.ts';
import { belowBasePath } from './ingress.ts';
import { type Answer, refusalAnswer } from './refuse.ts';
import { requestFacts } from './request-facts.ts';

/** What the first door hands to those behind it. */
export interface GateState extends CorridorState {
  facts: RequestFacts;
  admission: Admitted;
  watch: RequestWatch;
}

export type Context = Koa.ParameterizedContext<GateState>;

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
    watch.onEnd({ status: ctx.res.statusCode, isWhole: ctx.res.writableFinished, bytes: bodyBytes(facts, ctx.res) });
  });
  try {
    const rules = parts.rules();
    const question = describedRequest(facts, rules);
    admission = question ? await admitDescribed(facts, question, rules) : await admit(facts, rules);
    requestId = keptRequestId(facts, admission.client) ?? requestId;
    watch.onDecision(admission, requestId, question?.described);
    if (admission.caller) parts.onCaller(admission.caller, admission.client, question?.described ?? facts);
    if (question) return await answerQuestion(ctx, facts, admission, requestId, parts);
    if (admission.kind !== 'admitted') return answerUnadmitted(ctx, facts, admission, requestId, parts);
    if (awaitsContinue.has(ctx.req)) ctx.res.writeContinue();
    Object.assign(ctx.state, stateOf(facts, admission, requestId), { watch });
    await next();
    if (ctx.respond !== false) await renewSession(ctx, ctx.state.admission, parts);
  } catch (fault) {
    watch.onFault(fault);
    send(ctx, refusalAnswer('internal-error', facts, requestId, parts.refusals()), requestId);
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
    requestId,
  );
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
  send(ctx, forwardAuthAnswer(admission, facts, requestId, parts.refusals()), requestId);
  if (admission.kind === 'admitted') await renewSession(ctx, admission, parts);
}

export const jsonAnswer = (body: string): Answer => ({
  status: 200,
  headers: { 'content-type': 'application/json', 'cache-control': 'private' },
  body,
});

export function send(ctx: Context, answer: Answer, requestId: string): void {
  if (ctx.res.headersSent || ctx.res.destroyed) return void ctx.res.destroy();
  ctx.res.setHeader('X-Request-Id', requestId);
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
