/** The tables of logins: sessions as they were seen, devices and networks that are known, and who must wait (SPEC 4.2, 4.5, 12). */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { User } from '../../domain/accounts/account.ts';
import { deviceOf } from '../../domain/accounts/logins.ts';
import type { LoginPlace } from '../../domain/accounts/notice.ts';
import type { UserName } from '../../domain/names.ts';
import { findStoreFault } from '../../domain/store/store-fault.ts';
import type { BeginningLogin, BegunLogin, Dialect, Expression } from '../engine/engine.ts';
import { evenDeadlocked, inChunks, Queries, storePart } from '../engine/rows.ts';
import { type LoginBlock, readRecord, type SeenSession, writeRow } from '../engine/tables.ts';

/** The most rows of one list: a page with more sessions cannot be read. */
const MOST_LISTED = 1000;
/** A statement has room for some thousands of values. */
const SESSIONS_AT_ONCE = 500;

/** What of a session changes while it lasts, beside its end. */
const LATEST = ['user_name', 'address', 'agent', 'last_seen', 'signed_with'] as const;

export type SessionStore = ReturnType<ReturnType<typeof sessionStoreOf>>;

export const sessionStoreOf = ({ beginLogin: begin }: Dialect) =>
  storePart(
    {
      /** Sessions that have not expired at `now`, latest seen first; of all users without `user`. */
      async listSessions(db, now: number, user?: UserName): Promise<readonly SeenSession[]> {
        const lasting = sessionsAt(db, now).where('expires_at', '>', now);
        const own = user === undefined ? lasting : lasting.where('user_name', '=', user);
        const rows = await own.orderBy('last_seen', 'desc').orderBy('id').limit(MOST_LISTED).execute();
        return rows.map((row) => readRecord('seen_sessions', row));
      },

      async findSession(db, id: string, now: number): Promise<SeenSession | undefined> {
        const row = await sessionsAt(db, now).where('id', '=', id).executeTakeFirst();
        return row && readRecord('seen_sessions', row);
      },

      /** When each user last logged in, as far back as places are remembered. */
      async lastLogins(db): Promise<ReadonlyMap<string, number>> {
        const latest = db.kysely
          .selectFrom('known_clients')
          .select(['user_name', (sql) => sql.fn.max('last_seen').as('at')]);
        const rows = await latest.groupBy('user_name').execute();
        return new Map(rows.map(({ user_name, at }) => [user_name, Number(at)]));
      },

      /** What people call these devices of theirs; null for one without a name. */
      async deviceNames(db, seen: readonly { readonly user: string; readonly agent: string | null }[]) {
        const users = [...new Set(seen.map(({ user }) => user))];
        if (users.length === 0) return [];
        const named = await db.list('known_clients', { user_name: users, name: { '!=': null } }, []);
        const names = new Map(named.map(({ id, name }) => [id, name]));
        return seen.map(
          ({ user, agent }) => (agent !== null && names.get(idOf(user, 'device', deviceOf(agent)))) || null,
        );
      },

      /** Another key ended them all. */
      async forgetSessionsUnlessSignedWith(db, keyId: string) {
        await db.delete('seen_sessions', { signed_with: { '!=': keyId } });
      },

      /** Each once. A session that is known keeps its `since`, and the latest end that was seen. */
      async noteSessions(db, seen: readonly SeenSession[]) {
        const rows = seen.map((session) => writeRow('seen_sessions', session));
        // In one order: two replicas note the same ones.
        rows.sort((one, other) => (one.id < other.id ? -1 : 1));
        for (const some of inChunks(rows, SESSIONS_AT_ONCE)) {
          const noted = db.kysely
            .insertInto('seen_sessions')
            .values(some)
            .onConflict((conflict) =>
              conflict.column('id').doUpdateSet(({ ref }) => ({
                ...Object.fromEntries(LATEST.map((column) => [column, ref(`excluded.${column}`)])),
                expires_at: sql`case when excluded.expires_at > seen_sessions.expires_at
                  then excluded.expires_at else seen_sessions.expires_at end`,
              })),
            );
          await evenDeadlocked(() => noted.execute());
        }
      },

      /**
       * Notes the session and the place of a login; logins of one user go one after the other, so that they count one another.
       * Undefined: the user is gone, or has another password or other factors by now. `user`: as it is then.
       */
      beginLogin(db, given: BeginningLogin): Promise<BegunLogin | undefined> {
        const { user, place } = given;
        const ids = {
          device: idOf(user.name, 'device', place.device),
          network: idOf(user.name, 'network', place.network),
        };
        const login = { ...given, place: ids };
        if (begin) return evenDeadlocked(() => begin(login, db.kysely));
        const noted = db.kysely.transaction().execute((transaction) => noteLogin(login, new Queries(transaction)));
        // People can log in while the disk is full: what is noted is only listed.
        return noted.catch((fault) => (findStoreFault(fault) ? judgeLogin(login, db) : Promise.reject(fault)));
      },
    },
    {
      /** Kept with the device: later sessions of it have the name, too. Null takes it away. `since`: where the device is not known any more. */
      nameDevice: (
        locked,
        { user, agent, since }: Pick<SeenSession, 'user' | 'agent' | 'since'>,
        name: string | null,
      ) =>
        locked({ person: user }, async (db, person) => {
          const id = idOf(user, 'device', deviceOf(agent));
          if (!person || (await db.update('known_clients', { id }, { name }))) return;
          if (name !== null) await db.insert('known_clients', { id, user, lastSeen: since, name });
        }),
    },
  );

