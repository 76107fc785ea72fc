/** Counters of a source file: one for each function, branch and loop. What is counted says which ways an input took. */
import { stripTypeScriptTypes } from 'node:module';
import { parseSync } from 'vite';
import { type Node, walk } from '../../mutation/mutants.ts';

/** Where the counters of all counted modules are; a byte each. */
export const COUNTERS = new Uint8Array(1 << 15);

export interface Counted {
  /** JavaScript, with the counters in it. */
  readonly source: string;
  /** Counters from `first` on. */
  readonly used: number;
  /** Texts and numbers that stand in the source: the fuzzer tries them. */
  readonly words: readonly string[];
}

/** `first` is the number of the first counter. The module finds the counters at `globalThis[name]`. */
export function withCounters(file: string, text: string, first: number, name: string): Counted {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const before = new Map<number, string>();
  const after = new Map<number, string>();
  const words = new Set<string>();
  let used = 0;
  const step = (): string => `${SHORT}[${first + used++}]++`;
  const insideBlock = ({ start }: Node): void => add(before, start + 1, `${step()};`, 'last');
  const around = (node: Node, [open, close]: readonly [string, string]): void => {
    add(before, node.start, open, 'last');
    add(after, node.end, close, 'first');
  };
  const way = (node: Node | null | undefined): void => {
    if (!node) return;
    if (node.type === 'BlockStatement') insideBlock(node);
    else if (node.type.endsWith('Statement')) around(node, [`{${step()};`, '}']);
    else around(node, [`(${step()},`, ')']);
  };
  walk(program as unknown as Node, (node) => {
    for (const part of WAYS[node.type] ?? []) way(node[part] as Node | null);
    if (node.type === 'SwitchCase') {
      const [statement] = node['consequent'] as Node[];
      if (statement && !statement.type.endsWith('Declaration')) way(statement);
    }
    const { value } = node;
    if (node.type === 'Literal' && (typeof value === 'string' || typeof value === 'number')) words.add(String(value));
  });
  return {
    source: `const ${SHORT} = globalThis[${JSON.stringify(name)}];${stripTypeScriptTypes(spliced(text, before, after))}`,
    used,
    words: [...words],
  };
}

/** A name that no module has. */
const SHORT = '__ways';

// biome-ignore format: a table
const WAYS: Readonly<Record<string, readonly string[]>> = {
  FunctionDeclaration: ['body'], FunctionExpression: ['body'], ArrowFunctionExpression: ['body'],
  IfStatement: ['consequent', 'alternate'], ConditionalExpression: ['consequent', 'alternate'], LogicalExpression: ['right'],
  ForStatement: ['body'], ForOfStatement: ['body'], ForInStatement: ['body'], WhileStatement: ['body'], DoWhileStatement: ['body'],
  CatchClause: ['body'],
};

/** Of several insertions at one place the outer ones open first and close last. */
function add(insertions: Map<number, string>, at: number, text: string, where: 'first' | 'last'): void {
  const there = insertions.get(at) ?? '';
  insertions.set(at, where === 'last' ? there + text : text + there);
}

function spliced(text: string, before: ReadonlyMap<number, string>, after: ReadonlyMap<number, string>): string {
  const places = [...new Set([...before.keys(), ...after.keys()])].sort((one, other) => one - other);
  let [made, from] = ['', 0];
  for (const at of places) {
    made += text.slice(from, at) + (after.get(at) ?? '') + (before.get(at) ?? '');
    from = at;
  }
  return made + text.slice(from);
}
