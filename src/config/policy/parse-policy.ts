/** One route table: YAML text as rows, or every problem with its line (SPEC 5). */
import { z } from 'zod';
import type { PolicyRow, TableHead } from '../../domain/policy.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { type Finding, type Problem, pathText } from '../problems/problems.ts';
import { readYaml, type YamlText } from '../problems/read-yaml.ts';
import { findingsOf, messageFor } from '../schema/issues.ts';
import { keysOf } from '../schema/keys.ts';
import { rowFindings } from './policy-faults.ts';
import { type RowText, rowSchema, splitRoute } from './policy-row.ts';
import { headShape } from './table-head.ts';

export interface PolicyTable {
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

const KEYS_OF_TABLE = keysOf(tableSchema);

/** Each is looked for in the file. */
const MOST_PROBLEMS = 100;

/** `source` names the file in problems. */
export function parsePolicy(written: string, source: string): Result<PolicyTable, readonly Problem[]> {
  const yaml = readYaml(written);
  if (!yaml.ok) return err(yaml.error.map((problem) => ({ ...problem, source })));
  const parsed = tableSchema.safeParse(yaml.value.tree, { error: messageFor(() => false) });
  const findings = parsed.success ? rowFindings(parsed.data.routes) : findingsOf(parsed.error.issues, KEYS_OF_TABLE);
  if (!parsed.success || findings.length > 0)
    return err(findings.slice(0, MOST_PROBLEMS).map((finding) => asProblem(finding, yaml.value, source)));
  const { routes, extends: name, version: _, handlers: __, ...head } = parsed.data;
  const namedAt = asProblem({ path: ['extends'], message: '' }, yaml.value, source);
  return ok({
    head,
    rows: routes.map((row, index) =>
      asRow(row, { file: source, line: yaml.value.locate(['routes', index])?.line ?? 0 }),
    ),
    base: name === undefined ? undefined : { name, namedAt },
  });
}

/** What was read of a handler is for the readers of the file: it is not kept. */
const asRow = ({ route, handler: _, ...row }: RowText, place: { file: string; line: number }): PolicyRow => ({
  ...splitRoute(route),
  ...row,
  ...place,
});

function asProblem({ path, message }: Finding, yaml: YamlText, source: string): Problem {
  return { path: pathText(path), message, ...yaml.locate(path), source };
}
