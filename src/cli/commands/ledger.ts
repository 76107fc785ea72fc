/** `postern ledger verify` and `postern ledger export`: whether the ledger was changed, and all of it as text (SPEC 14). */
import type { Command } from 'commander';
import type { LedgerCommand } from '../../app/commands/ledger.ts';
import { isBrokenPipe, type Screen } from '../../domain/command-frame.ts';
import type { ChainHead } from '../../domain/ledger.ts';
import { headText, readHead } from '../../domain/ledger-chain.ts';
import { messageOf } from '../../domain/message-of.ts';
import { createProgress } from '../../domain/progress.ts';

export interface LedgerCommandsDeps {
  readonly openLedger: () => Promise<LedgerCommand>;
  readonly stdout: { write(text: string, done: (fault?: Error | null) => void): unknown };
  readonly stderr: Screen;
  readonly exit: (code: number) => void;
}

const FORMATS = ['ndjson', 'csv'] as const;

export function registerLedgerCommands(program: Command, deps: LedgerCommandsDeps): void {
  const ledger = program.command('ledger').description('verify and export the record of who watched what');
  ledger
    .command('verify')
    .description('check the hash of every record; exit 1 and name the first record that does not fit')
    .option('--head <chain:number:hash...>', 'heads that the log or the webhook told: shows that the end was cut off')
    .action(({ head = [] }: { head?: readonly string[] }) => run(deps, (command) => verify(head, command, deps)));
  ledger
    .command('export')
    .description('write all records to standard output, in the order of their chain')
    .option('--format <format>', FORMATS.join(' or '), 'ndjson')
    .action(({ format }: { format: string }) => run(deps, (command) => exportAll(format, command, deps)));
}

async function verify(given: readonly string[], command: LedgerCommand, { stdout, stderr }: LedgerCommandsDeps) {
  const noted: ChainHead[] = [];
  for (const text of given) {
    const head = readHead(text);
    if (!head)
      throw new Error(
        `--head ${text}: write the chain, the number and the hash as the log tells them, such as store1:42:0a1b…`,
      );
    noted.push(head);
  }
  const { progress, report } = bar('verifying', stderr);
  const { chains, misfits } = await command.verify(noted, report).finally(() => progress()?.end());
  for (const { records, forgotten, ...head } of chains) {
    const before = forgotten > 0 ? `, ${forgotten} before them were deleted by ledger.retention` : '';
    stdout.write(`chain ${head.chain}: ${records} records${before}; its head is ${headText(head)}\n`, () => {});
  }
  for (const { id, why } of misfits) stderr.write(`record ${id} ${why}\n`);
  if (misfits.length === 0) stdout.write('Every record fits.\n', () => {});
  return misfits.length === 0;
}

async function exportAll(format: string, command: LedgerCommand, { stdout, stderr }: LedgerCommandsDeps) {
  const known = FORMATS.find((one) => one === format);
  if (!known) throw new Error(`--format ${format}: there are ${FORMATS.join(' and ')}`);
  const { progress, report } = bar('exporting', stderr);
  const write = (text: string) =>
    new Promise<void>((resolve, reject) => {
      stdout.write(text, (fault) => (fault ? reject(fault) : resolve()));
    });
  const count = await command.export(known, write, report).finally(() => progress()?.end());
  stderr.write(`${count} records\n`);
  return true;
}

/** The total is known with the first record. */
function bar(title: string, screen: Screen) {
  let made: ReturnType<typeof createProgress> | undefined;
  return {
    progress: () => made,
    report(done: number, total: number) {
      made ??= createProgress(screen, { title, total, unit: 'records' });
      made.report(done, done);
    },
  };
}

async function run(
  { openLedger, stderr, exit }: LedgerCommandsDeps,
  work: (command: LedgerCommand) => Promise<boolean>,
): Promise<void> {
  let command: LedgerCommand | undefined;
  try {
    command = await openLedger();
    exit((await work(command)) ? 0 : 1);
  } catch (fault) {
    if (isBrokenPipe(fault)) return exit(0);
    stderr.write(`${messageOf(fault)}\n`);
    exit(1);
  } finally {
    await command?.close();
  }
}
