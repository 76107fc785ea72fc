/** How the service is, read from what GET /api/status answers: a part that is not told is undefined (SPEC 8). */
import type { ReachStatus, ServiceStatus } from '../../../domain/status.ts';
import { isFields } from '../shared/forms/fields.ts';

/** Times are Unix seconds. */
export type ReadStatus = { readonly [Part in keyof ServiceStatus]: Exclude<ServiceStatus[Part], null> | undefined };

const PARTS: readonly (keyof ServiceStatus)[] = [
  'startedAt',
  'versions',
  'publicUrl',
  'store',
  'nvr',
  'events',
  'certificate',
  'warnings',
  'limiter',
  'loginFailures',
  'unknownRoutes',
  'failures',
];

/** The answer is Postern's own, of the same build as this page: its parts are as they are declared, or null. */
export function readStatus(body: unknown): ReadStatus {
  const fields = isFields(body) ? body : {};
  return Object.fromEntries(PARTS.map((part) => [part, fields[part] ?? undefined])) as unknown as ReadStatus;
}

export const isWell = (reach: ReachStatus | undefined): boolean => reach?.kind === 'ok' || reach?.kind === 'unused';

export interface HourBar {
  readonly start: number;
  readonly count: number;
}

const HOUR = 3600;
const HOURS_SHOWN = 24;

/** The last 24 hours without gaps, oldest first, the running hour last. */
export function lastHours(counted: readonly HourBar[], now: number): HourBar[] {
  const current = Math.floor(now / HOUR) * HOUR;
  const counts = new Map<number, number>();
  for (const { start, count } of counted) {
    const hour = Math.floor(start / HOUR) * HOUR;
    counts.set(hour, (counts.get(hour) ?? 0) + count);
  }
  return Array.from({ length: HOURS_SHOWN }, (_, at) => {
    const start = current - (HOURS_SHOWN - 1 - at) * HOUR;
    return { start, count: counts.get(start) ?? 0 };
  });
}
