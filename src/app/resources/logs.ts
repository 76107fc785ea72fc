/** Opens the log outputs: the console, and a file of its own for audit lines (interface 2.5; SPEC 9). */
import type { DestinationStream } from 'pino';
import type { Settings } from '../../config/schema/schema.ts';
import type { Clock } from '../../domain/clock.ts';
import { openAuditFile } from '../../telemetry/logs/audit-log.ts';
import { createLogs, type LogRules, type Logs } from '../../telemetry/logs/log.ts';

export interface RuntimeLogs {
  readonly logs: Logs;
  /** Sets who is told of audit lines that could not be written. */
  onAuditFault(told: (lines: number) => void): void;
  /** Resolves when everything is written. */
  close(): Promise<void>;
}

/** Rejects with a sentence when the audit file cannot be opened. */
export async function openLogs({ logger }: Settings, clock: Clock, console: DestinationStream): Promise<RuntimeLogs> {
  const { audit_file: file } = logger;
  if (file === undefined) {
    return {
      logs: createLogs({ rules: logRules({ logger }), destination: console, clock }),
      onAuditFault() {},
      close: async () => {},
    };
  }
  let tell = (_lines: number): void => {};
  const auditFile = await openAuditFile({
    file,
    onFault(fault, lines) {
      logs
        .named('service')
        .error(
          { err: fault, lines },
          'audit lines could not be written to logger.audit_file: check free space and permissions',
        );
      tell(lines);
    },
  }).catch((cause: unknown) => {
    throw new Error(`${file} cannot be written: name another file in logger.audit_file, or remove the key`, { cause });
  });
  const logs = createLogs({ rules: logRules({ logger }), destination: console, auditFile, clock });
  return {
    logs,
    onAuditFault(told) {
      tell = told;
    },
    close: auditFile.close,
  };
}

/** The NVR's loggers begin with `frigate`: `frigate.api.auth` is accepted as an alias of `service.api.auth`. */
export const logRules = ({ logger }: Pick<Settings, 'logger'>): LogRules => ({
  default: logger.default,
  logs: new Map(
    Object.entries(logger.logs).map(([name, level]) => [name.replace(/^frigate(?=\.|$)/, 'service'), level]),
  ),
});
