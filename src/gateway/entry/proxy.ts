/** Last in the pipeline: what Postern does not serve itself is forwarded, when the obligations of its admission are met. */
import { linkMediaType } from '../../access/link-targets.ts';
import { queryValues } from '../../access/query.ts';
import { adapterOf, isCompressed, isOwn, isServedHere } from '../../access/route-table.ts';
import type { MaybePromise, Sharer } from '../../domain/async.ts';
import { type Caller, lostRights, type RouteState } from '../../domain/caller.ts';
import { senderOf } from '../../domain/credentials.ts';
import { dayOf, isTooManyDays } from '../../domain/events/days.ts';
import { DAYS_PATH } from '../../domain/events/event-paths.ts';
import { numberOf } from '../../domain/events/parse-value.ts';
import { UnexpectedForm } from '../../domain/json.ts';
import { REFUSALS, type RefusalFacts, type RefusalReason } from '../../domain/refusal.ts';
import { canonicalZone, offsetReader } from '../../domain/zone-offsets.ts';
import type { Admitted } from '../decision/admit.ts';
import { askFailure } from '../decision/ask-failure.ts';
import type { TakePlace } from '../decision/client-limits.ts';
import { type Destination, destinationOf } from '../decision/destinations.ts';
import type { HeadListener, RequestWatch } from '../decision/gate-watch.ts';
import { toldTo } from '../decision/link-request.ts';
import { noteStartedWhep } from '../decision/started-things.ts';
import { judgedRequest, type Passage } from '../forward/judged-request.ts';
import { errorReaderFor } from '../narrow/error-reader.ts';
import { fulfilObligations, type ObligationDeps, type Settled } from '../narrow/obligations.ts';
import { mayCarrySession } from '../response/caches.ts';
import { cutOff } from '../response/client-socket.ts';
import { compressedJson, errorResponse, jsonResponse } from '../response/error-responses.ts';
import type { OwnWords } from '../response/response-headers.ts';
import { send } from '../response/send.ts';
import { viewedHeaders, viewedResponse } from '../response/viewed-as.ts';
import type { GateDeps } from './gate-deps.ts';
import { REFUSED_FOR } from './open-streams.ts';
import type { AdmittedRequest, Middleware } from './pipeline-state.ts';
import { viewingNoter } from './viewing-watch.ts';

type ProxyDeps = Pick<
  GateDeps,
  | 'destinations'
  | 'refusals'
  | 'headers'
  | 'forwarder'
  | 'upstreamSlots'
  | 'renewal'
  | 'recheck'
  | 'obligationDeps'
  | 'rules'
  | 'openStreams'
  | 'unknownRoutes'
  | 'viewings'
  | 'linkFault'
>;
/** What one of Postern's own routes has left of a request, if it took a part. */
type SentInstead = NonNullable<RouteState['sentInstead']>;

export const proxy =
  (deps: ProxyDeps): Middleware =>
  ({ req: request, res: response, state }) => {
    const { facts, watch, ending, admission, requestId, takePlace, sentInstead } = state;
    const admitted = { request, response, facts, watch, ending, admission, requestId };
    return forwardAdmitted(admitted, takePlace, deps, sentInstead);
  };

async function forwardAdmitted(
  admitted: AdmittedRequest,
  takePlace: TakePlace,
  deps: ProxyDeps,
  sentInstead?: SentInstead,
): Promise<void> {
  const { request, response, facts, admission, requestId, watch, ending } = admitted;
  const sendRefusal = (why: RefusalReason, known?: RefusalFacts): void => {
    const { reason, ...more } = toldTo(admission.caller, { ...known, reason: why });
    const refusal = errorResponse(reason, facts, requestId, deps.refusals(), more);
    send(admitted, viewedResponse(refusal, admission.caller), requestId);
  };
  const refuse = (reason: RefusalReason, more?: RefusalFacts): void => {
    tell(reason, watch);
    sendRefusal(reason, more);
  };
  // By the row: whatever the router made of the path, the NVR has its own login and accounts there.
  if (isServedHere(admission.route)) return sendRefusal('path-not-found');
  const destination = destinationOf(facts.method, admission.target, deps.destinations());
  if (destination.kind === 'none') return sendRefusal(isOwn(admission.route) ? 'path-not-found' : 'no-nvr');
  const sharer = takePlace(admission, deps.rules().trusted);
  if (!sharer) {
    watch.onRefusal('client-busy');
    return sendRefusal('client-busy');
  }
  if (ending.isOver) return;
  const settling = fulfilledObligations(admitted, destination, { ...deps, sharer }, sentInstead);
  const settled = settling instanceof Promise ? await settling : settling;
  if (settled.kind === 'refused') return refuse(settled.reason, settled);
  const { caller, client } = admission;
  const renewing = caller && mayCarrySession(facts, admission) ? deps.renewal(caller, client) : undefined;
  const cookie = renewing instanceof Promise ? await renewing : renewing;
  if (settled.kind === 'answered') {
    const answer = isCompressed(admission.route)
      ? await compressedJson(settled.json, facts, deps.refusals())
      : jsonResponse(settled.json, deps.refusals());
    return send(admitted, viewedResponse(answer, caller), requestId, cookie);
  }
  if (ending.isOver) return;
  let giveUp = (): boolean => !response.headersSent;
  if (caller) endWithRights(admitted, caller, deps, (reason) => (giveUp() ? sendRefusal(reason) : cutOff(response)));
  const forward = (): void => {
    if (response.headersSent) return;
    giveUp = deps.forwarder.web(request, response, destination.upstream, {
      ...judgedRequest(destination, passageOf(admitted, sentInstead), deps.headers(), settled),
      own: {
        requestId,
        cookie,
        viewed: viewedHeaders(caller),
        ...(caller?.credential.kind === 'link' && wordsOfLink(admission)),
      },
      errorReader: errorReaderFor(admission, destination, deps.rules),
      watch,
      onHead: headListener(admitted, deps, settled.body),
      onFailure: (reason) => {
        const known = failureAt(destination, reason);
        if (caller?.credential.kind !== 'link' || !deps.linkFault) return refuse(known);
        void deps.linkFault(caller.credential.thing, admission.target.path, known).then((told) => refuse(told));
      },
    });
  };
  ending.defer(
    deps.upstreamSlots.take(destination.upstream, sharer, forward, () => refuse(failureAt(destination, 'nvr-busy'))),
  );
}

