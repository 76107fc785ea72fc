/** Watches files for changed content: written in place, replaced by renaming, or swapped by a symbolic link (SPEC 1, reload). */
import { createHash } from 'node:crypto';
import { type FSWatcher, watch } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

export interface FileWatch {
  /** From here on these, in the place of those before; resolves when they are watched. */
  watch(files: readonly string[]): Promise<void>;
  /** Takes the current content as known: a reload is about to read it anyway. */
  note(): Promise<void>;
  close(): void;
}

/** Editors write in pieces, and a volume swaps several links at once: it is looked when there was quiet for so long. */
const QUIET_MS = 200;

export function watchFiles(onChange: () => void, quiet: number = QUIET_MS): FileWatch {
  /** Digests at the last look, not at the reload that followed it: a file may change in between. */
  let known: ReadonlyMap<string, string> = new Map();
  let watchers: readonly FSWatcher[] = [];
  let timer: NodeJS.Timeout | undefined;

  const look = async (): Promise<void> => {
    const before = known;
    known = await arm([...before.keys()]);
    if ([...known].some(([file, digest]) => digest !== before.get(file))) onChange();
  };
  const soon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void look(), quiet).unref();
  };
  /** Watches again after each look: a link may lead to another directory. It watches before it reads, so no change is missed. */
  const arm = async (files: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    const places = new Set((await Promise.all(files.map(placesOf))).flat());
    const names = new Set([...places].map((place) => basename(place)));
    // Beside the configuration lies the database, which is written all the time.
    const onEvent = (_: string, name: string | null): void => {
      if (name === null || names.has(name) || name.startsWith('..')) soon();
    };
    close();
    const directories = [...places].map((place) => dirname(place));
    watchers = [...new Set([...directories, ...places])].flatMap((path) => watcherOf(path, onEvent));
    return new Map(await Promise.all(files.map(async (file) => [file, await digestOf(file)] as const)));
  };
  const close = (): void => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
  return {
    close,
    async note() {
      known = await arm([...known.keys()]);
    },
    async watch(files) {
      const found = await arm(files);
      known = new Map([...found].map(([file, digest]) => [file, known.get(file) ?? digest]));
      if ([...known].some(([file, digest]) => digest !== found.get(file))) soon();
    },
  };
}

/** The name that was given, and where it leads. */
const placesOf = async (file: string): Promise<string[]> => [file, await realpath(file).catch(() => file)];

/**
 * Of a directory, for editors and Kubernetes put a new file in the place of the old one (Kubernetes by a link that is
 * called `..data`); and of the file itself, for one that is mounted alone changes without its directory knowing.
 */
function watcherOf(path: string, onEvent: (event: string, name: string | null) => void): readonly FSWatcher[] {
  try {
    return [watch(path, { persistent: false }, onEvent).on('error', () => {})];
  } catch {
    return []; // it is not there
  }
}

/** Secrets may be among them: what is kept tells nothing. */
const digestOf = async (file: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(file).catch(() => 'none'))
    .digest('hex');
