/** When the pages are built again before a start, and when they are left alone. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { isBuiltFrom, keepDigest, PAGES_SOURCES } from '../../src/ui/build-pages.ts';

describe('Before a start', () => {
  let parent = '';
  const build = (): void => {
    writeFileSync(join(parent, 'dist/login.html'), 'built');
    keepDigest(parent, join(parent, 'dist'), PAGES_SOURCES);
  };

  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'postern-build-'));
    for (const directory of ['ui/pages/style', 'locales', 'dist'])
      mkdirSync(join(parent, directory), { recursive: true });
    writeFileSync(join(parent, 'ui/pages/login.html'), 'source');
    writeFileSync(join(parent, 'locales/en.json'), '{}');
    writeFileSync(join(parent, 'ui/pages/style/base.css'), 'source');
  });
  afterEach(() => rmSync(parent, { recursive: true }));

  const rows: [sentence: string, change: () => void, isBuilt: boolean][] = [
    ['pages are built when there are none', () => {}, false],
    ['pages are left alone when nothing changed', build, true],
    [
      'pages are built again when a source changed',
      () => {
        build();
        writeFileSync(join(parent, 'ui/pages/style/base.css'), 'changed');
      },
      false,
    ],
    [
      'pages are built again when a text changed',
      () => {
        build();
        writeFileSync(join(parent, 'locales/en.json'), '{"a.b": "c"}');
      },
      false,
    ],
    [
      'pages are built again when a source was renamed',
      () => {
        build();
        renameSync(join(parent, 'ui/pages/style/base.css'), join(parent, 'ui/pages/style/first.css'));
      },
      false,
    ],
    [
      'pages are built again when a build was cut off',
      () => writeFileSync(join(parent, 'dist/login.html'), 'half'),
      false,
    ],
  ];
  for (const [sentence, change, isBuilt] of rows) {
    it(sentence, () => {
      change();
      assert.equal(isBuiltFrom(parent, join(parent, 'dist'), PAGES_SOURCES), isBuilt);
    });
  }
});
