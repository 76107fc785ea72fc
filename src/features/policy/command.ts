/** `postern policy diff|new`: what the NVR has and the route table does not know, and a first table (SPEC 15). */
import { readFile, writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { ending, type Output, orEnd } from '../../domain/command-frame.ts';
import { faultMessage } from '../../domain/result.ts';
import type { CommandFrame } from '../feature.ts';
import type { PolicyReview } from './descriptions.ts';

type Frame = Output & Pick<CommandFrame, 'place'>;

interface DescriptionOptions {
  readonly below?: string;
}

interface DiffOptions extends DescriptionOptions {
  readonly json?: boolean;
}

const BELOW = 'where clients see the described paths, such as /playback';

export function registerPolicyCommands(program: Command, frame: Frame): void {
  const policy = program.command('policy').description('review the route table, or begin one');
  policy
    .command('diff [openapi.json]')
    .description(
      "compare the route table with the NVR's description of its API, from a file or from the running NVR; exit 1 when an operation is unknown or has other parameters",
    )
    .option('--below <path>', BELOW)
    .option('--json', 'print JSON, for programs')
    .addHelpText('after', DIFF_HELP)
    .action((file: string | undefined, options: DiffOptions) => ending(frame, () => diff(file, options, frame)));
  policy
    .command('new <openapi>')
    .description('print a first route table for an NVR, from its OpenAPI description: a file or an address')
    .option('--below <path>', BELOW)
    .option('--output <file>', 'write the table to this file, which must not be there yet')
    .addHelpText('after', NEW_HELP)
    .action((source: string, options: DescriptionOptions & { readonly output?: string }) =>
      ending(frame, () => first(source, options, frame)),
    );
}

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
  { stdout, stderr }: Frame,
): Promise<number> {
  const { makeFirstTable } = await import('./descriptions.ts');
  const table = orEnd(await makeFirstTable(source, below));
  if (output === undefined) {
    stdout.write(table);
    return 0;
  }
  await writeFile(output, table, { flag: 'wx' }).catch((fault: NodeJS.ErrnoException) => {
    const why = fault.code === 'EEXIST' ? 'is there already: name another file, or remove it' : faultMessage(fault);
    throw new Error(`${output} ${why}`);
  });
  stderr.write(`Written to ${output}. Set nvr.policy to it, and run "postern check".\n`);
  return 0;
}

async function diff(file: string | undefined, { json, below }: DiffOptions, { place, stdout }: Frame): Promise<number> {
  const { reviewPolicy } = await import('./descriptions.ts');
  const description = file === undefined ? undefined : await readFile(file, 'utf8');
  const reviewed = orEnd(await reviewPolicy(place(), description, below));
  stdout.write(json ? `${JSON.stringify(reviewed, null, 2)}\n` : formatDrift(reviewed));
  return reviewed.unknown.length + reviewed.changed.length === 0 ? 0 : 1;
}

function formatDrift({ nvr, table, unknown, gone, changed }: PolicyReview): string {
  const about = [
    nvr === undefined ? '' : `The NVR says version ${nvr}.`,
    table === undefined ? '' : `The table was made for ${table}.`,
  ];
  return [
    ...about.filter(Boolean),
    ...part('Operations that the route table does not know', unknown.map(unknownLine)),
    ...part('Operations whose parameters the row does not fit', changed.map(changedLine)),
    ...part(
      'Rows without an operation',
      gone.map(({ row, at }) => `${row}  (${at})`),
    ),
    ...(unknown.length + changed.length === 0 ? ['The route table knows every operation.'] : []),
    '',
  ].join('\n');
}

const part = (heading: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [`${heading}: ${lines.length}`, ...lines.map((line) => `  ${line}`)];

const unknownLine = ({ operation, judgedBy }: PolicyReview['unknown'][number]): string =>
  `${operation}  (${judgedBy === undefined ? 'for admins only' : `falls under ${judgedBy}`})`;

const changedLine = ({ operation, unread, missing }: PolicyReview['changed'][number]): string =>
  [
    operation,
    ...(unread.length > 0 ? [`names cameras by ${unread.join(', ')}, which the row does not read`] : []),
    ...(missing.length > 0 ? [`has no ${missing.join(', ')}, which the row narrows it by or reads`] : []),
  ].join('  ');
