/** Counts connections and heads that never became a request, and logs each cause once a minute with its peer (SPEC 5, 9). */
import type { Logger } from 'pino';
import {
  CONNECTION_REFUSALS,
  type ConnectionRefusal,
  type OnConnectionRefused,
} from '../../domain/connection-refusal.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { steadyNow } from '../resources/steady-clock.ts';

const TOLD_AGAIN_MS = 60_000;

export function connectionRefusals(metrics: Metrics, log: Pick<Logger, 'warn' | 'error'>): OnConnectionRefused {
  const toldAt = new Map<ConnectionRefusal, number>();
  return (cause, peer, code) => {
    metrics.connectionsRefused.add(1, cause);
    if (steadyNow() - (toldAt.get(cause) ?? Number.NEGATIVE_INFINITY) < TOLD_AGAIN_MS) return;
    toldAt.set(cause, steadyNow());
    log[cause === 'full' ? 'error' : 'warn']({ peer, cause, ...(code && { code }) }, CONNECTION_REFUSALS[cause]);
  };
}
