/** Opens the ledger: what this process sees is written each second (SPEC 14). */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Settings } from '../../config/schema/schema.ts';
import { qualified } from '../../domain/accounts/site.ts';
import type { Clock } from '../../domain/clock.ts';
import type { DeletionGuard } from '../../domain/deletion-guard.ts';
import { misfitSentences } from '../../domain/ledger-chain.ts';
import { type AuditedAct, doingOf, isNotice } from '../../ledger/audited-acts.ts';
import type { LocalTime } from '../../ledger/days.ts';
import { activeLocalClock } from '../../ledger/local-time.ts';
import { createSightings, type LedgerNews, type Sightings } from '../../ledger/sightings.ts';
import { createLedgerWriter, type LedgerWriter } from '../../ledger/writer.ts';
import type { Store } from '../../store/open-store.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { Outbox } from './outbox.ts';
import { openUpkeep, type Upkeep } from './upkeep.ts';

export interface Ledger {
  /** Undefined where the ledger is off. */
  readonly sightings: Sightings | undefined;
  /** What is audited; notices alone where the ledger is off. */
  note(act: AuditedAct): void;
  /** Resolves when what was noted so far is written, or cannot be. */
  recorded(): Promise<void>;
  readonly localTime: (at: number) => LocalTime;
  close(): Promise<void>;
}

export interface LedgerDeps {
  /** The settings of the start. */
  readonly settings: Settings;
  readonly activeSettings: () => Settings;
  readonly store: Pick<Store, 'ledger'>;
  readonly clock: Clock;
  readonly mayDelete: DeletionGuard;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly outbox: Pick<Outbox, 'send' | 'sendNotices'>;
}

const TICK_MS = 1000;

export function openLedger(deps: LedgerDeps): Ledger {
  const { settings, activeSettings, clock } = deps;
  const now = (): number => clock.now() / 1000;
  const localTime = activeLocalClock(() => activeSettings().auth.timezone);
  const enabled = settings.ledger.retention > 0;
  const sightings = createSightings();
  const own = openWriting(deps, now, localTime);
  const passOn = (): void => {
    const news = atSite(sightings.drain(now()), settings.server.site);
    if (news.sightings.length + news.entries.length + news.dropped > 0) own.writer.take(news);
  };
  const recorded = (): Promise<void> => {
    passOn();
    return own.writer.flush();
  };
  const timer = setInterval(() => {
    passOn();
    void own.tick();
  }, TICK_MS).unref();
  return {
    sightings: enabled ? sightings : undefined,
    localTime,
    note(act) {
      if (!enabled && !isNotice(act)) return;
      const doing = doingOf(act, now());
      if (doing.kind === 'once') sightings.add(doing.entry);
      else sightings.see(doing.subject, now(), undefined, doing.madeUp);
      // A person is told at once, also when the process is stopped within the second.
      if (isNotice(act)) setImmediate(recorded);
    },
    recorded,
    async close() {
      clearInterval(timer);
      passOn();
      await own.close();
    },
  };
}

/** A camera with a colon in its name stands in records behind its site: of 0.2.0 the same text may be a camera of another site. */
function atSite(news: LedgerNews, site: string | undefined): LedgerNews {
  if (site === undefined) return news;
  const named = <Of extends { readonly camera: string | null }>(of: Of): Of =>
    of.camera?.includes(':') ? { ...of, camera: qualified(site, of.camera) } : of;
  return {
    ...news,
    sightings: news.sightings.map((sighting) => ({ ...sighting, subject: named(sighting.subject) })),
    entries: news.entries.map(named),
  };
}

interface Writing {
  readonly writer: LedgerWriter;
  tick(): Promise<void>;
  close(): Promise<void>;
}

function openWriting(
  { store, activeSettings, clock, mayDelete, log, metrics, outbox }: LedgerDeps,
  now: () => number,
  localTime: Ledger['localTime'],
): Writing {
  const writer = createLedgerWriter({
    store: store.ledger,
    now,
    newId: randomUUID,
    localTime,
    onWritten(records) {
      for (const sentence of misfitSentences(records)) {
        metrics.ledgerForged.add(1);
        log.error(sentence);
      }
      outbox.sendNotices(records);
    },
    onDropped: (records) => metrics.ledgerDropped.add(records),
    onFault: (fault) =>
      log.warn(
        { err: fault },
        'the ledger could not be written: up to 10,000 records wait and are written when the store works again',
      ),
    onWorking: () => log.info('the ledger is written again'),
  });
  const upkeep: Upkeep = openUpkeep({
    store: store.ledger,
    settings: activeSettings,
    clock,
    mayDelete,
    log,
    localTime,
    onHead: (head) =>
      outbox.send({
        id: randomUUID(),
        event: 'ledger-head',
        user: null,
        at: Math.floor(now()),
        by: null,
        address: 'configuration',
        agent: null,
        detail: head,
      }),
  });
  const measure = (): void => {
    metrics.ledgerDelay.set(writer.delay());
  };
  measure();
  return {
    writer,
    async tick() {
      await writer.flush();
      measure();
      await upkeep.look();
    },
    async close() {
      await upkeep.close();
      await writer.close();
    },
  };
}
