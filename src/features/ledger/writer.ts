/** Writes the ledger, at most a batch a second: never in the way of an answer, and from a queue that is bounded (SPEC 14). */
import { randomUUID } from 'node:crypto';
import { sharedRun } from '../../domain/async.ts';
import { watchFault } from '../../telemetry/readiness.ts';
import type { FeatureServices } from '../feature.ts';
import { misfitSentences } from './chain.ts';
import { groupByDay, type LocalDay } from './days.ts';
import type { LedgerStore } from './ledger-store.ts';
import type { LedgerMetrics } from './metrics.ts';
import { sendNotices } from './notices.ts';
import { type LedgerEntry, type LedgerRecord, type OwnEntry, ownAct } from './records.ts';
import { createSpans, cutOff } from './spans.ts';

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
