/** docs/remembered.md lists every memory of the source, and a test for each memory of rights or identity. */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { describe, it } from 'node:test';
import { readText } from './documents.ts';

const MEMORY = /\bnew (?:LRUCache|WeakMap)[(<]|\.memory[(<]/;
const OWNER = /`(?<owner>src\/[^`]+\.ts)`/;
const TEST = /`(?<file>test\/[^`]+)`: (?<title>[^|]+?) \|$/;

const rows = readText('docs/remembered.md')
  .split('\n')
  .filter((line) => OWNER.test(line));
const owners = new Set(rows.map((row) => OWNER.exec(row)?.groups?.['owner'] ?? ''));
const ofRights = rows.filter((row) => row.split('|').length > 4);

describe('What is remembered', () => {
  it('is listed for each file that has a memory of these kinds, and all that is listed is there', () => {
    const files = globSync('src/**/*.ts').filter((file) => !file.startsWith('src/ui/pages/'));
    const remembering = files.filter((file) => MEMORY.test(readText(file)));
    assert.deepEqual(
      remembering.filter((file) => !owners.has(file)),
      [],
      'list them in docs/remembered.md',
    );
    assert.deepEqual(
      [...owners].filter((owner) => !files.includes(owner)),
      [],
    );
  });

  for (const row of ofRights)
    it(`${row.split('|')[1]?.trim()}: has an end, a longest life and a test`, () => {
      const cells = row.split('|').map((cell) => cell.trim());
      assert.ok(cells.length === 8 && cells.slice(1, -1).every((cell) => cell !== ''), row);
      const { file = '', title = '' } = TEST.exec(row)?.groups ?? {};
      assert.ok(readText(file).includes(title), `${file} has no test "${title}"`);
    });
});
