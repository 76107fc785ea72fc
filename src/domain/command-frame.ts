/** What every command of the command line works with, and how it ends: with a sentence and an exit code (SPEC 1). */
import { faultMessage, type Result } from './result.ts';

/** A terminal, or the stream in its place. */
export interface Screen {
  write(text: string, done?: (fault?: Error | null) => void): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

export interface Output {
  readonly stdout: Screen;
  readonly stderr: Screen;
  readonly exit: (code: number) => void;
}

/** A closed pipe, and a terminal that hung up. */
const LEFT: readonly unknown[] = ['EPIPE', 'EIO'];

/** The reader of the output has left, as of `postern ledger verify | head`: the command ends without a word. */
export const isBrokenPipe = (fault: unknown): boolean => LEFT.includes(Object(fault).code);

/** Exits with the code that the work gives; a fault is printed as one sentence, without a stack trace. */
export async function ending({ stderr, exit }: Output, work: () => Promise<number>, ofFault = 1): Promise<void> {
  try {
    exit(await work());
  } catch (fault) {
    if (isBrokenPipe(fault)) return exit(0);
    stderr.write(`${faultMessage(fault)}\n`);
    exit(ofFault);
  }
}

/** Prints the text that the work gives. */
export const answering = (output: Output, work: () => Promise<string>): Promise<void> =>
  ending(output, async () => {
    output.stdout.write(`${await work()}
`);
    return 0;
  });

/** The value, or its refusal as a sentence that ends the command. */
export function orEnd<Value>(outcome: Result<Value, string | { readonly message: string }>): Value {
  if (outcome.ok) return outcome.value;
  throw new Error(typeof outcome.error === 'string' ? outcome.error : outcome.error.message);
}
