/** The table of API tokens: the same code for every engine (SPEC 4.4). */
import type { Kysely } from 'kysely';
import type { ApiToken, ApiTokenStore } from '../../domain/accounts/api-token.ts';
import type { Serialized } from '../engine/serialized.ts';
import { recordOf, rowOf, type Tables } from '../engine/tables.ts';

export function createApiTokenStore(db: Kysely<Tables>, serialized: Serialized): ApiTokenStore {
  return {
    async addToken(token) {
      await db.insertInto('api_tokens').values(asRow(token)).execute();
    },

    async findToken(id) {
      const row = await db.selectFrom('api_tokens').selectAll().where('id', '=', id).executeTakeFirst();
      return row && asToken(row);
    },

    async listTokens(user) {
      const all = db.selectFrom('api_tokens').selectAll().orderBy('created_at').orderBy('id');
      const rows = await (user === undefined ? all : all.where('user_name', '=', user)).execute();
      return rows.map(asToken);
    },

    async deleteToken(id) {
      const { numDeletedRows } = await db.deleteFrom('api_tokens').where('id', '=', id).executeTakeFirst();
      return numDeletedRows ? 'deleted' : 'absent';
    },

    noteTokenUses: (uses) =>
      serialized(async (transaction) => {
        for (const { id, at, from } of uses) {
          const use = { last_used_at: at, last_used_from: from };
          await transaction.updateTable('api_tokens').set(use).where('id', '=', id).execute();
        }
      }),
  };
}

const asToken = (row: object): ApiToken => recordOf('api_tokens', row) as ApiToken;

const asRow = (token: ApiToken) => rowOf('api_tokens', token);
