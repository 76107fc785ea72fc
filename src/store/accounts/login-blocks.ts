/** The table of who must wait at the login: the same code for every engine (SPEC 4.5). */
import type { Kysely, Transaction } from 'kysely';
import type { LoginBlock, LoginBlockStore } from '../../domain/accounts/login-block.ts';
import { countRows, deleteRows, findRecord, findRow, listRecords, updateRows } from '../engine/rows.ts';
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
        await deleteRows(transaction, 'login_blocks', { until: { '<': now - KEPT_SECONDS } });
        for (const block of blocks.slice(0, MOST_AT_ONCE)) await note(block, transaction);
      }),

    listBlocks: (now) => listRecords(db, 'login_blocks', lasting(now), ['-until', 'id']),

    liftBlock: (id, now) =>
      db.transaction().execute(async (transaction) => {
        const block = await findRecord(transaction, 'login_blocks', { id, ...lasting(now) });
        if (block) await updateRows(transaction, 'login_blocks', { id }, { is_open: 0, lifted_at: now });
        return block;
      }),

    async listLifts() {
      const lifted = db.selectFrom('login_blocks').select(['id', 'lifted_at']).where('lifted_at', 'is not', null);
      return new Map((await lifted.execute()).map(({ id, lifted_at }) => [id, lifted_at ?? 0]));
    },

    async forgetBlocks() {
      await deleteRows(db, 'login_blocks', {});
    },
  };
}

async function note(block: LoginBlock, transaction: Transaction<Tables>): Promise<void> {
  const { id, since, until } = block;
  const row = await findRow(transaction, 'login_blocks', { id });
  if (row) {
    const isOpen = row.lifted_at === null || since >= row.lifted_at;
    const { names: known } = recordOf('login_blocks', row);
    const names = JSON.stringify([...new Set([...known, ...block.names])].slice(-MOST_NAMES));
    await updateRows(transaction, 'login_blocks', { id }, { since, until, names, is_open: isOpen ? 1 : 0 });
    return;
  }
  if ((await countRows(transaction, 'login_blocks', {})) >= MOST_BLOCKS) return;
  await transaction
    .insertInto('login_blocks')
    .values({ ...rowOf('login_blocks', block), is_open: 1, lifted_at: null })
    .onConflict((conflict) => conflict.column('id').doNothing()) // another replica has noted it meanwhile
    .execute();
}

const lasting = (now: number) => ({ is_open: 1, until: { '>': now } });
