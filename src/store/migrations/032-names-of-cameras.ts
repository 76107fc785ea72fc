/** Migration 32: the curtain is drawn for all but admins, and a camera's name means it at every site: entries that name a site get the bare name. A site tells the names of its roles alone (SPEC 19, 20). */
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Names of sites as 0.2.0 knew them. */
const OF_SITE = /^[a-z0-9](?:[a-z0-9-]{0,28}[a-z0-9])?:(?<camera>.*)$/s;

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
  },
};

/** One entry that hides as long as both. */
function both(entry: Entry, other: Entry | undefined): Entry {
  if (!other) return entry;
  const until = entry.until === null || other.until === null ? null : Math.max(entry.until, other.until);
  return { ...entry, until };
}
