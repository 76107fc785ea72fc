/** Behind the first door: an admitted request that no route of our own answers is forwarded, on its terms. */
import type { ServerResponse } from 'node:http';
import { type Caller, hasSameRights } from '../domain/caller.ts';
import { REFUSALS, type RefusalReason } from '../domain/refusal.ts';
import { type Destination, destinationOf } from './destinations.ts';
import type { GateParts } from './gate.ts';
import type { RequestWatch, UpstreamWatch } from './gate-watch.ts';
import { judgedRequest, type Passage } from './judged-request.ts';
import { type Settled, settleTerms } from './narrow-terms.ts';
import { type Answer, refusalAnswer } from './refuse.ts';
import { type Context, type GateState, jsonAnswer, send } from './request-door.ts';

export async function passOn(ctx: Context, parts: GateParts): Promise<void> {
  const { facts, admission, requestId, watch } = ctx.state;
  const destination = destinationOf(facts.method, admission.target, parts.destinations());
  const refusal = (reason: RefusalReason): Answer => refusalAnswer(reason, facts, requestId, parts.refusals());
  if (destination.kind === 'nobody') return send(ctx, refusal('no-nvr'), requestId);
  const settled = await stillAllowed(await settledTerms(ctx, destination, parts), admission.caller, parts);
  if (settled.kind === 'refused') {
    tell(settled.reason, watch);
    return send(ctx, refusal(settled.reason), requestId);
  }
  if (settled.kind === 'answered') return send(ctx, jsonAnswer(settled.json), requestId);
  const { caller, client } = admission;
  const cookie = caller && (await parts.renewal(caller, client));
  const { kind: _, ...sent } = settled;
  ctx.respond = false;
  if (caller && !ctx.res.destroyed) {
    ctx.res.once(
      'close',
      parts.openStreams.add(caller, { request: facts, terms: admission.terms }, (_, by) => {
        watch.onEndedBy(by);
        ctx.res.destroy();
      }),
    );
  }
  parts.forwarder.web(ctx.req, ctx.res, destination.upstream, {
    ...judgedRequest(destination, passageOf(ctx.state), parts.headers(), sent),
    added: cookie === undefined ? { 'x-request-id': requestId } : { 'x-request-id': requestId, 'set-cookie': cookie },
    watch: notingUnknown(ctx.state, parts),
    onFailure: (reason) => {
      const known = failureAt(destination, reason);
      tell(known, watch);
      end(ctx.res, refusal(known), requestId);
    },
  });
}

/** A page answers at every path below the root: only what is no page is a route of its own. */
function notingUnknown({ facts, admission, watch }: GateState, { unknownRoutes }: GateParts): UpstreamWatch {
  if (admission.route.kind !== 'unlisted') return watch;
  return {
    ...watch,
    onHead(status, type = '') {
      watch.onHead(status, type);
      if (status >= 400 || type.startsWith('text/html')) return;
      unknownRoutes.note(facts.method, admission.target.segments);
      watch.onUnknownRoute();
    },
  };
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

/** A body that was waited for may come from somebody who has lost his rights meanwhile: kept open for that moment, it changes nothing. */
async function stillAllowed(settled: Settled, caller: Caller | undefined, { recheck }: GateParts): Promise<Settled> {
  if (settled.kind !== 'sent' || !settled.body || !caller) return settled;
  const now = await recheck(caller);
  if (now && hasSameRights(now, caller)) return settled;
  return { kind: 'refused', reason: now ? 'role-too-low' : 'token-invalid' };
}

/** What a route of our own has left of the request, if it took a part. */
const passageOf = ({ facts, requestId, admission, sentInstead }: GateState): Passage =>
  sentInstead
    ? { facts, requestId, admission: { ...admission, target: { ...admission.target, query: sentInstead.query } } }
    : { facts, requestId, admission };

/** Found out only on the way, but a refusal all the same. */
function tell(reason: RefusalReason, watch: RequestWatch): void {
  if (REFUSALS[reason].status >= 500) watch.onFailure(reason);
  else watch.onRefusal(reason);
}

/** Koa has let go of the response by now. */
function end(response: ServerResponse, { status, headers, body }: Answer, requestId: string): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  response.writeHead(status, { 'x-request-id': requestId, ...headers, connection: 'close' }).end(body);
}

const failureAt = (destination: Destination, reason: RefusalReason): RefusalReason =>
  destination.kind === 'events-backend' && REFUSALS[reason].status >= 500 ? 'backend-unavailable' : reason;
