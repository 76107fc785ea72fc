/** A refusal's reason as a metric label: from a closed list, so that no request can make a new series (SPEC 9). */
import type { RefusalReason } from '../domain/refusal.ts';
import type { CodeClass, DecisionResult, StreamEnd, UpstreamFault } from './metric-labels.ts';

// biome-ignore format: a table
export const DECISION_OF_REASON: Readonly<Record<RefusalReason, DecisionResult>> = {
  'target-not-plain':      'malformed',
  'headers-not-plain':     'malformed',
  'headers-too-many':      'malformed',
  'framing-not-plain':     'malformed',
  'upgrade-not-plain':     'malformed',
  'parameters-too-many':   'malformed',
  'parameter-repeated':    'malformed',
  'parameter-refused':     'malformed',
  'body-field-refused':    'malformed',
  'ids-too-many':          'malformed',
  'body-unreadable':       'malformed',
  'offer-unreadable':      'malformed',
  'method-unknown':        'malformed',
  'expectation-unknown':   'malformed',
  'host-unknown':          'forbidden_route',
  'host-of-other-part':    'forbidden_route',
  'description-refused':   'malformed',
  'cross-site':            'forbidden_route',
  'no-credentials':        'unauthenticated',
  'token-invalid':         'unauthenticated',
  'tokens-limited':        'unauthenticated',
  'proxy-secret-mismatch': 'unauthenticated',
  'proxy-user-missing':    'unauthenticated',
  'proxy-role-denied':     'forbidden_role',
  'role-too-low':          'forbidden_role',
  'person-needed':         'forbidden_role',
  'second-factor-required': 'forbidden_role',
  'reauthentication-required': 'forbidden_role',
  'account-not-begun':     'forbidden_role',
  'account-ended':         'forbidden_role',
  'outside-hours':         'forbidden_role',
  'history-too-old':       'forbidden_role',
  'history-not-judged':    'forbidden_role',
  'route-unlisted':        'forbidden_route',
  'camera-not-in-role':    'forbidden_camera',
  'name-not-unique':       'forbidden_camera',
  'verb-denied':           'forbidden_role',
  'offer-sends':           'forbidden_role',
  'field-admin-only':      'forbidden_role',
  'not-narrowable':        'forbidden_camera',
  'path-not-found':        'forbidden_route',
  'link-over':             'unauthenticated',
  'link-file-absent':      'error',
  'link-pin-missing':      'unauthenticated',
  'links-limited':         'unauthenticated',
  'no-nvr':                'error',
  'method-not-allowed':    'forbidden_route',
  'body-too-large':        'malformed',
  'body-too-slow':         'malformed',
  'offer-too-large':       'malformed',
  'cameras-unknown':       'error',
  'backend-unavailable':   'error',
  'store-unavailable':     'error',
  'events-unreadable':     'error',
  'query-too-slow':        'error',
  'answers-too-large':     'error',
  'filter-ended':          'error',
  'client-busy':           'error',
  'nvr-busy':              'error',
  'nvr-unreachable':       'error',
  'nvr-failed':            'error',
  'nvr-unexpected-form':   'error',
  'nvr-bad-answer':        'error',
  'nvr-framing-ambiguous': 'error',
  'nvr-status-invalid':    'error',
  'nvr-name-unknown':      'error',
  'nvr-certificate-refused': 'error',
  'nvr-tls-failed':        'error',
  'nvr-timeout':           'error',
  'internal-error':        'error',
};

/** Status codes as label values; no answer at all is `none`. */
export const codeClassOf = (status: number): Exclude<CodeClass, 'aborted'> =>
  CODE_CLASS[Math.floor(status / 100)] ?? '5xx';

const CODE_CLASS: Readonly<Record<number, Exclude<CodeClass, 'aborted'>>> = {
  1: '1xx',
  2: '2xx',
  3: '3xx',
  4: '4xx',
  5: '5xx',
};

// biome-ignore format: a table
const FAULT_OF_CODE: ReadonlyMap<string, UpstreamFault> = new Map([
  ['ECONNREFUSED', 'refused'], ['ENOENT', 'refused'], ['EHOSTUNREACH', 'refused'], ['ENETUNREACH', 'refused'],
  ['ETIMEDOUT', 'timeout'],    ['ECONNECT_TIMEOUT', 'timeout'],
  ['ECONNRESET', 'reset'],     ['EPIPE', 'reset'],
  ['ENOTFOUND', 'dns'],        ['EAI_AGAIN', 'dns'],
  ['EPROTO', 'tls'],           ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls'], ['SELF_SIGNED_CERT_IN_CHAIN', 'tls'],
]);
const TLS_CODE = /^(?:ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_)/;

const BAD_RESPONSES: readonly RefusalReason[] = [
  'nvr-bad-answer',
  'nvr-framing-ambiguous',
  'nvr-status-invalid',
  'nvr-failed',
  'nvr-unexpected-form',
];

/** Why the NVR did not answer: by what was decided, else by Node's code for it. */
export function upstreamFaultOf(reason: RefusalReason, code: string): UpstreamFault {
  if (reason === 'nvr-timeout') return 'timeout';
  if (reason === 'nvr-certificate-refused' || reason === 'nvr-tls-failed') return 'tls';
  if (BAD_RESPONSES.includes(reason) || code.startsWith('HPE_')) return 'bad_answer';
  return FAULT_OF_CODE.get(code) ?? (TLS_CODE.test(code) ? 'tls' : 'other');
}

/** Why an answer was cut off: by Node's code for it. */
export function cutOf(code: string): { readonly by: StreamEnd; readonly fault: UpstreamFault } {
  if (code === 'ERR_UPSTREAM_IDLE') return { by: 'idle', fault: 'timeout' };
  return code.startsWith('HPE_') ? { by: 'error', fault: 'bad_answer' } : { by: 'backend', fault: 'reset' };
}
