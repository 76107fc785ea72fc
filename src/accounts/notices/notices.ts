/** Tells people what happened to their accounts: on their page, and to the operator's webhook; never in the way of an answer (SPEC 12). */
import { randomUUID } from 'node:crypto';
import type { Notice, NoticeKind, NoticeStore } from '../../domain/accounts/notice.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import { createFairLine } from '../../domain/fair-line.ts';
import type { UserName } from '../../domain/names.ts';
import type { Audit, AuditEntry } from '../audit.ts';
import { placeOf } from './login-place.ts';

export interface NoticeDeps {
  readonly noticeStore: Pick<NoticeStore, 'addNotice' | 'notePlace'>;
  readonly clock: Clock;
  readonly audit: Audit;
  /** Passes it on, and returns at once. */
  readonly send: (notice: Notice) => void;
  /** It could not be kept. */
  readonly onFault: (fault: unknown) => void;
}

export interface Notices {
  /** The audit log, through which all that is told passes. */
  readonly audit: Audit;
  /** Writes what waits. */
  close(): Promise<void>;
}

/** What is told, of what is audited. A login is told when it comes from somewhere new. */
const TOLD: ReadonlySet<string> = new Set<NoticeKind>([
  'password-changed',
  'second-factor-added',
  'second-factor-removed',
  'recovery-codes-made',
  'invitation-made',
  'invitation-used',
  'token-created',
  'link-first-opened',
]);

const isTold = (what: AuditEntry['what']): what is AuditEntry['what'] & NoticeKind => TOLD.has(what);

/** Writes that wait for the store. Each had a right password or session before it; persons take turns, so one does not drop another's. */
const MOST_WAITING = 1000;

export function createNotices({ noticeStore, clock, audit, send, onFault }: NoticeDeps): Notices {
  const waiting = createFairLine<() => Promise<void>>(MOST_WAITING);
  let running: Promise<void> | undefined;

  const tell = async (notice: Notice): Promise<void> => {
    send(notice);
    await noticeStore.addNotice(notice);
  };
  const noteLogin = async (entry: AuditEntry & { readonly who: string }, at: number): Promise<void> => {
    const user = entry.who as UserName; // the login was allowed
    const unseen = await noticeStore.notePlace(user, placeOf(entry.from, entry.agent), at);
    for (const part of unseen) await tell(noticeOf(entry, user, `new-${part}`, at));
  };
  const work = async (entry: AuditEntry, at: number): Promise<void> => {
    const { what, who, user = who } = entry;
    if (what === 'login' && who !== undefined) await noteLogin({ ...entry, who }, at);
    if (isTold(what) && user !== undefined) await tell(noticeOf(entry, user as UserName, what, at));
  };
  const run = async (): Promise<void> => {
    for (let next = waiting.take(); next; next = waiting.take()) await next().catch(onFault);
    running = undefined;
  };
  return {
    audit(entry) {
      audit(entry);
      if (entry.verdict !== 'allowed' || (entry.what !== 'login' && !isTold(entry.what))) return;
      const at = unixSeconds(clock);
      const isFull = waiting.add(entry.user ?? entry.who ?? '', () => work(entry, at)) !== undefined;
      if (isFull) onFault(new Error(`${MOST_WAITING} notices wait for the store already`));
      running ??= run();
    },
    close: async () => running,
  };
}

function noticeOf(
  { who, from, agent, tokenId, linkId, factor }: AuditEntry,
  user: UserName,
  kind: NoticeKind,
  at: number,
): Notice {
  const detail = tokenId ?? linkId ?? factor;
  return {
    id: randomUUID(),
    user,
    kind,
    at,
    from,
    ...(who !== undefined && { by: who }),
    ...(agent !== undefined && { agent }),
    ...(detail !== undefined && { detail }),
  };
}
