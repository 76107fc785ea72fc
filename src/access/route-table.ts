/** The route table: rows compiled once into a tree of path segments, and the row of a request (SPEC 5). */
import type { Caller } from '../domain/caller.ts';
import { PATH_SHAPES } from '../domain/policy.ts';
import type { RequestTarget } from '../domain/request.ts';
import type { PolicyRow } from '../routes/policy-row.ts';
import type { Surroundings } from './access-verdict.ts';
import { NO_ADAPTER, type NvrAdapter } from './nvr-adapter.ts';

export type RouteMatch =
  | {
      readonly kind: 'listed';
      readonly row: PolicyRow;
      readonly parameters: Readonly<Record<string, string>>;
      /** What the words of the row mean. */
      readonly nvr: NvrAdapter;
    }
  /** Deny by default: a path or method that no row names is for admins. */
  | { readonly kind: 'unlisted' };

export type Listed = RouteMatch & { readonly kind: 'listed' };

/** A request for a listed row, as authorization judges it. */
export interface Asked extends Surroundings {
  readonly caller: Caller;
  readonly match: Listed;
  readonly target: RequestTarget;
}

export type RouteTable = ReturnType<typeof compileRouteTable>;

/** What the words of the row mean: for a path that no row names, nothing. */
export const adapterFor = (match: RouteMatch): NvrAdapter => (match.kind === 'listed' ? match.nvr : NO_ADAPTER);

/** Whether the response is the same for every caller. */
export const isPublic = (match: RouteMatch): boolean => match.kind === 'listed' && match.row.access === 'public';

/** Whether the path is Postern's own. */
export const isOwn = (match: RouteMatch): match is Listed => match.kind === 'listed' && match.row.own === true;

/** Whether the request is for Postern alone, so that it is never forwarded. */
export const isServedHere = (match: RouteMatch): boolean => isOwn(match) && match.row.forwarded !== true;

/** Whether the length of the response may tell of its content. */
export const isCompressed = (match: RouteMatch): boolean => isOwn(match) && match.row.compressed === true;

interface Affix {
  readonly prefix: string;
  readonly suffix: string;
  readonly node: Node;
}

/** One segment deep. The fields are tried in the order written: the more literal wins. */
interface Node {
  readonly literals: Map<string, Node>;
  readonly affixes: Affix[];
  any: Node | undefined;
  readonly rows: Map<string, NamedRow>;
  readonly rest: Map<string, NamedRow>;
  /** What stands behind `{name...}` where it is not the last, and how many segments that are at most. */
  run: { readonly node: Node; longest: number } | undefined;
}

interface NamedRow {
  readonly row: PolicyRow;
  readonly nvr: NvrAdapter;
  /** The parameters in the order of their segments. */
  readonly parameters: readonly Parameter[];
}

interface Parameter {
  readonly name: string;
  /** What its value must look like; undefined for any value. */
  readonly shape: RegExp | undefined;
}

const UNLISTED: RouteMatch = { kind: 'unlisted' };
const PARAMETER = /^(?<prefix>[^{]*)\{(?<name>\w+)(?::(?<shape>[\w-]+))?(?<rest>\.\.\.)?\}(?<suffix>[^}]*)$/;

/** A row that comes earlier wins over a later one of the same method and pattern. `nvr` is the adapter of the table. */
export function compileRouteTable(rows: readonly PolicyRow[], nvr = NO_ADAPTER) {
  const root = emptyNode();
  const ownPaths = emptyNode();
  for (const row of rows) {
    addRow(root, row, nvr);
    if (row.own) addRow(ownPaths, { ...row, methods: ['ANY', 'WS'], access: 'none' }, nvr);
  }
  return {
    nvr,
    /** `method` is the request's, or `WS` for a WebSocket upgrade; `segments` are decoded. */
    match(method: string, segments: readonly string[]): RouteMatch {
      const found = find(root, { method: method === 'HEAD' ? 'GET' : method, segments }, 0, []);
      if (found?.row.own) return found;
      return find(ownPaths, { method, segments: likeOwn(segments) }, 0, []) ?? found ?? UNLISTED;
    },
  };
}

/** A server behind may ignore letter case and a slash at the end, and serve its own login for `/API/login/`. */
function likeOwn(segments: readonly string[]): readonly string[] {
  const withoutSlash = segments.length > 1 && segments.at(-1) === '' ? segments.slice(0, -1) : segments;
  return withoutSlash.some((segment) => UPPER_CASE.test(segment))
    ? withoutSlash.map((segment) => segment.toLowerCase())
    : withoutSlash;
}

const UPPER_CASE = /\p{Lu}/u;

