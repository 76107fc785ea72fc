/** `postern policy diff|new`: what the NVR has and the route table does not know, and a first table (SPEC 15). */
import { readFile, writeFile } from 'node:fs/promises';
import type { CommandGroup, Frame } from '../../accounts/http/route-commands.ts';
import { faultMessage } from '../../domain/result.ts';
import type { PolicyReview } from './descriptions.ts';

const BELOW = ['--below <path>', 'where clients see the described paths, such as /playback'] as const;

const DIFF_HELP = `
Rows without an operation are listed and change no exit code: some belong to the NVR's web server or stream server.`;

const NEW_HELP = `
In the table every operation is for admins. docs/policies.md says how to open operations for others.

Example:
  postern policy new http://nvr:8000/openapi.json --output routes.yaml
Then set nvr.policy to ./routes.yaml, and run "postern check".`;

// biome-ignore format: a table
export const POLICY: CommandGroup = {
  name: 'policy',
  about: 'review the route table, or begin one',
  commands: [
    { words: 'diff [openapi.json]', about: "compare the route table with the NVR's description of its API, from a file or from the running NVR; exit 1 when an operation is unknown or has other parameters",
      options: [BELOW, ['--json', 'print JSON, for programs']], help: DIFF_HELP, run: diff },
    { words: 'new <openapi>', about: 'print a first route table for an NVR, from its OpenAPI description: a file or an address',
      options: [BELOW, ['--output <file>', 'write the table to this file, which must not be there yet']], help: NEW_HELP, run: first },
  ],
};

interface FirstOptions {
  readonly openapi: string;
  readonly below?: string;
  readonly output?: string;
}

async function first({ openapi: source, below, output }: FirstOptions, { stdout, stderr }: Frame): Promise<number> {
  const { makeFirstTable } = await import('./descriptions.ts');
  const table = await makeFirstTable(source, below);
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

interface DiffOptions {
  readonly 'openapi.json'?: string;
  readonly below?: string;
  readonly json?: boolean;
}

async function diff({ 'openapi.json': file, json, below }: DiffOptions, { place, stdout }: Frame): Promise<number> {
  const { reviewPolicy } = await import('./descriptions.ts');
  const description = file === undefined ? undefined : await readFile(file, 'utf8');
  const reviewed = await reviewPolicy(place(), description, below);
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
