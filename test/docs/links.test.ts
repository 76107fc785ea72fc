/** No dead link in any Markdown file, and no path in code style that is not there. */
import assert from 'node:assert/strict';
import { existsSync, globSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, it } from 'node:test';
import { anchorsOf, linksOf, readText } from './documents.ts';

const MARKDOWN = globSync('**/*.md', { exclude: ['**/node_modules/**', 'dist/**'] }).sort();
const OUTSIDE = /^(?:[a-z][a-z+.-]*:|\/\/)/i;
/** `test/gateway/forward.test.ts`, and folders; not `src/<name>.ts`, `conf/*.yaml` or `tls/…`. */
const PROJECT_PATH = /^\.?(?:src|test|bench|conf|deploy|docs|trusted-headers|\.ci)\/[\w./-]*$/;
const CODE = /`(?<code>[^`\n]+)`/g;

function faultOf(file: string, target: string): string | undefined {
  if (OUTSIDE.test(target)) return undefined;
  const [path = '', anchor] = decodeURIComponent(target).split('#');
  const place = path === '' ? file : normalize(join(dirname(file), path));
  if (!existsSync(place)) return `${file}: ${target} is not there`;
  if (anchor === undefined || !statSync(place).isFile()) return undefined;
  return anchorsOf(readText(place)).has(anchor) ? undefined : `${file}: ${target} has no such heading`;
}

const missingPathsOf = (file: string): readonly string[] =>
  [...readText(file).matchAll(CODE)]
    .map(({ groups }) => groups?.['code'] ?? '')
    .filter((code) => PROJECT_PATH.test(code) && !existsSync(code) && !existsSync(join(dirname(file), code)))
    .map((code) => `${file}: ${code} is not there`);

describe('Markdown', () => {
  it('has no dead link', () => {
    const dead = MARKDOWN.flatMap((file) => linksOf(readText(file)).flatMap((target) => faultOf(file, target) ?? []));
    assert.deepEqual(dead, []);
  });

  it('names no file of the project that is not there', () => {
    assert.deepEqual(MARKDOWN.flatMap(missingPathsOf), []);
  });

  it('names sources that are there where ARCHITECTURE says where a thing is', () => {
    const sources = [...readText('ARCHITECTURE.md').matchAll(CODE)].flatMap(({ groups }) => groups?.['code'] ?? []);
    const paths = sources.filter((code) => /^[\w-]+\/[\w/-]+\.ts$/.test(code) && !PROJECT_PATH.test(code));
    assert.ok(paths.length >= 15);
    assert.deepEqual(
      paths.filter((path) => !existsSync(`src/${path}`)),
      [],
    );
  });

  it('is looked through by this test', () => {
    assert.ok(MARKDOWN.includes('README.md') && MARKDOWN.includes('docs/spec.md'));
    assert.equal(faultOf('docs/spec.md', 'interface.md#5-authentication'), undefined);
    assert.match(faultOf('docs/spec.md', 'interface.md#no-such') ?? '', /no such heading/);
    assert.match(faultOf('docs/spec.md', 'no-such.md') ?? '', /not there/);
    assert.deepEqual(linksOf('[a](b.md) `[c](d.md)` ![e](f.png "g")'), ['b.md', 'f.png']);
  });
});