const wordsOfLink = ({ route, target }: Admitted): Pick<OwnWords, 'isOfLink' | 'mediaType'> => ({
  isOfLink: true,
  mediaType: (said) => linkMediaType(adapterOf(route).links, target.path, said),
});

/** A response that is under way ends when the rights of its caller do (SPEC 4.2, 11). */
function endWithRights(
  { facts, admission, response, watch, ending }: AdmittedRequest,
  caller: Caller,
  deps: ProxyDeps,
  end: (reason: RefusalReason) => void,
): void {
  const { route } = admission;
  const forget = deps.openStreams.add(caller, { request: facts, admission }, (code, by) => {
    watch.onEndedBy(by);
    end(REFUSED_FOR[code]);
  });
  ending.defer(forget);
  // A stream of Postern's own lasts as long as a page is open: a stop does not wait for it.
  if (isOwn(route) && facts.method === 'GET') ending.defer(deps.openStreams.addSocket(() => response.destroy()));
}

function headListener(
  { facts, ending, admission, watch }: AdmittedRequest,
  { viewings, unknownRoutes }: ProxyDeps,
  body: Buffer | undefined,
): HeadListener | undefined {
  const { method } = facts;
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
function fulfilledObligations(
  { request, admission }: AdmittedRequest,
  destination: Exclude<Destination, { kind: 'none' }>,
  { obligationDeps, rules, recheck, sharer }: ProxyDeps & { readonly sharer: Sharer },
  sentInstead: SentInstead | undefined,
): MaybePromise<Settled> {
  const { caller, obligations } = admission;
  if (sentInstead) return stillAllowed({ kind: 'sent', body: sentInstead.body }, caller, recheck);
  if (destination.kind === 'nvr' && asksForDays(admission))
    return daysAtNvr(admission, destination, { ...obligationDeps, sharer }, rules().surroundings().now).then(
      (settled) => stillAllowed(settled, caller, recheck),
    );
  if (!obligations) return AS_IT_IS;
  const settling = fulfilObligations(request, admission, destination, {
    ...obligationDeps,
    owners: rules().owners,
    sharer,
  });
  return settling.then((settled) => stillAllowed(settled, caller, recheck));
}

/**
 * While a body arrived, or the NVR was asked, the caller may have lost the rights: a request that was kept open for that moment
 * changes nothing, and is told nothing.
 */
async function stillAllowed(
  settled: Settled,
  caller: Caller | undefined,
  recheck: ProxyDeps['recheck'],
): Promise<Settled> {
  const hasWaited = settled.kind === 'answered' || (settled.kind === 'sent' && settled.body !== undefined);
  if (!hasWaited || !caller) return settled;
  const reason = lostRights(await recheck(caller), caller);
  return reason ? { kind: 'refused', reason } : settled;
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

/** The listener of the head of a response, beside the one that there is. */
function notingSession(
  { route, caller }: Pick<Admitted, 'route' | 'caller'>,
  other: HeadListener | undefined,
): HeadListener | undefined {
  const camera = route.kind === 'listed' && route.row.starts === 'whep' ? route.parameters['camera'] : undefined;
  if (!caller || camera === undefined) return other;
  const started = { by: senderOf(caller).name, cameras: [camera] };
  return (status, type, location) => {
    if (status < 300 && location !== undefined) noteStartedWhep(location, started);
    other?.(status, type, location);
  };
}

/** Events by day where the NVR keeps them: as it counts them itself (SPEC 7). */
const asksForDays = ({ route }: Admitted): boolean => isOwn(route) && route.row.path === DAYS_PATH;

/** `now`: Unix seconds. */
async function daysAtNvr(
  { target, obligations, route }: Admitted,
  { upstream }: Exclude<Destination, { kind: 'none' }>,
  { ask, sharer }: Pick<ObligationDeps, 'ask' | 'sharer'>,
  now: number,
): Promise<Settled> {
  const { days } = adapterOf(route).events;
  // An NVR that keeps no events has none to count.
  if (!days) return { kind: 'answered', json: '[]' };
  const last = (name: string): string | undefined => queryValues(target.query, name).at(-1);
  const [after, before] = [numberOf(last('after')), numberOf(last('before'))];
  if (isTooManyDays({ after, before }, now)) return { kind: 'refused', reason: 'parameter-refused', field: 'after' };
  const timezone = canonicalZone(last('timezone') ?? '') ?? 'UTC';
  const asked = new URLSearchParams({ timezone });
  for (const name of ['cameras', 'labels']) asked.set(name, last(name) ?? 'all');
  try {
    const counted = days.countedIn(await ask(upstream, `${days.path}?${asked}`, sharer));
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
