/** The rules of log levels (interface 2.5). */
import type { Settings } from '../../config/schema/schema.ts';
import type { LogRules } from '../../telemetry/logs/log.ts';

/** The NVR's loggers begin with `frigate`: `frigate.api.auth` is accepted as an alias of `service.api.auth`. */
export const logRules = ({ logger }: Pick<Settings, 'logger'>): LogRules => ({
  default: logger.default,
  logs: new Map(
    Object.entries(logger.logs).map(([name, level]) => [name.replace(/^frigate(?=\.|$)/, 'service'), level]),
  ),
});
