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

/** A third of the letters may be wrong, so of one or two none; of equals the first wins. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const farthest = Math.floor(word.length / 3);
  let best: string | undefined;
  let least = farthest + 1;
  for (const candidate of known) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance >= least) continue;
    best = candidate;
    least = distance;
  }
  return best;
}

/** Letters to insert, remove, replace or swap with their neighbour to get from one word to the other. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (last[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      const best = Math.min(replaced, (last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1);
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current.push(isSwap ? Math.min(best, (beforeLast[column - 2] ?? 0) + 1) : best);
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}
