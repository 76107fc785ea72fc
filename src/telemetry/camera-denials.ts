/** Counts denials by camera and role. The NVR names these labels, so the number of series has a limit (SPEC 9). */
import { type MetricFamily, type SeriesSample, withLabel } from './series.ts';

export interface CameraDenials extends MetricFamily {
  /** Undefined, or not known: `other`. */
  count(camera: string | undefined, role: string): void;
  isKnown(camera: string): boolean;
  /** What the NVR has now. What was counted for a camera that is gone moves to `other`. */
  setCameras(names: readonly string[]): void;
}

const MOST_SERIES = 512;
const OTHER = 'other';

export function createCameraDenials(name: string, help: string, customRoles: readonly string[]): CameraDenials {
  const roles = [...new Set(customRoles), OTHER];
  const mostCameras = Math.floor(MOST_SERIES / roles.length) - 1;
  let counts = new Map([[OTHER, zeros(roles)]]);
  return {
    name,
    help,
    type: 'counter',
    count(camera, role) {
      const row = counts.get(camera ?? OTHER) ?? counts.get(OTHER);
      const at = roles.indexOf(role);
      add(row, at < 0 ? roles.length - 1 : at, 1);
    },
    isKnown: (camera) => counts.has(camera),
    setCameras(names) {
      const before = counts;
      const known = [...new Set(names)].filter((camera) => camera !== OTHER).slice(0, mostCameras);
      const rest = before.get(OTHER) ?? zeros(roles);
      counts = new Map([
        ...known.map((camera) => [camera, before.get(camera) ?? zeros(roles)] as const),
        [OTHER, rest],
      ]);
      for (const [camera, row] of before) {
        if (!counts.has(camera)) for (const [at, value] of row.entries()) add(rest, at, value);
      }
    },
    *samples(): Iterable<SeriesSample> {
      for (const [camera, row] of counts) {
        for (const [at, role] of roles.entries()) {
          const labels = withLabel(withLabel('', 'camera', camera), 'role', role);
          yield { suffix: '', labels, value: row[at] ?? 0 };
        }
      }
    },
  };
}

const zeros = (roles: readonly string[]): number[] => roles.map(() => 0);

function add(row: number[] | undefined, at: number, by: number): void {
  if (row) row[at] = (row[at] ?? 0) + by;
}
