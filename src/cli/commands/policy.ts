/** `postern policy diff|who|try`: what the NVR has and the route table does not know, who sees which camera, and who would (SPEC 15). */
import { readFile, writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { PolicyCommand, PolicyReview, WhoQuestion } from '../../app/commands/policy.ts';
import { messageOf } from '../../domain/message-of.ts';
import type { Result } from '../../domain/result.ts';
import { formatChanges, formatDrift, formatSights } from '../format-policy.ts';

export interface PolicyCommandsDeps {
  readonly openPolicy: () => Promise<PolicyCommand>;
  /** The text of a first table. Errs with a sentence. */
  readonly makeFirstTable: (source: string, below: string | undefined) => Promise<Result<string, string>>;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  readonly exit: (code: number) => void;
}

interface OutputOptions {
  readonly json?: boolean;
}

interface DescriptionOptions {
  readonly below?: string;
}

const BELOW = 'where clients see the described paths, such as /playback';

export function registerPolicyCommands(program: Command, deps: PolicyCommandsDeps): void {
  const policy = program.command('policy').description('review the route table and the rights of users');
  policy
    .command('diff [openapi.json]')
    .description(
      "compare the route table with the NVR's description of its API, from a file or from the running NVR; exit 1 when an operation is unknown or has other parameters",
    )
    .option('--below <path>', BELOW)
    .option('--json', 'print JSON, for programs')
    .addHelpText('after', DIFF_HELP)
    .action((file: string | undefined, options: OutputOptions & DescriptionOptions) => diff(file, options, deps));
  policy
    .command('new <openapi>')
    .description('print a first route table for an NVR, from its OpenAPI description: a file or an address')
    .option('--below <path>', BELOW)
    .option('--output <file>', 'write the table to this file, which must not be there yet')
    .addHelpText('after', NEW_HELP)
    .action((source: string, options: DescriptionOptions & { readonly output?: string }) =>
      first(source, options, deps),
    );
  policy
    .command('who')
    .description('list who sees which cameras: accounts and API tokens')
    .option('--camera <name>', 'only those who see this camera')
    .option('--user <name>', 'only this account, with its tokens')
    .option('--json', 'print JSON, for programs')
    .action((options: WhoQuestion & OutputOptions) => who(options, deps));
  policy
    .command('try <config.yaml>')
    .description('list which accounts and tokens would gain or lose which operations under another configuration')
    .option('--json', 'print JSON, for programs')
    .action((file: string, options: OutputOptions) => tryOut(file, options, deps));
}

const tryOut = (file: string, { json }: OutputOptions, deps: PolicyCommandsDeps): Promise<void> =>
  told(deps, (policy) => policy.tryOut(file), {
    text: (changes) => (json ? asJson(changes) : formatChanges(changes)),
    isGood: () => true,
  });

const DIFF_HELP = `
Rows without an operation are listed and change no exit code: some belong to the NVR's web server or stream server.`;

const NEW_HELP = `
In the table every operation is for admins. docs/policies.md says how to open operations for others.

Example:
  postern policy new http://nvr:8000/openapi.json --output routes.yaml
Then set nvr.policy to ./routes.yaml, and run "postern check".`;

async function first(
  source: string,
  { below, output }: DescriptionOptions & { readonly output?: string },
  { makeFirstTable, stdout, stderr, exit }: PolicyCommandsDeps,
): Promise<void> {
  const table = await makeFirstTable(source, below);
  if (!table.ok) {
    stderr.write(`${table.error}\n`);
    return exit(1);
  }
  if (output === undefined) {
    stdout.write(table.value);
    return exit(0);
  }
  const isWritten = await writeFile(output, table.value, { flag: 'wx' }).then(
    () => true,
    (fault: NodeJS.ErrnoException) => {
      const why = fault.code === 'EEXIST' ? 'is there already: name another file, or remove it' : messageOf(fault);
      stderr.write(`${output} ${why}\n`);
      return false;
    },
  );
  if (isWritten) stderr.write(`Written to ${output}. Set nvr.policy to it, and run "postern check".\n`);
  exit(isWritten ? 0 : 1);
}

const diff = (
  file: string | undefined,
  { json, below }: OutputOptions & DescriptionOptions,
  deps: PolicyCommandsDeps,
): Promise<void> =>
  told<PolicyReview>(
    deps,
    async (policy) => policy.diff(file === undefined ? undefined : await readFile(file, 'utf8'), below),
    {
      text: (review) => (json ? asJson(review) : formatDrift(review)),
      isGood: ({ unknown, changed }) => unknown.length + changed.length === 0,
    },
  );

const who = ({ camera, user, json }: WhoQuestion & OutputOptions, deps: PolicyCommandsDeps): Promise<void> =>
  told(deps, (policy) => policy.who({ ...(camera !== undefined && { camera }), ...(user !== undefined && { user }) }), {
    text: (sights) => (json ? asJson(sights) : formatSights(sights)),
    isGood: () => true,
  });

const asJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

interface Telling<Answer> {
  readonly text: (answer: Answer) => string;
  readonly isGood: (answer: Answer) => boolean;
}

/** Prints an error as one sentence, without a stack trace. */
async function told<Answer>(
  { openPolicy, stdout, stderr, exit }: PolicyCommandsDeps,
  ask: (policy: PolicyCommand) => Promise<Result<Answer, string>>,
  { text, isGood }: Telling<Answer>,
): Promise<void> {
  try {
    const policy = await openPolicy();
    const answer = await ask(policy).finally(policy.close);
    if (!answer.ok) stderr.write(`${answer.error}\n`);
    else stdout.write(text(answer.value));
    exit(answer.ok && isGood(answer.value) ? 0 : 1);
  } catch (fault) {
    stderr.write(`${messageOf(fault)}\n`);
    exit(1);
  }
}