function addRow(root: Node, row: PolicyRow, nvr: NvrAdapter): void {
  const parameters: Parameter[] = [];
  let node = root;
  const segments = row.path.slice(1).split('/');
  for (const [at, segment] of segments.entries()) {
    const parameter = PARAMETER.exec(segment)?.groups;
    if (!parameter) {
      node = childFor(node.literals, segment);
      continue;
    }
    parameters.push({ name: parameter['name'] ?? '', shape: shapeCalled(parameter['shape']) });
    if (parameter['rest']) {
      const behind = segments.length - at - 1;
      if (behind === 0) {
        addMethods(node.rest, { row, nvr, parameters });
        return;
      }
      node.run ??= { node: emptyNode(), longest: 0 };
      node.run.longest = Math.max(node.run.longest, behind);
      node = node.run.node;
      continue;
    }
    node = parameterChild(node, parameter['prefix'] ?? '', parameter['suffix'] ?? '');
  }
  addMethods(node.rows, { row, nvr, parameters });
}

const NOTHING = /^(?!)/;

/** An unknown shape matches nothing, so its row is never used. */
function shapeCalled(name: string | undefined): RegExp | undefined {
  if (name === undefined) return undefined;
  return Object.entries(PATH_SHAPES).find(([known]) => known === name)?.[1] ?? NOTHING;
}

function addMethods(rows: Map<string, NamedRow>, named: NamedRow): void {
  for (const method of named.row.methods) if (!rows.has(method)) rows.set(method, named);
}

function parameterChild(node: Node, prefix: string, suffix: string): Node {
  if (prefix === '' && suffix === '') {
    node.any ??= emptyNode();
    return node.any;
  }
  const known = node.affixes.find((affix) => affix.prefix === prefix && affix.suffix === suffix);
  if (known) return known.node;
  const added = { prefix, suffix, node: emptyNode() };
  node.affixes.push(added);
  return added.node;
}

function childFor(children: Map<string, Node>, segment: string): Node {
  const child = children.get(segment) ?? emptyNode();
  children.set(segment, child);
  return child;
}

const emptyNode = (): Node => ({
  literals: new Map(),
  affixes: [],
  any: undefined,
  rows: new Map(),
  rest: new Map(),
  run: undefined,
});

interface RouteRequest {
  readonly method: string;
  readonly segments: readonly string[];
}

function find(node: Node, asked: RouteRequest, at: number, values: readonly string[]): Listed | undefined {
  const { method, segments } = asked;
  const segment = segments[at];
  if (segment === undefined) return listed(node.rows, method, values);
  const literal = node.literals.get(segment);
  return (
    (literal && find(literal, asked, at + 1, values)) ??
    findAffixed(node, asked, at, values) ??
    (node.any && segment !== '' ? find(node.any, asked, at + 1, [...values, segment]) : undefined) ??
    findRun(node, asked, at, values) ??
    (node.rest.size > 0 ? listed(node.rest, method, [...values, segments.slice(at).join('/')]) : undefined)
  );
}

function findAffixed(node: Node, asked: RouteRequest, at: number, values: readonly string[]): Listed | undefined {
  const segment = asked.segments[at] ?? '';
  for (const { prefix, suffix, node: child } of node.affixes) {
    const fits =
      segment.length > prefix.length + suffix.length && segment.startsWith(prefix) && segment.endsWith(suffix);
    if (!fits) continue;
    const value = segment.slice(prefix.length, segment.length - suffix.length);
    const match = find(child, asked, at + 1, [...values, value]);
    if (match) return match;
  }
  return undefined;
}

/** `{name...}` before other segments: the more of them are literal, the shorter is the run. None of its segments is empty. */
function findRun({ run }: Node, asked: RouteRequest, at: number, values: readonly string[]): Listed | undefined {
  if (!run) return undefined;
  const { segments } = asked;
  const first = Math.max(at + 1, segments.length - run.longest);
  for (let end = first; end < segments.length; end += 1) {
    const parts = segments.slice(at, end);
    if (parts.includes('')) return undefined;
    const match = find(run.node, asked, end, [...values, parts.join('/')]);
    if (match) return match;
  }
  return undefined;
}

function listed(rows: Map<string, NamedRow>, method: string, values: readonly string[]): Listed | undefined {
  const found = rows.get(method) ?? (method === 'WS' ? undefined : rows.get('ANY'));
  if (!found) return undefined;
  if (!found.parameters.every(({ shape }, index) => shape?.test(values[index] ?? '') ?? true)) return undefined;
  const parameters = Object.fromEntries(found.parameters.map(({ name }, index) => [name, values[index] ?? '']));
  return { kind: 'listed', row: found.row, parameters, nvr: found.nvr };
}
