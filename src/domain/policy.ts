/** The route table's rows: who may use an operation, and where it names a camera (SPEC 5). */

export const ACCESS_LEVELS = ['public', 'any', 'camera', 'unrestricted', 'admin', 'none'] as const;
/** `any`: every known role; `camera`: whoever may see the named cameras; `unrestricted`: admin and viewer; `none`: nobody. */
export type Access = (typeof ACCESS_LEVELS)[number];

export interface PolicyRow {
  /** GET stands for HEAD too; `WS` is a WebSocket upgrade; `ANY` every method. */
  readonly methods: readonly string[];
  /** `/api/{camera}/latest.{extension}`: `{name}` is one segment or a part of one, `{name...}` the remainder. */
  readonly path: string;
  readonly access: Access;
  /** Where cameras are named: `path:camera`, `query:cameras`, … */
  readonly cameras?: readonly string[];
  /** How an answer is narrowed to a role's cameras: `rewrite:cameras`, … */
  readonly narrow?: string;
  /** Changes state, though not for admins only. */
  readonly writes?: boolean;
  /** A parameter right behind a fixed start is a camera name, and fixed routes come first. */
  readonly dynamic?: boolean;
  /** Credentials are presented here, so the proxy secret is asked for although the route is public. */
  readonly secret?: boolean;
  readonly note?: string;
  /** Where the row stands in its file. */
  readonly line: number;
}
