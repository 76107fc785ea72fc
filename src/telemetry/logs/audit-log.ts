/** The file of the audit log: lines in order, in the file that has its name now (logrotate moves it); a fault of it delays or fails no request (SPEC 9). */
import { mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface AuditFile {
  write(line: string): void;
  /** Resolves when everything is written. */
  close(): Promise<void>;
}

export interface AuditFileDeps {
  readonly file: string;
  /** Lines could not be written to the file; the console log has them. */
  readonly onFault: (fault: unknown, lines: number) => void;
}

/** The most lines in memory while the disk is slow: a flood of refused logins must not fill the memory. */
const MOST_WAITING = 10_000;

/** Rejects when the file cannot be opened, or its directory made. */
export async function openAuditFile({ file, onFault }: AuditFileDeps): Promise<AuditFile> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  let handle = await open(file, 'a', 0o600);
  let waiting: string[] = [];
  let writing: Promise<void> | undefined;

  const hasMoved = async (): Promise<boolean> => {
    const there = await stat(file).catch(() => undefined);
    const { ino, dev } = await handle.stat();
    return there?.ino !== ino || there.dev !== dev;
  };
  const reopen = async (): Promise<void> => {
    const moved = handle;
    handle = await open(file, 'a', 0o600);
    await moved.close();
  };
  const writeOut = async (lines: readonly string[]): Promise<void> => {
    if (await hasMoved()) await reopen();
    await handle.appendFile(lines.join(''));
  };
  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      const lines = waiting;
      waiting = [];
      await writeOut(lines).catch((fault: unknown) => onFault(fault, lines.length));
    }
    writing = undefined;
  };

  return {
    write(line) {
      if (waiting.length >= MOST_WAITING)
        return onFault(new Error(`${MOST_WAITING} audit lines wait for the disk, which is too slow: check it`), 1);
      waiting.push(line);
      writing ??= drain();
    },
    async close() {
      await writing;
      await handle.close().catch((fault: unknown) => onFault(fault, 0));
    },
  };
}
