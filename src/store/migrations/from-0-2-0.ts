/** A store of 0.2.0 on its way to the tables of the baseline (SPEC 1). */
import type { Kysely } from 'kysely';
import type { Dialect } from '../engine/dialect.ts';

export async function from020(db: Kysely<never>, words: Dialect): Promise<void> {
  await db.schema.dropTable('identity_keys').execute();
  await namesOfCameras(db as never);
  await oneLedgerChain(db as never, words);
}

/** Names of sites as 0.2.0 knew them. */
const OF_SITE = /^[a-z0-9](?:[a-z0-9-]{0,28}[a-z0-9])?:(?<camera>.*)$/s;

type Entry = { camera: string; until: number | null; drawn_by: string; drawn_at: number };

/** The curtain is drawn for all but admins, and a camera's name means it at every site: entries that name a site get the bare name. A site tells the names of its roles alone (SPEC 19, 20). */
export async function namesOfCameras(
  db: Kysely<{ sites: { site: string; roles: string }; curtain: Entry }>,
): Promise<void> {
  const sites = await db.selectFrom('sites').select(['site', 'roles']).execute();
  for (const { site, roles } of sites) {
    const names = (JSON.parse(roles) as { role: string }[]).map(({ role }) => role);
    await db
      .updateTable('sites')
      .set({ roles: JSON.stringify(names) })
      .where('site', '=', site)
      .execute();
  }
  await db.schema.alterTable('curtain').dropColumn('roles').execute();
  const siteOf = (camera: string): string | undefined =>
    sites.map(({ site }) => site).find((site) => site !== '' && camera.startsWith(`${site}:`));
  const drawn = await db.selectFrom('curtain').selectAll().execute();
  if (!drawn.some(({ camera }) => OF_SITE.test(camera))) return;
  const bare = new Map<string, Entry>();
  for (const entry of drawn) {
    const site = siteOf(entry.camera);
    const camera = site === undefined ? entry.camera : entry.camera.slice(site.length + 1);
    // A site that no row tells of may be one all the same: its camera is drawn, and the name as it was.
    const unknown = site === undefined ? OF_SITE.exec(camera)?.groups?.['camera'] : undefined;
    for (const name of [camera, unknown ?? ''])
      if (name !== '') bare.set(name, both({ ...entry, camera: name }, bare.get(name)));
  }
  await db.deleteFrom('curtain').execute();
  for (const entry of bare.values()) await db.insertInto('curtain').values(entry).execute();
}

/** One entry that hides as long as both. */
function both(entry: Entry, other: Entry | undefined): Entry {
  if (!other) return entry;
  const until = entry.until === null || other.until === null ? null : Math.max(entry.until, other.until);
  return { ...entry, until };
}

interface FormerLedger {
  readonly ledger_chains: { readonly chain: string; readonly seq: number };
  readonly ledger_records: { readonly id: string; readonly site: string };
  readonly ledger_open: { readonly chain: string; readonly site: string };
}

/** One chain of the ledger for all that write it: records and spans name their site, and have an id of their own (SPEC 14). */
async function oneLedgerChain(db: Kysely<FormerLedger>, { text }: Dialect): Promise<void> {
  for (const table of ['ledger_records', 'ledger_open'])
    await db.schema.alterTable(table).addColumn('site', text).execute();
  await db.schema.alterTable('ledger_records').addColumn('own_id', text).execute();
  await db.schema.createIndex('ledger_records_own_id').on('ledger_records').column('own_id').execute();
  await db.schema
    .alterTable('ledger_open')
    .addColumn('seen_at', 'double precision', (column) => column.notNull().defaultTo(0))
    .execute();
  // The chains of a site were called `site:name`.
  for (const { chain } of await db.selectFrom('ledger_chains').select('chain').execute()) {
    const site = chain.slice(0, Math.max(0, chain.indexOf(':')));
    if (site === '') continue;
    const records = db.updateTable('ledger_records').set({ site });
    await records.where('id', '>', `${chain}-`).where('id', '<', `${chain}.`).execute();
    await db.updateTable('ledger_open').set({ site }).where('chain', '=', chain).execute();
  }
  await db.deleteFrom('ledger_chains').where('seq', '=', 0).execute();
  await db.schema.alterTable('ledger_open').dropColumn('chain').execute();
  for (const column of ['holder', 'seen_at']) await db.schema.alterTable('ledger_chains').dropColumn(column).execute();
}
