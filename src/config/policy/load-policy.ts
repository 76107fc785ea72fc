/** The route table to judge by: Postern's own rows, then those of the named table and of what it extends (SPEC 5). */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type Access, NO_FIELDS, type PolicyRow, type TableHead } from '../../domain/policy.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { LARGEST_TEXT_BYTES, readBounded } from '../../files/read-bounded.ts';
import { adapterNamed, lostWordOf } from '../../nvr/adapters.ts';
import { nearest } from '../problems/nearest.ts';
import type { Problem } from '../problems/problems.ts';
import { type PolicyTable, parsePolicy } from './parse-policy.ts';
import { joinedHead } from './table-head.ts';

export interface LoadedPolicy {
  readonly kind: 'loaded';
  readonly rows: readonly PolicyRow[];
  /** What the table, or the ones that it extends, say of the NVR. */
  readonly head: TableHead;
  /** The files as they were read. */
  readonly texts: ReadonlyMap<string, string>;
}

export type PolicyOutcome = LoadedPolicy | { readonly kind: 'invalid'; readonly problems: readonly Problem[] };

export const SHIPPED = join(import.meta.dirname, '../../../conf/policies');
/** These come first: no table can close the login page, or open the accounts. */
const OWN = 'postern';
const IN_CONFIGURATION: Problem = { path: 'nvr.policy', message: '' };

/**
 * `policy`: a name in `conf/policies`, or a file (with a slash, or ending in .yaml), relative to `directory`. `onFile` is
 * told of every file that is looked for.
 */
export async function loadPolicy(
  policy: string,
  directory: string,
  onFile: (file: string) => void = () => {},
): Promise<PolicyOutcome> {
  const rows: PolicyRow[] = [];
  const heads: TableHead[] = [];
  const texts = new Map<string, string>();
  for (const name of [OWN, policy]) {
    const chain = await readChain({ name, namedAt: IN_CONFIGURATION }, { directory, above: [], onFile, texts });
    if (!chain.ok) return { kind: 'invalid', problems: chain.error };
    const tables = chain.value.flatMap((table) => table.rows);
    heads.push(...chain.value.map(({ head }) => head));
    rows.push(...tables.map(name === OWN ? (row) => ({ ...row, own: true }) : withBody));
  }
  const head = joinedHead(heads);
  const problems = adapterProblems(rows, head);
  return problems.length > 0 ? { kind: 'invalid', problems } : { kind: 'loaded', rows, head, texts };
}

/** Rows with words that mean something of one NVR, where the adapter of the table has no such word (SPEC 20). */
function adapterProblems(rows: readonly PolicyRow[], { adapter, cameras }: TableHead): readonly Problem[] {
  const nvr = adapterNamed(adapter);
  const ofRows = rows.flatMap((row) => {
    const lost = lostWordOf(row, nvr);
    return lost === undefined ? [] : [{ ...placeOf(row), message: lostWordText(row, lost, adapter) }];
  });
  const isUnread = adapter === undefined && cameras?.some(({ names }) => names.in === 'config');
  return isUnread ? [...ofRows, UNREAD_CONFIG] : ofRows;
}

const UNREAD_CONFIG: Problem = {
  path: 'nvr.policy',
  message:
    'the head of the table has "names: config", and names no adapter that reads the configuration of the NVR: write for example "adapter: frigate", or where the names stand, such as keys',
};

const placeOf = ({ file, line }: PolicyRow): Pick<Problem, 'path' | 'line' | 'source'> => ({
  path: 'routes',
  line,
  ...(file !== undefined && { source: file }),
});

const lostWordText = ({ methods, path }: PolicyRow, lost: string, adapter: string | undefined): string => {
  const row = `${JSON.stringify(`${methods.join(',')} ${path}`)} has ${lost}`;
  return adapter === undefined
    ? `${row}, and the table names no adapter that says what it means: write for example "adapter: frigate" in its head`
    : `${row}, which the adapter ${adapter} does not have: write the row without it`;
};

/**
 * Completes a row by which others than admins may send a body: where it names no field it takes none. An offer is judged as
 * such.
 */
function withBody(row: PolicyRow): PolicyRow {
  const isJudged = !row.signalling && OF_OTHERS.includes(row.access) && row.methods.some(mayHaveBody);
  return isJudged ? { ...row, body: row.body ?? NO_FIELDS } : row;
}

const OF_OTHERS: readonly Access[] = ['any', 'camera', 'unrestricted'];
const mayHaveBody = (method: string): boolean => method !== 'GET' && method !== 'WS';

type Chain = Result<readonly PolicyTable[], readonly Problem[]>;

interface ChainPlace {
  readonly directory: string;
  /** The files that led here. */
  readonly above: readonly string[];
  readonly onFile: (file: string) => void;
  readonly texts: Map<string, string>;
}

async function readChain(base: NonNullable<PolicyTable['base']>, place: ChainPlace): Promise<Chain> {
  const { name, namedAt } = base;
  const { directory, above, onFile, texts } = place;
  const file = isFileName(name) ? resolve(directory, name) : join(SHIPPED, `${name}.yaml`);
  if (above.includes(file))
    return err([{ ...namedAt, message: `${JSON.stringify(name)} extends itself: remove the line` }]);
  onFile(file);
  const text = await readBounded(file).catch(({ code }: NodeJS.ErrnoException) =>
    code === 'EFBIG' ? null : undefined,
  );
  if (text === null)
    return err([{ ...namedAt, message: `${JSON.stringify(name)} is larger than ${LARGEST_TEXT_BYTES} bytes` }]);
  if (text === undefined) return err([{ ...namedAt, message: await notFound(name) }]);
  texts.set(file, text);
  const table = await tableOf(text, file);
  if (!table.ok) return table;
  if (!table.value.base) return ok([table.value]);
  const rest = await readChain(table.value.base, { directory: dirname(file), above: [...above, file], onFile, texts });
  return rest.ok ? ok([table.value, ...rest.value]) : rest;
}

/** Tables by the digest of their text. */
export type BuiltTables = Readonly<Record<string, PolicyTable>>;

/** The file of the shipped tables, parsed, beside the built server. Sources have none, and parse. */
export const BUILT_TABLES = 'config/policy/tables.json';
const BUILT = join(import.meta.dirname, basename(BUILT_TABLES));

export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Shipped tables that this process has read already: a reload, and the next instance, parse none. */
const known = new Map<string, PolicyTable>();

async function tableOf(text: string, file: string): Promise<Result<PolicyTable, readonly Problem[]>> {
  if (dirname(file) !== SHIPPED) return parsePolicy(text, basename(file));
  const digest = digestOf(text);
  const table = known.get(digest) ?? (await builtTable(digest));
  const read = table ? ok(table) : parsePolicy(text, basename(file));
  if (read.ok) known.set(digest, read.value);
  return read;
}

async function builtTable(digest: string): Promise<PolicyTable | undefined> {
  const text = await readFile(BUILT, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as BuiltTables)[digest];
}

const isFileName = (name: string): boolean => /\/|\.ya?ml$/.test(name);

async function notFound(name: string): Promise<string> {
  if (isFileName(name)) return `${JSON.stringify(name)} cannot be read: check that the file is there`;
  const shipped = (await readdir(SHIPPED))
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => basename(file, '.yaml'));
  const meant = nearest(name, shipped);
  const ending = meant
    ? `did you mean ${meant}?`
    : `write one of ${shipped.sort().join(', ')}, or a file such as ./routes.yaml`;
  return `${JSON.stringify(name)} is not a route table: ${ending}`;
}
