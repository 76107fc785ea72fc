/** Which cases of exports hold something that the reader sees: a case names no camera, but its exports do (SPEC 5). */
import type { CameraView } from '../../access/camera-view.ts';
import { isSince } from '../../access/recorded/without-older.ts';
import { isRecord, type JsonRecord } from '../../domain/json.ts';
import { UnexpectedForm } from '../../domain/unexpected-form.ts';

/** Ids of cases. Rejects when the NVR does not send the exports. */
export async function seenCases(
  view: CameraView,
  ask: (path: string) => Promise<unknown>,
): Promise<ReadonlySet<string>> {
  if (view.cameras.length === 0) return new Set();
  const exports = await ask(`/api/exports?${new URLSearchParams({ cameras: view.cameras.join(',') })}`);
  if (!Array.isArray(exports)) throw new UnexpectedForm('/api/exports was not answered with a list');
  // An NVR may be too old to know the parameter.
  const seen = exports.filter(
    (row): row is JsonRecord =>
      isRecord(row) && view.sees(String(row['camera'])) && (view.since === undefined || isSince(row, view.since)),
  );
  return new Set(seen.flatMap(caseOf));
}

/** Either field, by version of the NVR. */
const caseOf = ({ export_case, export_case_id }: JsonRecord): string[] => {
  const id = export_case_id ?? export_case;
  return typeof id === 'string' || typeof id === 'number' ? [String(id)] : [];
};
