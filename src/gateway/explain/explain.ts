/** How a described request would be judged, step by step, by the decision itself; nothing is sent (SPEC 1, `explain`). */
import { namedCameras } from '../../access/refused-cameras.ts';
import { isServedHere, type RouteMatch } from '../../access/route-table.ts';
import { originOf } from '../../domain/addresses.ts';
import type { Caller } from '../../domain/caller.ts';
import type { CameraScope } from '../../domain/camera-scope.ts';
import { providerOf } from '../../domain/credentials.ts';
import { writtenLocator, writtenNarrowing } from '../../domain/policy.ts';
import { REFUSALS, sentenceOf } from '../../domain/refusal.ts';
import type { RequestFacts } from '../../domain/request.ts';
import { sinceOf } from '../../domain/rights.ts';
import { isBearer } from '../../domain/sent-credentials.ts';
import { headerTraces, WHY_UNREAD } from '../../identity/header-traces.ts';
import type { HeaderTrace, IdentityTrace, Trace } from '../../identity/identity-trace.ts';
import { type Admission, type Admitted, admit, type Rules } from '../decision/admit.ts';
import { belowBasePath } from '../decision/base-path.ts';
import { type Destination, type DestinationRules, destinationOf } from '../decision/destinations.ts';
import { strictTarget } from '../decision/strict-target.ts';
import { admitDescribed, describedRequest } from '../entry/described-request.ts';
import { forwardAuthStatus } from '../entry/forward-auth.ts';
import { judgedRequest } from '../forward/judged-request.ts';
import type { HeaderRules } from '../forward/rewrite-headers.ts';
import { type Description, factsOf } from './description.ts';
import type { ExplainedHead, ExplainedRequest, ExplainedRoute, Explanation } from './explanation.ts';

export interface ExplainDeps {
  /** The rules of the gate; they tell `trace` what they see. */
  readonly rules: (trace: Trace) => Rules;
  readonly destinations: DestinationRules;
  readonly headers: () => HeaderRules;
  /** Names to show for a scope. */
  readonly camerasOf: (scope: CameraScope) => readonly string[];
}

export async function explain(description: Description, deps: ExplainDeps): Promise<Explanation> {
  const traces: IdentityTrace[] = [];
  const rules = withCaller(
    deps.rules((entry) => traces.push(entry)),
    description.caller,
  );
  const carrier = belowBasePath(factsOf(description), rules);
  const question = describedRequest(carrier, rules);
  const admission = question ? await admitDescribed(carrier, question, rules) : await admit(carrier, rules);
  const facts = question?.described ?? carrier;
  const trace = traces.at(-1);
  const claimed = trace?.source === 'proxy-headers' ? trace : undefined;
  const { caller } = admission;
  return {
    request: { ...headOf(carrier), peer: carrier.peer },
    about: question?.described && headOf(question.described),
    headers: trace?.headers ?? unread(facts, description, deps),
    secret: claimed?.proxySecret,
    token: trace && tokenWords(trace, facts),
    ...credentialFor(caller),
    groups: claimed?.groups ?? [],
    rule: claimed?.rule,
    user: caller?.name ?? claimed?.user,
    role: caller?.role ?? claimed?.role,
    ...(caller?.roles && { roles: caller.roles }),
    cameras: caller && (caller.scope.kind === 'all' ? 'all' : deps.camerasOf(caller.scope)),
    ...(caller?.drawn && { drawn: deps.camerasOf(caller.drawn) }),
    ...sinceFor(caller, rules),
    ...unknownCameras(caller, facts, rules),
    route: explainedRoute(facts, rules),
    ...verdictOf(admission, question !== undefined),
    sent:
      admission.kind === 'admitted' && !question
        ? sentOf(admission, facts, deps.destinations, deps.headers())
        : undefined,
  };
}

/** The secret of a link would open it to every reader of the explanation. */
const withoutLink = (target: string): string => target.replace(/(?<=^\/s\/)[^/?]+/, '…');

const methodOf = ({ method, isUpgrade }: RequestFacts): string => (isUpgrade ? 'WS' : method);
const headOf = (facts: RequestFacts): ExplainedHead => ({ method: methodOf(facts), path: withoutLink(facts.target) });

const MESSAGES = {
  admitted: 'The request passes.',
  'nothing-visible': 'The response is empty and the NVR is not asked: the NVR has none of the cameras of the role.',
  asked: 'The proxy gets 202 with the user and the role.',
};

