/** `postern events import` and `events generate`: events into the store, with the server running or not (SPEC 1). */
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { type Command, InvalidArgumentError } from 'commander';
import type { EventRecord } from '../domain/event.ts';
import type { EventSource } from '../domain/event-question.ts';
import { copyEvents, type ImportCounts, type ImportOutcome, importEvents } from '../events/import-events.ts';
import { generateSampleEvents } from '../events/sample-events.ts';
import { createProgress, type Screen } from './progress.ts';

export interface NvrEvents {
  readonly events: EventSource;
  close(): Promise<void>;
}

/** What the commands need of the store. */
export interface EventsStore {
  writeEvents(events: readonly EventRecord[]): Promise<void>;
  /** An NVR's own SQLite file. */
  openNvrDatabase(path: string): Promise<NvrEvents>;
  close(): Promise<void>;
}

export interface EventsCommandParts {
  readonly openStore: () => Promise<EventsStore>;
  readonly stdin: Readable;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: Screen;
  readonly exit: (code: number) => void;
}

interface GenerateOptions {
  readonly count: number;
  readonly seed: number;
  readonly cameras?: readonly string[];
  readonly until?: number;
}

export function registerEventsCommands(program: Command, parts: EventsCommandParts): void {
  const events = program.command('events').description('bring detection events into the store');
  events
    .command('import')
    .description('import events from NDJSON, a JSON array as /api/events answers it, or the SQLite file of an NVR')
    .argument('<file...>', 'files to read, in this order; - is standard input')
    .action((files: string[]) => guarded(parts, () => importFiles(files, parts)));
  events
    .command('generate')
    .description('store sample events, the same for the same seed and end')
    .requiredOption('--count <number>', 'how many', wholeNumber)
    .requiredOption('--seed <number>', 'where chance begins', wholeNumber)
    .option('--cameras <names>', 'camera names between commas', cameraNames)
    .option('--until <time>', 'when the newest begin, such as 2030-01-31T12:00:00Z (default: now)', unixTime)
    .action((options: GenerateOptions) => guarded(parts, () => generate(options, parts)));
}

/** A fault becomes a sentence: nobody at a terminal wants a stack trace. */
async function guarded({ stderr, exit }: EventsCommandParts, command: () => Promise<number>): Promise<void> {
  try {
    exit(await command());
  } catch (fault) {
    stderr.write(`${fault instanceof Error ? fault.message : fault}\n`);
    exit(1);
  }
}

async function importFiles(files: readonly string[], parts: EventsCommandParts): Promise<number> {
  const sources = await Promise.all(files.map((file) => sourceOf(file, parts.stdin)));
  const missing = sources.filter((source) => 'problem' in source);
  for (const { problem } of missing) parts.stderr.write(`${problem}\n`);
  if (missing.length > 0) return 1;
  const store = await parts.openStore();
  try {
    let code = 0;
    for (const source of sources) if ('open' in source && !(await importOne(source, store, parts))) code = 1;
    return code;
  } finally {
    await store.close();
  }
}

interface Source {
  readonly name: string;
  /** Unknown for a pipe. */
  readonly bytes: number | undefined;
  /** The file, when it is a database and no text. */
  readonly database?: string;
  readonly open: () => Readable;
}

/** All files are looked at before the first is read: half an import because of a misspelt name helps nobody. */
async function sourceOf(file: string, stdin: Readable): Promise<Source | { readonly problem: string }> {
  if (file === '-') return { name: 'standard input', bytes: undefined, open: () => stdin };
  try {
    const found = await stat(file);
    if (found.isDirectory()) return { problem: `${file} is a directory: name the files in it` };
    const text: Source = { name: file, bytes: found.size, open: () => createReadStream(file) };
    return (await isSqlite(file)) ? { ...text, database: file } : text;
  } catch (fault) {
    return {
      problem: `${file} cannot be read: ${isAbsent(fault) ? 'there is no such file' : (fault as Error).message}`,
    };
  }
}

const SQLITE_SIGNATURE = 'SQLite format 3\0';

async function isSqlite(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(
      Buffer.alloc(SQLITE_SIGNATURE.length),
      0,
      SQLITE_SIGNATURE.length,
      0,
    );
    return buffer.toString('latin1', 0, bytesRead) === SQLITE_SIGNATURE;
  } finally {
    await handle.close();
  }
}

const isAbsent = (fault: unknown): boolean => fault instanceof Error && 'code' in fault && fault.code === 'ENOENT';

/** Whether the file held events, and not a single one of none. */
async function importOne(source: Source, store: EventsStore, parts: EventsCommandParts): Promise<boolean> {
  const total = source.database ? undefined : source.bytes;
  const progress = createProgress(parts.stderr, { title: source.name, total });
  let bytes = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of source.open()) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  const desk = {
    writeEvents: store.writeEvents,
    onProgress: ({ stored }: ImportCounts) => progress.report(bytes, stored),
  };
  const importing = source.database ? copyDatabase(source.database, desk, store) : importEvents(counted(), desk);
  const outcome = await importing.finally(progress.end);
  parts.stdout.write(summaryOf(source.name, outcome));
  return outcome.kind === 'imported' && (outcome.stored > 0 || outcome.read === 0);
}

async function copyDatabase(
  path: string,
  desk: Parameters<typeof copyEvents>[1],
  { openNvrDatabase }: EventsStore,
): Promise<ImportOutcome> {
  const nvr = await openNvrDatabase(path);
  return copyEvents(nvr.events, desk).finally(nvr.close);
}

function summaryOf(name: string, outcome: ImportOutcome): string {
  if (outcome.kind === 'not-events') return `${name}: nothing was imported: ${outcome.reason}\n`;
  const { read, stored, skipped, reasons } = outcome;
  const lines = reasons.map(({ at, reason }) => `  ${at}: ${reason}`);
  if (skipped > reasons.length) lines.push(`  ... and ${skipped - reasons.length} more`);
  return `${[`${name}: ${read} read, ${stored} stored, ${skipped} skipped`, ...lines].join('\n')}\n`;
}

const EVENTS_PER_BATCH = 500;

async function generate({ count, seed, cameras, until }: GenerateOptions, parts: EventsCommandParts): Promise<number> {
  const store = await parts.openStore();
  const progress = createProgress(parts.stderr, { title: 'sample events', total: count });
  try {
    let batch: EventRecord[] = [];
    let stored = 0;
    const write = async (): Promise<void> => {
      await store.writeEvents(batch);
      stored += batch.length;
      batch = [];
      progress.report(stored, stored);
    };
    for (const event of generateSampleEvents({ count, seed, cameras, until: until ?? Date.now() / 1000 })) {
      batch.push(event);
      if (batch.length === EVENTS_PER_BATCH) await write();
    }
    await write();
    progress.end();
    parts.stdout.write(`${stored} sample events stored\n`);
    return 0;
  } finally {
    await store.close();
  }
}

function wholeNumber(text: string): number {
  if (!/^\d{1,12}$/.test(text)) throw new InvalidArgumentError('Give a whole number.');
  return Number(text);
}

function cameraNames(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('')) throw new InvalidArgumentError('Give camera names between commas.');
  return names;
}

function unixTime(text: string): number {
  const time = Date.parse(text) / 1000;
  if (Number.isNaN(time)) throw new InvalidArgumentError('Give a time such as 2030-01-31T12:00:00Z.');
  return time;
}
