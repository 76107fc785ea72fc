/** Commands as they are typed, in this process: what they print and their exit code. */
import { PassThrough, Readable } from 'node:stream';
import { Command } from 'commander';
import type { Frame } from '../../src/accounts/http/route-commands.ts';
import { createFrame, register } from '../../src/cli/command-line.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import type { CommandPlace } from '../../src/config/load-config.ts';
import { FEATURES } from '../../src/features/all.ts';

export interface Printed {
  readonly out: string;
  readonly err: string;
  readonly code: number;
}

interface Typing {
  /** What standard input holds, or a terminal. */
  readonly stdin?: Frame['stdin'] | string;
  /** Sees each text that goes to standard error. */
  readonly onError?: (text: string) => void;
  /** Whether standard error is a terminal. */
  readonly isTTY?: boolean;
  /** Opens another store than that of the place. */
  readonly openStore?: Frame['openStore'];
}

/** `words` begin with the command's name. */
export async function typed(
  words: readonly string[],
  place: CommandPlace,
  { stdin = '', onError = () => {}, isTTY = false, openStore }: Typing = {},
): Promise<Printed> {
  const printed = { out: '', err: '', code: -1 };
  const [stdout, stderr] = [new PassThrough(), Object.assign(new PassThrough(), { isTTY })];
  stdout.on('data', (chunk) => void Object.assign(printed, { out: `${printed.out}${chunk}` }));
  stderr.on('data', (chunk) => {
    printed.err += chunk;
    onError(String(chunk));
  });
  const program = new Command('postern')
    .exitOverride()
    .configureOutput({ writeErr: (text) => void stderr.write(text) });
  const frame = createFrame({
    place: () => place,
    stdin: typeof stdin === 'string' ? Readable.from([Buffer.from(stdin)]) : stdin,
    stdout,
    stderr,
    exit: (code) => void Object.assign(printed, { code }),
  });
  const groups = [...COMMANDS, ...FEATURES.flatMap(({ group = [] }) => group)];
  for (const group of groups) register(program, { ...frame, ...(openStore && { openStore }) }, group);
  await program.parseAsync([...words], { from: 'user' });
  return printed;
}
