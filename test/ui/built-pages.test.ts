/** The pages as they are really built: nothing inline, nothing from elsewhere, small (SPEC 8). */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { transformWithOxc } from 'vite';
import { readCatalog, TAGS } from '../../src/locales/compile-catalogs.ts';
import { isServed } from '../../src/locales/texts.ts';
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

  /** The files of texts: `de-….js` comes with the console, `de.users-….js` with the page. */
  const isOfTexts = (name: string): boolean => /^[a-z]{2}(?:\.[\w-]+)?-[^/]*\.js$/.test(name);
  const textsFor = (start: string): string =>
    [...pages.assets.keys()].find((name) => name.startsWith(`${start}-`)) ?? assert.fail(start);
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
      assert.ok(![...loaded].some(isOfTexts));
      for (const tag of TAGS) {
        const texts = [textsFor(tag), textsFor(`${tag}.${page}`)];
        for (const name of texts) assert.deepEqual([...withImports(name)], [name]);
        const all = texts.reduce((sum, name) => sum + gzipOf(name), bytes);
        assert.ok(all <= 75_000, `${tag}: ${all} bytes`);
      }
    });

  it('load one language, of 6 KB of gzip at most at the start', () => {
    for (const tag of TAGS) {
      assert.match(assetPath(pages, '', tag, 'js') ?? '', /^\/postern\/assets\/[a-z]{2}-/);
      assert.ok(gzipOf(textsFor(tag)) <= 6000, `${tag}: ${gzipOf(textsFor(tag))} bytes`);
    }
    assert.doesNotMatch(pages.consolePage + pages.loginPage, /assets\/[a-z]{2}[.-]/);
  });

  it('have each text of the console in a file, and none in the files of a page that came with the start', async () => {
    const keysIn = async (name: string): Promise<string[]> => {
      const text = pages.assets.get(name)?.encodings.get('identity')?.();
      const { default: make } = await import(`data:text/javascript;base64,${text?.toString('base64')}`);
      return leaves(make({}));
    };
    const leaves = (group: object): string[] =>
      Object.entries(group).flatMap(([name, text]) =>
        typeof text === 'object' ? leaves(text).map((key) => `${name}.${key}`) : [name],
      );
    const start = await keysIn(textsFor('de'));
    const later = await Promise.all([...pages.assets.keys()].filter((name) => name.startsWith('de.')).map(keysIn));
    assert.deepEqual(
      new Set([...start, ...later.flat()]),
      // A language is called by its name in a list of its own.
      new Set(Object.keys(readCatalog('en')).filter((key) => !isServed(key) && key !== 'ui.languageName')),
    );
    assert.deepEqual(
      later.flat().filter((key) => start.includes(key)),
      [],
    );
    // What several pages say comes with each of them.
    for (const page of ['users', 'roles', 'access'])
      assert.ok((await keysIn(textsFor(`de.${page}`))).includes('users.leftUntil'), page);
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
