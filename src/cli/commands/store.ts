/** `postern store copy`: everything that a store holds, into a store of another engine or in another place (SPEC 10). */
import type { Command } from 'commander';
import { messageOf } from '../../domain/message-of.ts';
import { createProgress, type Screen } from '../progress.ts';

export interface StoreCommandsDeps {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: Screen;
  readonly exit: (code: number) => void;
}

interface CopyOptions {
  readonly continue?: true;
  readonly replace?: true;
}

export function registerStoreCommands(program: Command, deps: StoreCommandsDeps): void {
  const store = program.command('store').description('work on a whole store');
  store
    .command('copy <from> <to>')
    .description(
      'copy accounts, roles, tokens, revocations, sessions and events from one store to another, and compare both; each is sqlite:<file>, postgres://…, or @<file> that holds the address',
    )
    .option('--continue', 'go on with a copy that was interrupted')
    .option('--replace', 'delete what is in the target first')
    .action((from: string, to: string, options: CopyOptions) => copy(from, to, options, deps));
}

async function copy(from: string, to: string, options: CopyOptions, deps: StoreCommandsDeps): Promise<void> {
  const { stdout, stderr, exit } = deps;
  if (options.continue && options.replace) {
    stderr.write('--continue and --replace exclude each other: give one of them\n');
    return exit(1);
  }
  const { copyBetween } = await import('../../app/commands/copy-store.ts');
  let table = '';
  let progress = createProgress(stderr, { title: '', total: undefined });
  try {
    const copied = await copyBetween(from, to, modeOf(options), (now) => {
      if (now.table !== table) {
        progress.end();
        progress = createProgress(stderr, { title: now.table, total: now.total, unit: 'rows' });
        table = now.table;
      }
      progress.report(now.done, now.done);
    });
    progress.end();
    if (!copied.ok) stderr.write(`${copied.error}\n`);
    else
      for (const { table: name, rows } of copied.value) stdout.write(`${name}: ${rows} rows, the same at both ends\n`);
    exit(copied.ok ? 0 : 1);
  } catch (fault) {
    progress.end();
    stderr.write(`${messageOf(fault)}\n`);
    exit(1);
  }
}

const modeOf = (options: CopyOptions): 'continue' | 'replace' | 'refuse' => {
  if (options.continue) return 'continue';
  return options.replace ? 'replace' : 'refuse';
};
