/** The closed lists that labels of several metrics are taken from, or that others name, so that no request can make a new series (SPEC 9). */
import { CREDENTIAL_MODES } from '../domain/credentials.ts';

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
export const MODES = [...CREDENTIAL_MODES, 'none'] as const;

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

/** Clauses of a login limit, by their place in the configuration. */
export const CLAUSES: readonly string[] = ['0', '1', '2', '3', '4', 'other'];

export const ADDRESS_SOURCES = ['direct', 'forwarded', 'untrusted_header', 'malformed'] as const;
export type AddressSource = (typeof ADDRESS_SOURCES)[number];

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

/** Bounded places: of clients behind the gate, of connections to the NVR, of requests that wait for one, and of own questions to the NVR. */
export const PLACES = ['client', 'nvr', 'nvr_waiting', 'question'] as const;

export const STREAM_KINDS = ['ws', 'mjpeg', 'sse'] as const;
export type StreamKind = (typeof STREAM_KINDS)[number];

export const STREAM_ENDS = ['client', 'backend', 'revoked', 'expired', 'idle', 'error'] as const;
export type StreamEnd = (typeof STREAM_ENDS)[number];

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
