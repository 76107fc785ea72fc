/** Opens the ledger: what is audited (logins, changes and refusals) and what this process sees is written each second (SPEC 14). */
import { randomUUID } from 'node:crypto';
import type { Settings } from '../../config/schema/schema.ts';
import { NOTICE_KINDS } from '../../domain/accounts/notice.ts';
import { oneAtATime } from '../../domain/async.ts';
import { bound } from '../../routes/own-route.ts';
import type { ActiveFeature, AuditedAct, FeatureRules, FeatureServices } from '../feature.ts';
import { headText } from './chain.ts';
import { ledgerKeys } from './keys.ts';
import { LEDGER_ROUTES } from './ledger-routes.ts';
import { type LedgerStore, ledgerPart } from './ledger-store.ts';
import { listNotices, NOTICE_ROUTES, type Notice } from './notices.ts';
import { comesInCrowds, currentHead, type LedgerEntry, ledgerKind, NOBODY } from './records.ts';
import { type Subject, storable, subjectEntry } from './spans.ts';
import { createViewings } from './viewings.ts';
import { createLedgerWriter, type LedgerMetrics, type LocalDay, localClock } from './writer.ts';

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
        viewings: enabled ? createViewings({ spans: writer, layout, camerasOf, clock }) : undefined,
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

/** Recorded elsewhere, or of no use when a year has passed. */
const LEFT_OUT: ReadonlySet<string> = new Set(['who', 'from', 'credential', 'verdict', 'agent', 'requestId']);

/** Shown to the person whose account it is; recorded also where the ledger is off. */
export const isNotice = ({ what, verdict }: AuditedAct): boolean =>
  verdict === 'allowed' && NOTICE_KINDS.some((kind) => kind === what);

export type ActRecord =
  | { readonly kind: 'once'; readonly entry: LedgerEntry }
  /** Comes in crowds: failures that follow each other are one record, with their number, and the first of the names that were made up. */
  | { readonly kind: 'repeated'; readonly subject: Subject; readonly madeUp?: string };

export function actRecord(act: AuditedAct, at: number): ActRecord {
  const kind = ledgerKind(act);
  if (kind === 'login-failed' && isOfStranger(act)) return doingOfStranger(act);
  const subject: Subject = {
    kind,
    user: act.who ?? null,
    credential: act.credential ?? null,
    address: act.from ?? null,
    camera: null,
    detail: actDetail(act),
  };
  if (kind === 'refusal' || kind === 'login-failed' || comesInCrowds(act)) return { kind: 'repeated', subject };
  return { kind: 'once', entry: subjectEntry(subject, { from: at, to: at }) };
}

/** No password was compared: too many attempts, or no time to check one. */
const UNTRIED: ReadonlySet<string> = new Set(['rate-limited', 'busy']);

/** Failures of an account, and of a token that was good, are records of their own; whatever else fails says nothing of a name. */
const isOfStranger = ({ who, reason = '', unknown, tokenId }: AuditedAct): boolean =>
  unknown === true || UNTRIED.has(reason) || (who === undefined && (tokenId === undefined || reason === 'unknown'));

/** One record for an address, however many names it makes up. */
function doingOfStranger(act: AuditedAct): ActRecord {
  const { what, reason, from = null, who, tokenId, unknown } = act;
  const detail = { what, ...(reason !== undefined && { reason: storable(reason) }) };
  const madeUp = unknown ? who : tokenId;
  const subject: Subject = { kind: 'login-failed', ...NOBODY, address: from, detail };
  return { kind: 'repeated', subject, ...(madeUp !== undefined && { madeUp: storable(madeUp) }) };
}

const actDetail = (act: AuditedAct): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(act).flatMap(([name, value]) =>
      typeof value === 'string' && (!LEFT_OUT.has(name) || (name === 'agent' && isNotice(act)))
        ? [[name, storable(value)]]
        : [],
    ),
  );