function verdictOf(
  admission: Admission,
  isQuestion: boolean,
): Pick<Explanation, 'verdict' | 'status' | 'reason' | 'message' | 'opens'> {
  const { kind: verdict } = admission;
  if (admission.kind !== 'refused') {
    const message = MESSAGES[isQuestion ? 'asked' : admission.kind];
    return { verdict, status: undefined, reason: undefined, message };
  }
  const { reason, opens } = admission;
  const { status } = REFUSALS[reason];
  const message = sentenceOf(reason, admission);
  return { verdict, status: isQuestion ? forwardAuthStatus(status) : status, reason, message, ...(opens && { opens }) };
}

function credentialFor(caller: Caller | undefined): Pick<Explanation, 'credential'> {
  const credential = caller && providerOf(caller.credential);
  return credential === undefined ? {} : { credential };
}

function sinceFor(caller: Caller | undefined, { surroundings }: Rules): Pick<Explanation, 'since'> {
  const since = sinceOf(caller?.history, surroundings().now);
  return since === undefined ? {} : { since };
}

/** Cameras of the request and of the role by name that are not among the known ones. */
function unknownCameras(
  caller: Caller | undefined,
  facts: RequestFacts,
  { routes, surroundings }: Rules,
): Pick<Explanation, 'unknownCameras'> {
  const { layout } = surroundings();
  const plain = strictTarget(facts);
  if (!layout || plain.kind === 'refused') return {};
  const known: readonly string[] = layout.cameras;
  const named = namedCameras(routes.match(methodOf(facts), plain.target.segments), plain.target);
  const ofRole = caller?.scope.kind === 'only' ? [...caller.scope.names] : [];
  const unknown = [...new Set([...named, ...ofRole])].filter((name) => !known.includes(name));
  return unknown.length > 0 ? { unknownCameras: unknown } : {};
}

const withCaller = (rules: Rules, caller: Caller | undefined): Rules =>
  caller
    ? {
        ...rules,
        sources: {
          ...rules.sources,
          external: [{ name: 'described', identify: () => ({ kind: 'identified', caller }) }],
        },
      }
    : rules;

/** Headers that no source of identity has read. */
function unread(facts: RequestFacts, { caller }: Description, { headers }: ExplainDeps): readonly HeaderTrace[] {
  const why = caller ? WHY_UNREAD.session : 'the request is refused before its headers are read';
  return headerTraces(facts, headers().identityHeaders, () => why);
}

function tokenWords(trace: IdentityTrace, facts: RequestFacts): string | undefined {
  if (trace.source === 'proxy-headers')
    return facts.headers['authorization'] === undefined ? undefined : 'ignored, because auth.enabled is false';
  if (trace.source === 'link') return `${trace.outcome}, as a link`;
  if (trace.source === 'screen') return `${trace.outcome}, as a screen`;
  const outcomes = trace.source === 'api-token' ? [trace.outcome] : trace.outcomes;
  if (outcomes.length === 0)
    return isBearer(String(facts.headers['authorization'])) ? 'ignored: this Bearer is none of ours' : undefined;
  return `${outcomes.join(', ')}, as ${trace.carriedBy}`;
}

function explainedRoute(facts: RequestFacts, { routes }: Rules): ExplainedRoute | undefined {
  const plain = strictTarget(facts);
  if (plain.kind === 'refused') return undefined;
  const match: RouteMatch = routes.match(methodOf(facts), plain.target.segments);
  if (match.kind === 'unlisted') {
    const route = `${methodOf(facts)} ${plain.target.path}`;
    return { route, access: 'admin', cameras: [], narrow: undefined, row: undefined };
  }
  const { methods, path, access, cameras = [], narrow, file, line } = match.row;
  return {
    route: `${methods.join(',')} ${path}`,
    access,
    cameras: cameras.map(writtenLocator),
    narrow: narrow && writtenNarrowing(narrow),
    row: `${file ?? 'the route table'}:${line}`,
  };
}

/** Undefined when nothing is forwarded. */
function sentOf(
  admission: Admitted,
  facts: RequestFacts,
  destinations: DestinationRules,
  rules: HeaderRules,
): ExplainedRequest | undefined {
  const destination = destinationOf(facts.isUpgrade ? 'WS' : facts.method, admission.target, destinations);
  if (isServedHere(admission.route) || destination.kind === 'none') return undefined;
  const { target, headers } = judgedRequest(destination, { facts, admission, requestId: '(new)' }, rules);
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((line) => [name, shown(name, line)] as const),
  );
  return { to: nameOf(destination), method: facts.method, target, headers: lines };
}

const HIDDEN: ReadonlySet<string> = new Set(['x-proxy-secret', 'cookie', 'authorization']);
const shown = (name: string, value: string): string => (HIDDEN.has(name) ? '[hidden]' : value);

function nameOf(destination: Exclude<Destination, { kind: 'none' }>): string {
  if (destination.kind === 'events-backend') return 'the events backend';
  return originOf(destination.upstream);
}
