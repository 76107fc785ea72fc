/** The languages of the pages: the same keys (the compiler sees to it), nothing empty, nothing forgotten (SPEC 8). */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { INSIDE_CAUSES } from '../../src/doctor/causes/inside.ts';
import { CAUSES } from '../../src/doctor/judge.ts';
import { NOTICE_KINDS } from '../../src/domain/accounts/notice.ts';
import { REFUSALS } from '../../src/domain/refusal.ts';
import { CAUSES_DE } from '../../src/ui/pages/words/causes-de.ts';
import { DE, DE_REFUSALS } from '../../src/ui/pages/words/de.ts';
import { EN, EN_REFUSALS } from '../../src/ui/pages/words/en.ts';
import { DE_SERVED } from '../../src/ui/pages/words/served-de.ts';
import { EN_SERVED } from '../../src/ui/pages/words/served-en.ts';

const PAGES = join(import.meta.dirname, '../../src/ui');

const leavesOf = (words: object, path = ''): [path: string, word: unknown][] =>
  Object.entries(words).flatMap(([key, word]) =>
    typeof word === 'object' ? leavesOf(word, `${path}${key}.`) : [[`${path}${key}`, word]],
  );

const ENGLISH = { ...EN, ...EN_SERVED };
const GERMAN = { ...DE, ...DE_SERVED };

describe('The words', () => {
  it('are in every language', () => {
    const [english, german] = [new Map(leavesOf(ENGLISH)), new Map(leavesOf(GERMAN))];
    assert.deepEqual([...german.keys()], [...english.keys()]);
    const empty = [...english, ...german].filter(([, word]) => word === '');
    assert.deepEqual(empty, []);
  });

  it('of refusals are in every language: the same titles, and the reasons that there are', () => {
    assert.deepEqual(Object.keys(DE_REFUSALS.titles), Object.keys(EN_REFUSALS.titles));
    const reasons = Object.keys({ ...EN_REFUSALS.messages, ...DE_REFUSALS.messages });
    assert.deepEqual(
      reasons.filter((reason) => !(reason in REFUSALS)),
      [],
    );
  });

  it('of what doctor finds are there for each cause, in German; English comes from the server', () => {
    const causes = [...CAUSES, ...INSIDE_CAUSES].map(({ name }) => name);
    assert.deepEqual(Object.keys(CAUSES_DE).sort(), causes.sort());
  });

  it('of security events are there for each kind', () => {
    assert.deepEqual(Object.keys(EN.securityEvents.kinds).sort(), [...NOTICE_KINDS].sort());
  });

  it('have the same blanks and the same code in every language', () => {
    const english = new Map(leavesOf(ENGLISH));
    const marks = (word: unknown): string[] => String(word).match(/\{\w+\}|`[^`]+`/g) ?? [];
    for (const [path, word] of leavesOf(GERMAN)) {
      if (typeof word === 'string') assert.deepEqual(marks(word), marks(english.get(path)), path);
    }
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
