/** The pages as they are really built: nothing inline, nothing from elsewhere, small (SPEC 8). */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { transformWithOxc } from 'vite';
import { type BuiltPages, readBuiltPages } from '../../src/ui/built-pages.ts';
import { LANGUAGES } from '../../src/ui/page-language.ts';

const DIST = join(import.meta.dirname, '../../dist/ui');
const isBuilt = existsSync(join(DIST, 'login.html'));

describe('The built pages', { skip: !isBuilt && 'run "npm run build" first' }, () => {
  let pages: Extract<BuiltPages, { kind: 'built' }>;
  before(() => {
    const read = readBuiltPages(DIST);
    assert.ok(read.kind === 'built');
    pages = read;
  });
  const texts = (): [name: string, text: string][] => [
    ['login.html', pages.loginPage],
    ['console.html', pages.consolePage],
    ...[...pages.assets].map(([name, { encodings }]): [string, string] => [
      name,
      String(encodings.get('identity')?.()),
    ]),
  ];

  it('have neither script nor style nor handler inline', () => {
    for (const html of [pages.loginPage, pages.consolePage]) {
      assert.doesNotMatch(html, /<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/i);
    }
  });

  it('name no address of another site', () => {
    /** Namespaces, and the example in a text: no browser fetches them. */
    const NAMESPACES = /https?:\/\/(?:www\.w3\.org\/[\w/]+|nvr\.example\.com)/g;
    for (const [name, text] of texts()) {
      assert.doesNotMatch(text.replace(NAMESPACES, ''), /https?:\/\/(?![\s<$`"'.-])|(?:src|href)="\/\//, name);
    }
  });

  it('have every asset that they name', () => {
    const named = [pages.loginPage, pages.consolePage].flatMap((html) => html.match(/(?<="\.\/assets\/)[^"]+/g) ?? []);
    assert.ok(named.length >= 6);
    assert.deepEqual(
      named.filter((name) => !pages.assets.has(name)),
      [],
    );
    assert.ok(pages.stylesheet && named.includes(pages.stylesheet));
  });

  /** The files of texts beside English, by what they take as gzip. A browser loads one at most. */
  const isLanguage = (name: string): boolean => /^[a-z]{2}-[^/]*\.js$/.test(name);
  const compressed = (take: (name: string) => boolean): number[] =>
    [...pages.assets].filter(([name]) => take(name)).map(([, { encodings }]) => encodings.get('gzip')?.().length ?? 0);

  const isOfScreen = (name: string): boolean => name.startsWith('screen-');

  it('fit into 102 KB of gzip, all together', () => {
    // What few people load, when they make a link, and the page of a display, which loads nothing else.
    const isLater = (name: string): boolean => name.startsWith('code-picture-') || isOfScreen(name);
    const assets = compressed((name) => !isLanguage(name) && !isLater(name)).reduce((sum, bytes) => sum + bytes, 0);
    const html = gzipSync(pages.loginPage).length + gzipSync(pages.consolePage).length;
    assert.ok(assets + html <= 102_000, `${assets + html} bytes`);
  });

  it('load 20 KB of gzip at most for a language beside English, and only when it is chosen', () => {
    const languages = compressed(isLanguage);
    assert.equal(languages.length, LANGUAGES.size - 1);
    assert.ok(Math.max(...languages) <= 20_000, `${Math.max(...languages)} bytes`);
    assert.doesNotMatch(pages.consolePage + pages.loginPage, /assets\/[a-z]{2}-/);
  });

  it('keep the page of a display in 6 KB of gzip', () => {
    const bytes = compressed(isOfScreen).reduce((sum, one) => sum + one, 0);
    assert.ok(bytes < 6000, `${bytes} bytes`);
  });

  it('write the page of a display in ES2018: browsers of televisions know nothing later', async () => {
    const [script] = [...pages.assets].filter(([name]) => /^screen-.*\.js$/.test(name));
    const text = script?.[1].encodings.get('identity')?.().toString() ?? assert.fail('it was not built');
    const codeFor = async (code: string, target: string): Promise<string> =>
      (await transformWithOxc(code, 'screen.js', { target, sourcemap: false })).code;
    /** What is later has to be written otherwise for ES2018. */
    const isOld = async (code: string): Promise<boolean> =>
      (await codeFor(code, 'es2018')) === (await codeFor(code, 'esnext'));
    assert.ok(await isOld(text));
    for (const later of ['a?.b', 'try{}catch{}', 'a??b']) assert.ok(!(await isOld(`${text};${later}`)), later);
    assert.doesNotMatch(text, /\b(?:import|export)\b|\b\d+n\b/);
    assert.doesNotMatch(
      text,
      /\.(?:at|flat|flatMap|fromEntries|replaceAll|matchAll|allSettled|any|replaceChildren|trimStart|trimEnd)\(|globalThis|structuredClone/,
    );
  });

  it('keep the login page small: a phone on a bad line has to show it', () => {
    const login = [...pages.assets].filter(([name]) => /^(?:login|theme|style)/.test(name));
    const bytes = login.reduce((sum, [, { encodings }]) => sum + (encodings.get('br')?.().length ?? 0), 0);
    assert.ok(bytes < 8_000, `${bytes} bytes`);
  });
});
