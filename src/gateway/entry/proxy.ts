/** Last in the pipeline: what Postern does not serve itself is forwarded, when the obligations of its admission are met. */

import { queryValues } from '../../access/query.ts';
import { adapterFor, isCompressed, isOwn, isServedHere } from '../../access/route-table.ts';
import { thingMediaType } from '../../access/thing-paths.ts';
import type { MaybePromise } from '../../domain/async.ts';
import type { Caller, RouteState } from '../../domain/caller.ts';
import { actualSender, isVisitor } from '../../domain/credentials.ts';
import { dayOf, isTooManyDays } from '../../domain/events/event.ts';
import { DAYS_PATH } from '../../domain/events/event-paths.ts';
import { parseNumber } from '../../domain/events/parse-value.ts';
import { UnexpectedForm } from '../../domain/json.ts';
import { REFUSALS, type RefusalFacts, type RefusalReason } from '../../domain/refusal.ts';
import { canonicalZone, offsetReader } from '../../domain/zone-offsets.ts';
import type { RequestWatch } from '../../telemetry/watch-gate.ts';
import type { Admitted } from '../decision/admit.ts';
import { type Destination, findDestination } from '../decision/destinations.ts';
import { noteStarted } from '../decision/owner-lookup.ts';
import { askFailure } from '../decision/upstream-failure.ts';
import { type HeadListener, judgedRequest } from '../forward/judged-request.ts';
import type { Gate } from '../gate.ts';
import { fulfilObligations, type Sending, type Settled } from '../narrow/obligations.ts';
import { errorReaderFor } from '../narrow/response-filter.ts';
import { cutOff } from '../response/client-socket.ts';
import { compressedJson, jsonResponse, viewedHeaders, viewedResponse } from '../response/error-responses.ts';
import { mayCarrySession, type OwnWords } from '../response/response-headers.ts';
import { endWithRights, REFUSED_FOR } from './open-streams.ts';
import {
  lostMeanwhile,
  type Middleware,
  type PipelineContext,
  type PipelineState,
  refusalFor,
  respond,
  viewingNoter,
} from './pipeline.ts';

/** What one of Postern's own routes has left of a request, if it took a part. */
type SentInstead = NonNullable<RouteState['sentInstead']>;

export const proxy =
  (gate: Gate): Middleware =>
  (ctx) =>
    forwardAdmitted(ctx, gate);

async function forwardAdmitted(ctx: PipelineContext, gate: Gate): Promise<void> {
  const { req: request, res: response, state } = ctx;
  const { facts, admission, requestId, watch, ending, sentInstead } = state;
  const { caller, client, route } = admission;
  const sendRefusal = (reason: RefusalReason, known?: RefusalFacts): void =>
    respond(ctx, refusalFor(ctx, caller, { ...known, reason }, gate));
  const refuse = (reason: RefusalReason, more?: RefusalFacts): void => {
    tell(reason, watch);
    sendRefusal(reason, more);
  };
  // By the row: whatever the router made of the path, the NVR has its own login and accounts there.
  if (isServedHere(route)) return sendRefusal('path-not-found');
  const destination = findDestination(facts.method, admission.target, gate.destinations);
  if (!destination) return sendRefusal(isOwn(route) ? 'path-not-found' : 'no-nvr');
  const sharer = state.takePlace(admission, gate.rules().trusted);
  if (!sharer) {
    watch.onRefusal('client-busy');
    return sendRefusal('client-busy');
  }
  if (ending.isOver) return;
  const settling = fulfilledObligations({ request, admission, destination, sharer, gate }, sentInstead);
  const settled = settling instanceof Promise ? await settling : settling;
  if (settled.kind === 'refused') return refuse(settled.reason, settled);
  const renewing = caller && mayCarrySession(facts, admission) ? gate.renewal(caller, client) : undefined;
  const cookie = renewing instanceof Promise ? await renewing : renewing;
  if (settled.kind === 'answered') {
    const answer = isCompressed(route)
      ? await compressedJson(settled.json, facts, gate.refusals)
      : jsonResponse(settled.json, gate.refusals);
    return respond(ctx, viewedResponse(answer, caller), cookie);
  }
  if (ending.isOver) return;
  let giveUp = (): boolean => !response.headersSent;
  endWithRights(gate.openStreams, { request: facts, admission }, state, (code) =>
    giveUp() ? sendRefusal(REFUSED_FOR[code]) : cutOff(response),
  );
  // A stream of Postern's own lasts as long as a page is open: a stop does not wait for it.
  if (caller && isOwn(route) && facts.method === 'GET')
    ending.defer(gate.openStreams.addSocket(() => response.destroy()));
  const visitor = caller && isVisitor(caller) ? caller : undefined;
  const forward = (): void => {
    if (response.headersSent) return;
    giveUp = gate.forwarder.web(request, response, destination.upstream, {
      ...judgedRequest(
        destination,
        { facts, admission: asSent(admission, sentInstead), requestId },
        gate.headers(),
        settled,
      ),
      own: { requestId, cookie, viewed: viewedHeaders(caller), ...(visitor && wordsForVisitor(admission)) },
      errorReader: errorReaderFor(admission, destination, gate.rules),
      watch,
      onHead: headListener(state, gate, settled.body),
      onFailure(reason) {
        const known = failureAt(destination, reason);
        if (!visitor || !gate.visitorFault) return refuse(known);
        void gate.visitorFault(visitor, admission.target.path, known).then((told) => refuse(told));
      },
    });
  };
  ending.defer(
    gate.upstreamSlots.take(destination.upstream, sharer, forward, () => refuse(failureAt(destination, 'nvr-busy'))),
  );
}

