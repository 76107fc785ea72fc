/** An explanation as aligned text: a name to the left, what is known of it to the right (SPEC 1, `explain`). */
import { printable } from '../../domain/text.ts';
import type { Explanation } from './explain.ts';

type ExplanationRow = readonly [name: string, lines: readonly string[]];

export function formatExplanation(explanation: Explanation): string {
  const rows = explanationRows(explanation).filter(([, lines]) => lines.length > 0);
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  const text = rows.flatMap(([name, lines]) =>
    lines.map((line, at) => `${(at === 0 ? name : '').padEnd(width)}${line}`),
  );
  return text.map(printable).join('\n');
}

function explanationRows(shown: Explanation): readonly ExplanationRow[] {
  const { request, about, secret, token, groups, rule, hints = [], user, role, cameras, route, sent } = shown;
  const { roles = [], limits = [], credential } = shown;
  return [
    ['request', [`${request.method} ${request.path}, from ${request.peer}`]],
    ['about', about ? [`${about.method} ${about.path}`] : []],
    ['headers', headerLines(shown)],
    ['secret', maybe(secret)],
    ['token', token === undefined ? [] : [[token, ...maybe(credential)].join(', ')]],
    ['groups', groups.length > 0 ? [groups.join(', ')] : []],
    ['rule', maybe(rule)],
    ['hint', hints],
    ['user', [user ?? '(none)']],
    ['role', roles.length > 0 ? [roles.join(', ')] : maybe(role)],
    ['limits', limits],
    ['cameras', cameras === undefined ? [] : [cameras === 'all' ? 'all' : cameras.join(', ') || 'none']],
    ['route', route ? [`${route.route}  (${route.access}, ${route.row ?? 'no row names it: for admins'})`] : []],
    ['verdict', [verdictLine(shown)]],
    ['sent', sent ? [`to ${sent.to}`, `${sent.method} ${sent.target}`, ...aligned(sent.headers)] : []],
  ];
}

const maybe = (text: string | undefined): readonly string[] => (text === undefined ? [] : [text]);

function headerLines({ headers }: Explanation): readonly string[] {
  const pairs = headers.map(({ name, value, fate }) => `${fate.padEnd(8)}${name}: ${value}`);
  const width = Math.max(0, ...pairs.map((pair) => pair.length)) + 2;
  return pairs.map((pair, at) => (headers[at]?.why === undefined ? pair : `${pair.padEnd(width)}(${headers[at].why})`));
}

function verdictLine({ verdict, status, reason, message }: Explanation): string {
  if (verdict !== 'refused') return `${verdict}: ${message}`;
  return `${verdict}, ${status} ${reason}: ${message}`;
}

function aligned(headers: readonly (readonly [name: string, value: string])[]): readonly string[] {
  const width = Math.max(0, ...headers.map(([name]) => name.length)) + 1;
  return headers.map(([name, value]) => `${`${name}:`.padEnd(width)} ${value}`);
}
