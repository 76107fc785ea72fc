/** The languages of the pages: the same keys (the compiler sees to it), nothing empty, nothing forgotten (SPEC 8). */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { NOTICE_KINDS } from '../../src/domain/accounts/notice.ts';
import { REFUSALS } from '../../src/domain/refusal.ts';
import { LANGUAGES } from '../../src/ui/page-language.ts';
import { pages, refusals, served } from '../../src/ui/pages/words/en.ts';
import { LANGUAGES as CHOICES } from '../../src/ui/pages/words/languages.ts';
import { LANGUAGE_FILES } from './support/languages.ts';

const PAGES = join(import.meta.dirname, '../../src/ui');

const leavesOf = (words: object, path = ''): [path: string, word: unknown][] =>
  Object.entries(words).flatMap(([key, word]) =>
    typeof word === 'object' ? leavesOf(word, `${path}${key}.`) : [[`${path}${key}`, word]],
  );

const ENGLISH = { ...pages, ...served };
const OTHERS = [...LANGUAGE_FILES].filter(([tag]) => tag !== 'en');

describe('The words', () => {
  it('can be chosen in each language that has a file', () => {
    const files = [...LANGUAGE_FILES.keys()];
    assert.deepEqual([...LANGUAGES.keys()].sort(), files);
    assert.deepEqual(CHOICES.map(([tag]) => tag).sort(), files);
  });

  for (const [tag, texts] of OTHERS) {
    const english = new Map(leavesOf(ENGLISH));
    const leaves = leavesOf({ ...texts.pages, ...texts.served });

    it(`have the same keys in English and in ${tag}, and none is empty`, () => {
      assert.deepEqual(leaves.map(([path]) => path).sort(), [...english.keys()].sort());
      assert.deepEqual(
        [...english, ...leaves].filter(([, word]) => word === ''),
        [],
      );
    });

    it(`of refusals are in ${tag} for each status, and for the reasons that people meet`, () => {
      assert.deepEqual(Object.keys(texts.refusals.titles), Object.keys(refusals.titles));
      const reasons = Object.keys(texts.refusals.messages).sort();
      assert.deepEqual(reasons, Object.keys(OTHERS[0]?.[1].refusals.messages ?? {}).sort());
      assert.deepEqual(
        reasons.filter((reason) => !(reason in REFUSALS)),
        [],
      );
    });

    it(`have the same blanks and the same code in ${tag}`, () => {
      const marks = (word: unknown): string[] => (String(word).match(/\{\w+\}|`[^`]+`/g) ?? []).sort();
      for (const [path, word] of leaves) {
        if (typeof word === 'string') assert.deepEqual(marks(word), marks(english.get(path)), path);
      }
    });
  }

  it('of security events are there for each kind', () => {
    assert.deepEqual(Object.keys(pages.securityEvents.kinds).sort(), [...NOTICE_KINDS].sort());
  });

  it('are all said somewhere', () => {
    const sources = globSync('**/*.{ts,tsx,html}', { cwd: PAGES, exclude: ['pages/words/**'] });
    const text = sources.map((file) => readFileSync(join(PAGES, file), 'utf8')).join('\n');
    const unsaid = leavesOf(ENGLISH)
      .filter(
        ([path]) =>
          !/^(?:securityEvents\.kinds|activity\.(?:acts|seen|credentials|ranges|places)|frame\.proxyFaults)\./.test(
            path,
          ),
      )
      .map(([path]) => path.split('.').at(-1) ?? '')
      .filter((key) => !new RegExp(`\\b${key}\\b`).test(text));
    assert.deepEqual(unsaid, []);
  });
});
