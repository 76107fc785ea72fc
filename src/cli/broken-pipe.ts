/** A reader of the output that has left, as of `postern ledger verify | head`: the command does its work and ends without a word. */
import type { Writable } from 'node:stream';
import { isBrokenPipe } from '../domain/command-frame.ts';

/**
 * Ends the process when nobody reads its output: without a listener, Node ends it with a stack. `onFault` is called when the
 * output cannot be written for another reason.
 */
export function endQuietly(outputs: readonly Pick<Writable, 'on'>[], onFault: (sentence: string) => void): void {
  for (const output of outputs)
    output.on('error', (fault: Error) => {
      if (!isBrokenPipe(fault)) onFault(`the output could not be written: ${fault.message}`);
    });
}
