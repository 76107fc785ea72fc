/** Why an upstream could not be asked, or did not answer: from the fault to the reason that is told (SPEC 5, 6). */
import { UnexpectedForm } from '../../domain/json.ts';
import type { RefusalReason } from '../../domain/refusal.ts';
import { codeOf, TooManyQuestions } from '../../outbound/ask-upstream.ts';

/** What the client is told, and the log. */
export function upstreamFailure(error: Error): RefusalReason {
  const code = codeOf(error);
  return REASONS.get(code) ?? PATTERNS.find(([pattern]) => pattern.test(code))?.[1] ?? 'nvr-unreachable';
}

// biome-ignore format: a table
const REASONS: ReadonlyMap<string, RefusalReason> = new Map([
  ['ECONNECT_TIMEOUT',                    'nvr-timeout'],
  ['ETIMEDOUT',                           'nvr-timeout'],
  ['ERR_UPSTREAM_IDLE',                   'nvr-timeout'],
  ['HPE_UNEXPECTED_CONTENT_LENGTH',       'nvr-framing-ambiguous'],
  ['ENOTFOUND',                           'nvr-name-unknown'],
  ['EAI_AGAIN',                           'nvr-name-unknown'],
  ['EPROTO',                              'nvr-tls-failed'],
]);

/** The faults whose codes come in families. Those of certificates are OpenSSL's names for what is wrong with one. */
// biome-ignore format: a table
const PATTERNS: readonly (readonly [code: RegExp, reason: RefusalReason])[] = [
  [/CERT|^UNABLE_TO_|^INVALID_(?:CA|PURPOSE)$|^HOSTNAME_MISMATCH$|^PATH_LENGTH_EXCEEDED$/, 'nvr-certificate-refused'],
  [/^ERR_(?:SSL|TLS)_/,                                                                    'nvr-tls-failed'],
  [/^HPE_/,                                                                                'nvr-bad-answer'],
];

/** The NVR's own failure, a response that is no JSON, or no NVR at all. */
export function askFailure(fault: unknown): RefusalReason {
  if (fault instanceof SyntaxError) return 'nvr-unexpected-form';
  if (fault instanceof Error && 'status' in fault) return 'nvr-failed';
  if (fault instanceof FilterEnded) return 'filter-ended';
  if (fault instanceof TooManyQuestions) return 'nvr-busy';
  if (fault instanceof UnexpectedForm) return 'nvr-unexpected-form';
  return fault instanceof Error ? upstreamFailure(fault) : 'nvr-unreachable';
}

/** The thread that filters large responses ended in the middle of one: a fault of this program, or its memory, and not of the NVR. */
export class FilterEnded extends Error {}
