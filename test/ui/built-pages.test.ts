/** The pages as they are really built: nothing inline, nothing from elsewhere, small (SPEC 8). */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { transformWithOxc } from 'vite';
import { LANGUAGES } from '../../src/locales/languages.ts';
import { assetPath, type BuiltPages, readBuiltPages } from '../../src/ui/built-pages.ts';

const DIST = join(import.meta.dirname, '../../dist/ui');
const isBuilt = existsSync(join(DIST, 'login.html'));

describe('The built pages', { skip: !isBuilt && 'run "npm run build" first' }, () => {
  let pages: BuiltPages;
  before(() => {
    const read = readBuiltPages(DIST);
    assert.ok(read);
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
    const stylesheet = assetPath(pages, '', 'login', 'css')?.split('/').at(-1);
    assert.ok(stylesheet && named.includes(stylesheet));
  });

  /** The files of texts, by what they take as gzip. A browser loads one. */
  const isLanguage = (name: string): boolean => /^[a-z]{2}-[^/]*\.js$/.test(name);
  const gzipOf = (name: string): number =>
    pages.assets.get(name)?.encodings.get('gzip')?.().length ?? assert.fail(name);
  const compressed = (take: (name: string) => boolean): number[] => [...pages.assets.keys()].filter(take).map(gzipOf);
  const isOfScreen = (name: string): boolean => name.startsWith('screen-');

  /** A script with all that it imports before it runs. */
  function withImports(name: string, found = new Set<string>()): ReadonlySet<string> {
    if (found.has(name)) return found;
    found.add(name);
    const text = String(pages.assets.get(name)?.encodings.get('identity')?.());
    for (const [, imported = ''] of text.matchAll(/(?:from|import)"\.\/([^"]+\.js)"/g)) withImports(imported, found);
    return found;
  }

  for (const page of ['explore', 'activity', 'status', 'users', 'access'])
    it(`fit into 75 KB of gzip in any language, for the first view of ${page}`, () => {
      const named = pages.consolePage.match(/(?<="\.\/assets\/)[^"]+\.(?:js|css)/g) ?? [];
      const ownScript = [...pages.assets.keys()].filter((name) => name.startsWith(`${page}-`) && name.endsWith('.js'));
      assert.equal(ownScript.length, 1);
      const scripts = [...named, ...ownScript].filter((name) => name.endsWith('.js'));
      const loaded = new Set(scripts.flatMap((name) => [...withImports(name)]));
      for (const name of named) loaded.add(name);
      const bytes = [...loaded].reduce((sum, name) => sum + gzipOf(name), gzipSync(pages.consolePage).length);
      assert.ok(![...loaded].some(isLanguage));
      for (const name of [...pages.assets.keys()].filter(isLanguage)) {
        assert.deepEqual(
          [...withImports(name)].filter((other) => other !== name && !loaded.has(other)),
          [],
        );
        assert.ok(bytes + gzipOf(name) <= 75_000, `${name}: ${bytes + gzipOf(name)} bytes`);
      }
    });

  it('load one language, of 17 KB of gzip at most', () => {
    const languages = compressed(isLanguage);
    assert.equal(languages.length, LANGUAGES.length);
    for (const [tag] of LANGUAGES) assert.match(assetPath(pages, '', tag, 'js') ?? '', /^\/postern\/assets\/[a-z]{2}-/);
    assert.ok(Math.max(...languages) <= 17_000, `${Math.max(...languages)} bytes`);
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
    const named = pages.loginPage.match(/(?<="\.\/assets\/)[^"]+\.(?:js|css)/g) ?? [];
    const scripts = new Set(named.filter((name) => name.endsWith('.js')).flatMap((name) => [...withImports(name)]));
    assert.equal(scripts.size, 2, `${[...scripts]}`);
    const login = new Set([...named, ...scripts]);
    const sizes = [...login].map((name) => pages.assets.get(name)?.encodings.get('br')?.().length ?? assert.fail(name));
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    assert.ok(bytes < 9_000, `${bytes} bytes`);
  });
});
