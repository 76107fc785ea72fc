/** The curtain as it is kept: cameras that are drawn (SPEC 19). Times are Unix seconds. */
export interface DrawnEntry {
  /** A camera, or a pattern of cameras. */
  readonly camera: string;
  /** It opens by itself then. Absent: it does not. */
  readonly until?: number;
  /** The name of who drew it. */
  readonly by: string;
  readonly drawnAt: number;
}

/** All that is drawn. The list must not be changed afterwards: a change makes another list. */
export type Curtain = readonly DrawnEntry[];

export const isDrawn = ({ until }: Pick<DrawnEntry, 'until'>, now: number): boolean =>
  until === undefined || now < until;
