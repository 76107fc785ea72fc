/** `postern explain METHOD PATH`: how a request would be judged, and by which rule, row and header (SPEC 1). */

import type { Command } from 'commander';
import type { Frame } from '../../accounts/http/route-commands.ts';
import { answering, orEnd } from '../../domain/command-frame.ts';
import type { Explanation } from '../../gateway/explain/explain.ts';

interface ExplainOptions {
  readonly user?: string;
  readonly token?: string;
  readonly header: readonly string[];
  readonly peer?: string;
  readonly json?: boolean;
}

export function registerExplainCommand(program: Command, frame: Frame): void {
  program
    .command('explain')
    .description(
      'print how a request would be authorized: headers kept and dropped, groups, rule, role, cameras, verdict',
    )
    .argument('<method>', 'GET, PUT …, or WS for a WebSocket upgrade')
    .argument('<path>', 'with its query, such as "/api/events?camera=garage"')
    .option('--user <name>', 'authorize as this account, with the role that it has now')
    .option('--token <token>', 'authorize with this session or API token')
    .option('--header <line>', 'a header that the proxy sends, "Name: value"; may be repeated', gathered, [])
    .option('--peer <address>', 'the address that the request comes from (default: a trusted one)')
    .option('--json', 'print JSON, for programs')
    .addHelpText('after', EXAMPLES)
    .action((method: string, path: string, options: ExplainOptions) =>
      answering(frame, () => run(method, path, options, frame)),
    );
}

const EXAMPLES = `
Examples:
  postern explain --header 'Remote-User: alice' --header 'Remote-Groups: staff,nvr-admins' GET /api/config
  postern explain --user vera GET '/api/events?camera=garage'

The proxy secret is assumed to be correct, unless a --header sets it.
The exit code is 0 when there is a verdict, whatever it is.`;

const gathered = (line: string, before: readonly string[]): readonly string[] => [...before, line];

async function run(method: string, path: string, options: ExplainOptions, { place, stderr }: Frame) {
  const { user, token, header: headers, peer, json } = options;
  if (user !== undefined && token !== undefined)
    throw new Error('--user and --token exclude each other: give one of them');
  const { openForExplain } = await import('../../app/commands/explain.ts');
  const { explain, close } = await openForExplain(place(), (sentence) => void stderr.write(`note: ${sentence}\n`));
  const asked = { method: method.toUpperCase(), path, user, token, headers, peer };
  const explanation = orEnd(await explain(asked).finally(close));
  return json ? JSON.stringify(explanation, null, 2) : formatExplanation(explanation).trimEnd();
}

/** An explanation as aligned text: a name to the left, what is known of it to the right (SPEC 1, `explain`). */
type ExplanationRow = readonly [name: string, lines: readonly string[]];

/** Ends in a line break. */
export function formatExplanation(explanation: Explanation): string {
  const rows = explanationRows(explanation).filter(([, lines]) => lines.length > 0);
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  const text = rows.flatMap(([name, lines]) =>
    lines.map((line, at) => `${(at === 0 ? name : '').padEnd(width)}${line}`),
  );
  return `${text.map(printable).join('\n')}\n`;
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

/** A header's value may hold what moves a terminal's cursor. */
const printable = (line: string): string =>
  line.replaceAll(/\p{Cc}/gu, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
