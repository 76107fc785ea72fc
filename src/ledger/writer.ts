/** Writes the ledger, at most a batch a second: never in the way of an answer, and from a queue that is bounded (SPEC 14). */
import type { LedgerBatch, LedgerEntry, LedgerRecord, LedgerStore, OpenSpan } from '../domain/ledger.ts';
import { linkEntries } from './chain.ts';
import { daysOf, type LocalTime } from './days.ts';
import type { LedgerNews } from './sightings.ts';
import { createSpans, cutOff, type EndedSpan } from './spans.ts';

export interface WriterDeps {
  readonly store: Pick<LedgerStore, 'claimChain' | 'append' | 'abandoned' | 'release'>;
  /** Unix seconds. */
  readonly now: () => number;
  readonly newId: () => string;
  readonly localTime: (at: number) => LocalTime;
  /** Written for good. */
  readonly onWritten?: (records: readonly LedgerRecord[]) => void;
  readonly onDropped?: (records: number) => void;
  /** Called once when writing begins to fail, and once when it works again. */
  readonly onFault: (fault: unknown) => void;
  readonly onWorking: () => void;
}

export interface LedgerWriter {
  take(news: LedgerNews): void;
  /** Writes what waits; what cannot be written waits on. */
  flush(): Promise<void>;
  /** Undefined before the first batch. */
  chain(): string | undefined;
  /** Seconds that the oldest record has waited. */
  delay(): number;
  /** Ends all spans, and writes them. */
  close(): Promise<void>;
}

type WaitingRecord = LedgerBatch['ended'][number];

const MOST_WAITING = 10_000;
const MOST_AT_ONCE = 1000;
const MOST_OPEN = 20_000;
/** So that the other replicas know that this chain is being written. */
const HEARTBEAT_SECONDS = 30;

export function createLedgerWriter(deps: WriterDeps): LedgerWriter {
  const { store, now, newId, localTime, onWritten, onDropped, onFault, onWorking } = deps;
  const spans = createSpans(newId);
  let ended: WaitingRecord[] = [];
  let open = new Map<string, OpenSpan>();
  let chain: string | undefined;
  let dropped = 0;
  let waitingSince: number | undefined;
  let writtenAt = Number.NEGATIVE_INFINITY;
  let isFailing = false;
  let running: Promise<void> | undefined;

  const drop = (records: number): void => {
    if (records === 0) return;
    dropped += records;
    onDropped?.(records);
  };
  const queue = (items: readonly WaitingRecord[]): void => {
    const taken = items.slice(0, Math.max(0, MOST_WAITING - ended.length));
    for (const item of taken) ended.push(item);
    drop(items.length - taken.length);
  };
  const settle = (all: { readonly ended: readonly EndedSpan[]; readonly open: readonly OpenSpan[] }): void => {
    queue(all.ended);
    for (const { span } of all.ended) open.delete(span);
    for (const span of all.open) open.set(span.id, span);
    if (ended.length + open.size > 0) waitingSince ??= now();
  };
  const claimed = async (): Promise<string> => {
    if (chain !== undefined) return chain;
    const { chain: mine, left } = await store.claimChain(newId(), now());
    chain = mine;
    queue(left.map(cutOff));
    return mine;
  };
  /** What a process left open that is gone ends at its last sign of life. */
  const adopt = async (): Promise<void> => {
    for (const { chain: lost, left } of await store.abandoned(now())) {
      const batch = { ended: left.map(cutOff), open: [] };
      const entries = batch.ended.map(({ entry }) => entry);
      await store.append(lost, batch, daysOf(entries, localTime), now(), linkEntries);
      await store.release(lost);
    }
  };
  const writeSome = async (): Promise<void> => {
    const mine = await claimed();
    const [batch, spansNow] = [ended.slice(0, MOST_AT_ONCE), open];
    const notice = dropped > 0 ? [{ entry: droppedEntry(dropped, now()) }] : [];
    const reported = dropped;
    const all = [...batch, ...notice];
    const entries = all.map(({ entry }) => entry);
    let written: readonly LedgerRecord[];
    open = new Map();
    try {
      const batchNow = { ended: all, open: [...spansNow.values()] };
      written = await store.append(mine, batchNow, daysOf(entries, localTime), now(), linkEntries);
    } catch (fault) {
      open = new Map([...spansNow, ...open]);
      throw fault;
    }
    ended = ended.slice(batch.length);
    dropped -= reported;
    writtenAt = now();
    onWritten?.(written);
  };
  const run = async (): Promise<void> => {
    settle(spans.settle(now()));
    const isDue = now() - writtenAt >= HEARTBEAT_SECONDS || now() < writtenAt;
    try {
      if (isDue || ended.length + open.size > 0) await writeSome();
      while (ended.length > 0) await writeSome();
      if (isDue) await adopt();
      waitingSince = undefined;
      if (isFailing) onWorking();
      isFailing = false;
    } catch (fault) {
      if (!isFailing) onFault(fault);
      isFailing = true;
    }
  };
  const flush = (): Promise<void> => {
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  };
  return {
    take({ sightings, entries, dropped: lost }) {
      drop(lost);
      queue(entries.map((entry) => ({ entry })));
      for (const sighting of sightings) {
        if (spans.size() < MOST_OPEN || spans.isOpen(sighting.key)) spans.see(sighting);
        else drop(1);
      }
    },
    flush,
    chain: () => chain,
    delay: () => (waitingSince === undefined ? 0 : Math.max(0, now() - waitingSince)),
    async close() {
      await running;
      settle({ ended: spans.end(), open: [] });
      await flush();
      if (chain !== undefined) await store.release(chain).catch(() => {}); // taken over 90 s later then
    },
  };
}

const droppedEntry = (records: number, at: number): LedgerEntry => ({
  kind: 'change',
  user: null,
  credential: null,
  address: null,
  camera: null,
  from: at,
  to: at,
  watchedFrom: null,
  watchedTo: null,
  detail: JSON.stringify({ what: 'ledger-dropped', records: String(records) }),
});
