/** Durations as people write them, in the configuration and at the command line: `90` (seconds), `15m`, `12h`, `7d`, `4w`. Pure. */

export const DURATION_EXAMPLES = '90, 15m, 1h or 7d';

const SECONDS: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3600, d: 86_400, w: 7 * 86_400 };
/** The pattern of a duration in the JSON Schema. */
export const DURATION_PATTERN = '^\\d{1,10} ?[smhdw]?$';
const DURATION = /^(?<count>\d{1,10}) ?(?<unit>[smhdw]?)$/;

/** Whole seconds; undefined for what is no duration. */
export function parseDuration(written: string): number | undefined {
  const { count, unit = '' } = DURATION.exec(written)?.groups ?? {};
  return count === undefined ? undefined : Number(count) * (SECONDS[unit] ?? Number.NaN);
}
