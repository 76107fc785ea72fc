/** Notices: the records of the ledger that a person is told of, on the account's page and by `notify.webhook` (SPEC 12). */
import { NOTICE_KINDS, type Notice } from '../../domain/accounts/notice.ts';
import {
  detailOf,
  type LedgerEntry,
  type LedgerKind,
  type LedgerRecord,
  type LedgerStore,
  recordIdOf,
} from '../../domain/ledger.ts';
import type { Messages } from '../feature.ts';

/** `notice`: a login from a new place, which is recorded for this alone. */
const KINDS: readonly LedgerKind[] = ['change', 'link', 'notice'];
const MOST_SHOWN = 100;

/** Undefined: nobody is told of the record. */
export function noticeOf(id: string, entry: LedgerEntry): Notice | undefined {
  const { what, user, agent, tokenId, linkId, factor, provider } = detailOf(entry);
  const event = NOTICE_KINDS.find((kind) => kind === what);
  const owner = textOf(user) ?? entry.user;
  if (event === undefined || owner === null || !KINDS.includes(entry.kind)) return undefined;
  return {
    id,
    event,
    user: owner,
    at: Math.floor(entry.from),
    by: entry.user,
    address: entry.address ?? '',
    agent: textOf(agent),
    detail: textOf(tokenId) ?? textOf(linkId) ?? textOf(factor) ?? textOf(provider),
  };
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** The notices of what was written are sent. */
export function sendNotices(written: readonly LedgerRecord[], { send }: Pick<Messages, 'send'>): void {
  for (const record of written) {
    const notice = noticeOf(recordIdOf(record), record);
    if (notice) send(notice);
  }
}

/** Newest first. */
export async function listNotices(
  user: string,
  since: number,
  store: Pick<LedgerStore, 'find'>,
): Promise<readonly Notice[]> {
  const about = { user, acts: NOTICE_KINDS };
  const found = await store.find({ kinds: KINDS, about, after: since, sight: undefined }, MOST_SHOWN);
  return found.flatMap((record) => noticeOf(record.id, record) ?? []);
}
