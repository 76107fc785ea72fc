/** `node deploy/release/release-notes.ts TAG`: the notes of a release from CHANGELOG.md, when the tag is that of package.json. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** Throws a sentence. */
export function releaseNotes(tag: string, version: string, changelog: string): string {
  if (tag !== `v${version}`)
    throw new Error(`the tag is ${tag} and package.json has ${version}: the tag must be v${version}`);
  const [, after] = changelog.split(`\n## ${version} (`);
  if (after === undefined)
    throw new Error(`CHANGELOG.md has no section "## ${version} (YYYY-MM-DD)": give "Unreleased" that title`);
  const [section = ''] = after.split('\n## ');
  return `${section.slice(section.indexOf('\n')).trim()}\n`;
}

if (import.meta.main) {
  try {
    const { version } = JSON.parse(read('package.json'));
    process.stdout.write(releaseNotes(process.argv[2] ?? '', version, read('CHANGELOG.md')));
  } catch (fault) {
    process.stderr.write(`${(fault as Error).message}\n`);
    process.exitCode = 1;
  }
}
