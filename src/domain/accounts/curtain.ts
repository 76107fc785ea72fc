/** The curtain as it is kept: cameras that are drawn, and the interface of their store (SPEC 19). Times are Unix seconds. */
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

export interface CurtainChanges {
  /** Each takes the place of the entry of the same text. */
  readonly drawn: readonly DrawnEntry[];
  readonly opened: readonly string[];
}

export interface CurtainStore {
  /** Sorted by camera; what is over is among them until it is forgotten. */
  listDrawn(): Promise<Curtain>;
  /** All or none of them. */
  changeCurtain(changes: CurtainChanges): Promise<void>;
  forgetDrawnBefore(time: number): Promise<void>;
}
