/** Every metric, declared once: closed label lists, children made at start (SPEC 9). */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

export const LOGIN_RESULTS = [
  'success',
  'bad_credentials',
  'rate_limited',
  'disabled',
  'invalid_request',
  'busy',
  'error',
] as const;
export type LoginResult = (typeof LOGIN_RESULTS)[number];

export const DECISION_RESULTS = [
  'allow',
  'unauthenticated',
  'forbidden_role',
  'forbidden_camera',
  'forbidden_route',
  'malformed',
  'error',
] as const;
export type DecisionResult = (typeof DECISION_RESULTS)[number];

export const CODE_CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx', 'aborted'] as const;
export type CodeClass = (typeof CODE_CLASSES)[number];

const LISTENERS = ['external', 'internal'] as const;
export type ListenerLabel = (typeof LISTENERS)[number];

export interface Metrics {
  login(result: LoginResult): void;
  decision(listener: ListenerLabel, result: DecisionResult): void;
  answered(listener: ListenerLabel, codeClass: CodeClass): void;
  upstreamError(): void;
  /** A peer that is not in `proxy.trusted_peers` sent identity headers. */
  untrustedIdentityHeaders(): void;
  unknownRoute(): void;
  /** The exposition format, and its media type. */
  expose(): Promise<{ readonly type: string; readonly body: string }>;
}

export function createMetrics(version: string, node: string): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const build = new Gauge({
    name: 'postern_build_info',
    help: 'Build of the running sidecar.',
    labelNames: ['version', 'node'],
    registers,
  });
  build.labels(version, node).set(1);
  const logins = counter(registry, 'postern_logins_total', 'Login attempts, by result.', [['result', LOGIN_RESULTS]]);
  const decisions = counter(registry, 'postern_decisions_total', 'Access decisions, by result.', [
    ['listener', LISTENERS],
    ['result', DECISION_RESULTS],
  ]);
  const requests = counter(registry, 'postern_requests_total', 'Requests answered, by class of status code.', [
    ['listener', LISTENERS],
    ['code_class', CODE_CLASSES],
  ]);
  const upstreamErrors = counter(
    registry,
    'postern_upstream_errors_total',
    'Requests that the NVR or a backend could not answer.',
    [],
  );
  const untrustedHeaders = counter(
    registry,
    'postern_untrusted_identity_headers_total',
    'Requests with identity headers that were not believed, for the peer is not trusted.',
    [],
  );
  const unknownRoutes = counter(
    registry,
    'postern_unknown_routes_total',
    'Requests of admins that the NVR answered although the route table does not know their path.',
    [],
  );
  return {
    login: (result) => logins(result),
    decision: (listener, result) => decisions(listener, result),
    answered: (listener, codeClass) => requests(listener, codeClass),
    upstreamError: () => upstreamErrors(),
    untrustedIdentityHeaders: () => untrustedHeaders(),
    unknownRoute: () => unknownRoutes(),
    expose: async () => ({ type: registry.contentType, body: await registry.metrics() }),
  };
}

type ClosedLabel = readonly [name: string, values: readonly string[]];

/** A counter whose every combination of labels exists from the start, so that a rate has a zero to start from. */
function counter(
  registry: Registry,
  name: string,
  help: string,
  labels: readonly ClosedLabel[],
): (...values: string[]) => void {
  const declared = new Counter({ name, help, labelNames: labels.map(([label]) => label), registers: [registry] });
  const children = new Map(combinations(labels).map((values) => [values.join('\n'), declared.labels(...values)]));
  for (const child of children.values()) child.inc(0);
  return (...values) => children.get(values.join('\n'))?.inc();
}

const combinations = (labels: readonly ClosedLabel[]): string[][] =>
  labels.reduce<string[][]>((rows, [, values]) => rows.flatMap((row) => values.map((value) => [...row, value])), [[]]);
