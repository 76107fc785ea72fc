/** `postern store copy`: everything that a store holds, into a store of another engine or in another place (SPEC 10). */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { createProgress, ending, type Output, orEnd } from '../../domain/command-frame.ts';

interface CopyOptions {
  readonly continue?: true;
  readonly replace?: true;
}

export function registerStoreCommands(program: Command, output: Output): void {
  const store = program.command('store').description('work on a whole store');
  store
    .command('copy <from> <to>')
    .description(
      'copy accounts, roles, tokens, revocations, sessions and events from one store to another, and compare both; each is sqlite:<file>, postgres://…, or @<file> that holds the address',
    )
    .option('--continue', 'go on with a copy that was interrupted')
    .option('--replace', 'delete what is in the target first')
    .action((from: string, to: string, options: CopyOptions) => ending(output, () => copy(from, to, options, output)));
}

/** The source is opened read-only, and stays as it is. */
async function copy(from: string, to: string, options: CopyOptions, { stdout, stderr }: Output): Promise<number> {
  if (options.continue && options.replace)
    throw new Error('--continue and --replace exclude each other: give one of them');
  const { copyStore } = await import('../../store/copy-store.ts');
  const { openStore } = await import('../../store/open-store.ts');
  await using opened = new AsyncDisposableStack();
  const source = await openStore({ url: await readAddress(from), readOnly: true });
  opened.defer(source.close);
  const target = await openStore({ url: await readAddress(to), isCopyTarget: true });
  opened.defer(target.close);
  let table = '';
  let progress = createProgress(stderr, { title: '', total: undefined });
  const copied = await copyStore(source, target, copyMode(options), (now) => {
    if (now.table !== table) {
      progress.end();
      progress = createProgress(stderr, { title: now.table, total: now.total, unit: 'rows' });
      table = now.table;
    }
    progress.report(now.done, now.done);
  }).finally(() => progress.end());
  for (const { table: name, rows } of orEnd(copied)) stdout.write(`${name}: ${rows} rows, the same at both ends\n`);
  return 0;
}

const copyMode = (options: CopyOptions): 'continue' | 'replace' | 'refuse' => {
  if (options.continue) return 'continue';
  return options.replace ? 'replace' : 'refuse';
};

const SQLITE = 'sqlite:';

/** An address with a password is better read from a file: a command line is seen by every user of the machine. */
async function readAddress(given: string): Promise<string> {
  const address = given.startsWith('@') ? (await readFile(given.slice(1), 'utf8')).trim() : given;
  return address.startsWith(SQLITE) ? `${SQLITE}${resolve(address.slice(SQLITE.length))}` : address;
}
