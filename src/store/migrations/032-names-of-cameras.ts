/** Migration 32: the curtain is drawn for all but admins, and a camera's name means it at every site: entries that name a site get the bare name. A site tells the names of its roles alone (SPEC 19, 20). */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

type Entry = { camera: string; until: number | null; drawn_by: string; drawn_at: number };

export const namesOfCameras: Migration = {
  async up(db: Kysely<{ sites: { site: string; roles: string }; curtain: Entry }>) {
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
    if (!drawn.some(({ camera }) => siteOf(camera) !== undefined)) return;
    const bare = new Map<string, Entry>();
    for (const entry of drawn) {
      const site = siteOf(entry.camera);
      const camera = site === undefined ? entry.camera : entry.camera.slice(site.length + 1);
      if (camera !== '') bare.set(camera, both({ ...entry, camera }, bare.get(camera)));
    }
    await db.deleteFrom('curtain').execute();
    await db
      .insertInto('curtain')
      .values([...bare.values()])
      .execute();
  },
};

/** One entry that hides as long as both. */
function both(entry: Entry, other: Entry | undefined): Entry {
  if (!other) return entry;
  const until = entry.until === null || other.until === null ? null : Math.max(entry.until, other.until);
  return { ...entry, until };
}
