/** How often a link was opened, by whom, and wrong PINs: of many who open one at once, no more than its uses do (SPEC 13). */
import { randomUUID } from 'node:crypto';
import './tables.ts';
import { inChunks, type Queries, storePart } from '../../store/engine/rows.ts';
import type { RecordOf } from '../../store/engine/tables.ts';

/** A statement has room for some thousands of parameters. */
const IDS_AT_ONCE = 500;

/** Who opened a link, when and from where. */
export type Opening = Pick<RecordOf<'openings'>, 'at' | 'address' | 'agent'>;

/** One who looks at a link: the same one by a cookie of that link, or by address and program. `client`: a digest of these two. */
export type Viewer = Pick<RecordOf<'openings'>, 'client' | 'address' | 'agent'> & {
  /** The viewer's id from the cookie; undefined without one. */
  readonly id: string | undefined;
};

/** `opened`: as a new viewer, the `count`th. `known`: let in at `since`. `spent`: others have used it up. `over`: revoked, at its end, or deleted. */
export type OpeningOutcome =
  | { readonly kind: 'opened'; readonly count: number }
  | { readonly kind: 'known'; readonly since: number }
  | { readonly kind: 'spent' | 'over' };

const OPENINGS_KEPT = 20;
/** Requests of one viewer count as one for so long after the first. */
export const VIEWING_SECONDS = 3600;
/** Four digits are guessed by one in 200 then, however slowly the guesses come. */
export const MOST_WRONG_PINS = 50;

export type Openings = ReturnType<typeof openingPart>;

/** The part of the store. */
export const openingPart = storePart(
  {
    /** What `openLink` would say, without counting. */
    async mayOpen(db, id: string, viewer: Viewer, now: number) {
      const row = await holding(db, id, now);
      if (!row) return 'over';
      if (row.uses === null || row.opened < row.uses) return 'may';
      return (await knownSince(db, id, viewer, now)) !== undefined ? 'may' : 'spent';
    },

    /** Counts the guess as wrong before the PIN is compared. False when there were too many: no PIN opens the link any more. */
    async reserveGuess(db, id: string) {
      const counted = db.kysely.updateTable('link_terms').set(({ eb }) => ({ wrong_pins: eb('wrong_pins', '+', 1) }));
      const within = counted.where('id', '=', id).where('wrong_pins', '<', MOST_WRONG_PINS);
      return (await within.executeTakeFirst()).numUpdatedRows > 0n;
    },

    /** The PIN was right: the guess no longer counts. */
    async releaseGuess(db, id: string) {
      const counted = db.kysely.updateTable('link_terms').set(({ eb }) => ({ wrong_pins: eb('wrong_pins', '-', 1) }));
      await counted.where('id', '=', id).where('wrong_pins', '>', 0).execute();
    },

    /** How many viewers have opened each, and the latest openings first, at most `OPENINGS_KEPT`. */
    async openings(db, ids: readonly string[]) {
      const found = new Map<string, { readonly opened: number; readonly openings: Opening[] }>();
      for (const some of inChunks(ids, IDS_AT_ONCE)) {
        const terms = db.kysely.selectFrom('link_terms').select(['id', 'opened']).where('id', 'in', some);
        for (const { id, opened } of await terms.execute()) found.set(id, { opened, openings: [] });
        const rows = db.kysely.selectFrom('openings').selectAll().where('link_id', 'in', some).orderBy('at', 'desc');
        for (const { link_id, at, address, agent } of await rows.execute()) {
          const { openings = [] } = found.get(link_id) ?? {};
          if (openings.length < OPENINGS_KEPT) openings.push({ at, address, agent });
        }
      }
      return found;
    },
  },
  {
    /** Counts the viewer if it is a new one: of many at once no more than `uses` are. */
    openLink: (locked, id: string, viewer: Viewer, now: number): Promise<OpeningOutcome> =>
      locked({ grant: id }, async (db) => {
        const row = await holding(db, id, now);
        if (!row) return { kind: 'over' };
        const since = await knownSince(db, id, viewer, now);
        if (since !== undefined) return { kind: 'known', since };
        const count = row.opened + 1;
        if (row.uses !== null && count > row.uses) return { kind: 'spent' };
        await db.update('link_terms', { id }, { opened: count });
        await addOpening(db, id, viewer, now, row.uses !== null);
        return { kind: 'opened', count };
      }),
  },
);

const holding = (db: Queries, id: string, now: number) =>
  db.kysely
    .selectFrom('grants')
    .innerJoin('link_terms', 'link_terms.id', 'grants.id')
    .select(['uses', 'opened'])
    .where('grants.id', '=', id)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();

async function knownSince(db: Queries, link: string, { id, client }: Viewer, now: number): Promise<number | undefined> {
  const recent = db.kysely
    .selectFrom('openings')
    .select('at')
    .where('link_id', '=', link)
    .where('at', '>', now - VIEWING_SECONDS)
    // After the clock was set back an opening would seem to last: it counts from its own time on.
    .where('at', '<=', now);
  const same = recent.where(({ or, eb }) =>
    or([eb('client', '=', client), ...(id === undefined ? [] : [eb('viewer', '=', id)])]),
  );
  return (await same.orderBy('at', 'desc').limit(1).executeTakeFirst())?.at;
}

/** `isCounted`: the link is for a number of viewers. They must be known again for an hour, however many others come. */
async function addOpening(
  transaction: Queries,
  linkId: string,
  { id: viewer = null, ...client }: Omit<Viewer, 'id'> & { readonly id?: string | null | undefined },
  at: number,
  isCounted: boolean,
): Promise<void> {
  await transaction.insert('openings', { id: randomUUID(), linkId, viewer, at, ...client });
  const all = transaction.kysely.selectFrom('openings').select('id').where('link_id', '=', linkId);
  const kept = (await all.orderBy('at', 'desc').limit(OPENINGS_KEPT).execute()).map(({ id }) => id);
  const older = transaction.kysely.deleteFrom('openings').where('link_id', '=', linkId).where('id', 'not in', kept);
  await (isCounted ? older.where('at', '<=', at - VIEWING_SECONDS) : older).execute();
}
