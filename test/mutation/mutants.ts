/** Every way to break a source text by one operator, literal or condition. */
import { parseSync } from 'vite';

export interface Mutant {
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly before: string;
  readonly after: string;
}

export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

// biome-ignore format: a table
const OTHER_OPERATOR: Readonly<Record<string, string>> = {
  '===': '!==', '!==': '===', '<': '<=', '<=': '<', '>': '>=', '>=': '>', '&&': '||', '||': '&&', '??': '&&', '+': '-', '-': '+', '*': '/', '/': '*',
};

export function mutantsOf(file: string, source: string): Mutant[] {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const found: Mutant[] = [];
  const text = (node: Node): string => source.slice(node.start, node.end);
  const replace = ({ start, end }: { start: number; end: number }, after: string): void => {
    const line = source.slice(0, start).split('\n').length;
    found.push({ start, end, line, before: source.slice(start, end), after });
  };
  const change = (node: Node): void => {
    switch (node.type) {
      case 'BinaryExpression':
      case 'LogicalExpression': {
        const [left, right] = [node['left'] as Node, node['right'] as Node];
        const operator = String(node['operator']);
        const other = OTHER_OPERATOR[operator];
        const at = source.indexOf(operator, left.end);
        if (other !== undefined && at < right.start) replace({ start: at, end: at + operator.length }, other);
        return;
      }
      case 'UnaryExpression':
        if (node['operator'] === '!') replace(node, text(node['argument'] as Node));
        return;
      case 'IfStatement':
      case 'ConditionalExpression':
        for (const always of ['true', 'false']) replace(node['test'] as Node, always);
        return;
      case 'Literal':
        if (typeof node['value'] === 'boolean') replace(node, String(!node['value']));
        if (typeof node['value'] === 'number') replace(node, String(node['value'] + 1));
    }
  };
  walk(program as unknown as Node, change);
  return found;
}

/** Types decide nothing at run time. */
const isType = ({ type }: Node): boolean =>
  type.startsWith('TS') && !/^TS(?:NonNull|As|Satisfies)Expression$/.test(type);

export function walk(node: Node, visit: (node: Node) => void): void {
  if (isType(node)) return;
  visit(node);
  for (const child of Object.values(node).flat()) if (isNode(child)) walk(child, visit);
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
