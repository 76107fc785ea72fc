/** `postern ledger verify` and `postern ledger export`: whether the ledger was changed, and all of it as text (SPEC 14). */
import type { CommandGroup, Frame } from '../../accounts/http/route-commands.ts';
import { createProgress, type OutputStream } from '../../domain/command-frame.ts';
import { headText, readHead } from './chain.ts';
import type { ChainHead } from './records.ts';
import type { LedgerCommand } from './whole-ledger.ts';

const FORMATS = ['ndjson', 'csv'] as const;

// biome-ignore format: a table
export const LEDGER: CommandGroup = {
  name: 'ledger',
  about: 'verify and export the record of who watched what',
  commands: [
    { words: 'verify', about: 'check the hash of every record; exit 1 and name the first record that does not fit',
      options: [['--head <chain:number:hash...>', 'heads that the log or the webhook told: shows that the end was cut off']],
      run: ({ head = [] }: { readonly head?: readonly string[] }, frame) => onLedger(frame, (command) => verify(head, command, frame)) },
    { words: 'export', about: 'write all records to standard output, in the order of their chain',
      options: [['--format <format>', FORMATS.join(' or '), 'ndjson']],
      run: ({ format }: { readonly format: string }, frame) => onLedger(frame, (command) => exportAll(format, command, frame)) },
  ],
};

async function verify(given: readonly string[], command: LedgerCommand, { stdout, stderr }: Frame) {
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

async function exportAll(format: string, command: LedgerCommand, { stdout, stderr }: Frame) {
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
function bar(title: string, output: OutputStream) {
  let made: ReturnType<typeof createProgress> | undefined;
  return {
    progress: () => made,
    report(done: number, total: number) {
      made ??= createProgress(output, { title, total, unit: 'records' });
      made.report(done, done);
    },
  };
}

async function onLedger({ place }: Frame, work: (command: LedgerCommand) => Promise<boolean>): Promise<number> {
  const { openForLedger } = await import('./whole-ledger.ts');
  const command = await openForLedger(place());
  return (await work(command).finally(() => command.close())) ? 0 : 1;
}
