/** How a described request would be judged, step by step, by the decision itself; nothing is sent (SPEC 1, `explain`). */
import { namedCameras } from '../../access/camera-locators.ts';
import { isServedHere, type RouteMatch } from '../../access/route-table.ts';
import { nearest } from '../../config/problems/problems.ts';
import type { Settings } from '../../config/schema/schema.ts';
import { upstreamOrigin } from '../../domain/addresses.ts';
import type { Caller, IdentitySource } from '../../domain/caller.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { credentialProvider } from '../../domain/credentials.ts';
import { openingAt, wallText } from '../../domain/hours.ts';
import type { Role } from '../../domain/names.ts';
import { writtenLocator, writtenNarrowing } from '../../domain/policy.ts';
import { REFUSALS, refusalSentence } from '../../domain/refusal.ts';
import type { RequestFacts, RequestTarget } from '../../domain/request.ts';
import { ok, type Result } from '../../domain/result.ts';
import { type ActiveRoles, earliestSeen } from '../../domain/rights.ts';
import { isBearer } from '../../domain/sent-credentials.ts';
import { maskSecrets } from '../../domain/text.ts';
import { decodedText } from '../../identity/identity-header.ts';
import { headerTraces, type IdentityTrace, WHY_UNREAD } from '../../identity/identity-trace.ts';
import { type Admission, type Admitted, admit, type Rules } from '../decision/admit.ts';
import { type DestinationRules, findDestination } from '../decision/destinations.ts';
import { belowBasePath } from '../decision/request-facts.ts';
import { strictTarget } from '../decision/strict-target.ts';
import { admitDescribed, describedRequest, forwardAuthStatus } from '../entry/forward-auth.ts';
import { type HeaderRules, judgedRequest } from '../forward/judged-request.ts';
import { type ExplainQuestion, type ExplainRules, readQuestion } from './question.ts';

/** Errs with what is wrong with the question. */
export type Explainer = ReturnType<typeof createExplainer>;

export const createExplainer =
  (rules: ExplainRules) =>
  async (question: ExplainQuestion): Promise<Result<Explanation, string>> => {
    const described = await readQuestion(question, rules);
    if (!described.ok) return described;
    const explanation = await explain(described.value, rules);
    const { settings } = rules.config;
    const hints = [...roleHints(explanation, settings), ...cameraHints(explanation, settings)];
    const { role, roles = role === undefined ? [] : [role as Role] } = explanation;
    const limits = limitSentences(roles, await rules.roleRegistry.active(), unixSeconds(rules.clock));
    return ok({ ...explanation, ...(hints.length > 0 && { hints }), ...(limits.length > 0 && { limits }) });
  };

/** What is told of a request: its caller, the rule and the row, the verdict, and what would be sent. What is undefined does not apply. */
export type Explanation = Awaited<ReturnType<typeof explain>> & {
  /** What is likely wrong: no group gave a role, or a camera is not known. Absent for nothing. */
  readonly hints?: readonly string[];
  /** Hours, history and denied verbs of the roles; absent for none. */
  readonly limits?: readonly string[];
};

async function explain(
  { facts: sent, caller: described }: { readonly facts: RequestFacts; readonly caller: Caller | undefined },
  { rules: rulesWith, destinations, headers, seen }: ExplainRules,
) {
  const traces: IdentityTrace[] = [];
  const rules = withCaller(rulesWith({ trace: (entry) => traces.push(entry) }), described);
  const carrier = belowBasePath(sent, rules);
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
    headers:
      trace?.headers ??
      headerTraces(facts, headers().identityHeaders, () => (described ? WHY_UNREAD.session : REFUSED_BEFORE)),
    /** Whether the proxy's secret was right; undefined where headers are not believed at all. */
    secret: claimed?.proxySecret,
    /** What was found out about a session token. */
    token: trace && tokenWords(trace, facts),
    /** The provider that the session began with. */
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
    /** What took them, and how they come back. */
    drawnBy: caller?.drawnBy,
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

const REFUSED_BEFORE = 'the request is refused before its headers are read';

interface FoundRow {
  readonly match: RouteMatch;
  readonly target: RequestTarget;
}

/** Undefined where the request is refused before. */
function foundRow(facts: RequestFacts, { routes }: Rules): FoundRow | undefined {
  const plain = strictTarget(facts);
  return plain.ok ? { target: plain.value, match: routes.match(shownMethod(facts), plain.value.segments) } : undefined;
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
  const described: IdentitySource = () => ({ kind: 'identified', caller });
  return { ...rules, sources: { ...rules.sources, external: [described] } };
}

function tokenWords(trace: IdentityTrace, facts: RequestFacts): string | undefined {
  if (trace.source === 'proxy-headers')
    return facts.headers['authorization'] === undefined ? undefined : 'ignored, because auth.enabled is false';
  const { outcomes, carriedBy = `a ${trace.source}` } = trace;
  if (outcomes.length > 0) return `${outcomes.join(', ')}, as ${carriedBy}`;
  return isBearer(String(facts.headers['authorization'])) ? 'ignored: this Bearer is none of ours' : undefined;
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
  if (isServedHere(admission.route) || !destination) return undefined;
  const { target, headers } = judgedRequest(destination, { facts, admission, requestId: '(new)' }, rules);
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((line) => [name, HIDDEN.has(name) ? '[hidden]' : line] as const),
  );
  const to = destination.kind === 'events-backend' ? 'the events backend' : upstreamOrigin(destination.upstream);
  return { to, method: facts.method, target, headers: lines };
}

