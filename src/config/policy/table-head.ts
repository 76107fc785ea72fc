/** The head of a route table as it is written: where the NVR is asked for its cameras, its release and its description (SPEC 20). */
import { z } from 'zod';
import type { NamesPlace, TableHead } from '../../domain/policy.ts';
import { err, ok } from '../../domain/result.ts';
import { ADAPTER_NAMES } from '../../nvr/adapters.ts';
import { parsed } from '../schema/value-types.ts';
import { releaseSchema } from './policy-row.ts';

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
  without: z.string().min(1).exactOptional(),
  pages: z.strictObject({ parameter: fieldSchema, count: fieldSchema }).exactOptional(),
});

const cameraPathSchema = pathSchema.refine(
  (text) => text.includes('{camera}') || text.includes('{camera...}'),
  'names no camera: write for example "/api/frame.jpeg?src={camera}"',
);

const portSchema = z
  .strictObject({
    port: z.int().min(1).max(65_535),
    what: z.string().min(1),
    asks: z.enum(['rtsp', 'webrtc']).exactOptional(),
    tls: z.boolean().exactOptional(),
    path: pathSchema.exactOptional(),
    answer: z.string().refine(isPattern, 'is not a regular expression').exactOptional(),
    open: z.boolean().exactOptional(),
  })
  .refine(
    ({ asks, path, answer }) => (asks === undefined) === (path !== undefined && answer !== undefined),
    'does not say how the NVR is told there: write "asks: rtsp" or "asks: webrtc", or a path and its answer',
  );

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'i') !== undefined;
  } catch {
    return false;
  }
}

/** The keys of a table beside its rows. `handlers`: the releases of the NVR whose handlers were read for the rows. */
export const headShape = {
  adapter: z.enum(ADAPTER_NAMES).exactOptional(),
  nvr: releaseSchema.optional(),
  handlers: z.array(releaseSchema).min(1).optional(),
  cameras: z
    .union([cameraList, z.array(cameraList).min(1)])
    .transform((written) => (Array.isArray(written) ? written : [written]))
    .exactOptional(),
  alive: pathSchema.exactOptional(),
  release: z.strictObject({ path: pathSchema, field: fieldSchema.exactOptional() }).exactOptional(),
  stripped: z
    .array(z.string().regex(/^(?:\/[\w.~-]+)+$/, 'is not a prefix: write for example /hls'))
    .min(1)
    .exactOptional(),
  authorization: z.literal('dropped').exactOptional(),
  openapi: z.strictObject({ path: pathSchema.exactOptional(), below: belowSchema.exactOptional() }).exactOptional(),
  custom_roles_since: releaseSchema.exactOptional(),
  still: cameraPathSchema.exactOptional(),
  live: cameraPathSchema.exactOptional(),
  ports: z.array(portSchema).min(1).exactOptional(),
};

/** The first head that says a thing counts: a table's own comes before those of the tables that it extends. */
export const joinedHead = (heads: readonly TableHead[]): TableHead =>
  Object.assign({}, ...heads.map(said).reverse()) as TableHead;

const said = (head: TableHead): TableHead =>
  Object.fromEntries(Object.entries(head).filter(([, value]) => value !== undefined)) as TableHead;
