/** Why an upstream could not be asked, or did not answer: from the code of the error to the reason that is told (SPEC 6). */
import type { RefusalReason } from '../../domain/refusal.ts';

/** Node's code for what went wrong with an upstream. What is no HTTP at all has none of its own. */
export function codeOf(error: Error): string {
  if ('code' in error && typeof error.code === 'string') return error.code;
  return '';
}

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
