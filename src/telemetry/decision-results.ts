/** A refusal's reason as a metric label: from a closed list, so that no request can make a new series (SPEC 9). */
import type { RefusalReason } from '../domain/refusal.ts';
import type { DecisionResult } from './metrics.ts';

// biome-ignore format: a table
export const DECISION_OF_REASON: Readonly<Record<RefusalReason, DecisionResult>> = {
  'target-not-plain':      'malformed',
  'headers-not-plain':     'malformed',
  'framing-not-plain':     'malformed',
  'upgrade-not-plain':     'malformed',
  'parameter-repeated':    'malformed',
  'parameter-refused':     'malformed',
  'ids-too-many':          'malformed',
  'body-unreadable':       'malformed',
  'method-unknown':        'malformed',
  'expectation-unknown':   'malformed',
  'host-unknown':          'forbidden_route',
  'cross-site':            'forbidden_route',
  'no-credentials':        'unauthenticated',
  'token-invalid':         'unauthenticated',
  'tokens-limited':        'unauthenticated',
  'proxy-secret-mismatch': 'unauthenticated',
  'proxy-user-missing':    'unauthenticated',
  'proxy-role-denied':     'forbidden_role',
  'role-too-low':          'forbidden_role',
  'route-unlisted':        'forbidden_route',
  'camera-not-in-role':    'forbidden_camera',
  'verb-denied':           'forbidden_role',
  'field-admin-only':      'forbidden_role',
  'not-narrowable':        'forbidden_camera',
  'path-not-found':        'forbidden_route',
  'no-nvr':                'error',
  'method-not-allowed':    'forbidden_route',
  'body-too-large':        'malformed',
  'cameras-unknown':       'error',
  'store-unavailable':     'error',
  'backend-unavailable':   'error',
  'nvr-unreachable':       'error',
  'nvr-bad-answer':        'error',
  'nvr-timeout':           'error',
  'internal-error':        'error',
};

export const codeClassOf = (status: number, isWhole: boolean) =>
  isWhole ? (CODE_CLASS[Math.floor(status / 100)] ?? '5xx') : 'aborted';

const CODE_CLASS = { 1: '1xx', 2: '2xx', 3: '3xx', 4: '4xx', 5: '5xx' } as const as Readonly<
  Record<number, '1xx' | '2xx' | '3xx' | '4xx' | '5xx'>
>;
