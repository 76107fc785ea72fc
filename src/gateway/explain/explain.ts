/** How a described request would be judged, step by step, by the decision itself; nothing is sent (SPEC 1, `explain`). */
import { namedCameras } from '../../access/camera-locators.ts';
import { isServedHere, type RouteMatch } from '../../access/route-table.ts';
import type { ServiceConfig } from '../../config/service-config.ts';
import type { User } from '../../domain/accounts/account.ts';
import { upstreamOrigin } from '../../domain/addresses.ts';
import type { MaybePromise } from '../../domain/async.ts';
import type { Caller, IdentitySource } from '../../domain/caller.ts';
import type { CameraScope } from '../../domain/camera-scope.ts';
import { credentialProvider } from '../../domain/credentials.ts';
import { writtenLocator, writtenNarrowing } from '../../domain/policy.ts';
import { REFUSALS, refusalSentence } from '../../domain/refusal.ts';
import type { RequestFacts, RequestTarget } from '../../domain/request.ts';
import { type ActiveRoles, earliestSeen } from '../../domain/rights.ts';
import { isBearer } from '../../domain/sent-credentials.ts';
import { maskSecrets } from '../../domain/text.ts';
import { headerTraces, type IdentityTrace, type Trace, WHY_UNREAD } from '../../identity/identity-trace.ts';
import { type Admission, type Admitted, admit, type Rules } from '../decision/admit.ts';
import { type DestinationRules, findDestination } from '../decision/destinations.ts';
import { belowBasePath } from '../decision/request-facts.ts';
import { strictTarget } from '../decision/strict-target.ts';
import { admitDescribed, describedRequest, forwardAuthStatus } from '../entry/forward-auth.ts';
import { judgedRequest } from '../forward/judged-request.ts';
import type { HeaderRules } from '../forward/rewrite-headers.ts';

/** What an explanation is made from: the configuration, the accounts, and the rules of the gate, which tell `trace` what they see. */
export interface ExplainRules {
  readonly config: Pick<ServiceConfig, 'settings' | 'policy'>;
  readonly roleRegistry: { active(): MaybePromise<ActiveRoles> };
  /** Unix seconds. */
  readonly now: () => number;
  readonly findUser: (name: string) => Promise<User | undefined>;
  readonly rules: (more: { readonly trace: Trace }) => Rules;
  readonly destinations: DestinationRules;
  readonly headers: () => HeaderRules;
  /** Names to show for a scope. */
  readonly seen: (scope: CameraScope) => readonly string[];
}

/** What is told of a request: its caller, the rule and the row, the verdict, and what would be sent. What is undefined does not apply. */
export type Explanation = Awaited<ReturnType<typeof explain>> & {
  /** What is likely wrong: no group gave a role, or a camera is not known. Absent for nothing. */
  readonly hints?: readonly string[];
  /** Hours, history and denied verbs of the roles; absent for none. */
  readonly limits?: readonly string[];
};

export async function explain(
  description: Description,
  { rules: rulesWith, destinations, headers, seen }: ExplainRules,
) {
  const traces: IdentityTrace[] = [];
  const rules = withCaller(rulesWith({ trace: (entry) => traces.push(entry) }), description.caller);
  const carrier = belowBasePath(toFacts(description), rules);
  const question = describedRequest(carrier, rules);
  const admission = question ? await admitDescribed(carrier, question, rules) : await admit(carrier, rules);
  const facts = question?.described ?? carrier;
  const trace = traces.at(-1);
  const claimed = trace?.source === 'proxy-headers' ? trace : undefined;
  const { caller } = admission;
  const found = foundRow(facts, rules);
  const isSent = admission.kind === 'admitted' && !question;
  return {
    request: { ...explainHead(carrier), peer: carrier.peer },
    /** The request that a proxy asks about, at `/auth`; undefined for one that is judged as it stands. */
    about: question?.described && explainHead(question.described),
    /** Where no source of identity has read them, that is said. */
    headers: trace?.headers ?? headerTraces(facts, headers().identityHeaders, () => whyUnread(description)),
    /** Whether the proxy's secret was right; undefined where headers are not believed at all. */
    secret: claimed?.proxySecret,
    /** What was found out about a session token. */
    token: trace && tokenWords(trace, facts),
    /** The provider that the session began with, as `oidc:home`. */
    credential: caller && credentialProvider(caller.credential),
    groups: claimed?.groups ?? [],
    /** The sentence of the rule that gave or denied the role. */
    rule: claimed?.rule,
    user: caller?.name ?? claimed?.user,
    role: caller?.role ?? claimed?.role,
    /** All of them, where the person has several. */
    roles: caller?.roles,
    cameras: caller && (caller.scope.kind === 'all' ? ('all' as const) : seen(caller.scope)),
    /** The cameras of the NVR that are drawn for the caller (SPEC 19). */
    drawn: caller?.drawn && seen(caller.drawn),
    /** Unix seconds: nothing recorded earlier is seen. Undefined: all that there is. */
    since: earliestSeen(caller?.history, rules.surroundings().now),
    /** The cameras of the request and the role, by name, that the service does not know. */
    unknownCameras: unknownCameras(caller, found, rules),
    route: found && routeOf(found, facts),
    ...explainVerdict(admission, question !== undefined),
    /** Undefined when nothing is forwarded. */
    sent: isSent ? explainSent(admission, facts, destinations, headers()) : undefined,
  };
}

const whyUnread = ({ caller }: Description): string =>
  caller ? WHY_UNREAD.session : 'the request is refused before its headers are read';

interface FoundRow {
  readonly match: RouteMatch;
  readonly target: RequestTarget;
}

