/** Notices: the records of the ledger that a person is told of, on the account's page and by `notify.webhook` (SPEC 12). */
import { z } from 'zod';
import { MAYBE_TEXT, USER_NAME } from '../../accounts/http/answers.ts';
import { type Call, declaring, Refused, refusedFor } from '../../accounts/http/kernel.ts';
import type { AccountServices } from '../../app/services.ts';
import { NOTICE_KINDS, type NoticeKind, type ServiceMessage } from '../../domain/accounts/notice.ts';
import { isAdministrator } from '../../domain/caller.ts';
import { described, TEXT, TIME } from '../../routes/shapes.ts';
import type { Messages } from '../feature.ts';
import type { LedgerStore } from './ledger-store.ts';
import { type LedgerEntry, type LedgerRecord, readDetail, recordId, TOLD_KINDS } from './records.ts';

const MOST_SHOWN = 100;

export type Notice = ServiceMessage & { readonly event: NoticeKind; readonly user: string };

/** Undefined: the record is no notice. */
export function toNotice(id: string, entry: LedgerEntry): Notice | undefined {
  const { what, user, agent, tokenId, linkId, factor, provider } = readDetail(entry);
  const event = NOTICE_KINDS.find((kind) => kind === what);
  const owner = asText(user) ?? entry.user;
  if (event === undefined || owner === null || !TOLD_KINDS.includes(entry.kind)) return undefined;
  return {
    id,
    event,
    user: owner,
    at: Math.floor(entry.from),
    by: entry.user,
    address: entry.address ?? '',
    agent: asText(agent),
    detail: asText(tokenId) ?? asText(linkId) ?? asText(factor) ?? asText(provider),
  };
}

const asText = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** The notices of what was written are sent. */
export function sendNotices(written: readonly LedgerRecord[], { send }: Pick<Messages, 'send'>): void {
  for (const record of written) {
    const notice = toNotice(recordId(record), record);
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
  const found = await store.find({ kinds: TOLD_KINDS, about, after: since, sight: undefined }, MOST_SHOWN);
  return found.flatMap((record) => toNotice(record.id, record) ?? []);
}

const NO_ACCOUNT = 'These events belong to an account: log in with its password, or as an admin name one by ?user=';

export const ACCOUNT_EVENT = described('AccountEvent', {
  id: TEXT,
  user: USER_NAME,
  event: z.enum(NOTICE_KINDS),
  at: TIME,
  by: MAYBE_TEXT,
  address: TEXT,
  agent: MAYBE_TEXT,
  device: MAYBE_TEXT.meta({ description: 'What the user calls the device' }),
  detail: MAYBE_TEXT,
});

/** `noticesOf`: newest first; none of a user without an account. */
const route = declaring<AccountServices & { readonly noticesOf: (user: string) => Promise<readonly Notice[]> }>();

// biome-ignore format: a table
export const NOTICE_ROUTES = [
  route({ route: 'GET /api/account/events', access: 'any', note: "of the caller's own account; for an admin of any",
    summary: "What happened to one's own account lately; as an admin, to any", query: { user: 'As an admin: whose' }, yes: [200, z.array(ACCOUNT_EVENT)],
    run: async (call, { noticesOf, store }) => withDevices(await noticesOf(whose(call)), store) }),
];

/** The records, and what the people call their devices. */
async function withDevices(notices: readonly Notice[], { sessions }: Pick<AccountServices['store'], 'sessions'>) {
  const names = await sessions.deviceNames(notices);
  return notices.map((notice, at) => ({ ...notice, device: names[at] ?? null }));
}

/** A token or a proxy's user of the same name is not that account. */
function whose({ caller, query }: Call): string {
  const wanted = query.get('user') ?? caller.name;
  const mayAny = isAdministrator(caller);
  if (wanted !== caller.name && !mayAny) throw refusedFor('role-too-low');
  if (caller.credential.kind !== 'session' && !mayAny) throw new Refused(403, 'account-needed', NO_ACCOUNT);
  return wanted;
}
