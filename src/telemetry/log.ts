/** Log lines as JSON; levels by dotted logger name, which may change while it runs (interface 2.5, `logger.*`). */
import { type DestinationStream, type Level, type Logger, pino } from 'pino';
import { faultRecord } from './fault-record.ts';
import { safeLine, withoutSecrets } from './safe-line.ts';

export interface LogRules {
  readonly default: Level;
  /** `service.api.auth: debug`; a name without a level of its own has its parent's. */
  readonly logs: ReadonlyMap<string, Level>;
}

export interface Logs {
  /** A logger by dotted name, such as `service.api.auth`. */
  named(name: string): Logger;
  /** Holds for loggers that are in use too. */
  setLevels(rules: LogRules): void;
}

/** Audit lines go to a file of their own as well, when there is one. */
const AUDIT = 'service.audit';

export function createLogs(rules: LogRules, destination: DestinationStream, auditFile?: DestinationStream): Logs {
  const loggers = new Map<string, Logger>();
  const roots = {
    all: createRoot([destination]),
    audit: createRoot(auditFile ? [destination, auditFile] : [destination]),
  };
  let current = rules;
  return {
    named(name) {
      const known = loggers.get(name);
      if (known) return known;
      const logger = roots[name === AUDIT ? 'audit' : 'all'].child({ logger: name }, { level: levelOf(name, current) });
      loggers.set(name, logger);
      return logger;
    },
    setLevels(changed) {
      current = changed;
      for (const [name, logger] of loggers) logger.level = levelOf(name, changed);
    },
  };
}

function createRoot(destinations: readonly DestinationStream[]): Logger {
  const write = (line: string): void => {
    const safe = safeLine(line);
    for (const destination of destinations) destination.write(safe);
  };
  return pino(
    {
      level: 'trace',
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }), log: withoutSecrets },
      serializers: { err: faultRecord },
    },
    { write },
  );
}

/** `service.api.auth`, then `service.api`, then `service`, then the default. */
export function levelOf(name: string, rules: LogRules): Level {
  const own = rules.logs.get(name);
  if (own) return own;
  const dot = name.lastIndexOf('.');
  return dot < 0 ? rules.default : levelOf(name.slice(0, dot), rules);
}
