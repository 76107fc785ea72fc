/** The tables of the ledger, and how their rows say at which site a camera is (SPEC 14, 20). */
import type { ViewingKind } from '../../domain/policy.ts';
import {
  type Here,
  hidden,
  maybe,
  NUMBER,
  named,
  optional,
  type Table,
  TEXT,
  text,
} from '../../store/engine/tables.ts';
import type { LedgerEntry, LedgerKind, OwnEntry } from './records.ts';

// biome-ignore format: a table
const ENTRY = {
  /** `credential`: `session`, `token:<id>`, `proxy` or the like; null where none was accepted. `camera`: null where the request named none. */
  kind: text<LedgerKind>(), user_name: named('user', maybe(TEXT)), credential: maybe(TEXT), address: maybe(TEXT), camera: maybe(TEXT),
  /** `watched_`: recorded time that was asked for. */
  from_at: named('from', NUMBER), to_at: named('to', NUMBER), watched_from: maybe(NUMBER), watched_to: maybe(NUMBER),
  /** A JSON object. It stays text: the hash of a record is made of it. */
  detail: maybe(TEXT),
  /** `server.site` of the service that saw it; null where it has none. */
  site: optional(maybe(TEXT)),
} as const;

// biome-ignore format: a table
export const LEDGER_TABLES = {
  /** `id` is the chain and the number in it, padded with zeros: it sorts as the chain goes. Records of former versions have no id of their own. */
  ledger_records: { key: 'id', isKept: true, changesVerdicts: false, columns: {
    id: TEXT, chain: TEXT, ...ENTRY, own_id: hidden(maybe(TEXT)), hash: TEXT,
  } },
  /** `seen_at`: when a process wrote it last. */
  ledger_open: { key: 'id', changesVerdicts: false, columns: { id: TEXT, ...ENTRY, seen_at: hidden(NUMBER) } },
  /** The latest record of each chain: its number, from 1 on and without gaps, and SHA-256 in hex over it and the hash of the one before. */
  ledger_chains: { key: 'chain', changesVerdicts: false, columns: { chain: TEXT, seq: NUMBER, hash: TEXT } },
  /** `day`: `2026-11-22`. */
  ledger_closings: { key: 'id', changesVerdicts: false, columns: {
    id: TEXT, chain: TEXT, day: TEXT, seq: NUMBER, hash: TEXT, records: NUMBER,
  } },
  /** `viewer`: empty for the person; another credential shows pictures in that name; `link`: all of them, as former versions told it. `hours` is read by those alone. */
  ledger_days: { key: 'id', changesVerdicts: false, columns: {
    id: hidden(TEXT), day: TEXT, user_name: named('user', TEXT), viewer: TEXT, kind: text<ViewingKind>(), camera: TEXT, seconds: NUMBER, records: NUMBER, hours: hidden(NUMBER),
  } },
} as const satisfies Readonly<Record<string, Table>>;

type Own = typeof LEDGER_TABLES;
declare module '../../store/engine/tables.ts' {
  interface FeatureTables extends Own {}
}

// biome-ignore format: a table
const HASHED = ['kind', 'user', 'credential', 'address', 'camera', 'from', 'to', 'watchedFrom', 'watchedTo', 'detail'] as const;

/** What the hash of a record is over, in this order. Chains of former versions are of one site each, and their records do not say it. */
export const hashedParts = (entry: LedgerEntry, isFormer: boolean) => [
  ...(isFormer ? [] : [entry.site ?? '']),
  ...HASHED.map((name) => entry[name]),
];

export interface AskedAt {
  readonly site?: string | undefined;
}
/** What is compared where one site alone is asked for. Sums have no site: of cameras, the name begins with it. */
export const recordsAt = ({ site }: AskedAt) => (site === undefined ? [] : ([['site', '=', site]] as const));
// biome-ignore format: a table
export const sumsAt = ({ site }: AskedAt) =>
  site === undefined ? [] : ([['camera', '>=', `${site}:`], ['camera', '<', `${site};`]] as const);

/** How sums name a camera, and records of 0.2.0: `barn:garden`. */
const qualified = ({ site }: Here, camera: string): string => (site === '' ? camera : `${site}:${camera}`);

/** The entry as it is recorded. A camera with a colon in its name stands behind its site: of 0.2.0 the same text may be a camera of another site. */
export const recorded = (entry: OwnEntry, here: Here): OwnEntry =>
  here.site !== '' && entry.site === undefined
    ? { ...entry, ...here, camera: entry.camera?.includes(':') ? qualified(here, entry.camera) : entry.camera }
    : entry;

/** The entry with its camera as sums name it. */
export const summed = ({ site = '', camera, ...entry }: OwnEntry): OwnEntry => ({
  ...entry,
  camera: !camera || camera.includes(':') ? camera : qualified({ site }, camera),
});

/** The names under which a camera stands in records and sums: in records of 0.2.0 behind its site. */
export const recordedNames = (camera: string, here: Here) => [...new Set([camera, qualified(here, camera)])];

/** Likewise of a camera of this site alone: a name with a colon may be that of a camera of another site, too. */
export const namesHere = (camera: string, here: Here) =>
  camera.includes(':') ? [qualified(here, camera)] : recordedNames(camera, here);
