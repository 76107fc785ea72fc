/** The login failure rate limit as text and as clauses (interface 5.4, 8; grammar of the reference's limiter). */
import { err, ok, type Result } from './result.ts';

export interface Clause {
  /** Failures that fit into the window; one more is too many. */
  readonly count: number;
  readonly windowSeconds: number;
  /** The limit in its plainest spelling: `5/minute`, `10/5 minutes`. */
  readonly text: string;
}

const DAY = 86_400;
const SECONDS_PER_UNIT: Readonly<Record<string, number>> = {
  second: 1,
  minute: 60,
  hour: 3600,
  day: DAY,
  month: 30 * DAY,
  year: 360 * DAY,
};
const UNITS = Object.keys(SECONDS_PER_UNIT).join(', ');
const SEPARATORS = /[,;|]/;
const CLAUSE =
  /^\s*(?<count>\d{1,9})\s*(?:\/|per)\s*(?<multiple>\d{1,6})?\s*(?<unit>second|minute|hour|day|month|year)s?\s*$/i;

/** All clauses of `5/minute;20/hour`, or the sentence about the first bad one. Never fails open: junk is an error. */
export function parseRateLimit(text: string): Result<readonly Clause[], string> {
  const clauses: Clause[] = [];
  for (const part of text.split(SEPARATORS)) {
    const clause = parseClause(part);
    if (!clause) return err(problemWith(text, part));
    clauses.push(clause);
  }
  return ok(clauses);
}

/** The clauses of a limit that was checked, or that is written in the source. */
export function rateLimit(text: string): readonly Clause[] {
  const parsed = parseRateLimit(text);
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.value;
}

function parseClause(part: string): Clause | undefined {
  const groups = CLAUSE.exec(part)?.groups;
  if (!groups) return undefined;
  const count = Number(groups['count']);
  const multiple = Number(groups['multiple'] ?? 1);
  const unit = groups['unit']?.toLowerCase() ?? '';
  if (multiple === 0) return undefined;
  const window = multiple === 1 ? unit : `${multiple} ${unit}s`;
  return { count, windowSeconds: multiple * (SECONDS_PER_UNIT[unit] ?? 0), text: `${count}/${window}` };
}

function problemWith(text: string, part: string): string {
  const how = `write <count>/<unit> such as 5/minute;20/hour (${UNITS}), or null for no limit`;
  if (text.trim() === '') return `is empty: ${how}`;
  if (part.trim() === '') return `${JSON.stringify(text)} has an empty clause: ${how}`;
  return `${JSON.stringify(part.trim())} is not a rate limit: ${how}`;
}
