/** Commands as they are typed, in this process: what they print and their exit code. */
import { PassThrough, Readable } from 'node:stream';
import { Command } from 'commander';
import type { Frame } from '../../src/accounts/http/route-commands.ts';
import type { CommandPlace } from '../../src/config/load-config.ts';

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
}

/** `register` adds the commands; the words begin with the command's name. */
export async function typed(
  words: readonly string[],
  register: (program: Command, frame: Frame) => void,
  place: CommandPlace,
  { stdin = '', onError = () => {} }: Typing = {},
): Promise<Printed> {
  const printed = { out: '', err: '', code: -1 };
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  stdout.on('data', (chunk) => void Object.assign(printed, { out: `${printed.out}${chunk}` }));
  stderr.on('data', (chunk) => {
    printed.err += chunk;
    onError(String(chunk));
  });
  const program = new Command('postern');
  register(program, {
    place: () => place,
    stdin: typeof stdin === 'string' ? Readable.from([stdin]) : stdin,
    stdout,
    stderr,
    exit: (code) => void Object.assign(printed, { code }),
  });
  await program.parseAsync([...words], { from: 'user' });
  return printed;
}
