/** Reports what a round of the canary found: in the log, the audit log, metrics and on the status page (SPEC 15). */
import type { Logger } from 'pino';
import type { Audit } from '../../accounts/audit.ts';
import type { DoneRound, Round } from '../../canary/round.ts';
import type { CanaryStatus } from '../../domain/status.ts';
import type { Metrics } from '../../telemetry/metrics.ts';

export interface CanaryReport {
  /** `round` is undefined when it broke off with this fault. */
  report(round: Round | undefined, audit: Audit, fault?: unknown): void;
  /** Null before the end of the first round. */
  status(): CanaryStatus | null;
}

type CanaryMetrics = Pick<Metrics, 'canaryRounds' | 'canaryLeaks' | 'canaryLastRound' | 'canaryUnknown'>;

/** `now` gives Unix seconds. */
export function createCanaryReport(metrics: CanaryMetrics, log: Logger, now: () => number): CanaryReport {
  let status: CanaryStatus | null = null;
  let lastUnknown = '';
  let lastAlike = '';
  /** Once for each change of the NVR: the list may be long, and its operations are for admins only. */
  const tellDrift = ({ drift }: DoneRound): void => {
    metrics.canaryUnknown.set(drift?.unknownCount);
    const text = drift?.unknown.join('\n') ?? lastUnknown;
    if (text === lastUnknown) return;
    lastUnknown = text;
    if (text !== '')
      log.warn(
        { operations: drift?.unknown, count: drift?.unknownCount },
        'the NVR has operations that the route table does not know: see "postern policy diff", and add rows for those that others than admins need in a file that nvr.policy names',
      );
  };
  const tellAlike = ({ alike }: DoneRound): void => {
    const text = alike.join(', ');
    if (text !== '' && text !== lastAlike)
      log.warn(
        { cameras: alike },
        'the name of a camera is the beginning of another one, and the NVR finds preview frames by the beginning of a name: rename one of each pair, or a role that sees the first one alone is refused such pictures',
      );
    lastAlike = text;
  };
  const tellLeaks = ({ leaks }: DoneRound, audit: Audit): void => {
    for (const { route, camera = null, by } of leaks) {
      log.error(
        { route, camera, by },
        'the canary was shown a camera that it may not see: the row of this route in the route table does not fit the NVR. Make it "access: admin" by a file in nvr.policy until it is put right',
      );
      const told = { what: 'canary-leak', who: undefined, from: 'canary', verdict: 'allowed' } as const;
      audit({ ...told, reason: by, route, ...(camera === null ? {} : { camera }) });
    }
  };
  const end = (result: 'clean' | 'leaks' | 'failed' | 'idle', told: Partial<CanaryStatus>): void => {
    metrics.canaryRounds.add(1, result);
    status = { ...NOTHING, at: Math.floor(now()), result, ...told };
  };

  return {
    status: () => status,
    report(round, audit, fault) {
      if (!round) {
        log.warn({ err: fault }, 'a round of the canary broke off: the next one is in time');
        return end('failed', {});
      }
      if (round.kind !== 'done') {
        if (status?.result !== 'idle') log.info({ reason: round.kind }, IDLE[round.kind]);
        return end('idle', {});
      }
      const { camera, asked, failed, unasked, leaks, drift } = round;
      // A round in which most questions had no answer says nothing of leaks.
      const result = leaks.length > 0 ? 'leaks' : failed > asked ? 'failed' : 'clean';
      if (result !== 'failed') {
        metrics.canaryLeaks.set(leaks.length);
        metrics.canaryLastRound.set(Math.floor(round.endedAt));
      }
      tellLeaks(round, audit);
      tellDrift(round);
      tellAlike(round);
      log.info(
        { camera, asked, failed, unasked: unasked.length, leaks: leaks.length },
        'a round of the canary is over',
      );
      end(result, {
        camera,
        asked,
        failed,
        unasked,
        leaks: leaks.map(({ route, camera: seen = null }) => ({ route, camera: seen })),
        unknownOperations: drift ? drift.unknown : null,
      });
    },
  };
}

const IDLE = {
  'too-few-cameras': 'the canary has nothing to look for: the NVR has fewer than two cameras',
  'cameras-unknown': 'the canary waits: the list of cameras could not be read from the NVR yet',
} as const;

const NOTHING = { camera: null, asked: 0, failed: 0, unasked: [], leaks: [], unknownOperations: null } as const;
