/** The table of who must wait at the login: the same code for every engine (SPEC 4.5). */
import type { Kysely, Transaction } from 'kysely';
import type { LoginBlock, LoginBlockStore } from '../../domain/accounts/login-block.ts';
import { recordOf, rowOf, type Tables } from '../engine/tables.ts';

/** More are limited all the same, and not listed: a guesser with many addresses must not fill the store. */
const MOST_BLOCKS = 1000;
const MOST_AT_ONCE = 100;
const MOST_NAMES = 5;
/** Every replica has heard of a lift long before. */
const KEPT_SECONDS = 86_400;

export function createLoginBlockStore(db: Kysely<Tables>): LoginBlockStore {
  return {
    noteBlocks: (blocks, now) =>
      db.transaction().execute(async (transaction) => {
        const past = now - KEPT_SECONDS;
        await transaction.deleteFrom('login_blocks').where('until', '<', past).execute();
        for (const block of blocks.slice(0, MOST_AT_ONCE)) await note(block, transaction);
      }),

    async listBlocks(now) {
      const open = db.selectFrom('login_blocks').selectAll().where('is_open', '=', 1).where('until', '>', now);
      return (await open.orderBy('until', 'desc').orderBy('id').execute()).map(asBlock);
    },

    liftBlock: (id, now) =>
      db.transaction().execute(async (transaction) => {
        const known = transaction.selectFrom('login_blocks').selectAll().where('id', '=', id).where('is_open', '=', 1);
        const row = await known.where('until', '>', now).executeTakeFirst();
        if (!row) return undefined;
        await transaction
          .updateTable('login_blocks')
          .set({ is_open: 0, lifted_at: now })
          .where('id', '=', id)
          .execute();
        return asBlock(row);
      }),

    async listLifts() {
      const lifted = db.selectFrom('login_blocks').select(['id', 'lifted_at']).where('lifted_at', 'is not', null);
      return new Map((await lifted.execute()).map(({ id, lifted_at }) => [id, lifted_at ?? 0]));
    },

    async forgetBlocks() {
      await db.deleteFrom('login_blocks').execute();
    },
  };
}

async function note(block: LoginBlock, transaction: Transaction<Tables>): Promise<void> {
  const { id, since, until } = block;
  const row = await transaction.selectFrom('login_blocks').selectAll().where('id', '=', id).executeTakeFirst();
  if (row) {
    const isOpen = row.lifted_at === null || since >= row.lifted_at;
    const names = [...new Set([...asBlock(row).names, ...block.names])].slice(-MOST_NAMES);
    const change = { since, until, names: JSON.stringify(names), is_open: isOpen ? 1 : 0 };
    await transaction.updateTable('login_blocks').set(change).where('id', '=', id).execute();
    return;
  }
  const { count } = await transaction
    .selectFrom('login_blocks')
    .select((sql) => sql.fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  if (Number(count) >= MOST_BLOCKS) return;
  await transaction
    .insertInto('login_blocks')
    .values({ ...rowOf('login_blocks', block), is_open: 1, lifted_at: null })
    .onConflict((conflict) => conflict.column('id').doNothing()) // another replica has noted it meanwhile
    .execute();
}

const asBlock = (row: object): LoginBlock => recordOf('login_blocks', row) as LoginBlock;
