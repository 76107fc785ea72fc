/** When the pages are built again before a start, and when they are left alone. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type BuildNeed, buildNeed, keepDigest, PAGES_SOURCES } from '../../src/ui/build-pages.ts';

describe('Before a start', () => {
  let parent = '';
  const place = (hasVite = true) => ({
    sourceDirectory: parent,
    pattern: PAGES_SOURCES,
    distDirectory: join(parent, 'dist'),
    hasVite,
  });
  const build = (): void => {
    writeFileSync(join(parent, 'dist/login.html'), 'built');
    keepDigest(parent, place().distDirectory, PAGES_SOURCES);
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

  const rows: [sentence: string, change: () => void, need: BuildNeed][] = [
    ['pages are built when there are none', () => {}, 'build'],
    ['pages are left alone when nothing changed', build, 'fresh'],
    [
      'pages are built again when a source changed',
      () => {
        build();
        writeFileSync(join(parent, 'ui/pages/style/base.css'), 'changed');
      },
      'build',
    ],
    [
      'pages are built again when a text changed',
      () => {
        build();
        writeFileSync(join(parent, 'locales/en.json'), '{"a.b": "c"}');
      },
      'build',
    ],
    [
      'pages are built again when a source was renamed',
      () => {
        build();
        renameSync(join(parent, 'ui/pages/style/base.css'), join(parent, 'ui/pages/style/first.css'));
      },
      'build',
    ],
    [
      'pages are built again when a build was cut off',
      () => writeFileSync(join(parent, 'dist/login.html'), 'half'),
      'build',
    ],
  ];
  for (const [sentence, change, need] of rows) {
    it(sentence, () => {
      change();
      assert.equal(buildNeed(place()), need);
    });
  }

  it('built pages are kept where Vite is not installed', () => {
    build();
    writeFileSync(join(parent, 'ui/pages/login.html'), 'changed');
    assert.equal(buildNeed(place(false)), 'keep-as-they-are');
  });

  it('missing pages cannot be built where Vite is not installed', () => {
    assert.equal(buildNeed(place(false)), 'cannot-build');
  });
});
