/** Status codes and Node's error codes as metric labels: from closed lists, so that no request can make a new series (SPEC 9). */
import { type RefusalReason, refusalKind } from '../domain/refusal.ts';
import type { CodeClass, StreamEnd, UpstreamFault } from './metric-labels.ts';

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

/** Why the NVR did not answer: by what was decided, else by Node's code for it. */
export function upstreamFaultOf(reason: RefusalReason, code: string): UpstreamFault {
  const kind = refusalKind(reason);
  if (kind !== undefined && kind !== 'of-person') return kind;
  if (code.startsWith('HPE_')) return 'bad_answer';
  return FAULT_OF_CODE.get(code) ?? (TLS_CODE.test(code) ? 'tls' : 'other');
}

/** Why an answer was cut off: by Node's code for it. */
export function cutOf(code: string): { readonly by: StreamEnd; readonly fault: UpstreamFault } {
  if (code === 'ERR_UPSTREAM_IDLE') return { by: 'idle', fault: 'timeout' };
  return code.startsWith('HPE_') ? { by: 'error', fault: 'bad_answer' } : { by: 'backend', fault: 'reset' };
}
