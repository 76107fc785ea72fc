/** The table of custom roles: the same code for every engine (interface 2.2; SPEC 4.3). */
import type { Kysely } from 'kysely';
import type { RoleStore } from '../../domain/accounts/role-store.ts';
import { type UserName, VIEWER } from '../../domain/names.ts';
import { deleteRows, listRecords, putRecord } from '../engine/rows.ts';
import type { Serialized } from '../engine/serialized.ts';
import type { Tables } from '../engine/tables.ts';

export function createRoleStore(db: Kysely<Tables>, serialized: Serialized): RoleStore {
  return {
    listRoles: () => listRecords(db, 'custom_roles', {}, ['role']),

    changeRoles: ({ saved, deleted }) =>
      serialized(async (transaction) => {
        for (const role of saved) await putRecord(transaction, 'custom_roles', role);
        if (deleted.length === 0) return [];
        await deleteRows(transaction, 'custom_roles', { role: deleted });
        const demoted = await transaction
          .updateTable('users')
          .set({ role: VIEWER })
          .where('role', 'in', deleted)
          .where('role_source', 'is', null)
          .returning('name')
          .execute();
        return demoted.map(({ name }) => name as UserName).sort();
      }),
  };
}
