/** The tables of logins: sessions as they were seen, devices and networks that are known, and who must wait (SPEC 4.2, 4.5, 12). */
import { createHash } from 'node:crypto';
import type { LoginBlock, SeenSession } from '../../domain/accounts/logins.ts';
import type { LoginPlace } from '../../domain/accounts/notice.ts';
import type { UserName } from '../../domain/names.ts';
import {
  countRows,
  deleteRows,
  findRecord,
  findRow,
  hasRow,
  insertNew,
  insertRecord,
  listRecords,
  type Queries,
  storePart,
  updateRows,
} from '../engine/rows.ts';
import { readRecord, writeRow } from '../engine/tables.ts';

/** The most rows of one list: a page with more sessions cannot be read. */
const MOST_LISTED = 1000;

export type SessionStore = ReturnType<typeof createSessionStore>;

export const createSessionStore = storePart(
  {
    /** Sessions that have not expired at `now`, latest seen first; of all users without `user`. */
    listSessions: (db, now: number, user?: UserName) =>
      listRecords(
        db,
        'seen_sessions',
        { expires_at: { '>': now }, user_name: user },
        ['-last_seen', 'id'],
        MOST_LISTED,
      ),

    findSession: (db, id: string) => findRecord(db, 'seen_sessions', { id }),

    /** Another key ended them all. */
    async forgetSessionsUnlessSignedWith(db, keyId: string) {
      await deleteRows(db, 'seen_sessions', { signed_with: { '!=': keyId } });
    },
  },
  {
    /** A session that is known keeps its `since`, and the latest end that was seen; one that was ended in the meantime is passed over. */
    async noteSessions(db, seen: readonly SeenSession[]) {
      for (const session of seen) {
        if (await isOver(session, db)) continue;
        const { since: _, expires_at, ...latest } = writeRow('seen_sessions', session);
        const { id } = session;
        if (!(await updateRows(db, 'seen_sessions', { id }, latest))) await insertRecord(db, 'seen_sessions', session);
        await updateRows(db, 'seen_sessions', { id, expires_at: { '<': expires_at } }, { expires_at });
      }
    },
  },
);

/** Sightings are written with a delay: the session may have ended since. */
async function isOver({ id, user, since }: SeenSession, db: Queries): Promise<boolean> {
  if (await hasRow(db, 'revoked_tokens', { token_id: id })) return true;
  const account = await findRecord(db, 'users', { name: user });
  return !account || since < Math.floor(account.passwordChangedAt ?? 0);
}

export type LoginPlaceStore = ReturnType<typeof createLoginPlaceStore>;

export const createLoginPlaceStore = storePart(
  {
    /** When each user last logged in, as far back as places are remembered. */
    async lastLogins(db): Promise<ReadonlyMap<string, number>> {
      const latest = db.selectFrom('known_clients').select(['user_name', (sql) => sql.fn.max('last_seen').as('at')]);
      const rows = await latest.groupBy('user_name').execute();
      return new Map(rows.map(({ user_name, at }) => [user_name, Number(at)]));
    },
  },
  {
    /** Remembers the place, and gives what of it the user's logins have not shown before. Of a first login ever: nothing. */
    async notePlace(db, user: UserName, place: LoginPlace, at: number): Promise<readonly (keyof LoginPlace)[]> {
      if (!(await hasRow(db, 'users', { name: user }))) return []; // it was deleted meanwhile
      const isFirst = !(await hasRow(db, 'known_clients', { user_name: user }));
      const unseen: (keyof LoginPlace)[] = [];
      for (const part of ['device', 'network'] as const) {
        // A digest: the table does not tell where a person was.
        const id = createHash('sha256').update(`${user} ${part} ${place[part]}`).digest('base64url');
        if (await updateRows(db, 'known_clients', { id }, { last_seen: at })) continue;
        await insertRecord(db, 'known_clients', { id, user, lastSeen: at });
        unseen.push(part);
      }
      return isFirst ? [] : unseen;
    },
  },
);

/** More are limited all the same, and not listed: a guesser with many addresses must not fill the store. */
const MOST_BLOCKS = 1000;
const MOST_AT_ONCE = 100;
const MOST_NAMES = 5;
/** Every replica has heard of a lift long before. */
const KEPT_SECONDS = 86_400;

export type LoginBlockStore = ReturnType<typeof createLoginBlockStore>;

/** Its changes take no turn with those of accounts. */
export const createLoginBlockStore = storePart(
  {
    /** Blocks that last, the longest first. */
    listBlocks: (db, now: number) => listRecords(db, 'login_blocks', lasting(now), ['-until', 'id']),

    /** When each block was lifted last. */
    async listLifts(db): Promise<ReadonlyMap<string, number>> {
      const lifted = db.selectFrom('login_blocks').select(['id', 'lifted_at']).where('lifted_at', 'is not', null);
      return new Map((await lifted.execute()).map(({ id, lifted_at }) => [id, lifted_at ?? 0]));
    },

    /** All of them, where a restart clears the limiter. */
    async forgetBlocks(db) {
      await deleteRows(db, 'login_blocks', {});
    },
  },
  {
    /** Names that are known already are kept beside. A block from before its lift stays lifted. */
    async noteBlocks(db, blocks: readonly LoginBlock[], now: number) {
      await deleteRows(db, 'login_blocks', { until: { '<': now - KEPT_SECONDS } });
      for (const block of blocks.slice(0, MOST_AT_ONCE)) await noteBlock(block, db);
    },

    /** Undefined: there is no such block any more. */
    async liftBlock(db, id: string, now: number) {
      const block = await findRecord(db, 'login_blocks', { id, ...lasting(now) });
      if (block) await updateRows(db, 'login_blocks', { id }, { is_open: 0, lifted_at: now });
      return block;
    },
  },
);

async function noteBlock(block: LoginBlock, db: Queries): Promise<void> {
  const { id, since, until } = block;
  const row = await findRow(db, 'login_blocks', { id });
  if (row) {
    const isOpen = row.lifted_at === null || since >= row.lifted_at;
    const { names: known } = readRecord('login_blocks', row);
    const names = JSON.stringify([...new Set([...known, ...block.names])].slice(-MOST_NAMES));
    await updateRows(db, 'login_blocks', { id }, { since, until, names, is_open: isOpen ? 1 : 0 });
  } else if ((await countRows(db, 'login_blocks', {})) < MOST_BLOCKS) {
    // Another replica may note it meanwhile.
    await insertNew(db, 'login_blocks', { ...writeRow('login_blocks', block), is_open: 1, lifted_at: null });
  }
}

const lasting = (now: number) => ({ is_open: 1, until: { '>': now } });
