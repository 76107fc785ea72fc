/** The tables of logins: sessions as they were seen, devices and networks that are known, and who must wait (SPEC 4.2, 4.5, 12). */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { LoginBlock, SeenSession } from '../../domain/accounts/logins.ts';
import type { LoginPlace } from '../../domain/accounts/notice.ts';
import type { UserName } from '../../domain/names.ts';
import {
  countRows,
  deleteRows,
  evenDeadlocked,
  findRecord,
  findRow,
  hasRow,
  inChunks,
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
/** A statement has room for some thousands of values. */
const SESSIONS_AT_ONCE = 500;

export type SessionStore = ReturnType<typeof createSessionStore>;

export const createSessionStore = storePart(
  {
    /** Sessions that have not expired at `now`, latest seen first; of all users without `user`. */
    async listSessions(db, now: number, user?: UserName): Promise<readonly SeenSession[]> {
      const lasting = notEnded(db, now).where('seen_sessions.expires_at', '>', now).limit(MOST_LISTED);
      const own = user === undefined ? lasting : lasting.where('user_name', '=', user);
      const rows = await own.orderBy('last_seen', 'desc').orderBy('id').execute();
      return rows.map((row) => readRecord('seen_sessions', row));
    },

    async findSession(db, id: string, now: number): Promise<SeenSession | undefined> {
      const row = await notEnded(db, now).where('id', '=', id).executeTakeFirst();
      return row && readRecord('seen_sessions', row);
    },

    /** Another key ended them all. */
    async forgetSessionsUnlessSignedWith(db, keyId: string) {
      await deleteRows(db, 'seen_sessions', { signed_with: { '!=': keyId } });
    },

    /** Each once. A session that is known keeps its `since`, and the latest end that was seen. */
    async noteSessions(db, seen: readonly SeenSession[]) {
      const rows = seen.map((session) => writeRow('seen_sessions', session));
      // In one order: two replicas note the same ones.
      rows.sort((one, other) => (one.id < other.id ? -1 : 1));
      for (const some of inChunks(rows, SESSIONS_AT_ONCE)) {
        const noted = db
          .insertInto('seen_sessions')
          .values(some)
          .onConflict((conflict) =>
            conflict.column('id').doUpdateSet(({ ref }) => ({
              user_name: ref('excluded.user_name'),
              address: ref('excluded.address'),
              agent: ref('excluded.agent'),
              last_seen: ref('excluded.last_seen'),
              signed_with: ref('excluded.signed_with'),
              expires_at: sql`case when excluded.expires_at > seen_sessions.expires_at
                then excluded.expires_at else seen_sessions.expires_at end`,
            })),
          );
        await evenDeadlocked(() => noted.execute());
      }
    },
  },
  {},
);

/** Sightings are written with a delay: a session among them may have been revoked, or ended with its user or password. */
const notEnded = (db: Queries, now: number) =>
  db
    .selectFrom('seen_sessions')
    .innerJoin('users', 'users.name', 'user_name')
    .selectAll('seen_sessions')
    .where(sql<boolean>`(since + 1 > created_at or created_at > ${now})`)
    .where(sql<boolean>`since + 1 > coalesce(password_changed_at, 0)`)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('revoked_tokens').select('token_id').whereRef('token_id', '=', 'id'))),
    );

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
    notePlace: (locked, user: UserName, place: LoginPlace, at: number): Promise<readonly (keyof LoginPlace)[]> =>
      locked({ person: user }, async (db, person) => {
        if (!person) return []; // it was deleted meanwhile
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
      }),
  },
);

/** More are limited all the same, and not listed: a guesser with many addresses must not fill the store. */
const MOST_BLOCKS = 1000;
const MOST_AT_ONCE = 100;
const MOST_NAMES = 5;
/** Every replica has heard of a lift long before. */
const KEPT_SECONDS = 86_400;

export type LoginBlockStore = ReturnType<typeof createLoginBlockStore>;

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
    noteBlocks: (locked, blocks: readonly LoginBlock[], now: number) =>
      locked({ key: 'login blocks' }, async (db) => {
        await deleteRows(db, 'login_blocks', { until: { '<': now - KEPT_SECONDS } });
        for (const block of blocks.slice(0, MOST_AT_ONCE)) await noteBlock(block, db);
      }),

    /** Undefined: there is no such block any more. */
    liftBlock: (locked, id: string, now: number) =>
      locked({ key: 'login blocks' }, async (db) => {
        const block = await findRecord(db, 'login_blocks', { id, ...lasting(now) });
        if (block) await updateRows(db, 'login_blocks', { id }, { is_open: 0, lifted_at: now });
        return block;
      }),
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
