/** The problem of a failed request as text; opens the login page when the session is over, unless that led straight back twice. */
import type { ApiResponse } from './api.ts';
import { baseUrl } from './browser.ts';
import { type FormProblem, placed } from './form-faults.ts';
import { facts } from './page-facts.ts';
import { COMMON } from './password-strength.ts';
import { loginTarget } from './where-to-go.ts';
import { words } from './words.ts';

export function problemOf(response: Exclude<ApiResponse, { kind: 'ok' }>): string {
  if (response.kind === 'refused')
    return COMMON.test(response.message) ? words.passwords.rules.common : response.message;
  if (response.kind !== 'login-needed') return words.ui.common.notReached;
  return goToLogin(response.location) === 'leaving' ? words.ui.common.sessionOver : words.ui.common.loopInShort;
}

/** The same for a form: at the field that the server complains about. */
export function formProblemOf(response: Exclude<ApiResponse, { kind: 'ok' }>): FormProblem {
  const text = problemOf(response);
  return response.kind === 'refused' ? placed(response.message, text) : text;
}

const KEY = 'postern-login-trips';
const LOOP_MILLISECONDS = 10_000;
const MOST_TRIPS = 2;
/** The requests of one page that are refused together are one visit of the login. */
const TOGETHER_MILLISECONDS = 1000;
let leftAt = Number.NEGATIVE_INFINITY;

/** `loop`: the login does not help, for instance because the browser does not keep the cookie. */
export function goToLogin(location: string | null): 'leaving' | 'loop' {
  if (performance.now() - leftAt < TOGETHER_MILLISECONDS) return 'leaving';
  const trips = recentTrips(Date.now());
  // A browser that blocks cookies blocks the storage too: the visits cannot be counted, and no login would be kept.
  if (trips.length >= MOST_TRIPS || !navigator.cookieEnabled) return 'loop';
  keepTrips([...trips, Date.now()]);
  leftAt = performance.now();
  window.location.assign(
    loginTarget({ location, here: window.location.href, base: baseUrl.href, loginPath: facts.loginPath }),
  );
  return 'leaving';
}

function recentTrips(now: number): number[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? kept.filter((time) => typeof time === 'number' && now - time < LOOP_MILLISECONDS) : [];
  } catch {
    return [];
  }
}

function keepTrips(trips: readonly number[]): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(trips));
  } catch {
    // Not counted.
  }
}
