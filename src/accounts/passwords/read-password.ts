/** A password or PIN from a person at a terminal, without echo, or from the first line of a pipe; never from an argument. */
import { createInterface } from 'node:readline/promises';
import { type Readable, Writable } from 'node:stream';

export interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  /** Where the questions go, so that what is printed can still be piped. */
  readonly stderr: Writable;
}

interface SecretPrompt {
  readonly name: 'password' | 'PIN';
  readonly question: string;
}

/** A person is asked twice. Rejects with the sentence to show. */
export async function readSecret(terminal: Terminal, wanted: SecretPrompt): Promise<string> {
  const secret = await (terminal.stdin.isTTY ? askTwice(terminal, wanted) : firstLine(terminal.stdin, wanted));
  if (secret.includes(UNREADABLE)) throw new Error(notUtf8(wanted));
  return secret;
}

/** The character that invalid UTF-8 decodes to: such a text could not be typed again, so it is refused. */
const UNREADABLE = '\ufffd';
const notUtf8 = ({ name }: SecretPrompt): string =>
  `the ${name} is not in UTF-8: set the terminal or the file to UTF-8, or use plain letters`;

/** Ctrl-C and Ctrl-D end the lines. They are taken as they come: nothing that is typed ahead gets lost, or shown. */
async function askTwice({ stdin, stderr }: Terminal, { name, question }: SecretPrompt): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  using typed = createInterface({ input: stdin, output: nowhere, terminal: true });
  const lines = typed[Symbol.asyncIterator]();
  const ask = async (words: string): Promise<string | undefined> => {
    stderr.write(words);
    const line = await lines.next();
    stderr.write('\n');
    return line.done ? undefined : line.value;
  };
  const first = await ask(question);
  const second = first === undefined ? undefined : await ask('The same again: ');
  if (first === undefined || second === undefined) throw new Error('cancelled: nothing was changed');
  if (first !== second) throw new Error(`the two ${name}s differ: nothing was changed`);
  return first;
}

async function firstLine(stdin: Readable, { name }: SecretPrompt): Promise<string> {
  for await (const line of createInterface({ input: stdin })) return line;
  throw new Error(`there is no ${name} on standard input: write one there, followed by a line break`);
}
