/** `postern backup FILE` and `postern restore FILE` (SPEC 15). */
import type { Command } from 'commander';
import type { BackupDone } from '../../app/commands/backup.ts';
import { messageOf } from '../../domain/message-of.ts';

export interface BackupCommandDeps {
  /** Both reject with a sentence. */
  readonly backUp: (file: string) => Promise<BackupDone>;
  readonly restore: (file: string, replace: boolean) => Promise<readonly string[]>;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  readonly exit: (code: number) => void;
}

export function registerBackupCommands(program: Command, deps: BackupCommandDeps): void {
  program
    .command('backup <file>')
    .description(
      'write accounts, roles, tokens, events, the signing secret, certificates and the configuration into one file; the server may run',
    )
    .action((file: string) =>
      said(deps, async () => {
        const { files, size } = await deps.backUp(file);
        return `${file}: ${files.length} files, ${Math.ceil(size / 1000)} kB. It holds secrets: keep it as safe as the passwords.`;
      }),
    );
  program
    .command('restore <file>')
    .description(
      'put a backup into the configuration directory, or the copy that an update kept in the place of the store; the server must not run',
    )
    .option('--replace', 'set aside what is there')
    .action((file: string, { replace = false }: { replace?: boolean }) =>
      said(deps, async () => {
        const names = await deps.restore(file, replace);
        return `Restored ${names.join(', ')}. Start the server now.`;
      }),
    );
}

async function said({ stdout, stderr, exit }: BackupCommandDeps, work: () => Promise<string>): Promise<void> {
  try {
    stdout.write(`${await work()}\n`);
    exit(0);
  } catch (fault) {
    stderr.write(`${messageOf(fault)}\n`);
    exit(1);
  }
}
