/** Drift: operations that the NVR has and the route table does not know, rows without an operation, and parameters that moved (SPEC 15). Pure. */
import { writtenPlace } from '../../domain/policy.ts';
import type { PolicyRow } from '../../routes/policy-row.ts';

export interface OpenApiOperation {
  readonly method: string;
  /** The path as requests have it, with `{name}` for parameters. */
  readonly path: string;
  /** The names of the query's parameters. */
  readonly parameters: readonly string[];
  /** Members of the JSON body: `ids`, `items[].camera`. Undefined: the description tells of none. */
  readonly body?: readonly string[] | undefined;
}

interface UnknownOperation {
  readonly operation: string;
  /** The row that its requests fall under all the same; undefined: they are for admins. */
  readonly judgedBy: string | undefined;
}

interface ChangedOperation {
  readonly operation: string;
  readonly row: string;
  /** Parameters, and members of the body (`body: items[].camera`), that name cameras by their name, and that the row does not read. */
  readonly unread: readonly string[];
  /** What the row narrows the list by, or reads of the body, and the operation does not have: the NVR would send all, or read another member. */
  readonly missing: readonly string[];
}

/** `prefix`: only rows below it are missed in the description. Postern's own rows may know an operation, and none is missed. */
export function policyDrift(rows: readonly PolicyRow[], operations: readonly OpenApiOperation[], prefix: string) {
  const isBelow = ({ path }: PolicyRow): boolean => path === prefix || path.startsWith(`${prefix}/`);
  const unknown: UnknownOperation[] = [];
  const changed: ChangedOperation[] = [];
  const used = new Set<string>();
  for (const operation of operations) {
    const name = `${operation.method} ${operation.path}`;
    const [best] = fitting(rows, operation);
    if (!best?.isMadeForIt) {
      unknown.push({ operation: name, judgedBy: best && routeText(best.row) });
      continue;
    }
    used.add(usedKey(best.row, operation.method));
    const moved = movedParameters(best.row, operation);
    if (moved.unread.length + moved.missing.length > 0)
      changed.push({ operation: name, row: routeText(best.row), ...moved });
  }
  const described = rows.filter((row) => isBelow(row) && !row.own && row.access !== 'none');
  const gone = described.flatMap((row) =>
    row.methods
      .filter((method) => method !== 'WS' && !used.has(usedKey(row, method)))
      .map((method) => ({ row: `${method} ${row.path}`, at: `${row.file ?? 'the route table'}:${row.line}` })),
  );
  /** `gone`: rows whose operation the description does not have; some are of another server than the one that describes itself. */
  return { unknown, gone, changed };
}

const routeText = ({ methods, path }: PolicyRow): string => `${methods.join(',')} ${path}`;
const methodIn = ({ methods }: PolicyRow, method: string): string | undefined =>
  methods.find((each) => each === method || each === 'ANY') ??
  // A description has no other word for a WebSocket.
  (method === 'GET' ? methods.find((each) => each === 'WS') : undefined);
const usedKey = (row: PolicyRow, method: string): string => `${methodIn(row, method)} ${row.path}`;

interface Fit {
  readonly row: PolicyRow;
  /** False where the operation has a fixed segment and the row takes any. */
  readonly isMadeForIt: boolean;
  readonly literals: number;
}

/** The best first: rows that were made for the operation, then those with more fixed text. */
function fitting(rows: readonly PolicyRow[], { method, path }: OpenApiOperation): readonly Fit[] {
  const asked = path.split('/');
  const fits = rows.flatMap((row): readonly Fit[] => {
    if (methodIn(row, method) === undefined) return [];
    const fit = pathFit(row.path.split('/'), asked);
    return fit === undefined ? [] : [{ row, ...fit }];
  });
  return fits.sort(
    (one, other) => Number(other.isMadeForIt) - Number(one.isMadeForIt) || other.literals - one.literals,
  );
}

function pathFit(row: readonly string[], asked: readonly string[]): Omit<Fit, 'row'> | undefined {
  let isMadeForIt = true;
  let literals = 0;
  for (const [at, segment] of row.entries()) {
    const other = asked[at];
    if (other === undefined) return undefined;
    if (segment.includes('...')) {
      const isRest = at === asked.length - 1 && other.includes('{');
      return { isMadeForIt: isMadeForIt && isRest, literals };
    }
    const fit = segmentFit(segment, other);
    if (fit === undefined) return undefined;
    if (fit === 'taken') isMadeForIt = false;
    if (!segment.includes('{')) literals += 1;
  }
  return row.length === asked.length ? { isMadeForIt, literals } : undefined;
}

const PARAMETER = /^(?<prefix>[^{]*)\{[^}]*\}(?<suffix>.*)$/;

/** `taken`: a fixed segment that stands in the place of a parameter. */
function segmentFit(row: string, asked: string): 'same' | 'taken' | undefined {
  const own = PARAMETER.exec(row)?.groups;
  const other = PARAMETER.exec(asked)?.groups;
  if (!own) return row === asked ? 'same' : undefined;
  const [prefix = '', suffix = ''] = [own['prefix'], own['suffix']];
  if (other) {
    const isWithin = other['prefix']?.startsWith(prefix) && other['suffix']?.endsWith(suffix);
    return isWithin ? 'same' : undefined;
  }
  const isWithin = asked.length > prefix.length + suffix.length && asked.startsWith(prefix) && asked.endsWith(suffix);
  if (!isWithin) return undefined;
  return prefix + suffix === '' ? 'taken' : 'same';
}

/** A parameter of such a name tells which camera is meant. */
export const NAMES_CAMERAS = /camera|^src$|^streams?$|^stream_name$/i;

function movedParameters(
  row: PolicyRow,
  { parameters, body }: OpenApiOperation,
): Pick<ChangedOperation, 'unread' | 'missing'> {
  const { cameras = [], narrow } = row;
  const located = cameras.filter(({ source }) => source === 'query');
  const inBody = cameras.filter(({ source }) => source === 'body').map(writtenPlace);
  const set = narrow && 'parameter' in narrow ? narrow.parameter : undefined;
  const read = new Set([...located.map(({ name }) => name), ...(set === undefined ? [] : [set])]);
  const isForAll = row.access === 'admin' || row.access === 'unrestricted' || row.access === 'public';
  return {
    unread: isForAll
      ? []
      : [
          ...parameters.filter((name) => NAMES_CAMERAS.test(name) && !read.has(name)),
          ...(body ?? []).filter((name) => NAMES_CAMERAS.test(lastPart(name)) && !inBody.includes(name)).map(asBody),
        ],
    missing: [
      ...(set === undefined || parameters.includes(set) ? [] : [set]),
      ...(body === undefined ? [] : inBody.filter((name) => !body.includes(name)).map(asBody)),
    ],
  };
}

const lastPart = (name: string): string => name.slice(name.lastIndexOf('.') + 1);
const asBody = (name: string): string => `body: ${name}`;
