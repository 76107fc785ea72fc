/** The tables of screens: what is their own, by the id of the grant, and the codes that pair them. */
import {
  type Given,
  type Granted,
  hidden,
  LATE_SECONDS,
  LOCAL,
  maybe,
  NUMBER,
  type RecordOf,
  type Table,
  TEXT,
} from '../../store/engine/tables.ts';

// biome-ignore format: a table
export const SCREEN_TABLES = {
  /** `agent`: the `User-Agent` with which it was paired. */
  screen_displays: { key: 'id', columns: { id: TEXT, agent: maybe(TEXT) },
    ofGrants: { kind: 'screen', isLocal: true, keptSeconds: LATE_SECONDS, order: ['-created_at', 'id'] } },
  /** A display polls by its device code, and a person confirms by the letters that it shows; of both stand digests here. A pairing lasts minutes. */
  screen_codes: { key: 'device_hash', isCopied: false, changesVerdicts: false, ends: { by: 'expires_at', keptSeconds: LATE_SECONDS }, columns: {
    device_hash: TEXT, user_hash: TEXT, address: TEXT, agent: maybe(TEXT), created_at: NUMBER, expires_at: NUMBER, state: TEXT,
    screen_id: maybe(TEXT), polled_at: hidden(maybe(NUMBER)), ...LOCAL,
  } },
} as const satisfies Readonly<Record<string, Table>>;

/** A paired display. */
export type Screen = Granted & RecordOf<'screen_displays'> & { readonly name: string; readonly userCreatedAt: number };

/** A pairing that waits. */
export type ScreenCode = Given<'screen_codes'>;

declare module '../../accounts/audit.ts' {
  interface AuditEntry {
    readonly screenId?: string;
    /** What people call the screen. */
    readonly screen?: string;
  }
}

type Own = typeof SCREEN_TABLES;
declare module '../../store/engine/tables.ts' {
  interface FeatureTables extends Own {}
  interface Grants {
    readonly screen: Screen;
  }
}
