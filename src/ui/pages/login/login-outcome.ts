/** What an answer to POST /api/login means to the person at the keyboard (SPEC 4.1). */
export type LoginOutcome =
  | { readonly kind: 'logged-in' }
  | { readonly kind: 'wrong-credentials' }
  | { readonly kind: 'wait'; readonly why: 'too-many-tries' | 'busy'; readonly seconds: number }
  | { readonly kind: 'failed'; readonly message: string };

/** The part of a fetch Response that matters here. */
export interface LoginAnswer {
  readonly status: number;
  readonly retryAfter: string | null;
}

/** When a limited answer does not say how long. */
const USUAL_WAIT_SECONDS = 60;
const USUAL_BUSY_SECONDS = 5;

const NOT_REACHED = 'The recorder cannot be reached right now. Check the network, then try again.';

// biome-ignore format: a table
const FAILURES: Readonly<Record<number, string>> = {
  400: 'The login was not understood. Load this page again, then try once more.',
  403: 'The login was refused, because it seemed to come from another site. Load this page again, then try once more.',
  404: 'There are no passwords here: logging in is left to the proxy in front. Open the address that you were given for it.',
  415: 'The login was not understood. Load this page again, then try once more.',
  422: 'Please fill in both the user and the password.',
  500: 'Something went wrong on the other side. Try again; if it stays, its log has the details.',
  502: NOT_REACHED,
  504: NOT_REACHED,
};

export function loginOutcome(answer: LoginAnswer, now: number): LoginOutcome {
  const { status, retryAfter } = answer;
  if (status === 200) return { kind: 'logged-in' };
  if (status === 401) return { kind: 'wrong-credentials' };
  if (status === 429) return wait('too-many-tries', retryAfter, USUAL_WAIT_SECONDS, now);
  if (status === 503) return wait('busy', retryAfter, USUAL_BUSY_SECONDS, now);
  return { kind: 'failed', message: FAILURES[status] ?? `That did not work (status ${status}). Please try again.` };
}

export const unreachable: LoginOutcome = { kind: 'failed', message: NOT_REACHED };

function wait(why: 'too-many-tries' | 'busy', retryAfter: string | null, usual: number, now: number): LoginOutcome {
  return { kind: 'wait', why, seconds: retryAfterSeconds(retryAfter, now) ?? usual };
}

/** RFC 9110, 10.2.3: a number of seconds, or a date. */
function retryAfterSeconds(text: string | null, now: number): number | undefined {
  if (text === null) return undefined;
  if (/^\d{1,9}$/.test(text)) return Math.max(1, Number(text));
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(1, Math.ceil((date - now) / 1000));
}

/** How long to wait, as one would say it: `42 s`, `1 min 5 s`, `1 h 10 min`. */
export function saySeconds(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return joined(Math.floor(seconds / 60), 'min', seconds % 60, 's');
  return joined(Math.floor(seconds / 3600), 'h', Math.floor((seconds % 3600) / 60), 'min');
}

const joined = (large: number, largeUnit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
