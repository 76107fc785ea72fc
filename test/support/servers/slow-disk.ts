/** A disk that is slow, waits, fails, or loses what was not synced when the power goes, for processes that are started with it. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { until } from '../until.ts';

const SOURCE = join(import.meta.dirname, 'slow-disk.c');
const directory = mkdtempSync(join(tmpdir(), 'postern-disk-'));
process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
const library = join(directory, 'slow-disk.so');
const { status } = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, SOURCE, '-ldl']);

/** Why there is none on this machine; false where there is. */
export const withoutSlowDisk: string | false = status === 0 ? false : 'needs a C compiler, "cc"';

/** The environment of a process for which every sync takes so much longer. */
export const slowDisk = (milliseconds: number) => ({ LD_PRELOAD: library, DISK_MS: String(milliseconds) });

/** A disk that a test holds up, breaks, and cuts off. */
export function testDisk(name: string) {
  const place = join(directory, name);
  const [kept, gate, failing] = ['kept', 'gate', 'failing'].map((each) => join(place, each)) as [
    string,
    string,
    string,
  ];
  mkdirSync(kept, { recursive: true });
  return {
    env: { LD_PRELOAD: library, DISK_KEPT: kept, DISK_WAITS: gate, DISK_FAILS: failing },
    /** Every sync waits from now on, until the disk is let go. Gives what resolves when one has begun to. */
    hold(): Promise<void> {
      writeFileSync(gate, '');
      return until('a sync waits', () => existsSync(`${gate}.reached`));
    },
    letOne(): Promise<void> {
      writeFileSync(`${gate}.one`, '');
      return until('a sync went on', () => !existsSync(`${gate}.one`));
    },
    letGo(): Promise<void> {
      rmSync(gate);
      return until('no sync waits', () => !existsSync(`${gate}.reached`));
    },
    /** Every sync fails from now on, and what it was for is forgotten; or none does. */
    fail: (fails: boolean) => (fails ? writeFileSync(failing, '') : rmSync(failing)),
    /** The path of the store as it is found after the power went: of the pages that no sync was for, those that `isWritten` names are there. */
    foundOf(store: string, isWritten: () => boolean): string {
      const found = mkdtempSync(join(place, 'found-'));
      for (const file of [store, `${store}-wal`]) {
        const last = readOr(join(kept, basename(file)));
        const now = readOr(file);
        const pages = Array.from({ length: Math.ceil(Math.max(last.length, now.length) / PAGE) }, (_, page) =>
          (isWritten() ? now : last).subarray(page * PAGE, (page + 1) * PAGE),
        );
        writeFileSync(join(found, basename(file)), Buffer.concat(whole(pages)));
      }
      return join(found, basename(store));
    },
    keep: (store: string) => cpSync(store, join(kept, basename(store))),
  };
}

const PAGE = 4096;
const readOr = (file: string): Buffer => (existsSync(file) ? readFileSync(file) : Buffer.alloc(0));

/** A page that was never written, before one that was, is empty. */
const whole = (pages: readonly Buffer[]): Buffer[] => {
  const end = pages.findLastIndex(({ length }) => length > 0);
  return pages.slice(0, end + 1).map((page, at) => (at < end ? Buffer.concat([page], PAGE) : page));
};
