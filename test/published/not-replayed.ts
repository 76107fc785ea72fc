/** Published holes that have no replay here, and why: a number is named, and nothing is made up. */
export interface NotReplayed {
  readonly id: string;
  readonly product: string;
  readonly why: string;
}

// biome-ignore format: a table
export const NOT_REPLAYED: readonly NotReplayed[] = [
  { id: 'GHSA-hw39-qpjw-p7cg', product: 'ZoneMinder', why: 'only the number was found: no title, no class, no description; searched for on 2026-11-22 in issues, documents and pages' },
  { id: 'GHSA-r57j-5jm9-hpcc, GHSA-wwww-5h25-jf98', product: 'Frigate before 0.17.2', why: 'commands of an admin, as CVE-2026-25643: Postern lets admins do what admins do' },
  { id: 'GHSA-mgh5-cr9h-g6hr', product: 'Frigate 0.17', why: 'the API of the stream server for viewers: by its title the same as CVE-2026-75608' },
  { id: 'CVE-2026-92928, CVE-2026-92930, CVE-2026-94367', product: 'OpenEye', why: 'an account built in, an unlock code and a command of an admin: nothing of it passes a proxy' },
  { id: 'CVE-2026-77561',      product: 'tinyauth', why: 'a limit that made-up names fill: it is in the login, not in forwarding; `test/attacks/guessing.test.ts`' },
  { id: 'GHSA-5m6w-wvh7-57vm', product: 'Traefik', why: 'other spellings of forwarded headers: as CVE-2025-64484' },
  { id: 'GHSA-5wcc-hf24-rf5h', product: 'authentik', why: 'X-Original-URI of a client: as CVE-2026-40575' },
  { id: 'CVE-2025-48865',      product: 'Fabio', why: 'headers taken out by Connection: as CVE-2024-45410' },
  { id: 'GHSA-rrqr-7w59-637v', product: 'Pomerium', why: 'named in the changelog of 0.26.1; no description was found. No other hole of Pomerium since 2024 in forward-auth, paths or headers was found' },
];
