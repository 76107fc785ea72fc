/** The page of a refused navigation: it says what to do, and outside text stays text (SPEC 5). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { REFUSALS } from '../../src/domain/refusal.ts';
import { textsIn } from '../../src/locales/catalogs.ts';
import { type RefusalPage, renderRefusalPage } from '../../src/ui/refusal-page.ts';

const PAGE = {
  status: 403,
  reason: 'camera-not-in-role',
  requestId: 'r-1',
  wishes: '',
  name: 'Villa Rosa',
  startPage: '/postern/',
  stylesheet: '/postern/assets/style-5e6f.css',
} satisfies RefusalPage;

/** Start tags with their attributes blanked: the skeleton that no outside text may change. */
const skeleton = (html: string): string[] => html.match(/<[^>]*>/g)?.map((tag) => tag.replace(/"[^"]*"/g, '""')) ?? [];

describe('The refusal page', () => {
  it('says what happened, what to do next, and the request id', () => {
    const html = renderRefusalPage(PAGE);
    for (const part of [
      '403',
      '<title>Access denied · Villa Rosa</title>',
      'Your role does not include this camera.',
      'r-1',
      'href="/postern/"',
      PAGE.stylesheet,
    ]) {
      assert.ok(html.includes(part), part);
    }
  });

  it('has neither script nor inline style', () => {
    assert.doesNotMatch(renderRefusalPage(PAGE), /<script|<style|\sstyle=|\son\w+=/i);
  });

  it('has a title for every status of a refusal, and one for any other', () => {
    for (const { status } of Object.values(REFUSALS)) {
      const titles: Readonly<Record<number, string>> = textsIn('en').refusals.titles;
      if (status !== 417)
        assert.ok(renderRefusalPage({ ...PAGE, status }).includes(titles[status] ?? '?'), `${status}`);
    }
    assert.match(renderRefusalPage({ ...PAGE, status: 418 }), /<h1[^>]*><bdi>The request failed</);
  });

  it('is in the language that the browser likes best', () => {
    const german = renderRefusalPage({ ...PAGE, wishes: 'de-CH,de;q=0.9,en;q=0.5' });
    for (const part of ['<html lang="de">', 'Zugriff verweigert', 'Ihre Rolle umfasst diese Kamera nicht.'])
      assert.ok(german.includes(part), part);
  });

  it('tells a guest what the role may not, and the administrator why, in small letters', () => {
    const html = renderRefusalPage({ ...PAGE, reason: 'route-unlisted' });
    assert.match(html, /class="refusal-message"><bdi>Your role may not see this\.</);
    assert.match(
      html,
      /class="refusal-request">Request ID <code><bdi>r-1<\/bdi><\/code><br>This path is not in the route table/,
    );
  });

  it('says what its title says only once', () => {
    const reasons = Object.keys(REFUSALS) as (keyof typeof REFUSALS)[];
    for (const wishes of ['en', 'de', 'es', 'fr', 'it', 'nl', 'pl', 'pt'])
      for (const reason of reasons) {
        const html = renderRefusalPage({ ...PAGE, reason, status: REFUSALS[reason].status, wishes });
        const [title = ''] = html.match(/(?<=<h1[^>]*><bdi>)[^<]*/) ?? [];
        assert.doesNotMatch(html, new RegExp(`<p class="refusal-message"><bdi>${title}\\. `), `${wishes} ${reason}`);
      }
  });

  it('names the cameras that were asked for, and who is refused, and offers another account', () => {
    const person = { name: 'carl<b>', role: 'front_only', mayChange: true };
    const cameras = { foreign: ['gar$&den'], unknown: [] };
    const html = renderRefusalPage({ ...PAGE, cameras, person, logoutPath: '/base/logout' });
    for (const part of [
      'does not include the camera gar$&amp;den.',
      'logged in as <bdi>carl&lt;b&gt;</bdi>, with the role <bdi>front_only</bdi>.',
      '<a class="button" href="/base/logout">Log in with another account</a>',
    ])
      assert.ok(html.includes(part), part);
    const unknown = renderRefusalPage({ ...PAGE, cameras: { foreign: [], unknown: ['attic'] }, wishes: 'de' });
    assert.match(unknown, /umfasst die Kamera attic, aber der NVR hat keine Kamera dieses Namens/);
  });

  it('offers no other account where one would not help, or where the proxy logs in', () => {
    const person = { name: 'carl', role: 'viewer', mayChange: true };
    for (const page of [
      { ...PAGE, person: { ...person, mayChange: false } },
      { ...PAGE, reason: 'cross-site' as const, person },
    ])
      assert.doesNotMatch(renderRefusalPage({ ...page, logoutPath: '/logout' }), /another account/);
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
      assert.equal(renderRefusalPage({ ...PAGE, startPage: href }).includes('<a '), isShown);
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
    const expected = skeleton(renderRefusalPage(PAGE));
    fc.assert(
      fc.property(hostile, hostile, (requestId, wishes) => {
        const html = renderRefusalPage({ ...PAGE, requestId, wishes });
        assert.deepEqual(skeleton(html), expected);
        assert.doesNotMatch(html, /\0/);
      }),
    );
  });

  it('keeps its shape whatever the target of a link', () => {
    const shapes = ['', '/'].map((startPage) => skeleton(renderRefusalPage({ ...PAGE, startPage })));
    const tails = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('"onclick="alert(1)', '"><b>', "'><b>"));
    fc.assert(
      fc.property(tails, (tail) => {
        const shape = skeleton(renderRefusalPage({ ...PAGE, startPage: `/${tail}` }));
        assert.ok(shapes.some((expected) => isDeepStrictEqual(shape, expected)));
      }),
    );
  });
});
