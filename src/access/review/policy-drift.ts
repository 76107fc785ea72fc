/** Drift: operations that the NVR has and the route table does not know, rows without an operation, and parameters that moved (SPEC 15). Pure. */
import type { PolicyRow } from '../../domain/policy.ts';
import { parseLocator } from '../camera-locators.ts';

export interface Operation {
  readonly method: string;
  /** As requests have it, with `{name}` for parameters. */
  readonly path: string;
  /** Of the query. */
  readonly parameters: readonly string[];
}

export interface Drift {
  readonly unknown: readonly UnknownOperation[];
  /** Rows whose operation the description does not have; some are of another server than the one that describes itself. */
  readonly gone: readonly { readonly row: string; readonly at: string }[];
  readonly changed: readonly ChangedOperation[];
}

export interface UnknownOperation {
  readonly operation: string;
  /** The row that its requests fall under all the same; undefined: they are for admins. */
  readonly judgedBy: string | undefined;
}

export interface ChangedOperation {
  readonly operation: string;
  readonly row: string;
  /** Parameters that name cameras by their name, and that the row does not read. */
  readonly unread: readonly string[];
  /** The parameter by which the row narrows the list, which the operation does not have: the NVR would send all. */
  readonly missing: readonly string[];
}

/** `prefix`: only rows below it are looked for in the description. Postern's own rows may know an operation, and none is missed. */
export function policyDrift(rows: readonly PolicyRow[], operations: readonly Operation[], prefix: string): Drift {
  const candidates = rows.filter(({ path }) => path.startsWith(`${prefix}/`));
  const unknown: UnknownOperation[] = [];
  const changed: ChangedOperation[] = [];
  const used = new Set<string>();
  for (const operation of operations) {
    const name = `${operation.method} ${operation.path}`;
    const [best] = fitting(candidates, operation);
    if (!best?.isMadeForIt) {
      unknown.push({ operation: name, judgedBy: best && routeOf(best.row) });
      continue;
    }
    used.add(usedKey(best.row, operation.method));
    const moved = movedParameters(best.row, operation);
    if (moved.unread.length + moved.missing.length > 0)
      changed.push({ operation: name, row: routeOf(best.row), ...moved });
  }
  const described = candidates.filter(({ own, access }) => !own && access !== 'none');
  const gone = described.flatMap((row) =>
    row.methods
      .filter((method) => method !== 'WS' && !used.has(usedKey(row, method)))
      .map((method) => ({ row: `${method} ${row.path}`, at: `${row.file ?? 'the route table'}:${row.line}` })),
  );
  return { unknown, gone, changed };
}

const routeOf = ({ methods, path }: PolicyRow): string => `${methods.join(',')} ${path}`;
const methodIn = ({ methods }: PolicyRow, method: string): string | undefined =>
  methods.find((each) => each === method || each === 'ANY');
const usedKey = (row: PolicyRow, method: string): string => `${methodIn(row, method)} ${row.path}`;

interface Fit {
  readonly row: PolicyRow;
  /** False where the operation has a fixed segment and the row takes any. */
  readonly isMadeForIt: boolean;
  readonly literals: number;
}

/** The best first: rows that were made for the operation, then those with more fixed text. */
function fitting(rows: readonly PolicyRow[], { method, path }: Operation): readonly Fit[] {
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
const NAMES_CAMERAS = /camera|^src$|^streams?$|^stream_name$/i;
const SET_BY_NARROWING = /^(?:rewrite|fanout):(?<name>.+)$/;

function movedParameters(row: PolicyRow, { parameters }: Operation): Pick<ChangedOperation, 'unread' | 'missing'> {
  const located = (row.cameras ?? []).map(parseLocator).filter(({ source }) => source === 'query');
  const set = SET_BY_NARROWING.exec(row.narrow ?? '')?.groups?.['name'];
  const read = new Set([...located.map(({ name }) => name), ...(set === undefined ? [] : [set])]);
  const isForAll = row.access === 'admin' || row.access === 'unrestricted' || row.access === 'public';
  return {
    unread: isForAll ? [] : parameters.filter((name) => NAMES_CAMERAS.test(name) && !read.has(name)),
    missing: set === undefined || parameters.includes(set) ? [] : [set],
  };
}