/** Undefined where the request is refused before. */
function foundRow(facts: RequestFacts, { routes }: Rules): FoundRow | undefined {
  const plain = strictTarget(facts);
  if (plain.kind === 'refused') return undefined;
  return { target: plain.target, match: routes.match(shownMethod(facts), plain.target.segments) };
}

const shownMethod = ({ method, isUpgrade }: RequestFacts): string => (isUpgrade ? 'WS' : method);
const explainHead = (facts: RequestFacts) => ({ method: shownMethod(facts), path: maskSecrets(facts.target) });

const MESSAGES = {
  admitted: 'The request passes.',
  'nothing-visible': 'The response is empty and the NVR is not asked: the NVR has none of the cameras of the role.',
  asked: 'The proxy gets 202 with the user and the role.',
};

function explainVerdict(admission: Admission, isQuestion: boolean) {
  const { kind: verdict } = admission;
  if (admission.kind !== 'refused')
    return { verdict, status: undefined, reason: undefined, message: MESSAGES[isQuestion ? 'asked' : admission.kind] };
  const { reason, opens } = admission;
  const { status } = REFUSALS[reason];
  const message = refusalSentence(reason, admission);
  return { verdict, status: isQuestion ? forwardAuthStatus(status) : status, reason, message, opens };
}

/** Cameras of the request and of the role by name that are not among the known ones. */
function unknownCameras(
  caller: Caller | undefined,
  found: FoundRow | undefined,
  { surroundings }: Rules,
): readonly string[] | undefined {
  const known: readonly string[] | undefined = surroundings().layout?.cameras;
  if (!known || !found) return undefined;
  const ofRole = caller?.scope.kind === 'only' ? [...caller.scope.names] : [];
  const named = [...new Set([...namedCameras(found.match, found.target), ...ofRole])];
  const unknown = named.filter((name) => !known.includes(name));
  return unknown.length > 0 ? unknown : undefined;
}

function withCaller(rules: Rules, caller: Caller | undefined): Rules {
  if (!caller) return rules;
  const described: IdentitySource = { name: 'described', identify: () => ({ kind: 'identified', caller }) };
  return { ...rules, sources: { ...rules.sources, external: [described] } };
}

function tokenWords(trace: IdentityTrace, facts: RequestFacts): string | undefined {
  if (trace.source === 'proxy-headers')
    return facts.headers['authorization'] === undefined ? undefined : 'ignored, because auth.enabled is false';
  if (!('carriedBy' in trace)) return `${trace.outcome}, as a ${trace.source}`;
  const outcomes = trace.source === 'api-token' ? [trace.outcome] : trace.outcomes;
  if (outcomes.length === 0)
    return isBearer(String(facts.headers['authorization'])) ? 'ignored: this Bearer is none of ours' : undefined;
  return `${outcomes.join(', ')}, as ${trace.carriedBy}`;
}

function routeOf({ match, target }: FoundRow, facts: RequestFacts) {
  if (match.kind === 'unlisted') {
    const route = `${shownMethod(facts)} ${target.path}`;
    return { route, access: 'admin', cameras: [], narrow: undefined, row: undefined };
  }
  const { methods, path, access, cameras = [], narrow, file, line } = match.row;
  return {
    route: `${methods.join(',')} ${path}`,
    access,
    cameras: cameras.map(writtenLocator),
    narrow: narrow && writtenNarrowing(narrow),
    /** `routes.yaml:12`; undefined when no row names the path. */
    row: `${file ?? 'the route table'}:${line}`,
  };
}

function explainSent(admission: Admitted, facts: RequestFacts, destinations: DestinationRules, rules: HeaderRules) {
  const destination = findDestination(shownMethod(facts), admission.target, destinations);
  if (isServedHere(admission.route) || destination.kind === 'none') return undefined;
  const { target, headers } = judgedRequest(destination, { facts, admission, requestId: '(new)' }, rules);
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((line) => [name, HIDDEN.has(name) ? '[hidden]' : line] as const),
  );
  const to = destination.kind === 'events-backend' ? 'the events backend' : upstreamOrigin(destination.upstream);
  return { to, method: facts.method, target, headers: lines };
}

const HIDDEN: ReadonlySet<string> = new Set(['x-proxy-secret', 'cookie', 'authorization']);

/** A described request as the facts that the decision is made by (SPEC 1, `explain`). */
export interface Description {
  readonly method: string;
  /** A WebSocket upgrade of that path. */
  readonly isUpgrade: boolean;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Address of the TCP peer. */
  readonly peer: string;
  /** The caller, where it is described and not identified by headers. */
  readonly caller?: Caller;
}

export function toFacts({ method, isUpgrade, target, headers, peer }: Description): RequestFacts {
  const host = headers.some(([name]) => name.toLowerCase() === 'host') ? [] : [['Host', 'postern'] as const];
  const lines = [...host, ...headers, ...(isUpgrade ? UPGRADE : [])];
  return {
    listener: 'external',
    method,
    target,
    httpVersion: '1.1',
    rawHeaders: lines.flat(),
    headers: joined(lines),
    peer,
    encrypted: true,
    isUpgrade,
    pipelinedBytes: 0,
  };
}

/** A valid handshake: the question is not about the handshake (RFC 6455 4.1). */
const UPGRADE: readonly (readonly [string, string])[] = [
  ['Connection', 'Upgrade'],
  ['Upgrade', 'websocket'],
  ['Sec-WebSocket-Version', '13'],
  ['Sec-WebSocket-Key', 'AAAAAAAAAAAAAAAAAAAAAA=='],
];

/** The headers as Node joins repeats. Headers that must not be repeated are refused before they are read here. */
function joined(lines: readonly (readonly [name: string, value: string])[]): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (const [received, value] of lines) {
    const name = received.toLowerCase();
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before}${name === 'cookie' ? '; ' : ', '}${value}`;
  }
  return headers;
}
