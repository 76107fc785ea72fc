/** Every metric, declared once: name, sentence, closed labels, buckets that fit (SPEC 9). */
import { CREDENTIAL_MODES } from '../domain/credentials.ts';
import { CONNECTION_REFUSALS } from '../domain/refusal.ts';
import { STORE_FAULTS } from '../domain/store/store-fault.ts';
import { createCounter, createGauge, createHistogram, createInfo } from './series.ts';

export interface MetricsOptions {
  readonly version: string;
  /** The revision of the source that it was built from, where that is known. */
  readonly revision?: string | undefined;
  readonly node: string;
  /** Custom roles of the configuration; roles made later count as `other`. */
  readonly roles: readonly string[];
  /** Identity headers that are taken from clients, lower-case; others are `other`. */
  readonly identityHeaders: readonly string[];
}

/** Each is a family of its own. Nothing here knows a user, an address, a path or a token. */
export type Metrics = ReturnType<typeof createMetrics>;

type Added<Name extends 'clientAddresses' | 'logins' | 'streamsClosed' | 'upstreamErrors'> = Parameters<
  Metrics[Name]['add']
>;
export type AddressSource = NonNullable<Added<'clientAddresses'>[1]>;
export type LoginResult = NonNullable<Added<'logins'>[1]>;
export type StreamKind = NonNullable<Added<'streamsClosed'>[1]>;
export type StreamEnd = NonNullable<Added<'streamsClosed'>[2]>;
export type UpstreamFault = NonNullable<Added<'upstreamErrors'>[1]>;

// biome-ignore format: a table
const ROUTE_CLASSES = ['login', 'logout', 'auth', 'profile', 'api', 'live', 'media', 'ws', 'static', 'other'] as const;
export type RouteClass = (typeof ROUTE_CLASSES)[number];
/** No upstream gets them. */
const OWN: readonly RouteClass[] = ['logout', 'auth', 'profile'];
const CODE_CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx', 'aborted'] as const;
export type CodeClass = (typeof CODE_CLASSES)[number];
/** A value that is none of these counts as `other`. */
const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'other'];
/** Clauses of a login limit, by their place in the configuration. */
const CLAUSES: readonly string[] = ['0', '1', '2', '3', '4', 'other'];
// biome-ignore format: a table
const TOKEN_FAULTS: readonly string[] = ['expired', 'signature', 'malformed', 'revoked', 'user_gone', 'password_changed', 'factor_owed', 'claims', 'unknown', 'limited'];

/** Upper ends of buckets, in seconds. */
const DECISION_SECONDS = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05];
const RESPONSE_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30];

/** The rest, also what is called so: two series of one name are refused by a scraper. */
const OTHER = 'other';
const withOther = (names: readonly string[], most = names.length): string[] => [
  ...[...new Set(names)].filter((name) => name !== OTHER).slice(0, most),
  OTHER,
];

const MOST_ROLES = 32;
const MOST_HEADERS = 32;

