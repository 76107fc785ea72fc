/**
 * The one file watcher: configuration, secrets, certificates and the list of trusted headers. It sees a file that is written
 * in place, replaced by renaming, mounted alone into a container, or reached over a symbolic link that is swapped (SPEC 1, reload).
 */
import { createHash } from 'node:crypto';
import { type FSWatcher, watch } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { LARGEST_TEXT_BYTES, readBounded } from './files.ts';

export interface WatchTiming {
  /** Editors write in pieces, and a volume swaps several links at once: files are read after this time without events. */
  readonly quietMs: number;
  /**
   * The time between two polls of the files' metadata, for changes without an event: a network file system, a link in the
   * middle of the path.
   */
  readonly pollMs: number;
}

const TIMING: WatchTiming = { quietMs: 200, pollMs: 2_000 };

/** `onChange` is called when the content of a file has changed; a touch, or the same text written again, is no change. */
export function watchFiles(onChange: () => void, { quietMs, pollMs }: WatchTiming = TIMING) {
  /** Digests at the last look, not at the reload that followed it: a file may change in between. */
  let known: ReadonlyMap<string, string> = new Map();
  let metadata: readonly string[] = [];
  let watchers: readonly FSWatcher[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const look = async (): Promise<void> => {
    const before = known;
    known = await arm([...before.keys()]);
    if (!isClosed && [...known].some(([file, digest]) => digest !== before.get(file))) onChange();
  };
  const soon = (): void => {
    clearTimeout(timer);
    timer = isClosed ? undefined : setTimeout(() => void look(), quietMs).unref();
  };
  /** Watches again after each look: a link may lead to another directory. It watches before it reads, so no change is missed. */
  const arm = async (files: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    const places = new Set((await Promise.all(files.map(placesOf))).flat());
    const names = new Set([...places].map((place) => basename(place)));
    // Beside the configuration lies the database, which is written all the time.
    const onEvent = (_: string, name: string | null): void => {
      if (name === null || names.has(name) || name.startsWith('..')) soon();
    };
    disarm();
    if (isClosed) return new Map();
    const directories = [...places].map((place) => dirname(place));
    watchers = [...new Set([...directories, ...places])].flatMap((path) => watcherOf(path, onEvent));
    metadata = await Promise.all(files.map(metadataOf));
    return new Map(await Promise.all(files.map(async (file) => [file, await digestOf(file)] as const)));
  };
  const disarm = (): void => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
    watchers = [];
  };
  const poll = async (): Promise<void> => {
    const before = metadata;
    const found = await Promise.all([...known.keys()].map(metadataOf));
    if (metadata === before && found.join('\n') !== before.join('\n')) soon();
  };
  const polling = setInterval(() => void poll(), pollMs).unref();
  return {
    close(): void {
      isClosed = true;
      clearInterval(polling);
      disarm();
    },
    /** Takes the current content as known: a reload is about to read it anyway. */
    async note(): Promise<void> {
      known = await arm([...known.keys()]);
    },
    /** Watches these files in place of those before; resolves when they are watched. They need not exist. */
    async watch(files: readonly string[]): Promise<void> {
      const found = await arm(files);
      known = new Map([...found].map(([file, digest]) => [file, known.get(file) ?? digest]));
      if ([...known].some(([file, digest]) => digest !== found.get(file))) soon();
    },
  };
}

/** What is made of the content of files: something, or a sentence with the file. */
type Reading<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: string };

/**
 * Reads again when one of the files changes, and once when they are watched: they may have changed since the caller read them.
 * `onGood` is given what was read, which may be what was there before; `onBad` each sentence once, when it still holds after
 * `settlingMs`. Gives the function that ends it.
 */
export function watchRead<Value>(
  files: readonly string[],
  read: () => Promise<Reading<Value>>,
  { onGood, onBad }: { readonly onGood: (value: Value) => void; readonly onBad: (problem: string) => void },
  { settlingMs = 0, watch }: { readonly settlingMs?: number; readonly watch?: WatchTiming | undefined } = {},
): () => void {
  let timer: NodeJS.Timeout | undefined;
  let lastProblem: string | undefined;
  let isStopped = false;
  const readAgain = async (hasSettled: boolean): Promise<void> => {
    clearTimeout(timer);
    const found = await read();
    if (isStopped) return;
    const problem = found.ok ? undefined : found.error;
    if (problem !== undefined && !hasSettled) {
      timer = setTimeout(() => void readAgain(true), settlingMs).unref();
      return;
    }
    const isNew = problem !== lastProblem;
    lastProblem = problem;
    if (found.ok) onGood(found.value);
    else if (isNew) onBad(found.error);
  };
  const onChange = (): void => void readAgain(settlingMs === 0);
  const watching = watchFiles(onChange, watch);
  void watching.watch(files).then(onChange);
  return () => {
    isStopped = true;
    clearTimeout(timer);
    watching.close();
  };
}

/** The name that was given, and where it leads. */
const placesOf = async (file: string): Promise<string[]> => [file, await realpath(file).catch(() => file)];

/**
 * The watcher of a directory, for editors and Kubernetes put a new file in the place of the old one (Kubernetes by a link that
 * is called `..data`); and of the file itself, for one that is mounted alone changes without its directory knowing.
 */
function watcherOf(path: string, onEvent: (event: string, name: string | null) => void): readonly FSWatcher[] {
  try {
    return [watch(path, { persistent: false }, onEvent).on('error', () => {})];
  } catch {
    return []; // it is not there
  }
}

async function metadataOf(file: string): Promise<string> {
  const found = await stat(file).catch(() => undefined);
  return found === undefined ? 'none' : [found.dev, found.ino, found.size, found.mtimeMs, found.ctimeMs].join();
}

/** Larger ones are refused where they are read. Certificates of many authorities are in one file. */
const LARGEST_WATCHED_BYTES = 4 * LARGEST_TEXT_BYTES;

/** Secrets may be among them: what is kept tells nothing. */
const digestOf = async (file: string): Promise<string> =>
  createHash('sha256')
    .update(
      await readBounded(file, LARGEST_WATCHED_BYTES).catch((fault: NodeJS.ErrnoException) => `none ${fault.code}`),
    )
    .digest('hex');
