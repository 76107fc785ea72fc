/** What a start needs to be told: by the command line, or by a test. */
import type { Environment } from '../config/layers.ts';
import type { ServiceConfig } from '../config/service-config.ts';
import type { Clock } from '../domain/clock.ts';
import type { Feature, NetworkSurroundings } from '../features/feature.ts';
import type { ConsoleStream } from '../telemetry/logs/log.ts';

export interface StartOptions {
  readonly config: ServiceConfig;
  /** The directory that holds everything that must last. */
  readonly directory: string;
  readonly env: Environment;
  readonly clock: Clock;
  /** The clock of the login limiter, which is never set. Default: the machine's own count of milliseconds. */
  readonly steadyClock?: Clock;
  readonly log: ConsoleStream;
  readonly version: string;
  /** The allowlist file, where it is not in the interface's place (5.5.7). */
  readonly trustedHeadersFile?: string;
  /** Seconds for the head of a request and for the body of a login. Default: 15 and 10. */
  readonly timeouts?: { readonly head?: number; readonly body?: number };
  /** The features of this start. Default: all. */
  readonly features?: readonly Feature[];
  /** The networks around, instead of those of this machine. */
  readonly surroundings?: () => Promise<NetworkSurroundings>;
  /** Resolves when the service is to stop: a start that waits for its store ends then. */
  readonly stopped?: Promise<void>;
}
