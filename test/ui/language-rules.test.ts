/** The languages of the pages: each sentence names what the English one names, and keeps to the typography of its language (SPEC 8). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pages, served } from '../../src/ui/pages/words/en.ts';
import { LANGUAGE_FILES } from './support/languages.ts';

/** Values that are found again in a text, whatever its language; too small to be grouped. */
const NAMES = { user: '41', camera: '42', role: '43', thing: '44', provider: '45', request: '46', records: '47' };
const VALUES: readonly (readonly [paths: RegExp, values: readonly unknown[]])[] = [
  [/^activity\.acts\.(?:acts|viewings)\./, [NAMES]],
  [/^activity\.acts\.times$/, ['41', 42]],
  [/^roles\.deleteWhat$/, [['41', '42']]],
  [/^labelName$/, ['41']],
  [/./, [41, 42, 43]],
];

const textsOf = (words: object, path = ''): [path: string, text: string][] =>
  Object.entries(words).flatMap(([key, word]): [string, string][] => {
    const at = `${path}${key}`;
    if (typeof word === 'object') return textsOf(word, `${at}.`);
    const values = VALUES.find(([paths]) => paths.test(at))?.[1] ?? [];
    return [[at, typeof word === 'function' ? String(Reflect.apply(word, undefined, values)) : String(word)]];
  });

const valuesIn = (text: string): string => [...new Set(text.match(/4[1-7]/g))].sort().join();

/** Code and addresses keep marks of their own. */
const withoutCode = (text: string): string =>
  text.replaceAll(
    /`[^`]*`|--header "[^"]*"|https?:\/\/|ports:|tls\.enabled: false|X-Forwarded-Proto: https|\/api\/\S+|«\?»|Nom: valeur/g,
    'x',
  );

const RULES = [/ {2}/, / [,.]/, /\.{3}/, /['"]/, /^\s|\s$/];
/** What a language does not have: foreign quotation marks, signs without their spaces, questions without their beginning. */
const OWN_RULES: Readonly<Record<string, readonly RegExp[]>> = {
  de: [/[«»]/, /[^\s\u00a0]…/],
  es: [/[“”„]/, /^[^¿]*\?/, /^[^¡]*!/],
  fr: [/[^\u00a0\d][:;!?](?!\S)/, /«(?!\u00a0)/, /(?<!\u00a0)»/, /[“”„]/],
  it: [/[“”„]/],
  nl: [/[“”„«»]/],
  pl: [/[“«»]/],
  pt: [/[„«»]/],
};

describe('The texts', () => {
  const english = new Map(textsOf({ ...pages, ...served }));
  for (const [tag, texts] of LANGUAGE_FILES) {
    const said = textsOf({ ...texts.pages, ...texts.served });

    it(`name the same people, things and numbers in ${tag} as in English`, () => {
      const others = said.filter(([path, text]) => valuesIn(text) !== valuesIn(english.get(path) ?? ''));
      assert.deepEqual(others, []);
    });

    if (tag === 'en') continue;
    it(`keep to the typography of ${tag}`, () => {
      const all = [...said, ...textsOf({ refusals: texts.refusals })];
      const broken = [...RULES, ...(OWN_RULES[tag] ?? [])].flatMap((rule) =>
        all.filter(([, text]) => rule.test(withoutCode(text))).map(([path, text]) => [String(rule), path, text]),
      );
      assert.deepEqual(broken, []);
    });
  }
});