export function createMetrics({ version, revision, node, ...options }: MetricsOptions) {
  const roles = withOther(['admin', 'viewer', ...options.roles], MOST_ROLES);
  const headers = withOther(options.identityHeaders, MOST_HEADERS);
  const route = ['route_class', ROUTE_CLASSES] as const;
  const code = ['code_class', CODE_CLASSES] as const;
  /** What the caller showed; `network` is the internal listener, where nothing is shown. */
  const mode = ['mode', [...CREDENTIAL_MODES, 'none']] as const;
  const stream = ['kind', ['ws', 'mjpeg', 'sse']] as const;
  const role = ['role', roles] as const;

  // biome-ignore format: a table
  const declared = {
    build:                createInfo('postern_build_info', 'Build of the running sidecar.', { version, ...(revision ? { revision } : {}), node }),
    requests:             createCounter('postern_requests_total', 'Requests answered, by kind of route.', [route, ['method', METHODS], code]),
    requestDuration:      createHistogram('postern_request_duration_seconds', 'Time to the end of a response, streams excepted.', RESPONSE_SECONDS, [route, ['code_class', CODE_CLASSES.filter((name): boolean => name !== '1xx')]]),
    decisions:            createCounter('postern_decisions_total', 'Access decisions, by kind of credential.', [mode, ['result', ['allow', 'unauthenticated', 'forbidden_role', 'forbidden_camera', 'forbidden_route', 'malformed', 'error']]]),
    decisionDuration:     createHistogram('postern_decision_duration_seconds', 'Time of an access decision, without the NVR.', DECISION_SECONDS, [mode]),
    logins:               createCounter('postern_logins_total', 'Login attempts, by result.', [['result', ['success', 'bad_credentials', 'code_asked', 'bad_code', 'bad_passkey', 'closed', 'password_off', 'rate_limited', 'disabled', 'invalid_request', 'busy', 'error']]]),
    proxyKeysUp:          createGauge('min', 'postern_proxy_keys_up', '1 when the keys of proxy.jwt could be read when they were last asked for.'),
    hashQueue:            createGauge('sum', 'postern_password_hash_queue', 'Password checks that wait for their turn.'),
    rateLimitHits:        createCounter('postern_rate_limit_hits_total', 'Attempts refused by the login limit, by the index of its clause.', [['scope', ['ip', 'apikey']], ['clause', CLAUSES]]),
    clientAddresses:      createCounter('postern_client_address_total', 'How the address of a client was found.', [['source', ['direct', 'forwarded', 'untrusted_header', 'malformed']]]),
    proxyFailures:        createCounter('postern_failures_from_trusted_proxy_total', 'Failed logins counted against a private address or a proxy; a sign that auth.trusted_proxies is not set.'),
    proxySecrets:         createCounter('postern_proxy_secret_total', 'Checks of proxy.auth_secret.', [['result', ['ok', 'missing', 'mismatch']]]),
    proxyRoles:           createCounter('postern_proxy_role_total', 'How the role of a proxy\'s user was found.', [['source', ['map', 'direct', 'default', 'denied']], role]),
    strippedHeaders:      createCounter('postern_stripped_headers_total', 'Identity headers removed from requests of clients that may not send them.', [['header', headers]]),
    unknownRoutes:        createCounter('postern_unknown_routes_total', 'Requests of admins that the NVR answered although the route table does not know their path.'),
    untrustedHeaders:     createCounter('postern_untrusted_identity_headers_total', 'Requests whose identity headers were ignored because the peer is not trusted.'),
    tokensRejected:       createCounter('postern_tokens_rejected_total', 'Tokens refused.', [['reason', TOKEN_FAULTS]]),
    activeSessions:       createGauge('sum', 'postern_active_sessions', 'Sessions seen in the last five minutes.', [role]),
    cameraDenials:        createCameraDenials('postern_camera_denied_total', 'Requests refused because of a camera that they named.', options.roles.slice(0, MOST_ROLES)),
    streamsOpen:          createGauge('sum', 'postern_streams_open', 'WebSockets and endless responses that are open now.', [stream]),
    placesInUse:          createGauge('sum', 'postern_places_in_use', 'Bounded places that are taken: by requests of clients behind the gate, by connections to the NVR, by requests that wait for one, and by questions that the gate asks the NVR itself.', [['of', ['client', 'nvr', 'nvr_waiting', 'question']]]),
    streamsClosed:        createCounter('postern_streams_closed_total', 'Streams ended, by cause.', [stream, ['reason', ['client', 'backend', 'revoked', 'expired', 'idle', 'error']]]),
    upstreamRequests:     createCounter('postern_upstream_requests_total', 'Responses of the NVR or the events backend; none: no response came.', [['code_class', ['1xx', '2xx', '3xx', '4xx', '5xx', 'none']]]),
    upstreamErrors:       createCounter('postern_upstream_errors_total', 'Requests that the NVR or the events backend did not answer, or answered incompletely.', [['reason', ['refused', 'timeout', 'reset', 'tls', 'dns', 'bad_answer', 'aborted_by_client', 'other']]]),
    upstreamDuration:     createHistogram('postern_upstream_duration_seconds', 'Time to the first byte of a response of the NVR or the events backend.', RESPONSE_SECONDS, [['route_class', ROUTE_CLASSES.filter((name) => !OWN.includes(name))]]),
    upstreamUp:           createGauge('min', 'postern_upstream_up', '1 when the NVR answered when it was last asked for its version.'),
    eventsUp:             createGauge('min', 'postern_events_up', '1 while the events backend runs; it is restarted when it has ended.'),
    eventsRestarts:       createCounter('postern_events_restarts_total', 'How often the events backend was restarted.'),
    bytes:                createCounter('postern_bytes_total', 'Bytes of bodies and WebSockets relayed: in from the client, out to it.', [['direction', ['in', 'out']], route]),
    reloadSuccessful:     createGauge('min', 'postern_config_last_reload_successful', '1 when the configuration that was last read is in use.'),
    certificateExpiry:    createGauge('min', 'postern_tls_certificate_expiry_timestamp_seconds', 'End of the certificate that is served.'),
    storeUp:              createGauge('min', 'postern_store_up', '1 when the store could be read and written when it was last tried.'),
    storeChangesHeard:    createGauge('min', 'postern_store_changes_heard', 'PostgreSQL: 1 while changes of other replicas are heard; 0: they may be missed, and each request asks the store.'),
    storeFaults:          createCounter('postern_store_faults_total', 'Reads and writes that failed because of the store, by what was wrong with it.', [['kind', STORE_FAULTS]]),
    heldRevocations:      createGauge('sum', 'postern_revocations_waiting', 'Ended sessions whose end is held in memory until the store can be written.'),
    ownErrors:            createCounter('postern_own_errors_total', 'Requests answered with 500 or 503 because of a fault of the sidecar itself or of its store.', [['reason', ['store', 'internal']]]),
    connectionsRefused:   createCounter('postern_connections_refused_total', 'Connections and request heads that were refused before they were a request: by the parser, by TLS, or because few file descriptors were left.', [['cause', Object.keys(CONNECTION_REFUSALS)]]),
    logLinesDropped:      createCounter('postern_log_lines_dropped_total', 'Log lines dropped because the output was not read, or not fast enough.'),
  };
  // Left out until their value is known.
  declared.proxyKeysUp.set(undefined);
  declared.upstreamUp.set(undefined);
  declared.storeChangesHeard.set(undefined);
  declared.eventsUp.set(undefined);
  declared.certificateExpiry.set(undefined);
  return declared;
}

const MOST_SERIES = 512;

/** Counts denials by camera and role. The NVR names these labels, so the number of series has a limit (SPEC 9). */
export function createCameraDenials(name: string, help: string, customRoles: readonly string[]) {
  const roles = withOther(customRoles);
  const mostCameras = Math.floor(MOST_SERIES / roles.length) - 1;
  const counterFor = (cameras: readonly string[]) => ({
    cameras,
    ...createCounter(name, help, [
      ['camera', cameras],
      ['role', roles],
    ]),
  });
  let current = counterFor([OTHER]);
  return {
    name,
    help,
    type: 'counter' as const,
    /** Undefined, or not known: `other`. */
    count: (camera: string | undefined, role: string): void => current.add(1, camera ?? OTHER, role),
    isKnown: (camera: string): boolean => current.cameras.includes(camera),
    /** What the NVR has now. What was counted for a camera that is gone moves to `other`. */
    setCameras(names: readonly string[]): void {
      const next = counterFor(withOther(names, mostCameras));
      const counts = [...current.samples()].map(({ value }) => value);
      for (const camera of current.cameras) for (const role of roles) next.add(counts.shift() ?? 0, camera, role);
      current = next;
    },
    samples: () => current.samples(),
  };
}
