/** What the canary knows of an NVR before it asks: one camera of its own, the other cameras, and things that belong to each. */

/** An id, and the camera that it belongs to. */
export interface Owned {
  readonly id: string;
  readonly camera: string;
}

/** One side of a question: the canary's own camera, or a foreign one. Undefined: the NVR has no such thing now. */
export interface Side {
  readonly camera: string;
  readonly stream: string | undefined;
  readonly event: Owned | undefined;
  readonly review: Owned | undefined;
  readonly export: Owned | undefined;
  /** The name of an export's file. */
  readonly exportFile: Owned | undefined;
  readonly case: Owned | undefined;
  /** Unix seconds at which something was recorded. */
  readonly at: number;
}

export interface Landscape {
  readonly own: Side;
  readonly foreign: Side;
  /** All cameras but the canary's. */
  readonly foreignCameras: ReadonlySet<string>;
  /** Streams that only foreign cameras own. */
  readonly foreignStreams: ReadonlySet<string>;
  /** Ids that only foreign cameras have, with the camera of each. */
  readonly foreignIds: ReadonlyMap<string, string>;
}
