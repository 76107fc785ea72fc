/** The route table to judge by: Postern's own rows, then those of the named table and of what it extends (SPEC 5). */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { type Access, NO_FIELDS } from '../../domain/policy.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { LARGEST_TEXT_BYTES, readBounded } from '../../files/files.ts';
import { adapterNamed, findLostWord } from '../../nvr/adapters.ts';
import type { PolicyRow } from '../../routes/policy-row.ts';
import { type RowText, rowSchema, splitRoute } from '../../routes/policy-row.ts';
import { type Finding, nearest, type Problem, pathText } from '../problems/problems.ts';
import { locate, type Places, readYaml } from '../problems/read-yaml.ts';
import { messageFor, toFindings } from '../schema/issues.ts';
import { readKeys } from '../schema/keys.ts';
import { rowFindings } from './policy-faults.ts';
import { headShape, joinedHead, type TableHead } from './table-head.ts';

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
    const lost = findLostWord(row, nvr);
    return lost === undefined ? [] : [{ ...problemPlace(row), message: lostWordText(row, lost, adapter) }];
  });
  const isUnread = adapter === undefined && cameras?.some(({ names }) => names.in === 'config');
  return isUnread ? [...ofRows, UNREAD_CONFIG] : ofRows;
}

const UNREAD_CONFIG: Problem = {
  path: 'nvr.policy',
  message:
    'the head of the table has "names: config", and names no adapter that reads the configuration of the NVR: write for example "adapter: frigate", or where the names stand, such as keys',
};

const problemPlace = ({ file, line }: PolicyRow): Pick<Problem, 'path' | 'line' | 'source'> => ({
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
  const table = await parseTable(text, file);
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

export const digestText = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Shipped tables that this process has read already: a reload, and the next instance, parse none. */
const known = new Map<string, PolicyTable>();

async function parseTable(text: string, file: string): Promise<Result<PolicyTable, readonly Problem[]>> {
  if (dirname(file) !== SHIPPED) return parsePolicy(text, basename(file));
  const digest = digestText(text);
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

/** One route table: YAML text as rows, or every problem with its line (SPEC 5). */
interface PolicyTable {
  readonly rows: readonly PolicyRow[];
  readonly head: TableHead;
  /** The table whose rows come after these, and where it is named. */
  readonly base: { readonly name: string; readonly namedAt: Problem } | undefined;
}

export const tableSchema = z.strictObject({
  version: z.literal(1),
  ...headShape,
  extends: z.string().min(1).optional(),
  routes: z.array(rowSchema),
});

const KEYS_OF_TABLE = readKeys(tableSchema);

/** Each is looked for in the file. */
const MOST_PROBLEMS = 100;

/** `source` names the file in problems. */
export function parsePolicy(written: string, source: string): Result<PolicyTable, readonly Problem[]> {
  const yaml = readYaml(written);
  if (!yaml.ok) return err(yaml.error.map((problem) => ({ ...problem, source })));
  const { tree, places } = yaml.value;
  const parsed = tableSchema.safeParse(tree, { error: messageFor(() => false) });
  const findings = parsed.success ? rowFindings(parsed.data.routes) : toFindings(parsed.error.issues, KEYS_OF_TABLE);
  if (!parsed.success || findings.length > 0)
    return err(findings.slice(0, MOST_PROBLEMS).map((finding) => asProblem(finding, places, source)));
  const { routes, extends: name, version: _, handlers: __, ...head } = parsed.data;
  const namedAt = asProblem({ path: ['extends'], message: '' }, places, source);
  return ok({
    head,
    rows: routes.map((row, index) => asRow(row, { file: source, line: locate(places, ['routes', index])?.line ?? 0 })),
    base: name === undefined ? undefined : { name, namedAt },
  });
}

/** What was read of a handler is for the readers of the file: it is not kept. */
const asRow = ({ route, handler: _, ...row }: RowText, place: { file: string; line: number }): PolicyRow => ({
  ...splitRoute(route),
  ...row,
  ...place,
});

function asProblem({ path, message }: Finding, places: Places, source: string): Problem {
  return { path: pathText(path), message, ...locate(places, path), source };
}
