/** The tables of links and of their openings: the same code for every engine (SPEC 13). */
import type { Kysely, Transaction } from 'kysely';
import {
  type Link,
  type LinkStore,
  MOST_WRONG_PINS,
  VIEWING_SECONDS,
  type Viewer,
} from '../../domain/accounts/link.ts';
import type { Serialized } from '../engine/parts.ts';
import { findRow, hasRow, insertRecord, updateRows } from '../engine/rows.ts';
import { recordOf, type Tables } from '../engine/tables.ts';
import { addOpening, openingsOf } from './link-openings.ts';

type Queries = Kysely<Tables> | Transaction<Tables>;

/** `site`: the links of other sites on the same store are none here. */
export function createLinkStore(db: Kysely<Tables>, serialized: Serialized, site: string): LinkStore {
  return {
    addLink: (link, most) =>
      serialized(async (transaction) => {
        if (!(await hasMaker(link, transaction))) return 'absent';
        const own = transaction.selectFrom('links').select('id').where('user_name', '=', link.maker.user);
        const holding = await own
          .where('revoked_at', 'is', null)
          .where('expires_at', '>', link.createdAt)
          .limit(most)
          .execute();
        if (holding.length >= most) return 'too-many';
        await insertRecord(transaction, 'links', asRecord(link), { opened: 0, wrong_pins: 0, site });
        return 'added';
      }),

    async findLink(by) {
      const one = 'id' in by ? { id: by.id } : { secret_hash: by.secretHash };
      const row = await findRow(db, 'links', { site, ...one });
      return row && asLink(row);
    },

    async listLinks(user) {
      const ofSite = db.selectFrom('links').selectAll().where('site', '=', site);
      const all = ofSite.orderBy('created_at', 'desc').orderBy('id');
      const rows = await (user === undefined ? all : all.where('user_name', '=', user)).execute();
      const openings = await openingsOf(
        rows.map(({ id }) => id),
        db,
      );
      return rows.map((row) => ({
        ...asLink(row),
        opened: row.opened,
        wrongPins: row.wrong_pins,
        openings: openings.get(row.id) ?? [],
      }));
    },

    revokeLink: async (id, at) =>
      (await updateRows(db, 'links', { id, site, revoked_at: null }, { revoked_at: at })) ? 'revoked' : 'absent',

    openLink: (id, viewer, now) =>
      serialized(async (transaction) => {
        const row = await holding(transaction, id, now).executeTakeFirst();
        if (!row) return { kind: 'over' };
        const since = await knownSince(transaction, id, viewer, now);
        if (since !== undefined) return { kind: 'known', since };
        const count = row.opened + 1;
        if (row.uses !== null && count > row.uses) return { kind: 'spent' };
        await updateRows(transaction, 'links', { id }, { opened: count });
        await addOpening({ linkId: id, viewer, at: now, isCounted: row.uses !== null }, transaction);
        return { kind: 'opened', count };
      }),

    async mayOpen(id, viewer, now) {
      const row = await holding(db, id, now).executeTakeFirst();
      if (!row) return 'over';
      if (row.uses === null || row.opened < row.uses) return 'may';
      return (await knownSince(db, id, viewer, now)) !== undefined ? 'may' : 'spent';
    },

    async reserveGuess(id) {
      const { numUpdatedRows } = await db
        .updateTable('links')
        .set(({ eb }) => ({ wrong_pins: eb('wrong_pins', '+', 1) }))
        .where('id', '=', id)
        .where('wrong_pins', '<', MOST_WRONG_PINS)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    async releaseGuess(id) {
      await db
        .updateTable('links')
        .set(({ eb }) => ({ wrong_pins: eb('wrong_pins', '-', 1) }))
        .where('id', '=', id)
        .where('wrong_pins', '>', 0)
        .execute();
    },

    forgetLinksBefore: (endedAt) =>
      serialized(async (transaction) => {
        const ended = transaction
          .deleteFrom('links')
          .where(({ or, eb }) => or([eb('expires_at', '<', endedAt), eb('revoked_at', '<', endedAt)]));
        const forgotten = (await ended.returning('id').execute()).map(({ id }) => id);
        if (forgotten.length > 0)
          await transaction.deleteFrom('link_openings').where('link_id', 'in', forgotten).execute();
      }),
  };
}

const holding = (db: Queries, id: string, now: number) =>
  db
    .selectFrom('links')
    .select(['uses', 'opened'])
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now);

async function knownSince(
  db: Queries,
  linkId: string,
  { id, client }: Viewer,
  now: number,
): Promise<number | undefined> {
  const recent = db
    .selectFrom('link_openings')
    .select('at')
    .where('link_id', '=', linkId)
    .where('at', '>', now - VIEWING_SECONDS)
    // After the clock was set back an opening would seem to last: it counts from its own time on.
    .where('at', '<=', now);
  const same = recent.where(({ or, eb }) =>
    or([eb('client', '=', client), ...(id === undefined ? [] : [eb('viewer', '=', id)])]),
  );
  return (await same.orderBy('at', 'desc').limit(1).executeTakeFirst())?.at;
}

/** An account may be deleted, or a token revoked, while its request to make a link is under way. */
async function hasMaker({ maker }: Link, transaction: Transaction<Tables>): Promise<boolean> {
  const { user, userCreatedAt, tokenId } = maker;
  if (tokenId !== null && !(await hasRow(transaction, 'api_tokens', { id: tokenId }))) return false;
  return userCreatedAt === null || hasRow(transaction, 'users', { name: user, created_at: userCreatedAt });
}

const asLink = (row: object): Link => {
  const { user, userCreatedAt, tokenId, role, ...link } = recordOf('links', row);
  return { ...link, maker: { user, userCreatedAt, tokenId, role } } as Link;
};

const asRecord = ({ maker, ...link }: Link) => ({ ...link, ...maker });
