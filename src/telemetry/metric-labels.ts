/** The closed lists that labels are taken from, so that no request can make a new series (SPEC 9). */

export const ROUTE_CLASSES = [
  'login',
  'logout',
  'auth',
  'profile',
  'api',
  'live',
  'media',
  'ws',
  'static',
  'other',
] as const;
export type RouteClass = (typeof ROUTE_CLASSES)[number];

const OWN: readonly string[] = ['logout', 'auth', 'profile'];
export const UPSTREAM_ROUTES: readonly RouteClass[] = ROUTE_CLASSES.filter((route) => !OWN.includes(route));

export const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'other'];

export const CODE_CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx', 'aborted'] as const;
export type CodeClass = (typeof CODE_CLASSES)[number];

/** The codes of answers that are no streams. */
export const RESPONSE_CODES: readonly CodeClass[] = CODE_CLASSES.filter((code) => code !== '1xx');

/** What the caller showed; `network` is the internal listener, where nothing is shown. */
export const MODES = ['session', 'bearer', 'apikey', 'link', 'screen', 'proxy', 'network', 'none'] as const;
export type Mode = (typeof MODES)[number];

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

export const LOGIN_RESULTS = [
  'success',
  'bad_credentials',
  'code_asked',
  'bad_code',
  'bad_passkey',
  'closed',
  'password_off',
  'rate_limited',
  'disabled',
  'invalid_request',
  'busy',
  'error',
] as const;
export type LoginResult = (typeof LOGIN_RESULTS)[number];

export const FACTOR_CHECKS = ['totp', 'recovery', 'passkey'] as const;
export const FACTOR_RESULTS = ['right', 'wrong'] as const;

/** What limits count by: the address of a login, or of an API token. */
export const LIMIT_SCOPES = ['ip', 'apikey'] as const;

/** Clauses of a login limit, by their place in the configuration. */
export const CLAUSES: readonly string[] = ['0', '1', '2', '3', '4', 'other'];

export const EVICTION_STATES = ['idle', 'active'] as const;
export type EvictionState = (typeof EVICTION_STATES)[number];

export const ADDRESS_SOURCES = ['direct', 'forwarded', 'untrusted_header', 'malformed'] as const;
export type AddressSource = (typeof ADDRESS_SOURCES)[number];

export const SECRET_RESULTS = ['ok', 'missing', 'mismatch'] as const;
export type SecretResult = (typeof SECRET_RESULTS)[number];

export const ROLE_SOURCES = ['map', 'direct', 'default', 'denied'] as const;
export type RoleSource = (typeof ROLE_SOURCES)[number];

export const ISSUE_REASONS = ['login', 'refresh', 'password_change', 'api_token'] as const;
export type IssueReason = (typeof ISSUE_REASONS)[number];

export const TOKEN_FAULTS: readonly string[] = [
  'expired',
  'signature',
  'malformed',
  'revoked',
  'user_gone',
  'password_changed',
  'factor_owed',
  'claims',
  'unknown',
  'limited',
];

export const REVOCATION_KINDS = ['jti', 'user'] as const;
export type RevocationKind = (typeof REVOCATION_KINDS)[number];

/** Bounded places: of clients behind the gate, of connections to the NVR, of requests that wait for one, and of own questions to the NVR. */
export const PLACES = ['client', 'nvr', 'nvr_waiting', 'question'] as const;
export type Place = (typeof PLACES)[number];

export const STREAM_KINDS = ['ws', 'mjpeg', 'sse'] as const;
export type StreamKind = (typeof STREAM_KINDS)[number];

export const STREAM_ENDS = ['client', 'backend', 'revoked', 'expired', 'idle', 'error'] as const;
export type StreamEnd = (typeof STREAM_ENDS)[number];

export const UPSTREAM_CODES = ['1xx', '2xx', '3xx', '4xx', '5xx', 'none'] as const;

export const UPSTREAM_FAULTS = [
  'refused',
  'timeout',
  'reset',
  'tls',
  'dns',
  'bad_answer',
  'aborted_by_client',
  'other',
] as const;
export type UpstreamFault = (typeof UPSTREAM_FAULTS)[number];

/** Why a request ended in an error of the sidecar's own. */
export const OWN_ERRORS = ['store', 'internal'] as const;

export const DIRECTIONS = ['in', 'out'] as const;

export const RELOAD_RESULTS = ['ok', 'rejected'] as const;
export type ReloadResult = (typeof RELOAD_RESULTS)[number];

export const INVITATION_RESULTS = ['made', 'revoked', 'used', 'refused'] as const;
export type InvitationResult = (typeof INVITATION_RESULTS)[number];

export const OIDC_RESULTS = [
  'success',
  'second_step',
  'connected',
  'proven',
  'logout',
  'refused',
  'declined',
  'away',
  'unfit',
  'over',
] as const;
export type OidcResult = (typeof OIDC_RESULTS)[number];

export const SCREEN_RESULTS = ['paired', 'denied', 'changed', 'revoked', 'refused'] as const;
export type ScreenResult = (typeof SCREEN_RESULTS)[number];

export const LINK_RESULTS = ['created', 'revoked', 'opened', 'refused', 'pin_right', 'pin_wrong'] as const;
export type LinkResult = (typeof LINK_RESULTS)[number];
export const WEBHOOK_RESULTS = ['sent', 'failed'] as const;
