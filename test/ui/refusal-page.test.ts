/** The page of a refused navigation: it says what to do, and outside text stays text (SPEC 5). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { renderRefusalPage } from '../../src/ui/refusal-page.ts';

const PAGE = {
  status: 403,
  message: 'Access denied to that camera.',
  requestId: 'r-1',
  links: [{ href: '/postern/', text: 'To the console' }],
  stylesheet: '/postern/assets/style-5e6f.css',
};

/** Start tags with their attributes blanked: the skeleton that no outside text may change. */
const skeleton = (html: string): string[] => html.match(/<[^>]*>/g)?.map((tag) => tag.replace(/"[^"]*"/g, '""')) ?? [];

describe('The refusal page', () => {
  it('says what happened, what to do next, and the request id', () => {
    const html = renderRefusalPage(PAGE);
    for (const part of ['403', 'You may not see this', PAGE.message, 'r-1', 'href="/postern/"', PAGE.stylesheet]) {
      assert.ok(html.includes(part), part);
    }
  });

  it('has neither script nor inline style', () => {
    assert.doesNotMatch(renderRefusalPage(PAGE), /<script|<style|\sstyle=|\son\w+=/i);
  });

  it('takes a title of the caller, and has one for every status', () => {
    assert.match(renderRefusalPage({ ...PAGE, title: 'No such door' }), /<h1[^>]*><bdi>No such door</);
    assert.match(renderRefusalPage({ ...PAGE, status: 418 }), /<h1[^>]*><bdi>That did not work</);
  });

  it('does without a stylesheet when the pages are not built', () => {
    assert.doesNotMatch(renderRefusalPage({ ...PAGE, stylesheet: undefined }), /<link rel="stylesheet"/);
  });

  const targets: [href: string, isShown: boolean][] = [
    ['/login?next=%2Fpostern%2F', true],
    ['https://sso.example/out', true],
    ['javascript:alert(1)', false],
    ['JaVaScRiPt:alert(1)', false],
    ['data:text/html,x', false],
    ['//evil.example', false],
    ['/\\evil.example', false],
    ['/a\nb', false],
    ['', false],
  ];
  for (const [href, isShown] of targets) {
    it(`${isShown ? 'shows' : 'leaves out'} a link to ${JSON.stringify(href)}`, () => {
      assert.equal(renderRefusalPage({ ...PAGE, links: [{ href, text: 'go' }] }).includes('<a '), isShown);
    });
  }

  it('keeps its shape whatever the outside text', () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '<img src=x onerror=alert(1)>',
        '"><script>',
        "' onload='",
        '</bdi></main>',
        '\u202Eexe.txt',
        '\0',
      ),
    );
    const expected = skeleton(renderRefusalPage({ ...PAGE, title: 'x' }));
    fc.assert(
      fc.property(hostile, hostile, hostile, hostile, (title, message, requestId, text) => {
        const links = [{ href: '/postern/', text }];
        const html = renderRefusalPage({ ...PAGE, title, message, requestId, links });
        assert.deepEqual(skeleton(html), expected);
        assert.doesNotMatch(html, /\0/);
      }),
    );
  });

  it('keeps its shape whatever the target of a link', () => {
    const shapes = [[], [{ href: '/', text: 'go' }]].map((links) => skeleton(renderRefusalPage({ ...PAGE, links })));
    const tails = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('"onclick="alert(1)', '"><b>', "'><b>"));
    fc.assert(
      fc.property(tails, (tail) => {
        const shape = skeleton(renderRefusalPage({ ...PAGE, links: [{ href: `/${tail}`, text: 'go' }] }));
        assert.ok(shapes.some((expected) => isDeepStrictEqual(shape, expected)));
      }),
    );
  });
});