const asSent = (admission: Admitted, sentInstead: SentInstead | undefined): Admitted =>
  sentInstead ? { ...admission, target: { ...admission.target, query: sentInstead.query } } : admission;

const wordsForVisitor = ({ route, target }: Admitted): Pick<OwnWords, 'isForVisitor' | 'mediaType'> => ({
  isForVisitor: true,
  mediaType: (said) => thingMediaType(adapterFor(route).things, target.path, said),
});

function headListener(
  { facts: { method }, ending, admission, watch }: PipelineState,
  { viewings, unknownRoutes }: Gate,
  body: Buffer | undefined,
): HeadListener | undefined {
  if (admission.route.kind === 'listed')
    return notingSession(admission, viewingNoter(viewings, { admission, method, body }, ending));
  // The NVR sends its page at every unknown path: only a response that is no page shows an unknown route.
  return (status, type = '') => {
    if (status >= 400 || type.startsWith('text/html')) return;
    unknownRoutes.note(method, admission.target.segments);
    watch.onUnknownRoute();
  };
}

const AS_IT_IS: Settled = { kind: 'sent' };

/** Most requests have no obligations; neither has what an own route has left of one. */
function fulfilledObligations(sending: Sending, sentInstead: SentInstead | undefined): MaybePromise<Settled> {
  const { admission, destination, gate } = sending;
  const { caller, obligations } = admission;
  if (sentInstead) return stillAllowed({ kind: 'sent', body: sentInstead.body }, caller, gate);
  const isOfDays = destination.kind === 'nvr' && asksForDays(admission);
  const settling = isOfDays ? daysAtNvr(sending) : obligations && fulfilObligations(sending);
  return settling ? settling.then((settled) => stillAllowed(settled, caller, gate)) : AS_IT_IS;
}

/**
 * While a body arrived, or the NVR was asked, the caller may have lost the rights: a request that was kept open for that moment
 * changes nothing, and is told nothing.
 */
async function stillAllowed(settled: Settled, caller: Caller | undefined, gate: Gate): Promise<Settled> {
  const hasWaited = settled.kind === 'answered' || (settled.kind === 'sent' && settled.body !== undefined);
  const reason = hasWaited ? await lostMeanwhile(caller, gate) : undefined;
  return reason ? { kind: 'refused', reason } : settled;
}

/** Found out only on the way, but a refusal all the same. */
function tell(reason: RefusalReason, watch: RequestWatch): void {
  if (REFUSALS[reason].status >= 500) watch.onFailure(reason);
  else watch.onRefusal(reason);
}

const failureAt = (destination: Destination, reason: RefusalReason): RefusalReason =>
  destination.kind === 'events-backend' && REFUSALS[reason].status >= 500 ? 'backend-unavailable' : reason;

/** The listener of the head of a response, beside the one that there is. */
function notingSession(
  { route, caller }: Pick<Admitted, 'route' | 'caller'>,
  other: HeadListener | undefined,
): HeadListener | undefined {
  const camera = route.kind === 'listed' && route.row.starts === 'whep' ? route.parameters['camera'] : undefined;
  if (!caller || camera === undefined) return other;
  const started = { kind: 'whep', by: actualSender(caller).name, cameras: [camera] } as const;
  return (status, type, location) => {
    if (status < 300 && location !== undefined) noteStarted(started, location);
    other?.(status, type, location);
  };
}

/** Events by day where the NVR keeps them: as it counts them itself (SPEC 7). */
const asksForDays = ({ route }: Admitted): boolean => isOwn(route) && route.row.path === DAYS_PATH;

async function daysAtNvr({ admission, destination, sharer, gate }: Sending): Promise<Settled> {
  const { target, obligations, route } = admission;
  const { days } = adapterFor(route).events;
  // An NVR that keeps no events has none to count.
  if (!days) return { kind: 'answered', json: '[]' };
  const last = (name: string): string | undefined => queryValues(target.query, name).at(-1);
  const [after, before] = [parseNumber(last('after')), parseNumber(last('before'))];
  if (isTooManyDays(after, before, gate.rules().surroundings().now))
    return { kind: 'refused', reason: 'parameter-refused', field: 'after' };
  const timezone = canonicalZone(last('timezone') ?? '') ?? 'UTC';
  const asked = new URLSearchParams({ timezone });
  for (const name of ['cameras', 'labels']) asked.set(name, last(name) ?? 'all');
  try {
    const counted = days.countedIn(await gate.ask(destination.upstream, `${days.path}?${asked}`, sharer));
    if (!counted) throw new UnexpectedForm(`${days.path} was not answered with days`);
    const offsetAt = offsetReader(timezone);
    const since = obligations?.view.since;
    // The NVR counts whole days: of one that began too early nothing is told.
    const isTold = (day: string): boolean =>
      (after === undefined || day >= dayOf(after, offsetAt)) &&
      (before === undefined || day <= dayOf(before - SMALLEST, offsetAt)) &&
      (since === undefined || day > dayOf(since - SMALLEST, offsetAt));
    const told = counted.filter(({ day, count }) => count > 0 && isTold(day));
    return { kind: 'answered', json: JSON.stringify(told.sort((one, other) => (one.day < other.day ? -1 : 1))) };
  } catch (fault) {
    return { kind: 'refused', reason: askFailure(fault) };
  }
}

/** Seconds: what ends or begins at midnight has nothing of the day on the other side. */
const SMALLEST = 0.001;
