/** What is drawn, read from what GET /api/curtain and GET /api/access answer, as one switch for each camera and group. Pure. */
import { maySee, scopeOf } from '../../../domain/camera-scope.ts';
import { isRecord } from '../../../domain/json.ts';

export interface DrawnEntry {
  readonly camera: string;
  readonly until: number | null;
  readonly for: readonly string[] | null;
  readonly by: string;
}

export interface CurtainState {
  readonly drawn: readonly DrawnEntry[];
  readonly groups: readonly (readonly [name: string, cameras: readonly string[]])[];
}

/** A switch; `cameras` is what it draws and opens. */
export interface CurtainSwitch {
  readonly name: string;
  readonly kind: 'camera' | 'group';
  readonly cameras: readonly string[];
  /** What draws it; several for a group. Empty: it is open. */
  readonly by: readonly DrawnEntry[];
}

export function readCurtain(body: unknown): CurtainState {
  const { drawn, groups } = isRecord(body) ? body : {};
  return {
    drawn: Array.isArray(drawn) ? (drawn as readonly DrawnEntry[]) : [],
    groups: Object.entries(isRecord(groups) ? groups : {}).map(([name, cameras]) => [
      name,
      cameras as readonly string[],
    ]),
  };
}

/** Groups come first, then the cameras of the NVR, then entries that are drawn and belong to neither. */
export function switchesOf({ drawn, groups }: CurtainState, cameras: readonly string[]): readonly CurtainSwitch[] {
  const byText = (text: string): readonly DrawnEntry[] => drawn.filter(({ camera }) => camera === text);
  const ofGroup = (entries: readonly string[]): readonly DrawnEntry[] => {
    const found = entries.map(byText);
    return found.every((some) => some.length > 0) ? found.flat() : [];
  };
  const ofCamera = (camera: string): readonly DrawnEntry[] =>
    drawn
      .filter((entry) => maySee(scopeOf([entry.camera]), camera))
      .sort((one, other) => rank(one, camera) - rank(other, camera));
  const told = new Set([...cameras, ...groups.flatMap(([, entries]) => entries)]);
  return [
    ...groups.map(([name, entries]) => ({ name, kind: 'group' as const, cameras: entries, by: ofGroup(entries) })),
    ...cameras.map((name) => ({ name, kind: 'camera' as const, cameras: [name], by: ofCamera(name) })),
    ...drawn
      .filter(({ camera }) => !told.has(camera))
      .map((entry) => ({ name: entry.camera, kind: 'camera' as const, cameras: [entry.camera], by: [entry] })),
  ];
}

const rank = ({ camera }: DrawnEntry, name: string): number => (camera === name ? 0 : 1);

export const LENGTHS = ['open', 'hour', 'night'] as const;
export type Length = (typeof LENGTHS)[number];

/** Unix seconds; null: until it is opened. `night` ends at the next midnight of the browser's clock. */
export function endOf(length: Length, now: Date): number | null {
  if (length === 'open') return null;
  if (length === 'hour') return Math.floor(now.getTime() / 1000) + 3600;
  return Math.floor(new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1).getTime() / 1000);
}
