/** A directory for one test, removed after it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

export function tempDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'postern-accounts-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
