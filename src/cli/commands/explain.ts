/** `postern explain METHOD PATH`: how a request would be judged, and by which rule, row and header (SPEC 1). */
import type { Command } from 'commander';
import type { Explainer } from '../../app/gate/explain.ts';
import { messageOf } from '../../domain/message-of.ts';
import { formatExplanation } from '../format-explanation.ts';

export interface ExplainCommandDeps {
  /** The configuration as the server would read it, and the store beside it. */
  readonly openExplainer: () => Promise<{ readonly explain: Explainer; close(): Promise<void> }>;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  readonly exit: (code: number) => void;
}

interface ExplainOptions {
  readonly user?: string;
  readonly token?: string;
  readonly header: readonly string[];
  readonly peer?: string;
  readonly json?: boolean;
}

export function registerExplainCommand(program: Command, deps: ExplainCommandDeps): void {
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
    .action((method: string, path: string, options: ExplainOptions) => run(method, path, options, deps));
}

const EXAMPLES = `
Examples:
  postern explain --header 'Remote-User: alice' --header 'Remote-Groups: staff,nvr-admins' GET /api/config
  postern explain --user vera GET '/api/events?camera=garage'

The proxy secret is assumed to be correct, unless a --header sets it.
The exit code is 0 when there is a verdict, whatever it is.`;

const gathered = (line: string, before: readonly string[]): readonly string[] => [...before, line];

/** Prints an error as one sentence, without a stack trace. */
async function run(method: string, path: string, options: ExplainOptions, deps: ExplainCommandDeps): Promise<void> {
  const { stdout, stderr, openExplainer, exit } = deps;
  const { user, token, header: headers, peer, json } = options;
  if (user !== undefined && token !== undefined) {
    stderr.write('--user and --token exclude each other: give one of them\n');
    return exit(1);
  }
  try {
    await using explainer = await disposable(openExplainer());
    const explanation = await explainer.explain({ method: method.toUpperCase(), path, user, token, headers, peer });
    if (!explanation.ok) stderr.write(`${explanation.error}\n`);
    else stdout.write(json ? `${JSON.stringify(explanation.value, null, 2)}\n` : formatExplanation(explanation.value));
    exit(explanation.ok ? 0 : 1);
  } catch (fault) {
    stderr.write(`${messageOf(fault)}\n`);
    exit(1);
  }
}

async function disposable<Opened extends { close(): Promise<void> }>(opening: Promise<Opened>) {
  const opened = await opening;
  return { ...opened, [Symbol.asyncDispose]: () => opened.close() };
}
