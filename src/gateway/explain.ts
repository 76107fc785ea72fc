/** How a described request would be judged, step by step, by the corridor itself; nothing is sent (SPEC 1, `explain`). */
import type { RouteMatch } from '../access/route-table.ts';
import type { Caller } from '../domain/caller.ts';
import type { CameraScope } from '../domain/camera-scope.ts';
import { normalizedHeaderName } from '../domain/header-names.ts';
import { REFUSALS, type RefusalReason } from '../domain/refusal.ts';
import type { RequestFacts } from '../domain/request.ts';
import type { HeaderNote, IdentityTrace, Trace } from '../identity/identity-trace.ts';
import { type Admission, admit, type Rules } from './admit.ts';
import { type Destination, type DestinationRules, destinationOf } from './destinations.ts';
import { belowBasePath } from './ingress.ts';
import { judgedRequest } from './judged-request.ts';
import { plainTarget } from './plain-target.ts';
import type { HeaderRules } from './rewrite-headers.ts';

export interface Description {
  readonly method: string;
  /** A WebSocket upgrade of that path. */
  readonly isUpgrade: boolean;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Address of the TCP peer. */
  readonly peer: string;
  /** Who calls, where that is described and not to be found out from the headers. */
  readonly caller?: Caller;
}

export interface ExplainParts {
  /** Those that the gate judges by, telling `trace` what they see. */
  readonly rules: (trace: Trace) => Rules;
  readonly destinations: DestinationRules;
  readonly headers: () => HeaderRules;
  /** Names to show for a scope. */
  readonly camerasOf: (scope: CameraScope) => readonly string[];
}

export interface Explanation {
  readonly request: { readonly method: string; readonly path: string; readonly peer: string };
  readonly headers: readonly HeaderNote[];
  /** Whether the proxy's secret was right; undefined where headers are not believed at all. */
  readonly secret: string | undefined;
  /** What a session token turned out to be. */
  readonly token: string | undefined;
  readonly groups: readonly string[];
  /** The sentence of the rule that gave or denied the role. */
  readonly rule: string | undefined;
  readonly user: string | undefined;
  readonly role: string | undefined;
  readonly cameras: 'all' | readonly string[] | undefined;
  readonly route: ExplainedRoute | undefined;
  readonly verdict: Admission['kind'];
  readonly status: number | undefined;
  readonly reason: RefusalReason | undefined;
  readonly message: string;
  readonly sent: ExplainedRequest | undefined;
}

export interface ExplainedRoute {
  readonly route: string;
  readonly access: string;
  readonly cameras: readonly string[];
  readonly narrow: string | undefined;
  /** `frigate.yaml:12`; undefined when no row names the path. */
  readonly row: string | undefined;
}

