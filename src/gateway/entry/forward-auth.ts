/** Third in the pipeline: `/auth`, where a proxy asks about a request, or a caller about itself (SPEC 4.2). */
import { isServedHere, type RouteMatch } from '../../access/route-table.ts';
import { type MaybePromise, mapMaybe } from '../../domain/async.ts';
import type { Caller } from '../../domain/caller.ts';
import { actualSender, isVisitor, traitsFor } from '../../domain/credentials.ts';
import type { Narrowing, ResponseForm } from '../../domain/policy.ts';
import { headerLines, type RequestFacts, type RequestTarget } from '../../domain/request.ts';
import { asksViewAs } from '../../identity/sources.ts';
import { type Admission, type Admitted, admit, type Rules, refused } from '../decision/admit.ts';
import type { TakePlace } from '../decision/client-limits.ts';
import { AUTH_TARGET, belowBasePath } from '../decision/request-facts.ts';
import { parseTarget, strictTarget } from '../decision/strict-target.ts';
import { toAscii } from '../forward/judged-request.ts';
import type { Gate } from '../gate.ts';
import { errorResponse, type OwnResponse, type RefusalRules } from '../response/error-responses.ts';
import { mayCarrySession, variesBy } from '../response/response-headers.ts';
import { type Middleware, type PipelineContext, respond, showsPictures } from './pipeline.ts';

type ForwardAuthGate = Pick<Gate, 'renewal' | 'refresh' | 'refusals' | 'viewings'>;

export const forwardAuth =
  (gate: ForwardAuthGate): Middleware =>
  (ctx, next) => {
    if (ctx.state.isForwardAuth) return Promise.resolve(admitForProxy(ctx, gate));
    return asksForAuth(ctx.state.facts) ? Promise.resolve(tellCaller(ctx, gate)) : next();
  };

/** A proxy asked about a request of its own client, which was admitted. */
function admitForProxy(ctx: PipelineContext, { renewal, refusals, viewings }: ForwardAuthGate): MaybePromise<void> {
  const { facts, admission, describedMethod: method } = ctx.state;
  const { caller, client } = admission;
  const asked = { admission, method };
  if (viewings && showsPictures(asked)) viewings.asked(asked);
  // A proxy puts the cookie on its own response.
  const renewed = caller && mayCarrySession(facts, admission) ? renewal(caller, client) : undefined;
  return mapMaybe(renewed, (cookie) => respond(ctx, acceptedResponse(caller, refusals), cookie));
}

/** No other request is described: is the caller known? It refreshes a session (interface 5.1.5). */
function tellCaller(ctx: PipelineContext, { refresh, refusals }: ForwardAuthGate): MaybePromise<void> {
  const { facts, admission, requestId } = ctx.state;
  const { caller, client } = admission;
  if (!caller) return respond(ctx, errorResponse('no-credentials', facts, requestId, refusals));
  return mapMaybe(refresh(caller, client), (cookie) => respond(ctx, acceptedResponse(caller, refusals), cookie));
}

/** 202 with who is calling. The names are empty for an unknown caller: Caddy fills an absent header with its placeholder. */
const acceptedResponse = (caller: Caller | undefined, { varies = variesBy() }: RefusalRules): OwnResponse => ({
  status: 202,
  headers: {
    'cache-control': 'no-store',
    vary: varies,
    'remote-user': toAscii(caller?.name ?? ''),
    'remote-role': toAscii(caller?.role ?? ''),
  },
  body: '',
});

/** A refusal as a proxy understands it. */
export const forwardAuthRefusal = (refusal: OwnResponse): OwnResponse => ({
  ...refusal,
  status: forwardAuthStatus(refusal.status),
});

/** nginx takes a status other than 2xx, 401 and 403 for a fault. A fault of Postern's own stays one. */
export const forwardAuthStatus = (status: number): number => (status === 401 || status >= 500 ? status : 403);

/** What a trusted proxy asks about; undefined when the description is not clear. */
export interface ForwardAuthDescription {
  readonly described: RequestFacts | undefined;
}

interface HeaderFamily {
  /** Names for the same thing; a description has one of them. */
  readonly target: readonly string[];
  readonly method: string;
}

/**
 * nginx; then Traefik, Caddy and HAProxy. A client can add the other family to its request, so both are believed only where each is
 * whole and they say the same, as behind ingress-nginx.
 */
const FAMILIES: readonly HeaderFamily[] = [
  { target: ['x-original-url', 'x-original-uri'], method: 'x-original-method' }, // the second is in nginx's own manual
  { target: ['x-forwarded-uri'], method: 'x-forwarded-method' },
];
const DESCRIBING: readonly string[] = FAMILIES.flatMap(({ target, method }) => [...target, method]);

