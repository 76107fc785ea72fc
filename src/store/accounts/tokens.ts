/** The table of API tokens: the same code for every engine (SPEC 4.4). */
import type { Insertable, Kysely, Selectable } from 'kysely';
import type { ApiToken, ApiTokenStore } from '../../domain/accounts/api-token.ts';
import type { Role, UserName } from '../../domain/names.ts';
import type { Serialized } from '../engine/serialized.ts';
import type { ApiTokensTable, Tables } from '../engine/tables.ts';

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

const asToken = (row: Selectable<ApiTokensTable>): ApiToken => ({
  id: row.id,
  secretHash: row.secret_hash,
  name: row.name,
  user: row.user_name as UserName,
  userCreatedAt: row.user_created_at,
  role: row.role as Role,
  cameras: row.cameras === null ? null : (JSON.parse(row.cameras) as string[]),
  managesAccounts: row.manages_accounts === 1,
  ...(row.logs_in === 1 && { logsIn: true }),
  ...(row.is_for_curtain === 1 && { isForCurtain: true }),
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  lastUsedAt: row.last_used_at,
  lastUsedFrom: row.last_used_from,
});

const asRow = (token: ApiToken): Insertable<ApiTokensTable> => ({
  id: token.id,
  secret_hash: token.secretHash,
  name: token.name,
  user_name: token.user,
  user_created_at: token.userCreatedAt,
  role: token.role,
  cameras: token.cameras === null ? null : JSON.stringify(token.cameras),
  manages_accounts: token.managesAccounts ? 1 : 0,
  logs_in: token.logsIn ? 1 : 0,
  is_for_curtain: token.isForCurtain ? 1 : 0,
  created_at: token.createdAt,
  expires_at: token.expiresAt,
  last_used_at: token.lastUsedAt,
  last_used_from: token.lastUsedFrom,
});
