/** A small set of built pages in a directory of its own, with a secret lying just outside of it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const SCRIPT = `console.log(${JSON.stringify('postern '.repeat(200))});\n`;
export const LOGIN_PAGE =
  '<!doctype html><html lang="en"><title>login</title><script src="./assets/login-1a2b.js"></script>';
export const CONSOLE_PAGE = '<!doctype html><title>console</title><link href="./assets/style-5e6f.css">';

const FILES: Readonly<Record<string, string | Buffer>> = {
  'secret.txt': 'the-secret',
  'ui/login.html': LOGIN_PAGE,
  'ui/console.html': CONSOLE_PAGE,
  'ui/sources.sha256': 'the-secret',
  'ui/assets/login-1a2b.js': SCRIPT,
  'ui/assets/fr-3d4e.js': SCRIPT,
  'ui/assets/fr.live-7b8c.js': SCRIPT,
  'ui/assets/live-5f6a.js': SCRIPT,
  'ui/assets/style-5e6f.css': ':root { color-scheme: light dark }',
  'ui/assets/icon-9c0d.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'ui/assets/icon-192-3c4d.png': Buffer.from([0x89, 0x50, 0x4e, 0x47]),
  'ui/assets/dot-7788.png': Buffer.from([0x89, 0x50, 0x4e, 0x47]),
  'ui/assets/notes.txt': 'the-secret',
};

export function makeBuiltSample(): { readonly distDirectory: string; readonly remove: () => void } {
  const parent = mkdtempSync(join(tmpdir(), 'postern-ui-'));
  mkdirSync(join(parent, 'ui/assets'), { recursive: true });
  for (const [name, content] of Object.entries(FILES)) writeFileSync(join(parent, name), content);
  return { distDirectory: join(parent, 'ui'), remove: () => rmSync(parent, { recursive: true, force: true }) };
}
