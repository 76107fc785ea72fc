/** Figures for people: tables, verdicts on goals, and lines that show how something went. */

/** A figure beside what was wanted of it; without a goal it is only told. */
export interface Finding {
  readonly what: string;
  readonly seen: number;
  readonly unit?: string;
  /** The least and the most that was seen, where there was more than one start. */
  readonly spread?: readonly [least: number, most: number];
  readonly goal?: { readonly atLeast: number } | { readonly atMost: number };
}

/** Columns under each other: text to the left, figures to the right. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of [head, ...rows]) {
    console.log(
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  ')
        .trimEnd(),
    );
  }
}

export function printFindings(findings: readonly Finding[]): void {
  printTable(
    ['', 'seen', 'spread', 'goal', ''],
    findings.map(({ what, seen, unit = '', spread, goal }) => [
      what,
      amount(seen, unit),
      spread ? spread.map((each) => amount(each, unit)).join(' to ') : '',
      goal ? wanted(goal, unit) : '',
      verdict(seen, goal),
    ]),
  );
}

const wanted = (goal: NonNullable<Finding['goal']>, unit: string): string =>
  'atLeast' in goal ? `≥ ${amount(goal.atLeast, unit)}` : `≤ ${amount(goal.atMost, unit)}`;

/** A figure that is none, because something was not there to measure against, meets no goal and misses none. */
function verdict(seen: number, goal: Finding['goal']): string {
  if (goal === undefined) return '';
  if (Number.isNaN(seen)) return 'not measured';
  const isMet = 'atLeast' in goal ? seen >= goal.atLeast : seen <= goal.atMost;
  const wish = 'atLeast' in goal ? goal.atLeast : goal.atMost;
  if (isMet) return 'met';
  return wish === 0 ? 'missed' : `missed by ${(Math.abs(seen / wish - 1) * 100).toFixed(0)} %`;
}

function amount(value: number, unit: string): string {
  const text = Number.isNaN(value) ? '-' : value.toFixed(Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : 2);
  return unit === '' ? text : `${text} ${unit}`;
}

/** The median of what several starts gave, and how far apart they were. */
export const findingOf = (what: string, values: readonly number[], goal?: Finding['goal']): Finding => ({
  what,
  seen: median(values),
  spread: [Math.min(...values), Math.max(...values)],
  ...(goal ? { goal } : {}),
});

/** Of an even number of values the upper one in the middle. */
export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** The value below which this part of them lies; NaN for none. */
export function quantile(values: readonly number[] | Float64Array, part: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

const BARS = '▁▂▃▄▅▆▇█';
const WIDEST = 80;

/** How a figure went, as a line of bars between its least and its most. */
export function sparkline(values: readonly number[]): string {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const step = Math.max(1, Math.ceil(values.length / WIDEST));
  return values
    .filter((_value, at) => at % step === 0)
    .map((value) => BARS[most === least ? 0 : Math.round(((value - least) / (most - least)) * (BARS.length - 1))])
    .join('');
}
