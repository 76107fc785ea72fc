/** Gives a written file its name, all at once, and never in the place of another file (or of a link). */
import { link, rename } from 'node:fs/promises';

/** File systems without hard links. */
const NO_LINKS: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** The draft may stay beside it: remove it afterwards. Rejects with `EEXIST` when something has the name. */
export async function putInPlace(draft: string, file: string): Promise<void> {
  try {
    await link(draft, file);
  } catch (fault) {
    if (!NO_LINKS.has((fault as NodeJS.ErrnoException).code)) throw fault;
    await rename(draft, file);
  }
}
