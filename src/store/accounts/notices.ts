/** The tables of what people are told of their accounts: the same code for every engine (SPEC 12). */
import { createHash } from 'node:crypto';
import type { Kysely, Selectable, Transaction } from 'kysely';
import type { LoginPlace, Notice, NoticeKind, NoticeStore } from '../../domain/accounts/notice.ts';
import type { UserName } from '../../domain/names.ts';
import type { Serialized } from '../engine/serialized.ts';
import type { AccountNoticesTable, Tables } from '../engine/tables.ts';

export function createNoticeStore(db: Kysely<Tables>, serialized: Serialized): NoticeStore {
  return {
    addNotice: (notice) =>
      serialized(async (transaction) => {
        if (!(await isThere(notice.user, transaction))) return;
        await transaction.insertInto('account_notices').values(asRow(notice)).execute();
      }),

    async listNotices(user, limit) {
      const all = db.selectFrom('account_notices').selectAll().where('user_name', '=', user);
      return (await all.orderBy('at', 'desc').orderBy('id').limit(limit).execute()).map(asNotice);
    },

    notePlace: (user, place, at) =>
      serialized(async (transaction) => {
        if (!(await isThere(user, transaction))) return [];
        const known = transaction.selectFrom('known_clients').select('id').where('user_name', '=', user);
        const isFirst = (await known.executeTakeFirst()) === undefined;
        const unseen: (keyof LoginPlace)[] = [];
        for (const part of ['device', 'network'] as const) {
          const row = { id: idOf(user, part, place[part]), user_name: user, last_seen: at };
          const seen = transaction.updateTable('known_clients').set({ last_seen: at }).where('id', '=', row.id);
          if ((await seen.executeTakeFirst()).numUpdatedRows) continue;
          await transaction.insertInto('known_clients').values(row).execute();
          unseen.push(part);
        }
        return isFirst ? [] : unseen;
      }),

    async lastLogins() {
      const latest = db.selectFrom('known_clients').select(['user_name', (sql) => sql.fn.max('last_seen').as('at')]);
      const rows = await latest.groupBy('user_name').execute();
      return new Map(rows.map(({ user_name, at }) => [user_name, Number(at)]));
    },

    async forgetNoticesBefore(at) {
      await db.deleteFrom('account_notices').where('at', '<', at).execute();
    },

    async forgetPlacesBefore(at) {
      await db.deleteFrom('known_clients').where('last_seen', '<', at).execute();
    },
  };
}

const isThere = async (user: UserName, transaction: Transaction<Tables>): Promise<boolean> =>
  (await transaction.selectFrom('users').select('name').where('name', '=', user).executeTakeFirst()) !== undefined;

/** A digest: the table does not tell where a person was. */
const idOf = (user: UserName, part: string, value: string): string =>
  createHash('sha256').update(`${user} ${part} ${value}`).digest('base64url');

const asNotice = (row: Selectable<AccountNoticesTable>): Notice => ({
  id: row.id,
  user: row.user_name as UserName,
  kind: row.kind as NoticeKind,
  at: row.at,
  from: row.address,
  ...(row.done_by !== null && { by: row.done_by }),
  ...(row.agent !== null && { agent: row.agent }),
  ...(row.detail !== null && { detail: row.detail }),
});

const asRow = ({ id, user, kind, at, by, from, agent, detail }: Notice): AccountNoticesTable => ({
  id,
  user_name: user,
  kind,
  at,
  done_by: by ?? null,
  address: from,
  agent: agent ?? null,
  detail: detail ?? null,
});
