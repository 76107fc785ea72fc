/** Problems of a configuration, each with key, line and next step (SPEC 1, `check`). */

/** A key as zod and yaml name it: property names and list indexes in turn. */
export type KeyPath = readonly PropertyKey[];

export function valueAt(tree: unknown, path: KeyPath): unknown {
  return path.reduce<unknown>(
    (node, step) =>
      typeof node === 'object' && node !== null ? (node as Record<PropertyKey, unknown>)[step] : undefined,
    tree,
  );
}

/** Something wrong, before it is known where it stands. */
export interface Finding {
  readonly path: KeyPath;
  readonly message: string;
}

/** Nothing, or a sentence. */
export const about = (path: KeyPath, said: string | false | undefined): readonly Finding[] =>
  typeof said === 'string' ? [{ path, message: said }] : [];

export interface Problem {
  readonly path: string;
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
  /** Where it stands, if not in the configuration file: a variable's name, another file. */
  readonly source?: string;
}

/** `config.yaml:6:7 auth.trusted_proxies[1]: "10.0.0.0/33" is not a CIDR: write for example 172.18.0.0/16`. */
export function formatProblem(file: string, problem: Problem): string {
  const position = problem.line === undefined ? '' : `:${problem.line}:${problem.column ?? 1}`;
  const place = `${problem.source ?? file}${position}`;
  return `${problem.path === '' ? place : `${place} ${problem.path}`}: ${problem.message}`;
}

/** A line each. */
export const formatProblems = (file: string, problems: readonly Problem[]): string =>
  problems.map((problem) => formatProblem(file, problem)).join('\n');

const PLAIN_KEY = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** `auth.trusted_proxies[1]`, `logger.logs["service.api.auth"]`. */
export function pathText(path: KeyPath): string {
  const steps = path.map((step) => {
    if (typeof step === 'number') return `[${step}]`;
    return PLAIN_KEY.test(String(step)) ? `.${String(step)}` : `[${JSON.stringify(step)}]`;
  });
  return steps.join('').replace(/^\./, '');
}
