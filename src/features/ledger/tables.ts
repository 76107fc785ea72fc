/** The tables of the ledger. */
import { hidden, maybe, NUMBER, named, optional, type Table, TEXT } from '../../store/engine/tables.ts';
import type { LedgerDay, OwnEntry } from './records.ts';

// biome-ignore format: a table
const ENTRY = {
  kind: TEXT, user_name: named('user', maybe(TEXT)), credential: maybe(TEXT), address: maybe(TEXT),
  camera: maybe(TEXT), from_at: named('from', NUMBER), to_at: named('to', NUMBER), watched_from: maybe(NUMBER), watched_to: maybe(NUMBER),
  /** It stays text: the hash of a record is made of it. */
  detail: maybe(TEXT),
  /** Null: a service without `server.site`. */
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
  ledger_chains: { key: 'chain', changesVerdicts: false, columns: { chain: TEXT, seq: NUMBER, hash: TEXT } },
  ledger_closings: { key: 'id', changesVerdicts: false, columns: {
    id: TEXT, chain: TEXT, day: TEXT, seq: NUMBER, hash: TEXT, records: NUMBER,
  } },
  /** `hours` is read by former versions alone. */
  ledger_days: { key: 'id', changesVerdicts: false, columns: {
    id: hidden(TEXT), day: TEXT, user_name: named('user', TEXT), viewer: TEXT, kind: TEXT, camera: TEXT, seconds: NUMBER, records: NUMBER, hours: hidden(NUMBER),
  } },
} as const satisfies Readonly<Record<string, Table>>;

type Own = typeof LEDGER_TABLES;
declare module '../../store/engine/tables.ts' {
  interface FeatureTables extends Own {}
  interface Records {
    readonly ledger_open: OwnEntry;
    readonly ledger_days: LedgerDay;
  }
}
