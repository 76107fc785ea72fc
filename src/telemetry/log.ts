/** Log lines as JSON, pretty on a terminal; levels by dotted logger name (interface 2.5, `logger.*`). */
import { type DestinationStream, type Level, type Logger, pino } from 'pino';

export interface LogRules {
  readonly default: Level;
  /** `service.api.auth: debug`; a name without a level of its own has its parent's. */
  readonly logs: ReadonlyMap<string, Level>;
}

export interface Logs {
  /** A logger by dotted name, such as `service.api.auth`. */
  named(name: string): Logger;
}

/** What is never logged, wherever it stands in a line. */
// biome-ignore format: a table
const SECRET_FIELDS = ['password', 'token', 'secret', 'authorization', 'cookie', '["set-cookie"]', '["x-proxy-secret"]'];
const REDACTED = SECRET_FIELDS.flatMap((field) =>
  field.startsWith('[') ? [field, `*${field}`] : [field, `*.${field}`],
);

export function createLogs(rules: LogRules, destination: DestinationStream): Logs {
  const root = pino({ level: 'trace', base: null, redact: { paths: REDACTED, censor: '***' } }, destination);
  return { named: (name) => root.child({ logger: name }, { level: levelOf(name, rules) }) };
}

/** `service.api.auth`, then `service.api`, then `service`, then the default. */
export function levelOf(name: string, rules: LogRules): Level {
  const own = rules.logs.get(name);
  if (own) return own;
  const dot = name.lastIndexOf('.');
  return dot < 0 ? rules.default : levelOf(name.slice(0, dot), rules);
}