/**
 * The query of the address that the proxy asks, which is the proxy's alone: no client can say that its request is an upgrade.
 * An address that says either is never about itself: else a proxy that is not trusted would be told 202 for everything.
 */
const UPGRADE_QUERY = 'upgrade=websocket';
const SPEAKS_OF_ANOTHER: readonly (string | undefined)[] = [UPGRADE_QUERY, 'upgrade=no'];

/** A caller asks about itself, or a proxy about another request. */
const asksForAuth = ({ target, method, isUpgrade }: RequestFacts): boolean =>
  AUTH_TARGET.test(target) && (method === 'GET' || method === 'HEAD') && !isUpgrade;

/** Undefined when no trusted proxy describes another request: then this one is judged as it stands. */
export function describedRequest(carrier: RequestFacts, rules: Rules): ForwardAuthDescription | undefined {
  if (!asksForAuth(carrier) || carrier.listener !== 'external') return undefined;
  const [, query] = carrier.target.split('?', 2);
  const undescribed = SPEAKS_OF_ANOTHER.includes(query) ? { described: undefined } : undefined;
  const families = FAMILIES.filter(({ target, method }) => [...target, method].some((name) => isSent(carrier, name)));
  if (families.length === 0) return undescribed;
  if (!rules.trusted.includes(carrier.peer)) {
    rules.onDescription?.({ kind: 'untrusted', peer: carrier.peer });
    return undescribed;
  }
  const [said, other] = families.map((family) => saidBy(carrier, family, rules));
  if (!said || (families.length > 1 && !other)) return { described: undefined };
  if (other && (said.method !== other.method || pathOf(said.url) !== pathOf(other.url))) {
    rules.onDescription?.({ kind: 'conflicting', one: said.text, other: other.text });
    return { described: undefined };
  }
  const { method, url } = said;
  const described = belowBasePath(factsOfDescribed(carrier, method, url, query === UPGRADE_QUERY), rules);
  // A proxy that adds such headers to every request describes this one.
  return !undescribed && asksForAuth(described) ? undefined : { described };
}

/** Undefined where the family is not whole, or says a thing twice. `text`: headers and values, for the log. */
function saidBy(carrier: RequestFacts, { target: names, method: name }: HeaderFamily, rules: Rules) {
  const [url, ...moreTargets] = names.flatMap((each) => headerLines(carrier, each));
  const [method, ...moreMethods] = headerLines(carrier, name);
  if (url === undefined || method === undefined) {
    // A subrequest is always a GET: a method that is missing must never be read as one.
    rules.onDescription?.({ kind: 'incomplete', missing: url === undefined ? names.join(' or ') : name });
    return undefined;
  }
  if (moreTargets.length + moreMethods.length > 0) return undefined;
  const shown = url.replace(/\?.*$/s, '?…'); // a provider's code may stand there
  return { method, url, text: `${names.find((each) => isSent(carrier, each))}: ${shown}, ${name}: ${method}` };
}

const pathOf = (url: string): string => url.replace(ORIGIN, '');

const isSent = (request: RequestFacts, name: string): boolean => request.headers[name] !== undefined;

/**
 * Headers of the asking request, which do not belong to the request that it describes. A client may have sent the ingress
 * path, which would make `/api/data` a page called `/data`.
 */
