/** The table of the openings of links: the last ones of each, and those of the last hour where viewers are counted (SPEC 13). */
import { randomUUID } from 'node:crypto';
import type { Kysely, Transaction } from 'kysely';
import { OPENINGS_KEPT, type Opening, VIEWING_SECONDS, type Viewer } from '../../domain/accounts/link.ts';
import type { UserName } from '../../domain/names.ts';
import type { Tables } from '../engine/tables.ts';

interface NewOpening {
  readonly linkId: string;
  readonly viewer: Viewer;
  readonly at: number;
  /** The link is for a number of viewers: they must be known again for an hour, however many others come. */
  readonly isCounted: boolean;
}

export async function addOpening(opening: NewOpening, transaction: Transaction<Tables>): Promise<void> {
  const { linkId, viewer, at, isCounted } = opening;
  const { id, client, address, agent } = viewer;
  const row = { id: randomUUID(), link_id: linkId, viewer: id ?? null, client, at, address, agent };
  await transaction.insertInto('link_openings').values(row).execute();
  const all = transaction.selectFrom('link_openings').select('id').where('link_id', '=', linkId);
  const kept = (await all.orderBy('at', 'desc').limit(OPENINGS_KEPT).execute()).map(({ id }) => id);
  const older = transaction.deleteFrom('link_openings').where('link_id', '=', linkId).where('id', 'not in', kept);
  await (isCounted ? older.where('at', '<=', at - VIEWING_SECONDS) : older).execute();
}

/** The openings of each link, latest first. */
export async function openingsOf(
  linkIds: readonly string[],
  db: Kysely<Tables>,
): Promise<ReadonlyMap<string, readonly Opening[]>> {
  const found = new Map<string, Opening[]>();
  for (let from = 0; from < linkIds.length; from += IDS_AT_ONCE) {
    const ids = linkIds.slice(from, from + IDS_AT_ONCE);
    const rows = db.selectFrom('link_openings').selectAll().where('link_id', 'in', ids).orderBy('at', 'desc');
    for (const { link_id, at, address, agent } of await rows.execute()) {
      const openings = found.get(link_id) ?? [];
      if (openings.length < OPENINGS_KEPT) openings.push({ at, address, agent });
      found.set(link_id, openings);
    }
  }
  return found;
}

/** A statement has room for some thousands of parameters. */
const IDS_AT_ONCE = 500;

/** Deletes the links of a user with an account: a proxy's user of the same name is another person. */
export async function deleteLinksOf(user: UserName, transaction: Kysely<Tables>): Promise<void> {
  const bound = transaction.deleteFrom('links').where('user_created_at', 'is not', null);
  const deleted = (await bound.where('user_name', '=', user).returning('id').execute()).map(({ id }) => id);
  if (deleted.length > 0) await transaction.deleteFrom('link_openings').where('link_id', 'in', deleted).execute();
}
