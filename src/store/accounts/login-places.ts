/** The table of devices and networks of logins: the same code for every engine (SPEC 12). */
import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { LoginPlace, LoginPlaceStore } from '../../domain/accounts/notice.ts';
import type { UserName } from '../../domain/names.ts';
import { deleteRows, hasRow, insertRecord, updateRows } from '../engine/rows.ts';
import type { Serialized } from '../engine/serialized.ts';
import type { Tables } from '../engine/tables.ts';

export function createLoginPlaceStore(db: Kysely<Tables>, serialized: Serialized): LoginPlaceStore {
  return {
    notePlace: (user, place, at) =>
      serialized(async (transaction) => {
        if (!(await hasRow(transaction, 'users', { name: user }))) return []; // it was deleted meanwhile
        const isFirst = !(await hasRow(transaction, 'known_clients', { user_name: user }));
        const unseen: (keyof LoginPlace)[] = [];
        for (const part of ['device', 'network'] as const) {
          const id = idOf(user, part, place[part]);
          if (await updateRows(transaction, 'known_clients', { id }, { last_seen: at })) continue;
          await insertRecord(transaction, 'known_clients', { id, user, lastSeen: at });
          unseen.push(part);
        }
        return isFirst ? [] : unseen;
      }),

    async lastLogins() {
      const latest = db.selectFrom('known_clients').select(['user_name', (sql) => sql.fn.max('last_seen').as('at')]);
      const rows = await latest.groupBy('user_name').execute();
      return new Map(rows.map(({ user_name, at }) => [user_name, Number(at)]));
    },

    async forgetPlacesBefore(at) {
      await deleteRows(db, 'known_clients', { last_seen: { '<': at } });
    },
  };
}

/** A digest: the table does not tell where a person was. */
const idOf = (user: UserName, part: string, value: string): string =>
  createHash('sha256').update(`${user} ${part} ${value}`).digest('base64url');
