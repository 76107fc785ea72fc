/** `postern events import` and `events generate`: events into the store, with the server running or not (SPEC 1). */
import { type Command, InvalidArgumentError } from 'commander';
import { createProgress, ending } from '../../domain/command-frame.ts';
import type { EventRecord } from '../../domain/events/event.ts';
import type { EventsFrame } from '../import-files.ts';

interface GenerateOptions {
  readonly count: number;
  readonly seed: number;
  readonly cameras?: readonly string[];
  readonly until?: number;
}

export function registerEventsCommands(program: Command, deps: EventsFrame): void {
  const events = program.command('events').description('import detection events into the store');
  events
    .command('import')
    .description('import events from NDJSON, a JSON array as /api/events answers it, or the SQLite file of an NVR')
    .argument('<file...>', 'files to read, in this order; - is standard input')
    .action((files: string[]) =>
      ending(deps, async () => {
        const { importFiles } = await import('../import-files.ts');
        return await importFiles(files, deps);
      }),
    );
  events
    .command('generate')
    .description('store sample events, the same for the same seed and end')
    .requiredOption('--count <number>', 'how many', wholeNumber)
    .requiredOption('--seed <number>', 'where chance begins', wholeNumber)
    .option('--cameras <names>', 'camera names between commas', cameraNames)
    .option('--until <time>', 'when the newest event begins, such as 2030-01-31T12:00:00Z (default: now)', unixTime)
    .action((options: GenerateOptions) => ending(deps, () => generate(options, deps)));
}

const EVENTS_PER_BATCH = 500;

async function generate({ count, seed, cameras, until }: GenerateOptions, deps: EventsFrame): Promise<number> {
  const { generateSampleEvents } = await import('../../events/sample-events.ts');
  const { store, close } = await deps.openStore();
  const progress = createProgress(deps.stderr, { title: 'sample events', total: count });
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
    deps.stdout.write(`${stored} sample events stored\n`);
    return 0;
  } finally {
    await close();
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
