/** What the status page counts: failed logins by the hour, and one switch of the curtain for each camera. Pure. */

import { maySee, toScope } from '../../../domain/camera-scope.ts';
import type { FailuresInHour } from '../../../domain/status.ts';

export type HourBar = FailuresInHour;

const HOUR = 3600;
const HOURS_SHOWN = 24;

/** The last 24 hours without gaps, oldest first, the running hour last. */
export function lastHours(counted: readonly HourBar[], now: number): HourBar[] {
  const hourOf = (time: number): number => Math.floor(time / HOUR) * HOUR;
  return Array.from({ length: HOURS_SHOWN }, (_, at) => {
    const start = hourOf(now) - (HOURS_SHOWN - 1 - at) * HOUR;
    const counts = counted.filter((one) => hourOf(one.start) === start).map(({ count }) => count);
    return { start, count: counts.reduce((sum, count) => sum + count, 0) };
  });
}

/** What GET /api/curtain tells. */
export type DrawnEntry = { readonly camera: string; readonly until: number | null; readonly by: string };

/** A switch of a camera, or of an entry that is drawn. `by`: what draws it; undefined: it is open. */
export type CurtainSwitch = { readonly name: string; readonly by: DrawnEntry | undefined };

/** The cameras of the NVR come first, then entries that are drawn and are none of them. A camera's own entry counts first. */
export const curtainSwitches = (drawn: readonly DrawnEntry[], cameras: readonly string[]): readonly CurtainSwitch[] => [
  ...cameras.map((name) => ({
    name,
    by: drawn.find(({ camera }) => camera === name) ?? drawn.find(({ camera }) => maySee(toScope([camera]), name)),
  })),
  ...drawn.filter(({ camera }) => !cameras.includes(camera)).map((entry) => ({ name: entry.camera, by: entry })),
];

export const LENGTHS = ['open', 'hour', 'night'] as const;
export type Length = (typeof LENGTHS)[number];

/** Unix seconds; null: until it is opened. `night` ends at the next midnight of the browser's clock. */
export function curtainEnd(length: Length, now: Date): number | null {
  if (length === 'open') return null;
  if (length === 'hour') return Math.floor(now.getTime() / 1000) + HOUR;
  return Math.floor(new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1).getTime() / 1000);
}
