/** One switch of the curtain for each camera, and until when it is drawn. Pure (SPEC 19). */
import { maySee, toScope } from '../../../domain/camera-scope.ts';

/** What GET /api/curtain tells. */
export type DrawnEntry = { readonly camera: string; readonly until: number | null; readonly by: string };

/** A switch of a camera, or of an entry that is drawn. `by`: what draws it; undefined: it is open. */
export type CurtainSwitch = { readonly name: string; readonly by: DrawnEntry | undefined };

/** The cameras of the NVR come first, then entries that are drawn and are none of them. A camera's own entry counts first. */
export const curtainSwitches = (drawn: readonly DrawnEntry[], cameras: readonly string[]): readonly CurtainSwitch[] => [
  ...cameras.map((name) => ({
    name,
    by: drawn.find(({ camera }) => camera === name) ?? drawn.find(({ camera }) => maySee(toScope([camera]), name)),
  })),
  ...drawn.filter(({ camera }) => !cameras.includes(camera)).map((entry) => ({ name: entry.camera, by: entry })),
];

export const LENGTHS = ['open', 'hour', 'night'] as const;
export type Length = (typeof LENGTHS)[number];

/** Unix seconds; null: until it is opened. `night` ends at the next midnight of the browser's clock. */
export function curtainEnd(length: Length, now: Date): number | null {
  if (length === 'open') return null;
  if (length === 'hour') return Math.floor(now.getTime() / 1000) + 3600;
  return Math.floor(new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1).getTime() / 1000);
}
