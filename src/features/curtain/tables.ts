/** The table of the curtain. */
import { LATE_SECONDS, maybe, NUMBER, named, optional, type Table, TEXT } from '../../store/engine/tables.ts';

// biome-ignore format: a table
export const CURTAIN_TABLES = {
  curtain: { key: 'camera', ends: { by: 'until', keptSeconds: LATE_SECONDS }, columns: {
    /** A camera, or a pattern of cameras; null where it does not open by itself. `drawn_by`: the name of who drew it. */
    camera: TEXT, until: optional(maybe(NUMBER)), drawn_by: named('by', TEXT), drawn_at: NUMBER,
  } },
} as const satisfies Readonly<Record<string, Table>>;

declare module '../../accounts/audit.ts' {
  interface AuditEntry {
    /** The entry of the curtain. */
    readonly camera?: string;
  }
}

type Own = typeof CURTAIN_TABLES;
declare module '../../store/engine/tables.ts' {
  interface FeatureTables extends Own {}
}
