/** Writes keys into the configuration file, after the checks of a reload, and all at once: no other reader sees a part of it. */
import { access, chown, constants, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf } from '../domain/message-of.ts';
import { readBounded } from '../files/read-bounded.ts';
import { type NewValue, withValues } from './edit-text.ts';
import type { ConfigPlace } from './load-config.ts';
import { formatProblem } from './problems/problems.ts';
import { loadServiceConfig } from './service-config.ts';

export type FileChange =
  | { readonly kind: 'written' }
  /** What is wrong with the new values, or was wrong with the file before: a sentence each. */
  | { readonly kind: 'invalid'; readonly problems: readonly string[] }
  /** The sentence for the operator. */
  | { readonly kind: 'not-writable'; readonly reason: string };

const BY_HAND = 'its form must be changed by hand: write each section over several lines, without braces and aliases';

/** `place.file` is the active file. */
export async function changeConfigFile(
  place: Pick<ConfigPlace, 'directory' | 'env'> & { readonly file: string },
  values: readonly NewValue[],
): Promise<FileChange> {
  // The file that a link leads to is replaced, and not the link.
  const file = await realpath(place.file);
  const before = await readBounded(file);
  const text = withValues(before, values);
  if (text === undefined) return { kind: 'not-writable', reason: BY_HAND };
  if (text === before) return { kind: 'written' };
  const draft = `${file}.${crypto.randomUUID()}`;
  try {
    const { mode, uid, gid } = await stat(file);
    await writeFile(draft, text, { flag: 'wx', mode: mode & 0o777 });
    await chown(draft, uid, gid);
    const config = await loadServiceConfig({ directory: place.directory, env: place.env, file: draft });
    if (config.kind === 'invalid')
      return { kind: 'invalid', problems: config.problems.map((problem) => formatProblem(place.file, problem)) };
    await rename(draft, file);
    return { kind: 'written' };
  } catch (fault) {
    return { kind: 'not-writable', reason: messageOf(fault) };
  } finally {
    await rm(draft, { force: true }).catch(() => {});
  }
}

/** Whether a new file can take the place of this one. A file that is mounted alone is only found out when it is written. */
export const canWrite = async (file: string): Promise<boolean> => {
  try {
    const target = await realpath(file);
    await access(target, constants.W_OK);
    await access(dirname(target), constants.W_OK);
    return true;
  } catch {
    return false;
  }
};
