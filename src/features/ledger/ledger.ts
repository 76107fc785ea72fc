/** Opens the ledger: what this process sees is written each second (SPEC 14). */
import { randomUUID } from 'node:crypto';
import type { Settings } from '../../config/schema/schema.ts';
import { oneAtATime } from '../../domain/async.ts';
import { bound } from '../../routes/own-route.ts';
import type { ActiveFeature, AuditedAct, FeatureRules, FeatureServices } from '../feature.ts';
import { actRecord, isNotice } from './audited-acts.ts';
import { headText } from './chain.ts';
import { type LocalDay, localClock } from './days.ts';
import { ledgerKeys } from './keys.ts';
import { LEDGER_ROUTES } from './ledger-routes.ts';
import { type LedgerStore, ledgerPart } from './ledger-store.ts';
import type { LedgerMetrics } from './metrics.ts';
import { listNotices, NOTICE_ROUTES, type Notice } from './notices.ts';
import { currentHead } from './records.ts';
import { createViewings } from './viewings.ts';
import { createLedgerWriter } from './writer.ts';

const TICK_MS = 1000;

type LedgerServices = Pick<
  FeatureServices,
  'settings' | 'activeSettings' | 'store' | 'clock' | 'mayDelete' | 'logs' | 'messages'
>;

export function openLedger(opened: LedgerServices, metrics: LedgerMetrics) {
  const { settings, activeSettings, clock } = opened;
  const { accounts } = opened.store;
  const store = opened.store.part(ledgerPart);
  const now = (): number => clock.now() / 1000;
  const localDay = localClock(() => activeSettings().auth.timezone);
  const enabled = ledgerKeys(settings).retention > 0;
  const of = { ...opened, store, localDay, log: opened.logs.named('service.ledger') };
  const writer = createLedgerWriter({ ...of, now, metrics });
  const upkeep = openUpkeep({ ...of, settings: activeSettings });
  const measure = (): void => metrics.delay.set(writer.delay());
  measure();
  const timer = setInterval(async () => {
    await writer.flush();
    measure();
    await upkeep.look();
  }, TICK_MS).unref();
  return {
    /** Notices alone where the ledger is off. */
    note(act: AuditedAct): void {
      if (!enabled && !isNotice(act)) return;
      const doing = actRecord(act, now());
      if (doing.kind === 'once') writer.add(doing.entry);
      else writer.see(doing.subject, now(), undefined, doing.madeUp);
      // A person is told at once, also when the process is stopped within the second.
      if (isNotice(act)) setImmediate(writer.flush);
    },
    recorded: writer.flush,
    under({ services, layout, camerasOf }: FeatureRules): ActiveFeature {
      const noticesOf = async (name: string): Promise<readonly Notice[]> => {
        await writer.flush();
        const user = await accounts.findUser(name);
        // Another person may have had the name before.
        return user ? listNotices(name, Math.max(user.createdAt, now() - NOTICE_DAYS * DAY), store) : [];
      };
      const given = { ...services, noticesOf, records: store, downloads: oneAtATime(), localDay };
      return {
        routes: bound<typeof given>([...NOTICE_ROUTES, ...LEDGER_ROUTES], given),
        viewings: enabled
          ? createViewings({ spans: writer, site: settings.server.site, layout, camerasOf, clock })
          : undefined,
      };
    },
    async close(): Promise<void> {
      clearInterval(timer);
      await upkeep.close();
      await writer.close();
    },
  };
}

const DAY = 86_400;
/** What people are told of their accounts is kept so long where nothing else is recorded. */
const NOTICE_DAYS = 90;

/** Once a day: the head of the chain goes to the log, and days that are over their time are forgotten (SPEC 14). */
export function openUpkeep({
  store,
  settings,
  clock,
  mayDelete,
  log,
  localDay,
  messages,
}: Pick<FeatureServices, 'clock' | 'mayDelete' | 'log' | 'messages'> & {
  readonly store: Pick<LedgerStore, 'heads' | 'forgetBefore' | 'forgetDaysBefore'>;
  readonly settings: () => Settings;
  readonly localDay: LocalDay;
}) {
  let [toldFor, forgottenFor]: (string | undefined)[] = [];
  let running: Promise<void> = Promise.resolve();

  const tellHead = async (): Promise<void> => {
    const known = currentHead(await store.heads());
    if (!known || known.seq === 0) {
      toldFor = undefined; // there is none yet
      return;
    }
    const head = headText(known);
    log.info(
      { head },
      'head of the ledger: keep this line elsewhere, "postern ledger verify --head" checks that nothing was cut off',
    );
    messages.send({
      id: randomUUID(),
      event: 'ledger-head',
      user: null,
      at: Math.floor(clock.now() / 1000),
      by: null,
      address: 'configuration',
      agent: null,
      detail: head,
    });
  };
  const forget = async (today: number): Promise<void> => {
    const retentionDays = Math.ceil(ledgerKeys(settings()).retention / DAY) || NOTICE_DAYS;
    const before = today - retentionDays * DAY;
    const day = localDay(before);
    await store.forgetBefore({ at: clock.now() / 1000, before, day, retentionDays });
    await store.forgetDaysBefore(day);
  };
  const noted = (work: Promise<void>, sentence: string): Promise<void> => {
    running = work.catch((fault: unknown) => log.warn({ err: fault }, sentence));
    return running;
  };
  return {
    async look(): Promise<void> {
      const now = clock.now() / 1000;
      const day = localDay(now);
      // Asked each time, so that a step of the clock is seen when it happens.
      const isDeletable = mayDelete();
      if (toldFor !== day && ledgerKeys(settings()).retention > 0) {
        toldFor = day;
        await noted(tellHead(), 'the head of the ledger could not be read: it is told again tomorrow');
      }
      if (forgottenFor === day || !isDeletable) return;
      forgottenFor = day;
      const today = Math.floor(now / DAY) * DAY;
      await noted(forget(today), 'old records of the ledger could not be deleted: the next attempt is tomorrow');
    },
    close: (): Promise<void> => running,
  };
}
