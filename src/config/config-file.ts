/** Where the configuration file is; the quick start's when there is none yet (SPEC 1, first start). */
import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { err, ok, type Result } from '../domain/result.ts';
import { createOnce, LARGEST_TEXT_BYTES, readBounded } from '../files/files.ts';

const QUICKSTART = join(import.meta.dirname, '../../conf/quickstart.yaml');

/** A configuration has one of these names. */
export const CONFIG_NAMES = ['config.yaml', 'config.yml'] as const;

/** What to do with no configuration: write the first one there, only read it, or report a problem, for there was one. */
export type WhenMissing = 'write' | 'read' | 'refuse';

/** `first` is the file to begin with, the quick start's unless told otherwise. Errs with the sentence for the operator. */
export async function openConfigFile(
  directory: string,
  whenMissing: WhenMissing,
  first: string = QUICKSTART,
): Promise<Result<Awaited<ReturnType<typeof writeFirst>>, string>> {
  const present = await existing(directory);
  if (present.length > 1) return err(`${CONFIG_NAMES.join(' and ')} are both in ${directory}: remove one of the two`);
  try {
    const [file] = present;
    if (file) return ok({ file, text: await readBounded(file), created: false });
    if (whenMissing === 'refuse') return err(`${CONFIG_NAMES[0]} is gone from ${directory}: put it back`);
    if (whenMissing === 'read') return ok({ file: first, text: await readBounded(first), created: false });
    return ok(await writeFirst(directory, first));
  } catch (fault) {
    return err(whyNot(directory, fault));
  }
}

async function existing(directory: string): Promise<readonly string[]> {
  const files: string[] = [];
  for (const name of CONFIG_NAMES) {
    const file = join(directory, name);
    if (await isThere(file)) files.push(file);
  }
  return files;
}

/** Also true for a file that may not be read: it is there, and a new one must not take its place. */
export const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    (fault: NodeJS.ErrnoException) => fault.code !== 'ENOENT' && fault.code !== 'ENOTDIR',
  );

/** `created`: written just now, by this process. */
async function writeFirst(directory: string, first: string) {
  const file = join(directory, CONFIG_NAMES[0]);
  const text = await readBounded(first);
  await mkdir(directory, { recursive: true });
  const created = await createOnce(file, text);
  return { file, text: created ? text : await readBounded(file), created };
}

const WHY: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EEXIST: 'a part of the path is a file',
  EISDIR: 'config.yaml is a directory',
  ENOTDIR: 'a part of the path is a file',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
};

function whyNot(directory: string, fault: unknown): string {
  const code = fault instanceof Error && 'code' in fault ? String(fault.code) : '';
  if (code === 'EFBIG')
    return `config.yaml in ${directory} is larger than ${LARGEST_TEXT_BYTES} bytes: write patterns of cameras such as patio_*, or make roles in the console`;
  const step = 'make it readable and writable, or choose another with --config-dir';
  return `the configuration directory ${directory} cannot be used (${WHY[code] ?? code}): ${step}`;
}
