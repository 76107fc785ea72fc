/** Once a minute: who has watched since the last look, and whether that is unlike the days before (SPEC 14). */
import type { Settings } from '../../config/schema/schema.ts';
import { isViewingKind, type LedgerEntry, type LedgerStore } from '../../domain/ledger.ts';
import { daysOf, type LocalTime } from '../../ledger/days.ts';
import { habitDays, unusualIn } from '../../ledger/notices.ts';
import { noticeEntry, onceOf } from '../../ledger/told-notice.ts';
import type { LedgerWriter } from '../../ledger/writer.ts';

export interface NoticeWatch {
  /** The user watches, or has watched. */
  seen(subject: Pick<LedgerEntry, 'kind' | 'user'>): void;
  look(): Promise<void>;
}

export interface NoticeWatchDeps {
  readonly store: Pick<LedgerStore, 'days' | 'openViewings'>;
  /** In force now. */
  readonly settings: () => Settings;
  /** Unix seconds. */
  readonly now: () => number;
  readonly localTime: (at: number) => LocalTime;
  /** Unix seconds: when the account of the name was made; undefined for a user that a proxy names. */
  readonly accountSince: (user: string) => Promise<number | undefined>;
  readonly writer: Pick<LedgerWriter, 'add'>;
  /** Told once when looking begins to fail. */
  readonly onFault: (fault: unknown) => void;
}

const LOOK_SECONDS = 60;
const DAY = 86_400;
/** Of the internal port: every caller there is one. */
const NO_PERSON = 'internal';

export function openNoticeWatch(deps: NoticeWatchDeps): NoticeWatch {
  const { settings, now, localTime, onFault } = deps;
  let waiting = new Set<string>();
  let lookedAt = Number.NEGATIVE_INFINITY;
  let told = { day: '', ids: new Set<string>() };
  let isLooking = false;
  let isFailing = false;

  const lookAtAll = async (users: readonly string[], at: number): Promise<void> => {
    const { day } = localTime(at);
    if (told.day !== day) told = { day, ids: new Set() };
    for (const user of users) if (await lookAt(user, { at, day, told: told.ids }, deps)) waiting.add(user);
  };
  return {
    seen({ user, kind }) {
      if (user !== null && isViewingKind(kind) && settings().ledger.notices) waiting.add(user);
    },
    async look() {
      const at = now();
      const isDue = at - lookedAt >= LOOK_SECONDS || at < lookedAt;
      if (!isDue || isLooking || waiting.size === 0) return;
      const users = [...waiting];
      waiting = new Set();
      lookedAt = at;
      isLooking = true;
      try {
        if (settings().ledger.notices) await lookAtAll(users, at);
        isFailing = false;
      } catch (fault) {
        for (const user of users) waiting.add(user);
        if (!isFailing) onFault(fault);
        isFailing = true;
      } finally {
        isLooking = false;
      }
    },
  };
}

interface Look {
  readonly at: number;
  readonly day: string;
  readonly told: Set<string>;
}

/** Whether the user is watching still. */
async function lookAt(user: string, { at, day, told }: Look, deps: NoticeWatchDeps): Promise<boolean> {
  const { store, settings, localTime, accountSince, writer } = deps;
  // What another person of the same name watched before is not usual for this one.
  const since = Math.max(at - settings().ledger.retention * DAY, (await accountSince(user)) ?? 0);
  // Sums first: what ends in between is missing until the next look, and is not counted twice.
  const sums = await store.days({ user, sight: undefined }, localTime(since).day, day);
  const open = await store.openViewings(user);
  const before = Map.groupBy(
    sums.filter((sum) => sum.day < day),
    ({ viewer }) => viewer,
  );
  const today = [...sums.filter((sum) => sum.day === day), ...daysOf(open, localTime)];
  for (const [viewer, mine] of Map.groupBy(today, (sum) => sum.viewer)) {
    if (viewer === NO_PERSON) continue;
    const usual = habitDays(viewer, before.get(viewer) ?? [], before.get('') ?? []);
    for (const unusual of unusualIn(mine, usual)) {
      const once = onceOf(unusual, { user, viewer, day });
      if (told.has(once.id)) continue;
      told.add(once.id);
      writer.add(noticeEntry(unusual, { user, viewer, day, at }), once);
    }
  }
  return open.length > 0;
}
