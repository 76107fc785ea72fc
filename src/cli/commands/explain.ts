/** `postern explain METHOD PATH`: how a request would be judged, and by which rule, row and header (SPEC 1). */
import type { Command } from 'commander';
import { answering, orEnd } from '../../domain/command-frame.ts';
import { formatExplanation } from '../format-explanation.ts';
import type { Frame } from '../frame.ts';

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
