/** Several NVRs, a site each, on one store: which entries of roles and tokens count at this site (SPEC 20). Pure. */

/** The sites as one of them sees them. */
export interface Sites {
  readonly own: string;
  /** Undefined while they are not known. */
  readonly ownCameras: readonly string[] | undefined;
  /** Cameras of the other sites; none of a site that is configured and has told nothing yet. */
  readonly others: ReadonlyMap<string, readonly string[]>;
}

/** A name that is a camera of several sites. */
export interface AmbiguousName {
  readonly name: string;
  readonly sites: readonly string[];
}

const SITE_NAME = /^[a-z0-9](?:[a-z0-9-]{0,28}[a-z0-9])?$/;

export const isSiteName = (text: string): boolean => SITE_NAME.test(text);

/** How a camera is named at the other sites: `barn:garden`. */
export const qualified = (site: string | undefined, camera: string): string =>
  site === undefined ? camera : `${site}:${camera}`;

type Entries = readonly string[];
const lists = {
  allowed: new WeakMap<Sites, WeakMap<Entries, Entries>>(),
  covered: new WeakMap<Sites, WeakMap<Entries, Entries>>(),
};

/**
 * The entries that allow something at this site, as its NVR names cameras. A bare name counts where it is the only camera of
 * that name: a camera that another site gets later must not come to roles that were made for this one. The same list gives the
 * same list.
 */
export const entriesHere = (entries: Entries, sites: Sites | undefined): Entries =>
  sites ? remembered(lists.allowed, entries, sites, (entry) => allowedHere(entry, sites)) : entries;

/** The entries of the curtain that cover something here. A bare name covers the cameras of that name at all sites. */
export const entriesOverHere = (entries: Entries, sites: Sites | undefined): Entries =>
  sites ? remembered(lists.covered, entries, sites, (entry) => ofThisSite(entry, sites)) : entries;

function remembered(
  memory: WeakMap<Sites, WeakMap<Entries, Entries>>,
  entries: Entries,
  sites: Sites,
  read: (entry: string) => string | undefined,
): Entries {
  const ofSites = memory.get(sites) ?? new WeakMap<Entries, Entries>();
  memory.set(sites, ofSites);
  const known = ofSites.get(entries);
  if (known) return known;
  const found = entries.map(read).filter((entry) => entry !== undefined);
  ofSites.set(entries, found);
  return found;
}

/** The entry without the name of this site; undefined for one of another site. */
function ofThisSite(entry: string, sites: Sites): string | undefined {
  const { site, name } = parts(entry, sites);
  if (site === undefined) return entry;
  return site === sites.own && name !== '' ? name : undefined;
}

function allowedHere(entry: string, sites: Sites): string | undefined {
  const isElsewhere = isBareName(entry, sites) && [...sites.others.values()].some((cameras) => cameras.includes(entry));
  return isElsewhere ? undefined : ofThisSite(entry, sites);
}

/** The text before the first colon is a site only when there is a site of that name: a camera may have a colon in its name. */
function parts(entry: string, sites: Sites): { readonly site?: string; readonly name: string } {
  const end = entry.indexOf(':');
  const site = entry.slice(0, Math.max(0, end));
  return end >= 0 && (site === sites.own || sites.others.has(site))
    ? { site, name: entry.slice(end + 1) }
    : { name: entry };
}

const isBareName = (entry: string, sites: Sites): boolean =>
  !entry.includes('*') && parts(entry, sites).site === undefined;

/** The entries of a role whose cameras of this site are now `given`, named as its NVR names them: those of other sites stay. */
export function changedHere(before: Entries, given: readonly unknown[], sites: Sites | undefined): readonly unknown[] {
  if (!sites) return given;
  const elsewhere = before.filter((entry) => allowedHere(entry, sites) === undefined);
  return [...elsewhere, ...given.map((entry) => (typeof entry === 'string' ? qualified(sites.own, entry) : entry))];
}

/** The bare names among the entries that several sites have: such a name means none of them. */
export function ambiguousNames(entries: Entries, sites: Sites | undefined): readonly AmbiguousName[] {
  if (!sites) return [];
  const all: readonly (readonly [string, Entries])[] = [[sites.own, sites.ownCameras ?? []], ...sites.others];
  return entries
    .filter((entry) => isBareName(entry, sites))
    .map((name) => ({ name, sites: all.filter(([, cameras]) => cameras.includes(name)).map(([site]) => site) }))
    .filter((found) => found.sites.length > 1);
}

/** What to write instead: `"garden" is a camera of the sites barn and house: write barn:garden or house:garden`. */
export const ambiguousSentence = ({ name, sites }: AmbiguousName): string =>
  `${JSON.stringify(name)} is a camera of the sites ${listed(sites, 'and')}: write ${listed(
    sites.map((site) => qualified(site, name)),
    'or',
  )}`;

const listed = (names: readonly string[], word: string): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1)}`;

/** All names by which an entry may name a camera: those of this site as its NVR has them, and each with its site. */
export function nameableCameras(own: readonly string[], sites: Sites | undefined): readonly string[] {
  if (!sites) return own;
  const ofOthers = [...sites.others].flatMap(([site, cameras]) =>
    cameras.flatMap((name) => [name, qualified(site, name)]),
  );
  return [...new Set([...own, ...own.map((name) => qualified(sites.own, name)), ...ofOthers])];
}