/** The columns of a user that must be as they were. */
export function unchanged(user: User) {
  const { name, created_at, factor_epoch } = writeRow('users', user);
  return { name, created_at, factor_epoch };
}

/** The account as it is now, and which of its sessions are too many. */
async function judgeLogin({ user, salt, session, at, most }: BeginningLogin, db: Queries) {
  const now = await db.findRow('users', unchanged(user));
  if (!now?.password_hash.includes(salt)) return undefined;
  const [name, own] = [sql.val(user.name), sql.val(session?.id ?? '')];
  const { rows } = await surplusOf({ name, own, at: sql.val(at), most: sql.val(most) }).execute(db.kysely);
  return { user: readRecord('users', now), unseen: [], surplus: rows };
}

async function noteLogin(login: BeginningLogin, db: Queries) {
  const { user, session, place, at } = login;
  const begun = await judgeLogin(login, db);
  if (!begun) return undefined;
  const isKnown = await db.has('known_clients', { user_name: user.name });
  const unseen: (keyof LoginPlace)[] = [];
  for (const part of ['device', 'network'] as const)
    if (await db.insertNew('known_clients', { id: place[part], user: user.name, lastSeen: at })) unseen.push(part);
  await db.update('known_clients', { id: Object.values(place) }, { last_seen: at });
  if (session) await db.insertNew('seen_sessions', session);
  return { ...begun, unseen: isKnown ? unseen : [] };
}

/** One login more than a user may have ends the oldest. */
export const surplusOf = ({ name, own, at, most }: Readonly<Record<'name' | 'own' | 'at' | 'most', Expression>>) =>
  sql<BegunLogin['surplus'][number]>`select id, expires_at as "expiresAt" from seen_sessions
    where user_name = ${name} and id != ${own} and expires_at > ${at} and ${notEnded(at)}
    order by since desc, last_seen desc limit ${sql.lit(MOST_LISTED)} offset ${most} - 1`;

const sessionsAt = (db: Queries, now: number) =>
  db.kysely
    .selectFrom('seen_sessions')
    .selectAll()
    .where(notEnded(sql.val(now)));

/** Sightings are written with a delay: a session among them may have been revoked, or ended with its user or password. */
const notEnded = (now: Expression) =>
  sql<boolean>`exists (select 1 from users where name = user_name and (since + 1 > created_at or created_at > ${now})
      and since + 1 > coalesce(password_changed_at, 0))
    and not exists (select 1 from revoked_tokens where token_id = seen_sessions.id)`;

/** A digest: the table does not tell where a person was. */
const idOf = (user: string, part: keyof LoginPlace, place: string): string =>
  createHash('sha256').update(`${user} ${part} ${place}`).digest('base64url');

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
    listBlocks: (db, now: number) => db.list('login_blocks', lasting(now), ['-until', 'id']),

    /** When each block was lifted last. */
    async listLifts(db): Promise<ReadonlyMap<string, number>> {
      const lifted = db.kysely
        .selectFrom('login_blocks')
        .select(['id', 'lifted_at'])
        .where('lifted_at', 'is not', null);
      return new Map((await lifted.execute()).map(({ id, lifted_at }) => [id, lifted_at ?? 0]));
    },

    /** All of them, where a restart clears the limiter. */
    async forgetBlocks(db) {
      await db.delete('login_blocks', {});
    },
  },
  {
    /** Names that are known already are kept beside. A block from before its lift stays lifted. */
    noteBlocks: (locked, blocks: readonly LoginBlock[], now: number) =>
      locked({ key: 'login blocks' }, async (db) => {
        await db.delete('login_blocks', { until: { '<': now - KEPT_SECONDS } });
        for (const block of blocks.slice(0, MOST_AT_ONCE)) await noteBlock(block, db);
      }),

    /** Undefined: there is no such block any more. */
    liftBlock: (locked, id: string, now: number) =>
      locked({ key: 'login blocks' }, async (db) => {
        const block = await db.find('login_blocks', { id, ...lasting(now) });
        if (block) await db.update('login_blocks', { id }, { is_open: 0, lifted_at: now });
        return block;
      }),
  },
);

async function noteBlock(block: LoginBlock, db: Queries): Promise<void> {
  const { id, since, until } = block;
  const row = await db.findRow('login_blocks', { id });
  if (row) {
    const isOpen = row.lifted_at === null || since >= row.lifted_at;
    const { names: known } = readRecord('login_blocks', row);
    const names = JSON.stringify([...new Set([...known, ...block.names])].slice(-MOST_NAMES));
    await db.update('login_blocks', { id }, { since, until, names, is_open: isOpen ? 1 : 0 });
  } else if ((await db.count('login_blocks', {})) < MOST_BLOCKS) {
    // Another replica may note it meanwhile.
    await db.insertNew('login_blocks', block, { is_open: 1, lifted_at: null });
  }
}

const lasting = (now: number) => ({ is_open: 1, until: { '>': now } });
