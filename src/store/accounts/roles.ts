/** The table of custom roles: the same code for every engine (interface 2.2; SPEC 4.3). */
import type { Kysely } from 'kysely';
import type { RoleStore, StoredRole } from '../../domain/accounts/role-store.ts';
import { type UserName, VIEWER } from '../../domain/names.ts';
import type { Serialized } from '../engine/serialized.ts';
import { recordOf, rowOf, type Tables } from '../engine/tables.ts';

export function createRoleStore(db: Kysely<Tables>, serialized: Serialized): RoleStore {
  return {
    async listRoles() {
      const rows = await db.selectFrom('custom_roles').selectAll().orderBy('role').execute();
      return rows.map((row) => recordOf('custom_roles', row) as StoredRole);
    },

    changeRoles: ({ saved, deleted }) =>
      serialized(async (transaction) => {
        for (const one of saved) {
          const row = rowOf('custom_roles', one);
          await transaction
            .insertInto('custom_roles')
            .values(row)
            .onConflict((conflict) => conflict.column('role').doUpdateSet({ cameras: row.cameras, limits: row.limits }))
            .execute();
        }
        if (deleted.length === 0) return [];
        await transaction.deleteFrom('custom_roles').where('role', 'in', deleted).execute();
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
