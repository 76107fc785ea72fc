/** Writes the ledger, at most a batch a second, with the sums by local day: never in the way of an answer, and from a queue that is bounded (SPEC 14). */
import { randomUUID } from 'node:crypto';
import { sharedRun } from '../../domain/async.ts';
import { isLentName } from '../../domain/credentials.ts';
import { dayOf } from '../../domain/events/event.ts';
import { isViewingKind } from '../../domain/policy.ts';
import { offsetReader } from '../../domain/zone-offsets.ts';
import { watchFault } from '../../telemetry/readiness.ts';
import { createCounter, createGauge } from '../../telemetry/series.ts';
import type { FeatureServices } from '../feature.ts';
import { misfitSentences } from './chain.ts';
import type { LedgerStore } from './ledger-store.ts';
import { sendNotices } from './notices.ts';
import { type LedgerDay, type LedgerEntry, type LedgerRecord, type OwnEntry, ownAct, readDetail } from './records.ts';
import { createSpans, cutOff } from './spans.ts';

export type LedgerMetrics = ReturnType<typeof ledgerMetrics>;

/** The metrics of the ledger (SPEC 9). */
export function ledgerMetrics() {
  // biome-ignore format: a table
  const declared = {
    dropped: createCounter('postern_ledger_dropped_total', 'Records that the ledger lost because too many waited for the store.'),
    forged:  createCounter('postern_ledger_forged_rows_total', 'Chains of the ledger that were changed from outside, so that another one was begun.'),
    delay:   createGauge('max', 'postern_ledger_delay_seconds', 'How long the oldest record that waits to be written to the ledger has waited.'),
  };
  declared.delay.set(undefined); // left out until it is known
  return declared;
}

const MOST_WAITING = 10_000;
const MOST_AT_ONCE = 1000;
/** How often it is looked for spans that a process left open which is gone. */
const LOOK_SECONDS = 30;

export function createLedgerWriter({
  store,
  now,
  localDay,
  metrics,
  log,
  messages,
}: Pick<FeatureServices, 'log' | 'messages'> & {
  readonly store: Pick<LedgerStore, 'append' | 'left'>;
  /** Unix seconds. */
  readonly now: () => number;
  readonly localDay: LocalDay;
  readonly metrics: LedgerMetrics;
}) {
  const spans = createSpans(randomUUID);
  let ended: OwnEntry[] = [];
  let open = new Map<string, OwnEntry>();
  let dropped = 0;
  let waitingSince: number | undefined;
  let lookedAt = now();
  const state = watchFault<unknown>({
    onFault: (err) =>
      log.warn(
        { err },
        'the ledger could not be written: up to 10,000 records wait and are written when the store works again',
      ),
    onReturn: () => log.info('the ledger is written again'),
  });

  const drop = (records: number): void => {
    if (records === 0) return;
    dropped += records;
    metrics.dropped.add(records);
  };
  const queue = (items: readonly OwnEntry[]): void => {
    const taken = items.slice(0, Math.max(0, MOST_WAITING - ended.length));
    for (const item of taken) ended.push(item);
    drop(items.length - taken.length);
  };
  const settle = (isLast?: boolean): void => {
    const all = spans.settle(now(), isLast);
    drop(all.dropped);
    queue(all.ended);
    for (const { id } of all.ended) open.delete(id);
    for (const span of all.open) open.set(span.id, span);
    if (ended.length + open.size > 0) waitingSince ??= now();
  };
  const writeSome = async (): Promise<void> => {
    const [batch, spansNow] = [ended.slice(0, MOST_AT_ONCE), open];
    const reported = dropped;
    const told = ownAct(now(), { what: 'ledger-dropped', records: String(reported) });
    const notice = reported > 0 ? [{ id: randomUUID(), ...told }] : [];
    let written: readonly LedgerRecord[];
    open = new Map();
    try {
      const batchNow = { ended: [...batch, ...notice], open: [...spansNow.values()] };
      written = await store.append(batchNow, now(), (entries) => groupByDay(entries, localDay));
    } catch (fault) {
      open = new Map([...spansNow, ...open]);
      throw fault;
    }
    ended = ended.slice(batch.length);
    dropped -= reported;
    for (const sentence of misfitSentences(written)) {
      metrics.forged.add(1);
      log.error(sentence);
    }
    sendNotices(written, messages);
  };
  const flush = sharedRun(async (): Promise<void> => {
    settle();
    try {
      while (ended.length + open.size > 0) await writeSome();
      const isDue = now() - lookedAt >= LOOK_SECONDS || now() < lookedAt;
      if (isDue) {
        lookedAt = now();
        // The clock may have leapt since its own were renewed. Written with the next batch.
        queue((await store.left(now())).filter(({ id }) => !spans.has(id)).map(cutOff));
      }
      waitingSince = undefined;
      state.found();
    } catch (fault) {
      lookedAt = now(); // the others could not renew theirs either
      state.found(fault);
    }
  });
  return {
    see: spans.see,
    begin: spans.begin,
    end: spans.end,
    /** What is no viewing: one record each. */
    add: (entry: LedgerEntry): void => queue([{ id: randomUUID(), ...entry }]),
    /** Writes what waits; what cannot be written waits on. */
    flush,
    /** Seconds that the oldest record has waited. */
    delay: (): number => (waitingSince === undefined ? 0 : Math.max(0, now() - waitingSince)),
    /** Ends all spans, and writes them. */
    async close(): Promise<void> {
      await flush.underWay();
      settle(true);
      await flush();
    },
  };
}

/** The local day of a moment: `2026-11-22`. */
export type LocalDay = (at: number) => string;

/** Sums of what is a viewing. It counts for the day on which it began. */
export function groupByDay(entries: readonly LedgerEntry[], localDay: LocalDay): readonly LedgerDay[] {
  const days = new Map<string, LedgerDay>();
  for (const entry of entries) {
    const { kind, user, camera, from, to } = entry;
    if (!isViewingKind(kind)) continue;
    const place = {
      day: localDay(from),
      user: user ?? '',
      viewer: viewerName(entry),
      kind,
      camera: camera ?? '',
    };
    const key = JSON.stringify(place);
    const { seconds, records } = days.get(key) ?? { seconds: 0, records: 0 };
    days.set(key, { ...place, seconds: seconds + (to - from), records: records + countTimes(entry) });
  }
  return [...days.values()];
}

/** Tokens, what is lent, and the internal port are told apart from the person: what they show day and night says nothing about the person. */
function viewerName({ credential }: LedgerEntry): string {
  const name = credential ?? '';
  return /^(?:internal$|token:)/.test(name) || isLentName(name) ? name : '';
}

/** Exports that follow each other are one span, which tells their number. */
function countTimes(entry: LedgerEntry): number {
  if (entry.kind !== 'export') return 1;
  const times = Number(readDetail(entry)['times'] ?? 1);
  return Number.isSafeInteger(times) ? times : 1;
}

/** Days of the active zone, which a reload may change; `null`: that of the service. It is asked for with each time: the clock is made before a configuration is active. */
export function localClock(activeZone: () => string | null): LocalDay {
  let clock: { readonly zone: string | null; readonly offsetAt: (at: number) => number } | undefined;
  return (at) => {
    const zone = activeZone();
    if (clock?.zone !== zone) clock = { zone, offsetAt: zone === null ? offsetHere : offsetReader(zone) };
    return dayOf(at, clock.offsetAt);
  };
}

/** The offset is asked without Intl, whose tables of zones and languages are 5 MB of memory: they wait until a zone is named. */
const offsetHere = (at: number): number => -60 * new Date(at * 1000).getTimezoneOffset();