export interface ExplainedRequest {
  readonly to: string;
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

export async function explain(description: Description, parts: ExplainParts): Promise<Explanation> {
  const traces: IdentityTrace[] = [];
  const rules = withCaller(
    parts.rules((entry) => traces.push(entry)),
    description.caller,
  );
  const facts = belowBasePath(factsOf(description), rules);
  const admission = await admit(facts, rules);
  const plain = plainTarget(facts);
  const match =
    plain.kind === 'plain'
      ? rules.routes.match(facts.isUpgrade ? 'WS' : facts.method, plain.target.segments)
      : undefined;
  const trace = traces.at(-1);
  const { caller } = admission;
  const reason = admission.kind === 'refused' ? admission.reason : undefined;
  return {
    request: { method: facts.isUpgrade ? 'WS' : facts.method, path: facts.target, peer: facts.peer },
    ...tracedOf(trace, facts, parts.headers()),
    user: caller?.name ?? (trace?.source === 'proxy-headers' ? trace.user : undefined),
    role: caller?.role ?? (trace?.source === 'proxy-headers' ? trace.role : undefined),
    cameras: caller && (caller.scope.kind === 'all' ? 'all' : parts.camerasOf(caller.scope)),
    route: match && explainedRoute(match, facts),
    verdict: admission.kind,
    status: reason && REFUSALS[reason].status,
    reason,
    message: reason
      ? REFUSALS[reason].message
      : MESSAGES[admission.kind === 'admitted' ? 'admitted' : 'nothing-visible'],
    sent: admission.kind === 'admitted' ? sentOf(admission, facts, parts) : undefined,
  };
}

const MESSAGES = {
  admitted: 'The request passes.',
  'nothing-visible': 'The answer is empty, and nobody is asked: none of the cameras of the role is known.',
};

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

/** A clean handshake, for the question is not whether this one is (RFC 6455 4.1). */
const UPGRADE: readonly (readonly [string, string])[] = [
  ['Connection', 'Upgrade'],
  ['Upgrade', 'websocket'],
  ['Sec-WebSocket-Version', '13'],
  ['Sec-WebSocket-Key', 'AAAAAAAAAAAAAAAAAAAAAA=='],
];

function factsOf({ method, isUpgrade, target, headers, peer }: Description): RequestFacts {
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

/** As Node joins repeats; those that must not be repeated are refused before anybody reads them here. */
function joined(lines: readonly (readonly [name: string, value: string])[]): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (const [received, value] of lines) {
    const name = received.toLowerCase();
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before}${name === 'cookie' ? '; ' : ', '}${value}`;
  }
  return headers;
}

type Traced = Pick<Explanation, 'headers' | 'secret' | 'token' | 'groups' | 'rule'>;

function tracedOf(trace: IdentityTrace | undefined, facts: RequestFacts, { identityHeaders }: HeaderRules): Traced {
  if (trace?.source === 'proxy-headers') {
    const { headers, proxySecret: secret, groups, rule } = trace;
    return { headers, secret, token: undefined, groups, rule };
  }
  const token = trace && `${trace.outcome}, as ${trace.carriedBy}`;
  return { headers: unbelieved(facts, identityHeaders), secret: undefined, token, groups: [], rule: undefined };
}

/** The most frequent surprise: with accounts of its own, the service believes no header at all (interface 5.5.1). */
function unbelieved({ rawHeaders }: RequestFacts, identityHeaders: ReadonlySet<string>): HeaderNote[] {
  const lines = Array.from({ length: rawHeaders.length / 2 }, (_, at) => rawHeaders.slice(2 * at, 2 * at + 2));
  return lines.flatMap(([received = '', value = '']): HeaderNote[] => {
    const name = normalizedHeaderName(received);
    if (!identityHeaders.has(name) && !name.startsWith('remote-')) return [];
    return [
      {
        name: received.toLowerCase(),
        value,
        fate: 'dropped',
        why: 'auth.enabled is true, so no header says who calls',
      },
    ];
  });
}

function explainedRoute(match: RouteMatch, { method, isUpgrade, target }: RequestFacts): ExplainedRoute {
  if (match.kind === 'unlisted') {
    const route = `${isUpgrade ? 'WS' : method} ${target.split('?', 1)[0]}`;
    return { route, access: 'admin', cameras: [], narrow: undefined, row: undefined };
  }
  const { methods, path, access, cameras = [], narrow, file, line } = match.row;
  return {
    route: `${methods.join(',')} ${path}`,
    access,
    cameras,
    narrow,
    row: `${file ?? 'the route table'}:${line}`,
  };
}

/** Of the service's own routes nothing is sent on. */
const OWN_TABLE = 'postern.yaml';

function sentOf(
  admission: Admission & { kind: 'admitted' },
  facts: RequestFacts,
  parts: ExplainParts,
): ExplainedRequest | undefined {
  const isOwn = admission.route.kind === 'listed' && admission.route.row.file === OWN_TABLE;
  const destination = destinationOf(facts.isUpgrade ? 'WS' : facts.method, admission.target, parts.destinations);
  if (isOwn || destination.kind === 'nobody') return undefined;
  const { target, headers } = judgedRequest(destination, { facts, admission, requestId: '(new)' }, parts.headers());
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((line) => [name, shown(name, line)] as const),
  );
  return { to: nameOf(destination), method: facts.method, target, headers: lines };
}

const HIDDEN: ReadonlySet<string> = new Set(['x-proxy-secret', 'cookie', 'authorization']);
const shown = (name: string, value: string): string => (HIDDEN.has(name) ? '[hidden]' : value);

function nameOf(destination: Exclude<Destination, { kind: 'nobody' }>): string {
  if (destination.kind === 'events-backend') return 'the events backend';
  const { upstream } = destination;
  return upstream.kind === 'unix' ? `unix:${upstream.path}` : `${upstream.protocol}//${upstream.host}:${upstream.port}`;
}
