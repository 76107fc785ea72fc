/** One route table: YAML text as rows, or every problem with its line (SPEC 5). */
import { z } from 'zod';
import { ACCESS_LEVELS, ANSWER_FORMS, type PolicyRow, VERBS } from '../domain/policy.ts';
import { err, ok, type Result } from '../domain/result.ts';
import { type Finding, findingsOf, type Problem, pathText, wordsFor } from './problems.ts';
import { readYaml, type YamlText } from './read-yaml.ts';
import type { KeySchema } from './schema.ts';
import { text } from './value-types.ts';

export interface PolicyTable {
  readonly rows: readonly PolicyRow[];
  /** The table whose rows come after these, and where it is named. */
  readonly base: { readonly name: string; readonly namedAt: Problem } | undefined;
}

const LOCATOR =
  /^(?:(?:stream|frames|event|review|export|export-file|case|file:(?:preview|review-thumb|clip|image)):)?(?:(?:path|query):\w+|body:\w+(?:\[\]\.\w+)?)$/;
const NARROWING =
  /^(?:check|lookup|post-check|post-filter|rewrite-body|own-data|per-message|deny|(?:rewrite|fanout):[a-z_]+)$/;

const rowSchema = z.strictObject({
  route: z.string(),
  access: z.enum(ACCESS_LEVELS),
  cameras: z
    .array(
      text(
        (locator) => LOCATOR.test(locator),
        (shown) => `${shown} is no place of a camera: write for example "path:camera" or "query:cameras"`,
      ),
    )
    .min(1)
    .exactOptional(),
  narrow: text(
    (rule) => NARROWING.test(rule),
    (shown) => `${shown} is no way to narrow an answer: write for example check or "rewrite:cameras"`,
  ).exactOptional(),
  answer: z.enum(ANSWER_FORMS).exactOptional(),
  empty: z.unknown().exactOptional(),
  verb: z.enum(VERBS).exactOptional(),
  admin_fields: z.array(z.string().min(1)).min(1).exactOptional(),
  admin_parameters: z.array(z.string().min(1)).min(1).exactOptional(),
  writes: z.boolean().exactOptional(),
  dynamic: z.boolean().exactOptional(),
  secret: z.boolean().exactOptional(),
  note: z.string().exactOptional(),
});

const tableSchema = z.strictObject({
  version: z.literal(1),
  extends: z.string().min(1).optional(),
  routes: z.array(rowSchema),
});

type RowText = z.output<typeof rowSchema>;

/** `source` names the file in problems. */
export function parsePolicy(written: string, source: string): Result<PolicyTable, readonly Problem[]> {
  const yaml = readYaml(written);
  if (!yaml.ok) return err(yaml.error.map((problem) => ({ ...problem, source })));
  const parsed = tableSchema.safeParse(yaml.value.tree, { error: wordsFor });
  const findings = parsed.success
    ? rowFindings(parsed.data.routes)
    : findingsOf(parsed.error.issues, z.toJSONSchema(tableSchema) as KeySchema);
  if (!parsed.success || findings.length > 0)
    return err(findings.map((finding) => asProblem(finding, yaml.value, source)));
  const { routes, extends: name } = parsed.data;
  const namedAt = asProblem({ path: ['extends'], message: '' }, yaml.value, source);
  return ok({
    rows: routes.map((row, index) =>
      asRow(row, { file: source, line: yaml.value.locate(['routes', index])?.line ?? 0 }),
    ),
    base: name === undefined ? undefined : { name, namedAt },
  });
}

const asRow = ({ route, ...row }: RowText, place: { file: string; line: number }): PolicyRow => ({
  ...split(route),
  ...row,
  ...place,
});

function split(route: string): { methods: readonly string[]; path: string } {
  const [methods = '', path = ''] = route.split(' ', 2);
  return { methods: methods.split(','), path };
}

function rowFindings(rows: readonly RowText[]): readonly Finding[] {
  const seen = new Set<string>();
  return rows.flatMap((row, index) => {
    const message = routeFault(row.route) ?? camerasFault(row) ?? narrowFault(row) ?? repeatFault(row.route, seen);
    return message === undefined ? [] : [{ path: ['routes', index, 'route'], message }];
  });
}

