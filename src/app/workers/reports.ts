/** What the workers report, put together: metrics that never fall, the status page's lists, and how each is (SPEC 8, 9, 10). */
import type { ServiceStatus } from '../../domain/status.ts';
import type { Check, Readiness } from '../../telemetry/readiness.ts';
import { keptOf, type Told } from '../../telemetry/told-families.ts';
import type { Report } from './messages.ts';
import type { PoolWorker } from './worker-slot.ts';

export interface Reports {
  /** Asks all; one that does not answer in time is as it was last. */
  refresh(workers: readonly PoolWorker[]): Promise<void>;
  /** What it counted stays counted. */
  ended(worker: PoolWorker): void;
  families(): readonly Told[];
  sessionsByRole(): ReadonlyMap<string, number>;
  status(of: ServiceStatus): ServiceStatus;
  readiness(of: Readiness): Readiness;
}

/** A scraper gives up after ten seconds; a busy worker may need some tenths of one. */
const PATIENCE_MS = 1000;

export function createReports(): Reports {
  const latest = new Map<PoolWorker, Report>();
  let ended: readonly Told[] = [];
  const all = (): readonly Report[] => [...latest.values()];
  const refreshOne = async (worker: PoolWorker): Promise<void> => {
    const report = await worker.ask({ kind: 'report' }).catch(() => undefined);
    if (report) latest.set(worker, report);
  };
  return {
    async refresh(workers) {
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, PATIENCE_MS);
      await Promise.race([Promise.all(workers.map(refreshOne)), late.promise]);
      clearTimeout(timer);
    },
    ended(worker) {
      ended = keptOf(ended, latest.get(worker)?.families ?? []);
      latest.delete(worker);
    },
    families: () => [...ended, ...all().flatMap(({ families }) => families)],
    sessionsByRole() {
      const roles = new Map(all().flatMap(({ sessions }) => sessions));
      return new Map([...Map.groupBy(roles, ([, role]) => role)].map(([role, those]) => [role, those.length]));
    },
    status: (of) => ({ ...of, ...recentOf(all().map(({ recent }) => recent)) }),
    readiness: (of) => ({
      ...of,
      descriptors: worst([of.descriptors, ...all().map(({ descriptors }) => descriptors)]),
      event_loop: worst([of.event_loop, ...all().map(({ eventLoop }) => eventLoop)]),
      log: worst([of.log, ...all().map(({ log }) => log)]),
    }),
  };
}

const worst = (checks: readonly Check[]): Check =>
  checks.find(({ kind }) => kind === 'failed') ??
  checks.find(({ kind }) => kind === 'degraded') ??
  checks.find(({ kind }) => kind === 'ok') ?? { kind: 'unused' };

const MOST_SHOWN = 100;

function recentOf(recents: readonly Report['recent'][]): Report['recent'] {
  const routes = new Map<string, NonNullable<Report['recent']['unknownRoutes']>[number]>();
  for (const route of recents.flatMap(({ unknownRoutes }) => unknownRoutes ?? [])) {
    const known = routes.get(`${route.method} ${route.path}`);
    const count = route.count + (known?.count ?? 0);
    const lastSeenAt = Math.max(route.lastSeenAt, known?.lastSeenAt ?? 0);
    routes.set(`${route.method} ${route.path}`, { ...route, count, lastSeenAt });
  }
  const hours = Map.groupBy(
    recents.flatMap(({ loginFailures }) => loginFailures ?? []),
    ({ start }) => start,
  );
  return {
    loginFailures: [...hours]
      .map(([start, those]) => ({ start, count: those.reduce((sum, { count }) => sum + count, 0) }))
      .sort((a, b) => a.start - b.start),
    failures: recents
      .flatMap(({ failures }) => failures ?? [])
      .sort((a, b) => b.at - a.at)
      .slice(0, MOST_SHOWN),
    shadow: shadowOf(recents),
    unknownRoutes: [...routes.values()].sort((a, b) => b.lastSeenAt - a.lastSeenAt).slice(0, MOST_SHOWN),
  };
}

/** Null where no worker has a second configuration. */
function shadowOf(recents: readonly Report['recent'][]): Report['recent']['shadow'] {
  if (recents.every(({ shadow }) => !shadow)) return null;
  const alike = Map.groupBy(
    recents.flatMap(({ shadow }) => shadow ?? []),
    ({ kind, role, route }) => JSON.stringify([kind, role, route]),
  );
  return [...alike.values()].flatMap((those) =>
    those.slice(0, 1).map((first) => ({
      ...first,
      count: those.reduce((sum, { count }) => sum + count, 0),
      lastSeenAt: Math.max(...those.map(({ lastSeenAt }) => lastSeenAt)),
    })),
  );
}
