/** Log lines as JSON; levels by dotted logger name, which may change while it runs (interface 2.5, `logger.*`). */
import { type DestinationStream, type Level, type Logger, pino } from 'pino';
import type { Clock } from '../../domain/clock.ts';
import { TOKEN, visibleJson } from '../../domain/text.ts';

/** Where log lines go: a stream that drops lines when nothing reads them counts those. */
export type ConsoleStream = DestinationStream & { readonly dropped?: () => number };

export type LogRules = ReturnType<typeof logRules>;

/** The key `logger`; a name without a level of its own has its parent's. The NVR's loggers begin with `frigate`: `frigate.api.auth` is accepted as an alias of `service.api.auth`. */
export const logRules = ({
  logger: { default: usual, logs },
}: {
  readonly logger: { readonly default: Level; readonly logs: Readonly<Record<string, Level>> };
}) => ({
  default: usual,
  logs: new Map(Object.entries(logs).map(([name, level]) => [name.replace(/^frigate(?=\.|$)/, 'service'), level])),
});

export type Logs = ReturnType<typeof createLogs>;

type FrequentLevel = 'info' | 'debug';

export function createLogs({
  rules,
  destination,
  clock,
}: {
  readonly rules: LogRules;
  readonly destination: DestinationStream;
  readonly clock: Clock;
}) {
  const loggers = new Map<string, Logger>();
  const root = createRoot(destination, clock);
  let current = rules;
  const named = (name: string): Logger => {
    const known = loggers.get(name);
    if (known) return known;
    const logger = root.child({ logger: name }, { level: loggerLevel(name, current) });
    loggers.set(name, logger);
    return logger;
  };
  return {
    /** A logger by dotted name, such as `service.api.auth`. */
    named,
    /** A log for a line with each request: cheaper, and only for records that hold neither secrets nor faults. */
    frequent(name: string) {
      const logger = named(name);
      const time = timestamps(clock);
      return {
        isOn: (level: FrequentLevel): boolean => logger.isLevelEnabled(level),
        write(level: FrequentLevel, record: object, message: string): void {
          const fields = JSON.stringify(record).slice(1, -1);
          const head = `{"level":"${level}"${time()},"logger":"${name}"`;
          destination.write(safeLine(`${head},${fields},"msg":"${message}"}\n`));
        },
      };
    },
    /** Also changes loggers that exist already. */
    setLevels(changed: LogRules): void {
      current = changed;
      for (const [name, logger] of loggers) logger.level = loggerLevel(name, changed);
    },
  };
}

function createRoot(destination: DestinationStream, clock: Clock): Logger {
  const write = (line: string): void => void destination.write(safeLine(line));
  return pino(
    {
      level: 'trace',
      base: null,
      timestamp: timestamps(clock),
      formatters: { level: (level) => ({ level }), log: withoutSecrets },
      serializers: { err: faultRecord },
    },
    { write },
  );
}

const SECOND = 1000;

/** The time as pino wants it, `,"time":"2026-01-01T00:00:00.000Z"`; what is the same for a second is made once in it. */
function timestamps(clock: Clock): () => string {
  let second = Number.NaN;
  let text = '';
  return () => {
    const now = clock.now();
    if (Math.floor(now / SECOND) !== second) {
      second = Math.floor(now / SECOND);
      text = new Date(second * SECOND).toISOString().slice(0, -'000Z'.length);
    }
    return `,"time":"${text}${String(Math.floor(now % SECOND)).padStart(3, '0')}Z"`;
  };
}

/** `service.api.auth`, then `service.api`, then `service`, then the default. */
export function loggerLevel(name: string, rules: LogRules): Level {
  const own = rules.logs.get(name);
  if (own) return own;
  const dot = name.lastIndexOf('.');
  return dot < 0 ? rules.default : loggerLevel(name.slice(0, dot), rules);
}

/** Fields that hold secrets, wherever they stand in a line. */
// biome-ignore format: a table
const SECRET_FIELDS: ReadonlySet<string> = new Set([
  'password', 'old_password', 'passwordhash', 'token', 'access_token', 'secret', 'auth_secret', 'client_secret', 'jwt_secret', 'privatekey',
  'authorization', 'proxy-authorization', 'cookie', 'set-cookie', 'x-proxy-secret',
]);
const HIDDEN = '***';

/** A copy without secrets. Errors are reduced by `faultRecord`. */
function withoutSecrets(record: Record<string, unknown>): Record<string, unknown> {
  for (const name in record) {
    const value = record[name];
    if (isSecret(name, value) || isNested(value)) return cleaned(record);
  }
  return record;
}

const cleaned = (record: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, isSecret(name, value) ? HIDDEN : cleanedValue(value)]),
  );

function cleanedValue(value: unknown): unknown {
  if (!isNested(value)) return value;
  return Array.isArray(value) ? value.map(cleanedValue) : cleaned(value);
}

const isSecret = (name: string, value: unknown): boolean =>
  typeof value !== 'boolean' && value !== undefined && SECRET_FIELDS.has(name.toLowerCase());

const isNested = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof Error);

/** The line without tokens, should one stand in a path or a message. `line` is JSON, and stays it. */
function safeLine(line: string): string {
  const plain = visibleJson(line);
  return plain.includes('eyJ') || plain.includes('pst_') ? plain.replace(TOKEN, HIDDEN) : plain;
}

interface FaultRecord {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  /** Frames only, a line each: nothing in them comes from outside. */
  readonly stack?: readonly string[];
  readonly cause?: FaultRecord;
}

const DEEPEST_CAUSE = 5;

/** An error as it is logged: other properties than these may hold secrets. */
function faultRecord(fault: unknown, depth = 0): FaultRecord {
  if (!(fault instanceof Error)) return { type: typeof fault, message: String(fault) };
  const code = 'code' in fault && typeof fault.code === 'string' ? fault.code : undefined;
  const stack = stackFrames(fault);
  return {
    type: fault.name,
    message: fault.message,
    ...(code !== undefined && { code }),
    ...(stack.length > 0 && { stack }),
    ...(fault.cause !== undefined && depth < DEEPEST_CAUSE && { cause: faultRecord(fault.cause, depth + 1) }),
  };
}

const stackFrames = ({ stack = '' }: Error): string[] =>
  stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .map((line) => line.trim());