const ROUTE = /^\S+ \/\S*$/;
const METHODS: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'WS', 'ANY'];
const SEGMENT = /^(?:[^{}]*|[^{}]*\{[A-Za-z_]\w*\}[^{}]*|\{[A-Za-z_]\w*\.\.\.\})$/;
const PARAMETER = /\{(?<name>\w+)(?<rest>\.\.\.)?\}/g;

function routeFault(route: string): string | undefined {
  const shown = JSON.stringify(route);
  if (!ROUTE.test(route)) return `${shown} is no route: write for example "GET /api/events"`;
  const { methods, path } = split(route);
  const unknown = methods.find((method) => !METHODS.includes(method));
  if (unknown !== undefined)
    return `${JSON.stringify(unknown)} is no method: write ${METHODS.join(', ')} (GET stands for HEAD too)`;
  const segment = path.split('/').find((part) => !SEGMENT.test(part));
  if (segment !== undefined)
    return `${JSON.stringify(segment)} is no segment: write text, {name}, text around one {name}, or {name...}`;
  if (/\.\.\.\}./.test(path)) return `${shown} goes on behind {name...}: the remainder must be last`;
  const names = parametersOf(path);
  return new Set(names).size < names.length ? `${shown} uses a parameter name twice: rename one` : undefined;
}

const parametersOf = (path: string): readonly string[] =>
  [...path.matchAll(PARAMETER)].map((match) => match.groups?.['name'] ?? '');

function camerasFault(row: RowText): string | undefined {
  const locators = row.cameras ?? [];
  if (row.access === 'camera' && locators.length === 0) return 'access is camera but no camera is named: add cameras';
  const names = parametersOf(row.route);
  const lost = locators.find(
    (locator) => locator.includes('path:') && !names.includes(locator.split(':').at(-1) ?? ''),
  );
  if (lost !== undefined) return `cameras has ${JSON.stringify(lost)}, but the path has no such parameter`;
  const isDynamic = locators.some((locator) => locator.startsWith('path:'));
  return row.dynamic && !isDynamic
    ? 'dynamic is true but no camera is in the path: add cameras: ["path:camera"]'
    : undefined;
}

/** What each way to narrow cannot do without: a row that forgets it would show everything. */
// biome-ignore format: a table
const NEEDED: Readonly<Record<string, (row: RowText, parameter: string) => string | undefined>> = {
  rewrite:        ({ cameras }, parameter) => cameras?.includes(`query:${parameter}`) ? undefined : `add "query:${parameter}" to cameras`,
  fanout:         ({ cameras }, parameter) => cameras?.includes(`query:${parameter}`) ? undefined : `add "query:${parameter}" to cameras`,
  check:          ({ cameras }) => cameras ? undefined : 'add cameras',
  lookup:         ({ cameras }) => cameras ? undefined : 'add cameras',
  'post-check':   ({ answer }) => answer === 'one' ? undefined : 'add "answer: one"',
  'post-filter':  ({ answer }) => answer ? undefined : 'add the form of its answer, such as "answer: array"',
  'rewrite-body': ({ answer }) => answer ? undefined : 'add the form of its answer, such as "answer: config"',
};

function narrowFault(row: RowText): string | undefined {
  const [how = '', parameter = ''] = row.narrow?.split(':') ?? [];
  const missing = Object.hasOwn(NEEDED, how) ? NEEDED[how]?.(row, parameter) : undefined;
  return missing && `narrow is ${row.narrow}, which needs more: ${missing}`;
}

/** Two rows for one method and pattern: the second would never be used. */
function repeatFault(route: string, seen: Set<string>): string | undefined {
  const { methods, path } = split(route);
  const pattern = path.replaceAll(PARAMETER, (_, _name, rest) => (rest ? '{...}' : '{}'));
  const keys = methods.map((method) => `${method} ${pattern}`);
  const repeated = keys.some((key) => seen.has(key));
  for (const key of keys) seen.add(key);
  return repeated ? `${JSON.stringify(route)} is in the table already: remove one of the two` : undefined;
}

function asProblem({ path, message }: Finding, yaml: YamlText, source: string): Problem {
  return { path: pathText(path), message, ...yaml.locate(path), source };
}
