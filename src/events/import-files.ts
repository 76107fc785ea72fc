/** `postern events import`: files into the store one by one, each with its progress and what came of it (SPEC 1). */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Settings } from '../config/schema/schema.ts';
import { createProgress, type Output, type OutputStream } from '../domain/command-frame.ts';
import { isSqlite } from '../files/files.ts';
import type { Store } from '../store/open-store.ts';
import { copyEvents, type ImportCounts, type ImportOutcome, importEvents, type Skipped } from './import-events.ts';

type WriteEvents = Store['writeEvents'];

/** A terminal, and the store that the files go into. */
interface ImportPlace extends Pick<Output, 'stdout' | 'stderr'> {
  readonly stdin: Readable;
  readonly openStore: () => Promise<{
    readonly store: Pick<Store, 'writeEvents'>;
    readonly settings: Settings;
    close(): Promise<void>;
  }>;
}

/** The exit code: 0 when every file held events. */
export async function importFiles(files: readonly string[], deps: ImportPlace): Promise<number> {
  const sources = await Promise.all(files.map((file) => openSource(file, deps.stdin)));
  const missing = sources.filter((source) => 'problem' in source);
  for (const { problem } of missing) deps.stderr.write(`${problem}\n`);
  if (missing.length > 0) return 1;
  const { store, settings, close } = await deps.openStore();
  const cameras = new Set<string>();
  const writeEvents: WriteEvents = async (events) => {
    await store.writeEvents(events);
    for (const { camera } of events) cameras.add(camera);
  };
  try {
    let code = 0;
    for (const source of sources) if ('open' in source && !(await importOne(source, writeEvents, deps))) code = 1;
    deps.stderr.write(unlistedWarning(cameras, settings.nvr.cameras));
    return code;
  } finally {
    await close();
  }
}

/** Roles see listed cameras only: events of others would be there and be found by admins and viewers alone. */
function unlistedWarning(cameras: ReadonlySet<string>, known: readonly string[] | undefined): string {
  const unlisted = known ? [...cameras].filter((camera) => !known.includes(camera)).sort() : [];
  return unlisted.length === 0
    ? ''
    : `warning: nvr.cameras does not list ${unlisted.join(', ')}: custom roles cannot see these events. Add the cameras to nvr.cameras, or remove that key.\n`;
}

interface Source {
  readonly name: string;
  /** Unknown for a pipe. */
  readonly bytes: number | undefined;
  /** Whether it is an NVR's own file, and no text. */
  readonly isDatabase: boolean;
  readonly open: () => Readable;
}

/** Looks for all files before it reads the first: a misspelt name must not leave half an import. */
async function openSource(file: string, stdin: Readable): Promise<Source | { readonly problem: string }> {
  if (file === '-') return { name: 'standard input', bytes: undefined, isDatabase: false, open: () => stdin };
  try {
    const found = await stat(file);
    if (found.isDirectory()) return { problem: `${file} is a directory: name the files in it` };
    // What is read of a pipe is gone.
    const [bytes, isDatabase] = found.isFile() ? [found.size, await isSqlite(file)] : [undefined, false];
    return { name: file, bytes, isDatabase, open: () => createReadStream(file) };
  } catch (fault) {
    return {
      problem: `${file} cannot be read: ${isAbsent(fault) ? 'there is no such file' : (fault as Error).message}`,
    };
  }
}

const isAbsent = (fault: unknown): boolean => fault instanceof Error && 'code' in fault && fault.code === 'ENOENT';

/** Whether the file held events, and not a single one of none. */
async function importOne(source: Source, writeEvents: WriteEvents, { stdout, stderr }: ImportPlace): Promise<boolean> {
  const outcome = await (source.isDatabase ? copyDatabase : readText)(source, writeEvents, stderr);
  stdout.write(summarize(source.name, outcome));
  return outcome.kind === 'imported' && (outcome.stored > 0 || outcome.read === 0);
}

async function readText(
  { name, bytes: total, open }: Source,
  writeEvents: WriteEvents,
  output: OutputStream,
): Promise<ImportOutcome> {
  const progress = createProgress(output, { title: name, total });
  let bytes = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of open()) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  const onProgress = ({ stored }: ImportCounts): void => progress.report(bytes, stored);
  return importEvents(counted(), { writeEvents, onProgress }).finally(progress.end);
}

async function copyDatabase({ name }: Source, writeEvents: WriteEvents, output: OutputStream): Promise<ImportOutcome> {
  const { openNvrDatabase } = await import('../store/nvr-database.ts');
  const { events, close } = await openNvrDatabase(name);
  try {
    const total = [...(await events.countByLabel(null)).values()].reduce((sum, count) => sum + count, 0);
    const progress = createProgress(output, { title: name, total });
    const onProgress = ({ read, stored }: ImportCounts): void => progress.report(read, stored);
    return await copyEvents(events, { writeEvents, onProgress }).finally(progress.end);
  } finally {
    await close();
  }
}

function summarize(name: string, outcome: ImportOutcome): string {
  if (outcome.kind === 'not-events') return `${name}: nothing was imported: ${outcome.reason}\n`;
  const { read, stored, skipped, skips } = outcome;
  return `${[`${name}: ${read} read, ${stored} stored, ${skipped} skipped`, ...skips.map(skippedLine)].join('\n')}\n`;
}

function skippedLine({ reason, count, places }: Skipped): string {
  const more = count > places.length ? ` and ${count - places.length} more` : '';
  return `  ${places.join(', ')}${more}: ${reason}`;
}
