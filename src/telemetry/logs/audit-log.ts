/** The file of the audit log: lines in order, rotated by size; a fault of it delays or fails no request (SPEC 9). */
import { mkdir, open, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface AuditFile {
  write(line: string): void;
  /** Resolves when everything is written. */
  close(): Promise<void>;
}

export interface AuditFileDeps {
  readonly file: string;
  /** Bytes; past them `audit.log` becomes `audit.log.1`, and so on. */
  readonly maxSize: number;
  /** Lines could not be written to the file; the console log has them. */
  readonly onFault: (fault: unknown, lines: number) => void;
}

/** Older files are deleted. */
const KEPT_FILES = 5;
/** The most lines in memory while the disk is slow: a flood of refused logins must not fill the memory. */
const MOST_WAITING = 10_000;

/** Rejects when the file cannot be opened, or its directory made. */
export async function openAuditFile({ file, maxSize, onFault }: AuditFileDeps): Promise<AuditFile> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  let handle = await open(file, 'a', 0o600);
  let { size } = await handle.stat();
  let waiting: string[] = [];
  let writing: Promise<void> | undefined;

  const rotate = async (): Promise<void> => {
    await handle.close();
    try {
      for (let age = KEPT_FILES - 1; age >= 0; age -= 1) {
        await renameIfThere(age === 0 ? file : `${file}.${age}`, `${file}.${age + 1}`);
      }
    } finally {
      handle = await open(file, 'a', 0o600);
      ({ size } = await handle.stat());
    }
  };
  const writeOut = async (lines: readonly string[]): Promise<void> => {
    const text = Buffer.from(lines.join(''));
    if (size > 0 && size + text.length > maxSize) await rotate();
    await handle.appendFile(text);
    size += text.length;
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

async function renameIfThere(from: string, to: string): Promise<void> {
  const isThere = await stat(from).then(
    () => true,
    () => false,
  );
  if (isThere) await rename(from, to);
}
