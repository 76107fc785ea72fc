/** The tag that makes markup: whatever is put into it stays text, in content and in attributes (SPEC 8). */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { textsIn } from '../../src/locales/catalogs.ts';
import { asTemplates, asWords, cardPage, fillPage, html, toHtml } from '../../src/ui/html.ts';

const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '</p><script>alert(1)</script>',
    '" onmouseover="alert(1)',
    "' autofocus onfocus='alert(1)",
    '<!--',
    ']]>',
    '&lt;script&gt;',
    '&#60;script>',
    '{{name}} $& $1 {name}',
    '`<b>`',
    '\u0000<\u0001img src=x onerror=alert(1)>',
  ),
);

/** What a browser reads in the place of the entities. */
const read = (markup: string): string =>
  markup.replace(/&(?:amp|lt|gt|quot|#39|#96);/g, (entity) => ENTITIES[entity] ?? assert.fail(entity));
const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&#96;': '`',
};
const told = (text: string): string => text.replace(/[^\P{Cc}\t\n]/gu, '\uFFFD');

const tags = (markup: string): string[] => markup.match(/<[^>]*>/g)?.map((tag) => tag.replace(/"[^"]*"/g, '""')) ?? [];

describe('The tag html', () => {
  it('makes text of whatever is text, and a browser reads it as it was', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const { markup } = html`<p title="${text}">${text}</p>`;
        const [, title = '', content = ''] = /^<p title="([^"<>]*)">([^<>]*)<\/p>$/.exec(markup) ?? assert.fail(markup);
        assert.deepEqual([read(title), read(content)], [told(text), told(text)]);
      }),
    );
  });

  it('leaves markup of its own as it is, alone and in lists, and nothing of what there is not', () =>
    assert.equal(
      html`<ul>${['a<', 'b'].map((name) => html`<li>${name}</li>`)}${undefined}${false}</ul>${1}`.markup,
      '<ul><li>a&lt;</li><li>b</li></ul>1',
    ));

  it('takes nothing for markup that it has not made', () =>
    fc.assert(
      fc.property(hostile, (markup) => {
        const forged = { markup, toString: () => markup };
        assert.deepEqual(tags(html`<p>${forged}</p>`.markup), ['<p>', '</p>']);
      }),
    ));

  it('is never put into an attribute without quotes, a script or a style', () => {
    const files = globSync('src/ui/*.ts', { cwd: join(import.meta.dirname, '../..') });
    assert.ok(files.includes('src/ui/html.ts'));
    const unquoted = files.flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => /<\w.*\s[\w-]+=\$\{|<(?:script|style)\b[^>]*>\$\{/.test(line)),
    );
    assert.deepEqual(unquoted, []);
  });
});

describe('A page with outside texts in each place', () => {
  const { refusals, screens } = textsIn('de');
  const page = (text: string): string =>
    cardPage({
      tag: 'de',
      title: text,
      name: text,
      stylesheet: `/${text}`,
      script: `/${text}`,
      card: html`${toHtml(refusals.person, { name: html`<bdi>${text}</bdi>`, role: html`${text}` })}`,
    });
  it('has the tags of one without', () =>
    fc.assert(fc.property(hostile, (text) => assert.deepEqual(tags(page(text)), tags(page('x'))))));

  it('that was built has them, too', () => {
    const built = '<html lang="en"><p data-words="{{words}}">{{text}}</p>{{more}}{{absent}}';
    const filled = (text: string): string =>
      fillPage(built, 'de', { words: JSON.stringify({ text }), text, more: html`<b>${text}</b>` });
    fc.assert(fc.property(hostile, (text) => assert.deepEqual(tags(filled(text)), tags(filled('x')))));
    const [, words = ''] = /data-words="([^"]*)"/.exec(filled('{{text}} "<$&')) ?? [];
    assert.deepEqual(JSON.parse(read(words)), { text: '{{text}} "<$&' });
  });

  it('has code where its own words have backquotes, and templates for a script', () => {
    assert.equal(asWords({ a: 'run `x < y` now' })['a']?.markup, 'run <code>x &lt; y</code> now');
    assert.match(asTemplates(screens.page).gone, /\{camera\}/);
  });
});
