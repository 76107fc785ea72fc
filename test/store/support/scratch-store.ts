/** A real SQLite store in a directory of its own, removed afterwards. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Scratch {
  readonly directory: string;
  /** Of the store's file. */
  readonly path: string;
  readonly url: string;
  remove(): void;
}

export function makeScratch(): Scratch {
  const directory = mkdtempSync(join(tmpdir(), 'postern-store-'));
  const path = join(directory, 'postern.db');
  return { directory, path, url: `sqlite:${path}`, remove: () => rmSync(directory, { recursive: true, force: true }) };
}
