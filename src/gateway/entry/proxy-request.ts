/** Behind the first door: an admitted request that no route of our own answers is forwarded, on its terms. */
import { isServedHere } from '../../access/route-table.ts';
import { type Caller, hasSameRights } from '../../domain/caller.ts';
import type { MaybePromise } from '../../domain/maybe-promise.ts';
import { REFUSALS, type RefusalReason } from '../../domain/refusal.ts';
import type { CorridorState } from '../../domain/verdict.ts';
import { type Destination, destinationOf } from '../decision/destinations.ts';
import type { RequestWatch, UpstreamWatch } from '../decision/gate-watch.ts';
import { judgedRequest, type Passage } from '../forward/judged-request.ts';
import { fulfilObligations, type Settled } from '../narrow/obligations.ts';
import { type Answer, jsonAnswer, refusalAnswer } from '../response/refuse.ts';
import { send } from '../response/send.ts';
import type { GateDeps } from './gate-deps.ts';
import type { AdmittedRequest } from './request-context.ts';

type SentInstead = NonNullable<CorridorState['sentInstead']>;

/** `sentInstead` is what a route of our own has left of the request, if it took a part. */
export async function proxyRequest(guest: AdmittedRequest, parts: GateDeps, sentInstead?: SentInstead): Promise<void> {
  const { request, response, facts, admission, requestId, watch } = guest;
  const destination = destinationOf(facts.method, admission.target, parts.destinations());
  const refusal = (reason: RefusalReason): Answer => refusalAnswer(reason, facts, requestId, parts.refusals());
  if (isServedHere(admission.route)) return send(guest, refusal('path-not-found'), requestId);
  if (destination.kind === 'nobody') return send(guest, refusal('no-nvr'), requestId);
  const settling = fulfilledObligations(guest, destination, parts, sentInstead);
  const settled = settling instanceof Promise ? await settling : settling;
  if (settled.kind === 'refused') {
    tell(settled.reason, watch);
    return send(guest, refusal(settled.reason), requestId);
  }
  const { caller, client } = admission;
  const renewing = caller && parts.renewal(caller, client);
  const cookie = renewing instanceof Promise ? await renewing : renewing;
  if (settled.kind === 'answered') return send(guest, jsonAnswer(settled.json), requestId, cookie);
  if (caller && !response.destroyed) {
    const forget = parts.openStreams.add(caller, { request: facts, obligations: admission.obligations }, (_, by) => {
      watch.onEndedBy(by);
      response.destroy();
    });
    response.on('close', forget);
  }
  parts.forwarder.web(request, response, destination.upstream, {
    ...judgedRequest(destination, passageOf(guest, sentInstead), parts.headers(), settled),
    own: { requestId, cookie },
    watch: notingUnknown(guest, parts),
    onFailure: (reason) => {
      const known = failureAt(destination, reason);
      tell(known, watch);
      send(guest, refusal(known), requestId);
    },
  });
}

/** A page answers at every path below the root: only what is no page is a route of its own. */
function notingUnknown({ facts, admission, watch }: AdmittedRequest, { unknownRoutes }: GateDeps): UpstreamWatch {
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

const AS_IT_IS: Settled = { kind: 'sent' };

/** Nothing is to be settled of most requests, nor of what a route of our own has left of one. */
function fulfilledObligations(
  { request, admission }: AdmittedRequest,
  destination: Exclude<Destination, { kind: 'nobody' }>,
  { desk, rules, recheck }: GateDeps,
  sentInstead: SentInstead | undefined,
): MaybePromise<Settled> {
  const { caller, obligations } = admission;
  if (sentInstead) return stillAllowed({ kind: 'sent', body: sentInstead.body }, caller, recheck);
  if (!obligations) return AS_IT_IS;
  const settling = fulfilObligations(request, admission, destination, { ...desk, owners: rules().owners });
  return settling.then((settled) => stillAllowed(settled, caller, recheck));
}

/** A body that was waited for may come from somebody who has lost his rights meanwhile: kept open for that moment, it changes nothing. */
async function stillAllowed(
  settled: Settled,
  caller: Caller | undefined,
  recheck: GateDeps['recheck'],
): Promise<Settled> {
  if (settled.kind !== 'sent' || !settled.body || !caller) return settled;
  const now = await recheck(caller);
  if (now && hasSameRights(now, caller)) return settled;
  return { kind: 'refused', reason: now ? 'role-too-low' : 'token-invalid' };
}

const passageOf = ({ facts, requestId, admission }: AdmittedRequest, sentInstead: SentInstead | undefined): Passage =>
  sentInstead
    ? { facts, requestId, admission: { ...admission, target: { ...admission.target, query: sentInstead.query } } }
    : { facts, requestId, admission };

/** Found out only on the way, but a refusal all the same. */
function tell(reason: RefusalReason, watch: RequestWatch): void {
  if (REFUSALS[reason].status >= 500) watch.onFailure(reason);
  else watch.onRefusal(reason);
}

const failureAt = (destination: Destination, reason: RefusalReason): RefusalReason =>
  destination.kind === 'events-backend' && REFUSALS[reason].status >= 500 ? 'backend-unavailable' : reason;