const HIDDEN: ReadonlySet<string> = new Set(['x-proxy-secret', 'cookie', 'authorization']);

const cameraHints = (
  { drawn = [], drawnBy: [what, remedy] = ['', ''], unknownCameras = [] }: Explanation,
  { nvr }: Pick<Settings, 'nvr'>,
): readonly string[] => {
  const names = unknownCameras.join(', ');
  const who = 'custom roles cannot see its events; admins and viewers see what is stored';
  const taken = `${what} for this caller in front of ${drawn.join(', ')}: ${remedy}`;
  const unknown =
    nvr.cameras === undefined
      ? `no camera is known by the name ${names}: ${who}`
      : `nvr.cameras does not list ${names}: ${who}. Add it to nvr.cameras, or remove that key`;
  return [...(drawn.length > 0 ? [taken] : []), ...(unknownCameras.length > 0 ? [unknown] : [])];
};

/** Why a user of single sign-on has not the role that was meant: what is likely wrong, a sentence each (SPEC 15). Pure. */
type ExplainedRole = Pick<Explanation, 'groups' | 'headers' | 'rule'>;
type Configured = Pick<Settings, 'auth' | 'proxy'>;

/** Not `:`, nor a blank: `other-client:admin` would become a role of ours, and "Domain admin" too. */
const SEPARATORS = [',', ';', '|'];
const ENCODINGS = ['percent', 'rfc2047'] as const;
const NAMES_GROUPS = /group|role/;

/** Empty with accounts of Postern's own, and when a group or a role name gave the role. */
function roleHints(told: ExplainedRole, settings: Configured): readonly string[] {
  const { auth, proxy } = settings;
  const isMatched = told.rule !== undefined && !/^no value of the role header/.test(told.rule);
  if (auth.enabled || isMatched || told.rule === undefined) return [];
  const known = knownNames(settings);
  const what = proxy.role_map.size > 0 ? 'groups in proxy.role_map' : 'roles there are';
  const groups = told.groups.length === 0 ? headerHints(told, settings) : groupHints(told.groups, known, settings);
  return [...groups, `${what}: ${known.join(', ') || 'none'}`];
}

const knownNames = ({ auth, proxy }: Configured): readonly string[] =>
  proxy.role_map.size > 0 ? [...proxy.role_map.values()].flat() : ['admin', 'viewer', ...auth.roles.keys()];

/** No group arrived. */
function headerHints({ headers }: ExplainedRole, { proxy }: Configured): readonly string[] {
  const mapped = proxy.header_map.role;
  if (mapped === undefined)
    return ['proxy.header_map.role is not set, so no header gives a role: name the header that holds the groups'];
  const own = headers.find(({ name }) => name === mapped);
  if (own?.fate === 'dropped' && own.why !== 'empty')
    return [`the header "${mapped}" arrived and was dropped: ${own.why}`];
  if (own) return [`the header "${mapped}" arrived empty: check that the proxy knows the groups of this user`];
  const other = headers.find(({ name }) => NAMES_GROUPS.test(name));
  if (other)
    return [
      `the header "${mapped}" did not arrive, and "${other.name}" did: set proxy.header_map.role to that one if it holds the groups`,
    ];
  return [`the header "${mapped}" did not arrive: let the proxy send the groups under this name`];
}

function groupHints(groups: readonly string[], known: readonly string[], { proxy }: Configured): readonly string[] {
  const {
    separator,
    header_map: { encoding },
  } = proxy;
  const hints = groups.flatMap((group) => {
    const joint = SEPARATORS.find(
      (each) => each !== separator && parts(group, each).some((part) => known.includes(part)),
    );
    if (joint !== undefined)
      return [
        `"${group}" looks like several groups joined by ${JSON.stringify(joint)}, and proxy.separator is ${JSON.stringify(separator)}`,
      ];
    const written = ENCODINGS.find((each) => each !== encoding && known.includes(decodedText(group, each) ?? ''));
    if (written !== undefined) return [`the group "${group}" is encoded: set proxy.header_map.encoding to ${written}`];
    const alike = known.find((name) => name.toLowerCase() === group.toLowerCase());
    if (alike !== undefined)
      return [`the group "${group}" differs from "${alike}" of proxy.role_map in upper and lower case`];
    const meant = nearest(group, known);
    return meant === undefined ? [] : [`the group "${group}" is nearly "${meant}"`];
  });
  return hints.length > 0 ? hints : [`none of the groups that arrived (${groups.join(', ')}) is known`];
}

const parts = (text: string, separator: string): readonly string[] => text.split(separator).map((part) => part.trim());

/** What limits roles now, a sentence each, for `explain` (SPEC 13). Pure. */
const limitSentences = (roles: readonly Role[], { limits, zone }: ActiveRoles, now: number): readonly string[] =>
  roles.flatMap((role) => {
    const { hours, historySince, deny = [] } = limits.get(role) ?? {};
    const opening = hours && openingAt(hours, zone, now);
    const until = opening?.changesAt === undefined ? '' : ` until ${wallText(opening.changesAt, zone)}`;
    return [
      ...(hours && opening
        ? [`${role} may be used ${hours.texts.join('; ')} (${zone}): ${opening.isOpen ? 'open' : 'closed'}${until}`]
        : []),
      ...(historySince ? [`${role} sees back ${historySince.text}`] : []),
      ...(deny.length > 0 ? [`${role} may not: ${deny.join(', ')}`] : []),
    ];
  });
