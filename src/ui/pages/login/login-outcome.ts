/** What an answer to POST /api/login means to the person at the keyboard (SPEC 4.1). */

export type LoginOutcome =
  | { readonly kind: 'logged-in' }
  | { readonly kind: 'wrong-credentials' }
  /** The password was right. */
  | { readonly kind: 'code-asked'; readonly hasPasskey: boolean }
  | { readonly kind: 'wait'; readonly why: 'too-many-tries' | 'busy'; readonly seconds: number }
  /** Everything was right; the account or its role may not be used now. `opensAt` in Unix seconds. */
  | { readonly kind: 'closed'; readonly reason: ClosedReason; readonly opensAt: number | undefined }
  | { readonly kind: 'failed'; readonly why: LoginFailure; readonly status: number };

const CLOSED_REASONS = ['account-not-begun', 'account-ended', 'role-missing', 'outside-hours', 'password-off'] as const;
export type ClosedReason = (typeof CLOSED_REASONS)[number];

/** `opens`: when that ends, as people write it. */
export const closedText = (
  words: Readonly<Record<ClosedReason | 'opens', string>>,
  reason: ClosedReason,
  opens: string | undefined,
): string => (opens === undefined ? words[reason] : `${words[reason]} ${words.opens.replace('{time}', opens)}`);

/** When a limited answer does not say how long. */
const USUAL_WAIT_SECONDS = 60;
const USUAL_BUSY_SECONDS = 5;

// biome-ignore format: a table
const FAILURES = {
  400: 'notUnderstood',
  403: 'otherWebsite',
  404: 'noPasswords',
  415: 'notUnderstood',
  422: 'fillIn',
  500: 'fault',
  502: 'notReached',
  504: 'notReached',
} as const;

/** Each has a sentence of its own in the words of the login. */
export type LoginFailure = (typeof FAILURES)[keyof typeof FAILURES] | 'notKept' | 'otherStatus';

type Answer = { readonly status: number; readonly retryAfter: string | null; readonly body?: unknown };

export function loginOutcome({ status, retryAfter, body }: Answer, now: number): LoginOutcome {
  if (status === 200) return { kind: 'logged-in' };
  const { second_factor: factors, reason, opens_at: opensAt } = Object(body);
  if (status === 401 && Array.isArray(factors)) return { kind: 'code-asked', hasPasskey: factors.includes('passkey') };
  if (status === 401) return { kind: 'wrong-credentials' };
  const closed = CLOSED_REASONS.find((one) => one === reason);
  if (status === 403 && closed)
    return { kind: 'closed', reason: closed, opensAt: typeof opensAt === 'number' ? opensAt : undefined };
  const seconds = retryAfterSeconds(retryAfter, now);
  if (status === 429) return { kind: 'wait', why: 'too-many-tries', seconds: seconds ?? USUAL_WAIT_SECONDS };
  if (status === 503) return { kind: 'wait', why: 'busy', seconds: seconds ?? USUAL_BUSY_SECONDS };
  return { kind: 'failed', why: (FAILURES as Readonly<Record<number, LoginFailure>>)[status] ?? 'otherStatus', status };
}

export const unreachable: LoginOutcome = { kind: 'failed', why: 'notReached', status: 0 };
export const notKept: LoginOutcome = { kind: 'failed', why: 'notKept', status: 401 };

/** RFC 9110, 10.2.3: a number of seconds, or a date. */
function retryAfterSeconds(text: string | null, now: number): number | undefined {
  if (text === null) return undefined;
  if (/^\d{1,9}$/.test(text)) return Math.max(1, Number(text));
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(1, Math.ceil((date - now) / 1000));
}

/** How long to wait, as one would say it: `42 s`, `1 min 5 s`, `1 h 10 min`. */
export function formatSeconds(seconds: number): string {
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3600)];
  if (minutes === 0) return `${seconds}\u00A0s`;
  const [first, second] = hours === 0 ? [`${minutes} min`, `${seconds % 60} s`] : [`${hours} h`, `${minutes % 60} min`];
  return (second.startsWith('0') ? first : `${first} ${second}`).replaceAll(' ', '\u00A0');
}
