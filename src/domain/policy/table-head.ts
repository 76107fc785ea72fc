/** What the head of a route table says of its NVR: where its cameras, its release and its own description are asked for (SPEC 20). */

export interface TableHead {
  /** The adapter that says what words of the rows mean for this NVR; absent: the rows have no such words. */
  readonly adapter?: string;
  /** The release of the NVR that the rows were made for: `0.18`. */
  readonly nvr?: string | undefined;
  /** Where the cameras are listed: the names of all these lists. Absent: `nvr.cameras` alone. */
  readonly cameras?: readonly CameraList[];
  /** A path that the NVR answers while it runs; absent: `DEFAULT_ALIVE`. */
  readonly alive?: string;
  /** Where the NVR says its own release. */
  readonly release?: ReleasePlace;
  /** Prefixes of `nvr.routes` at which servers stand that do not know them: the rows mean their paths without it. */
  readonly stripped?: readonly string[];
  /** `dropped`: no password of a client reaches the NVR, which would take the client for another of its own users. Absent: one that is not Postern's does. */
  readonly authorization?: 'dropped';
  readonly openapi?: DescriptionPlace;
  /** The first release whose pages know other roles than admin and viewer; absent: all do. */
  readonly custom_roles_since?: string;
  /** The address of a camera's still image: `{camera}`, `{camera...}` for one with slashes, `{height}` in pixels, `{time}`. */
  readonly still?: string;
  /** The address of a WebSocket that sends a camera's live stream as MP4 in pieces when it is asked for `mse`. */
  readonly live?: string;
  /** Ports of the NVR by which clients go round Postern. */
  readonly ports?: readonly TablePort[];
}

/** A port, and how the NVR is told there from another program. Plain JSON. */
export interface TablePort {
  readonly port: number;
  /** What is open there, as part of a sentence. */
  readonly what: string;
  /** The protocol, where it is not HTTP. */
  readonly asks?: 'rtsp' | 'webrtc';
  readonly tls?: boolean;
  /** A path, and a pattern of the answer that the NVR has there, in any letter case. */
  readonly path?: string;
  readonly answer?: string;
  /** Whether the NVR asks for no login there, as at `nvr.url`. */
  readonly open?: boolean;
}

/** The OpenAPI description of the NVR. */
export interface DescriptionPlace {
  /** Where the NVR serves it; absent: it is in the NVR's source alone. */
  readonly path?: string;
  /** Where clients see the described paths: `/api`; absent: as they are described. */
  readonly below?: string;
}

export interface CameraList {
  readonly path: string;
  readonly names: NamesPlace;
  /** Names with this text are no cameras: such as streams that are called by their source. */
  readonly without?: string;
  /** Where the list comes in parts: the query parameter of their numbers, from 0, and the field that tells how many there are. */
  readonly pages?: { readonly parameter: string; readonly count: string };
}

/** Where names stand in a JSON answer. */
export type NamesPlace =
  /** The configuration of an NVR, which also says zones, streams and names for people: the adapter reads it. */
  | { readonly in: 'config' }
  /** The keys of the object below `path`. */
  | { readonly in: 'keys'; readonly path: readonly string[] }
  /** The text below `field` of each element of the list below `path`; no field: the element itself. */
  | { readonly in: 'elements'; readonly path: readonly string[]; readonly field: readonly string[] };

export interface ReleasePlace {
  readonly path: string;
  /** The field of the JSON answer; absent: the answer is the release. */
  readonly field?: string;
}

export const DEFAULT_ALIVE = '/';

const RELEASE = /^(?<major>\d+)\.(?<minor>\d+)/;

/** Compares major and minor number; 0 when one of the two is not known. */
export function compareReleases(one: string | undefined, other: string | undefined): number {
  const [left, right] = [one, other].map((text) => RELEASE.exec(text ?? '')?.groups);
  if (!left || !right) return 0;
  const major = Number(left['major']) - Number(right['major']);
  return major === 0 ? Number(left['minor']) - Number(right['minor']) : major;
}
