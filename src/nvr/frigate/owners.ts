/** Whose camera an id of Frigate's is: where it is asked, and how the answer is read (SPEC 5, `how: lookup`). */
import type { NvrAdapter, OwnedThing } from '../../access/nvr-adapter.ts';
import { startOf } from '../../access/recorded/without-older.ts';
import { recordOf } from '../../access/recorder-layout.ts';
import { isRecord, type JsonRecord } from '../../domain/json.ts';

const EXPORTS_FOLDER = '/media/frigate/exports/';
const one = (json: unknown): OwnedThing | undefined =>
  isRecord(json) ? { cameras: cameraOf(json), start: startOf(json) } : undefined;
const cameraOf = ({ camera }: JsonRecord): readonly string[] => (typeof camera === 'string' ? [camera] : []);
const rowsIn = (json: unknown): readonly JsonRecord[] => (Array.isArray(json) ? json.map(recordOf) : []);

export const OWNERS: NvrAdapter['owners'] = {
  event: { path: (id) => `/api/events/${encodeURIComponent(id)}`, ownedIn: one, isLasting: true },
  review: { path: (id) => `/api/review/${encodeURIComponent(id)}`, ownedIn: one, isLasting: true },
  export: { path: (id) => `/api/exports/${encodeURIComponent(id)}`, ownedIn: one, isLasting: true },
  'export-file': {
    path: () => '/api/exports',
    ownedIn: (json, file) => one(rowsIn(json).find(({ video_path }) => video_path === EXPORTS_FOLDER + file)),
    isLasting: false,
    isByName: true,
  },
  // Exports are added to a case and removed. An NVR that does not know the parameter lists all exports: stricter, never looser.
  case: {
    path: (id) => `/api/exports?export_case_id=${encodeURIComponent(id)}`,
    ownedIn: (json) => {
      const rows = rowsIn(json);
      if (rows.length === 0) return undefined;
      const starts = rows.map((row) => startOf(row) ?? Number.NEGATIVE_INFINITY);
      const cameras = rows.flatMap((row) => (cameraOf(row).length === 0 ? [''] : cameraOf(row)));
      return { cameras, start: Math.min(...starts) };
    },
    isLasting: false,
  },
};
