/** What is drawn, read from what GET /api/curtain and GET /api/access answer, as one switch for each camera. Pure. */
import { maySee, scopeOf } from '../../../domain/camera-scope.ts';
import { isRecord } from '../../../domain/json.ts';

export interface DrawnEntry {
  readonly camera: string;
  readonly until: number | null;
  readonly by: string;
}

export type CurtainState = readonly DrawnEntry[];

/** A switch of a camera, or of an entry that is drawn. */
export interface CurtainSwitch {
  readonly name: string;
  /** What draws it; undefined: it is open. */
  readonly by: DrawnEntry | undefined;
}

export function readCurtain(body: unknown): CurtainState {
  const { drawn } = isRecord(body) ? body : {};
  return Array.isArray(drawn) ? (drawn as readonly DrawnEntry[]) : [];
}

/** The cameras of the NVR come first, then entries that are drawn and are none of them. */
export function switchesOf(drawn: CurtainState, cameras: readonly string[]): readonly CurtainSwitch[] {
  const ofCamera = (camera: string): DrawnEntry | undefined =>
    drawn
      .filter((entry) => maySee(scopeOf([entry.camera]), camera))
      .sort((one, other) => rank(one, camera) - rank(other, camera))[0];
  return [
    ...cameras.map((name) => ({ name, by: ofCamera(name) })),
    ...drawn.filter(({ camera }) => !cameras.includes(camera)).map((entry) => ({ name: entry.camera, by: entry })),
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