const OF_THE_CARRIER: ReadonlySet<string> = new Set([
  ...DESCRIBING,
  'connection',
  'upgrade',
  'content-length',
  'transfer-encoding',
  'expect',
  'x-ingress-path',
]);
/** An absolute URL, as `$scheme://$http_host$request_uri` makes it. */
const ORIGIN = /^(?<scheme>https?):\/\/(?<host>[^/?#]*)/i;
/** Where the URL is absolute, it says which host was asked: behind ingress-nginx, Host is that of this service. */
const OF_HOST: readonly string[] = ['host', 'x-forwarded-host'];

function factsOfDescribed(
  { basePath: _, ...carrier }: RequestFacts,
  method: string,
  url: string,
  isUpgrade: boolean,
): RequestFacts {
  const path = pathOf(url);
  const { scheme = '', host = '' } = ORIGIN.exec(url)?.groups ?? {};
  const isKept = (name: string): boolean => isOfTheRequest(name) && !(host && OF_HOST.includes(name.toLowerCase()));
  const headers = Object.entries(carrier.headers).filter(([name]) => isKept(name));
  const rawHeaders = carrier.rawHeaders.filter((_, at) => isKept(carrier.rawHeaders[at - (at % 2)] ?? ''));
  const authority = carrier.headers[':authority']; // HTTP/2 has it in the place of Host
  const added = {
    ...(host !== '' && { host }),
    ...(host !== '' && !isSent(carrier, 'x-forwarded-proto') && { 'x-forwarded-proto': scheme }),
    ...(host === '' && typeof authority === 'string' && !isSent(carrier, 'host') && { host: authority }),
    ...(isUpgrade && { connection: 'Upgrade', upgrade: 'websocket' }),
  };
  return {
    ...carrier,
    method,
    target: path === '' && url !== '' ? '/' : path,
    httpVersion: '1.1', // the proxy's own version of the protocol says nothing about its client's
    headers: { ...Object.fromEntries(headers), ...added },
    rawHeaders: [...rawHeaders, ...Object.entries(added).flat()],
    isUpgrade,
  };
}

const isOfTheRequest = (name: string): boolean => !name.startsWith(':') && !OF_THE_CARRIER.has(name.toLowerCase());

/** The decision on the described request. The asking request must be strict itself, and carry the proxy secret. */
export async function admitDescribed(
  carrier: RequestFacts,
  { described }: ForwardAuthDescription,
  rules: Rules,
  takePlace?: TakePlace,
): Promise<Admission> {
  const plain = strictTarget(carrier);
  const admission = await admit(described ?? carrier, rules, takePlace);
  const { client, caller } = admission;
  if (!plain.ok) return refused(plain.error, client, caller);
  if (!described) return refused('description-refused', client, caller);
  // The proxy would forward it under the name of the person who is viewed.
  if (asksViewAs(carrier)) return refused('view-as-refused', client, caller && actualSender(caller));
  if (admission.kind === 'refused') return admission;
  // For a visitor the NVR's own path was judged, which is not the one that the proxy would forward.
  if (caller && isVisitor(caller)) return refused('path-not-found', client, caller);
  const isOwn = caller && traitsFor(caller.credential).withoutProxySecret === 'everywhere';
  if (!isOwn && rules.carriesProxySecret?.(carrier) === false) return refused('proxy-secret-mismatch', client, caller);
  // The proxy is to send Postern's own paths to Postern: the NVR behind would serve its own login and accounts there.
  if (admission.kind === 'admitted' && isServedHere(admission.route)) return refused('path-not-found', client, caller);
  const isWhole =
    admission.kind === 'admitted' && (await passesAsItIs(admission, parseTarget(described.target), rules));
  return isWhole ? admission : refused('not-narrowable', client, caller);
}

/** The proxy gets a yes or no: what the gate would still change on the way, it cannot change here. */
async function passesAsItIs(
  { target, obligations, route }: Admitted,
  asked: RequestTarget | undefined,
  { isNvrOlder }: Pick<Rules, 'isNvrOlder'>,
): Promise<boolean> {
  if (!obligations) return target.path === asked?.path && isSameQuery(target.query, asked.query);
  const { owners: _, view, responseForm, isRewritten: __, refusedHeader, ...left } = obligations;
  if (view.clearance === 'admin') return true;
  if (target.path !== asked?.path || !isSameQuery(target.query, asked.query)) return false;
  if (Object.keys(left).length > 0) return false;
  // The header alone would tell whose picture it is: an NVR that has it not takes the picture of the named camera.
  if (refusedHeader && !(refusedHeader.since && (await isNvrOlder?.(refusedHeader.since)))) return false;
  return responseForm === undefined || (LISTS.includes(responseForm) && isSecondLook(view.clearance, route));
}

/**
 * Whether the answer is only looked at a second time: the request of a custom role was narrowed already, and an old NVR may
 * not know that.
 */
function isSecondLook(clearance: string, route: RouteMatch): boolean {
  const how = route.kind === 'listed' ? route.row.narrow?.how : undefined;
  return clearance === 'restricted' && how !== undefined && NARROWED_BY_REQUEST.includes(how);
}

/** Forms of an answer of which only foreign rows are taken out; of the others fields are cut too. */
const LISTS: readonly ResponseForm[] = ['array', 'nested'];
const NARROWED_BY_REQUEST: readonly Narrowing['how'][] = ['check', 'lookup', 'rewrite', 'fanout'];

/** Whether two queries are the same in any order: the gate puts the cameras at the end. */
const isSameQuery = (sent: string, asked: string): boolean => sent === asked || queryPairs(sent) === queryPairs(asked);

const queryPairs = (query: string): string =>
  JSON.stringify([...new URLSearchParams(query)].map((pair) => JSON.stringify(pair)).sort());
