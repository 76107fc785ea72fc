/** The table of API tokens: the same code for every engine (SPEC 4.4). */
import type { Kysely } from 'kysely';
import type { ApiToken, ApiTokenStore } from '../../domain/accounts/api-token.ts';
import type { Serialized } from '../engine/parts.ts';
import { deleteRows, findRecord, insertRecord, listRecords, updateRows } from '../engine/rows.ts';
import type { Tables } from '../engine/tables.ts';

export const createApiTokenStore = (db: Kysely<Tables>, serialized: Serialized): ApiTokenStore => ({
  addToken: (token) => insertRecord(db, 'api_tokens', token),
  findToken: async (id) => (await findRecord(db, 'api_tokens', { id })) as ApiToken | undefined,
  listTokens: async (user) =>
    (await listRecords(db, 'api_tokens', { user_name: user }, ['created_at', 'id'])) as readonly ApiToken[],
  deleteToken: async (id) => ((await deleteRows(db, 'api_tokens', { id })) ? 'deleted' : 'absent'),
  noteTokenUses: (uses) =>
    serialized(async (transaction) => {
      for (const { id, at, from } of uses)
        await updateRows(transaction, 'api_tokens', { id }, { last_used_at: at, last_used_from: from });
    }),
});
