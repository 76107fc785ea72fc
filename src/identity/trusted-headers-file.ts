/** The allowlist file as it is now: read at start, read again when it changes, kept when the new one is bad (interface 5.5.7). */
import { type FSWatcher, watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { err, ok, type Result } from '../domain/result.ts';
import { parseTrustedHeaders } from './trusted-headers.ts';

export interface TrustedHeadersFiles {
  /** Takes the place of the shipped file when it is there. */
  readonly mounted: string;
  readonly shipped: string;
}

export interface TrustedHeaderList {
  readonly file: string;
  /** Lower-case names. */
  readonly names: ReadonlySet<string>;
}

export interface TrustedHeadersWatch {
  readonly onChange: (list: TrustedHeaderList) => void;
  /** A sentence with file and line; the list that was good stays. */
  readonly onBad: (problem: string) => void;
}

/** Errs with the sentence to refuse the start with. */
export async function readTrustedHeaders(files: TrustedHeadersFiles): Promise<Result<TrustedHeaderList, string>> {
  const mounted = await textOf(files.mounted);
  if (!mounted.ok) return mounted;
  const file = mounted.value === undefined ? files.shipped : files.mounted;
  const text = mounted.value === undefined ? await textOf(files.shipped) : mounted;
  if (!text.ok) return text;
  if (text.value === undefined) return err(`${file} is not there: it came with the service, so install that again`);
  const names = parseTrustedHeaders(text.value);
  return names.ok ? ok({ file, names: names.value }) : err(`${file}:${names.error.line}: ${names.error.message}`);
}

/** Editors write in pieces, and a volume swaps several links at once: it is read when there was quiet for so long. */
const QUIET_MS = 200;

/**
 * The directory is watched, for editors and Kubernetes put a new file in the place of the old one; and the file itself,
 * for one that is mounted alone changes without its directory knowing. Gives the way to stop.
 */
export function watchTrustedHeaders(
  files: TrustedHeadersFiles,
  first: TrustedHeaderList,
  { onChange, onBad }: TrustedHeadersWatch,
): () => void {
  let current = first;
  let timer: NodeJS.Timeout | undefined;
  let lastProblem: string | undefined;
  let watchers: FSWatcher[] = [];

  const readAgain = async (): Promise<void> => {
    watchAll();
    const list = await readTrustedHeaders(files);
    const problem = list.ok ? undefined : list.error;
    if (problem !== undefined && problem !== lastProblem) onBad(problem);
    lastProblem = problem;
    if (!list.ok || isSame(list.value, current)) return;
    current = list.value;
    onChange(current);
  };
  const soon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void readAgain(), QUIET_MS).unref();
  };
  const watchAll = (): void => {
    for (const watcher of watchers) watcher.close();
    watchers = [dirname(files.mounted), files.mounted].flatMap((path) => watcherOf(path, soon));
  };
  watchAll();
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}

/** None where there is nothing to watch: then the shipped list stays until the next start. */
function watcherOf(path: string, onEvent: () => void): FSWatcher[] {
  try {
    return [watch(path, { persistent: false }, onEvent).on('error', () => {})];
  } catch {
    return [];
  }
}

const isSame = (one: TrustedHeaderList, other: TrustedHeaderList): boolean =>
  one.file === other.file && [...one.names].join() === [...other.names].join();

async function textOf(file: string): Promise<Result<string | undefined, string>> {
  try {
    return ok(await readFile(file, 'utf8'));
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return ok(undefined);
    return err(`${file} cannot be read (${code ?? 'unknown fault'}): make it a file that this user may read`);
  }
}
