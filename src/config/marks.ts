/** Marks in the configuration directory: what was used here, so that an empty file or an empty store is a lost one; what was restored (SPEC 15). */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Problem } from './problems/problems.ts';

export const MARK = '.configured';
const WITH_KEYS = `Postern was started here with a configuration that holds at least one key.
While this file is here, an empty config.yaml is refused as a lost one.
`;
const WITHOUT_KEYS = `Postern was started here with an empty configuration.
`;
const NO_KEYS = /^Postern was started here with an empty configuration\.$/m;
const ABOUT_STORE = `While the next line is here, an empty store is refused as a lost one. To begin anew, remove this file.
`;
const STORE = /^store: (?<id>[0-9a-f-]{36})$/m;

/** What is said of an empty document where one with content was read before. */
export const EMPTIED: Problem = {
  path: '',
  message:
    'is empty, but held a configuration before: restore the file from a backup, or write {} into it to use the default of every key',
};

/**
 * What is said of a file that is the beginning of the one before. Such a file may still parse, with a shorter secret, a
 * wider network, or without the keys that limit a person.
 */
export const CUT: Problem = {
  path: '',
  message:
    'is cut off: it holds only the beginning of the previous file. Write the whole file again. If you removed its end on purpose, add a comment as the last line (# end), or restart',
};

/** Blanks at the ends of lines, blank lines at the end, and the kind of line ends make no other file. */
export function isCut(text: string, before: string): boolean {
  const [now, then] = [bare(text), bare(before)];
  return now.length < then.length && then.startsWith(now);
}

/** Cut within a line, too: its last blanks are gone on both sides. */
const bare = (text: string): string =>
  text
    .replace(/^\uFEFF/, '')
    .replaceAll(/[ \t\r]+(?=\n|$)/g, '')
    .trimEnd();

export const wasConfigured = async (directory: string): Promise<boolean> => {
  const text = await markIn(directory);
  return text !== undefined && !NO_KEYS.test(text);
};

/** The id of the store that was in use here; undefined when none was, or none is known. */
export const rememberedStore = async (directory: string): Promise<string | undefined> =>
  STORE.exec((await markIn(directory)) ?? '')?.groups?.['id'];

/** `isEmpty`: of the configuration. Where the directory cannot be written, nothing is remembered. */
export async function markConfigured(directory: string, isEmpty: boolean, store: string): Promise<void> {
  const file = join(directory, MARK);
  const hasKeys = !isEmpty || (await wasConfigured(directory));
  const text = `${hasKeys ? WITH_KEYS : WITHOUT_KEYS}${ABOUT_STORE}store: ${store}\n`;
  if ((await markIn(directory)) === text) return;
  await putMark(file, text).catch(() => {});
}

/** Whole or not at all: the next start reads it. */
async function putMark(file: string, text: string): Promise<void> {
  const draft = `${file}.${process.pid}`;
  try {
    await writeFile(draft, text, { flag: 'wx', mode: 0o600 });
    await rename(draft, file);
  } catch (fault) {
    await rm(draft, { force: true });
    throw fault;
  }
}

/** A mark that is there and cannot be read is one. */
const markIn = (directory: string): Promise<string | undefined> =>
  readFile(join(directory, MARK), 'utf8').catch((fault: NodeJS.ErrnoException) =>
    fault.code === 'ENOENT' || fault.code === 'ENOTDIR' ? undefined : '',
  );

const RESTORED = '.restored';

/** What is there was restored, and the next start has yet to say so. */
export interface RestoredMark {
  /** Unix seconds: when the backup was made, and when it was restored. */
  readonly madeAt: number;
  readonly restoredAt: number;
  /** Whether its sessions, tokens, links, invitations and screens were ended. */
  readonly isRevoked: boolean;
}

export const markRestored = (directory: string, mark: RestoredMark): Promise<void> =>
  putMark(join(directory, RESTORED), `${JSON.stringify(mark)}\n`);

/** Undefined where nothing was restored since the last start. */
export const restoredMark = (directory: string): Promise<RestoredMark | undefined> =>
  readFile(join(directory, RESTORED), 'utf8').then(
    (text) => JSON.parse(text) as RestoredMark,
    () => undefined,
  );

/** Where the directory cannot be written it stays, and the next start says it again. */
export const forgetRestored = (directory: string): Promise<void> =>
  rm(join(directory, RESTORED), { force: true }).catch(() => {});
