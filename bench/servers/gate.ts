/** A gate before the upstream that is its first argument, `watched` (counted and logged) or `bare`, the second. Prints its port. */
import { openLogDestination } from '../../src/cli/log-destination.ts';
import { createActiveSessions } from '../../src/telemetry/active-sessions.ts';
import { createAccessLog } from '../../src/telemetry/logs/access-log.ts';
import { createLogs } from '../../src/telemetry/logs/log.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { createRecentFailures } from '../../src/telemetry/recent-failures.ts';
import { watchGate } from '../../src/telemetry/watch-gate.ts';
import { startGate, upstreamAt } from '../../test/support/start-gate.ts';

const [, , upstream = '', kind = ''] = process.argv;

const rules = { default: 'info', logs: new Map() } as const;

/** As the instance does it, down to the pipe that the log goes to. */
const watched = () =>
  watchGate({
    metrics: createMetrics({ version: '0', node: process.version, roles: ['guest'], identityHeaders: ['remote-user'] }),
    log: createAccessLog(
      createLogs({ rules, destination: openLogDestination(process.stdout), clock: { now: Date.now } }),
      createRecentFailures({ now: Date.now }),
    ),
    sessions: createActiveSessions(),
    ticks: () => performance.now(),
    isIdentityHeader: (name) => name.startsWith('remote-') || name === 'x-forwarded-user',
    maySendIdentity: () => false,
  });

const gate = await startGate(upstreamAt(upstream), {}, kind === 'watched' ? watched() : undefined);
console.log(gate.port);
