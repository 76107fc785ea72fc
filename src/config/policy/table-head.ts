/** The head of a route table as it is written: where the NVR is asked for its cameras, its release and its description (SPEC 20). */
import { z } from 'zod';
import type { NamesPlace } from '../../domain/policy.ts';
import { attempt, err, ok } from '../../domain/result.ts';
import { ADAPTER_NAMES } from '../../nvr/adapters.ts';
import { releaseSchema } from '../../routes/policy-row.ts';
import { parsed } from '../../routes/shapes.ts';

const PATH = /^\/[!-~]*$/;
const pathSchema = z.string().regex(PATH, 'is not a path of the NVR: write for example "/api/streams"');
const belowSchema = z
  .string()
  .regex(/^(?:\/[\w.~-]+)+$/, 'is not the beginning of paths: write for example "/api", without a slash at its end');
const fieldSchema = z.string().regex(/^\w+$/);

const KEYS = /^(?:(?<path>\w+(?:\.\w+)*)\.)?keys$/;
const ELEMENTS = /^(?<path>\w+(?:\.\w+)*)?\[\](?:\.(?<field>\w+(?:\.\w+)*))?$/;
const steps = (text: string | undefined): readonly string[] => text?.split('.') ?? [];

/** `config`, `keys`, `cameras.keys`, `[]`, `items[].name`; undefined for another text. */
export function parseNamesPlace(text: string): NamesPlace | undefined {
  if (text === 'config') return { in: 'config' };
  const keys = KEYS.exec(text);
  if (keys) return { in: 'keys', path: steps(keys.groups?.['path']) };
  const elements = ELEMENTS.exec(text);
  return elements
    ? { in: 'elements', path: steps(elements.groups?.['path']), field: steps(elements.groups?.['field']) }
    : undefined;
}

const cameraList = z.strictObject({
  path: pathSchema,
  names: parsed((text) => {
    const place = parseNamesPlace(text);
    return place
      ? ok(place)
      : err(`${JSON.stringify(text)} does not say where names stand: write for example keys or "items[].name"`);
  }),
  /** Names with this text are no cameras: such as streams that are called by their source. */
  without: z.string().min(1).exactOptional(),
  /** Where the list comes in parts: the query parameter of their numbers, from 0, and the field that tells how many there are. */
  pages: z.strictObject({ parameter: fieldSchema, count: fieldSchema }).exactOptional(),
});

export type CameraList = z.output<typeof cameraList>;

const cameraPathSchema = pathSchema.refine(
  (text) => text.includes('{camera}') || text.includes('{camera...}'),
  'names no camera: write for example "/api/frame.jpeg?src={camera}"',
);

/** A port, and how the NVR is told there from another program. Plain JSON. */
const portSchema = z
  .strictObject({
    port: z.int().min(1).max(65_535),
    /** What is open there, as part of a sentence. */
    what: z.string().min(1),
    /** The protocol, where it is not HTTP. */
    asks: z.enum(['rtsp', 'webrtc']).exactOptional(),
    tls: z.boolean().exactOptional(),
    /** A path, and a pattern of the answer that the NVR has there, in any letter case. */
    path: pathSchema.exactOptional(),
    answer: z
      .string()
      .refine((text) => attempt(() => new RegExp(text, 'i')), 'is not a regular expression')
      .exactOptional(),
    /** Whether the NVR asks for no login there, as at `nvr.url`. */
    open: z.boolean().exactOptional(),
  })
  .refine(
    ({ asks, path, answer }) => (asks === undefined) === (path !== undefined && answer !== undefined),
    'does not say how the NVR is told there: write "asks: rtsp" or "asks: webrtc", or a path and its answer',
  );

export type TablePort = z.output<typeof portSchema>;

/** The keys of a table beside its rows. `handlers`: the releases of the NVR whose handlers were read for the rows. */
export const headShape = {
  /** The adapter that says what words of the rows mean for this NVR; absent: the rows have no such words. */
  adapter: z.enum(ADAPTER_NAMES).exactOptional(),
  /** The release of the NVR that the rows were made for: `0.18`. */
  nvr: releaseSchema.optional(),
  handlers: z.array(releaseSchema).min(1).optional(),
  /** Where the cameras are listed: the names of all these lists. Absent: `nvr.cameras` alone. */
  cameras: z
    .union([cameraList, z.array(cameraList).min(1)])
    .transform((written) => (Array.isArray(written) ? written : [written]))
    .exactOptional(),
  /** A path that the NVR answers while it runs; absent: `DEFAULT_ALIVE`. */
  alive: pathSchema.exactOptional(),
  /** Where the NVR says its own release; without a field the answer is the release. */
  release: z.strictObject({ path: pathSchema, field: fieldSchema.exactOptional() }).exactOptional(),
  /** Prefixes of `nvr.routes` at which servers stand that do not know them: the rows mean their paths without it. */
  stripped: z
    .array(z.string().regex(/^(?:\/[\w.~-]+)+$/, 'is not a prefix: write for example /hls'))
    .min(1)
    .exactOptional(),
  /** `dropped`: no password of a client reaches the NVR, which would take the client for another of its own users. Absent: one that is not Postern's does. */
  authorization: z.literal('dropped').exactOptional(),
  /** The NVR's own description: where it is served, or in the NVR's source alone; and where clients see the described paths, or as they are described. */
  openapi: z.strictObject({ path: pathSchema.exactOptional(), below: belowSchema.exactOptional() }).exactOptional(),
  /** The first release whose pages know other roles than admin and viewer; absent: all do. */
  custom_roles_since: releaseSchema.exactOptional(),
  /** The address of a camera's still image: `{camera}`, `{camera...}` for one with slashes, `{height}` in pixels, `{time}`. */
  still: cameraPathSchema.exactOptional(),
  /** The address of a WebSocket that sends a camera's live stream as MP4 in pieces when it is asked for `mse`. */
  live: cameraPathSchema.exactOptional(),
  /** Ports of the NVR by which clients go round Postern. */
  ports: z.array(portSchema).min(1).exactOptional(),
};

/** What the head of a route table says of its NVR: where its cameras, its release and its own description are asked for. */
export type TableHead = Omit<z.output<z.ZodObject<typeof headShape>>, 'handlers'>;

/** The first head that says a thing counts: a table's own comes before those of the tables that it extends. */
export const joinedHead = (heads: readonly TableHead[]): TableHead =>
  Object.assign({}, ...heads.map(said).reverse()) as TableHead;

const said = (head: TableHead): TableHead =>
  Object.fromEntries(Object.entries(head).filter(([, value]) => value !== undefined)) as TableHead;
