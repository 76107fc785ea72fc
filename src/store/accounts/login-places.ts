/** The table of devices and networks of logins: the same code for every engine (SPEC 12). */
import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { LoginPlace, LoginPlaceStore } from '../../domain/accounts/notice.ts';
import type { UserName } from '../../domain/names.ts';
import type { Serialized } from '../engine/serialized.ts';
import type { Tables } from '../engine/tables.ts';

export function createLoginPlaceStore(db: Kysely<Tables>, serialized: Serialized): LoginPlaceStore {
  return {
    notePlace: (user, place, at) =>
      serialized(async (transaction) => {
        const account = transaction.selectFrom('users').select('name').where('name', '=', user);
        if ((await account.executeTakeFirst()) === undefined) return []; // it was deleted meanwhile
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

    async forgetPlacesBefore(at) {
      await db.deleteFrom('known_clients').where('last_seen', '<', at).execute();
    },
  };
}

/** A digest: the table does not tell where a person was. */
const idOf = (user: UserName, part: string, value: string): string =>
  createHash('sha256').update(`${user} ${part} ${value}`).digest('base64url');
