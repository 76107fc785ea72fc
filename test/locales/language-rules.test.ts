/** The languages of the pages: each sentence names what the English one names, and keeps to the typography of its language (SPEC 8). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { textsIn } from '../../src/locales/catalogs.ts';
import { readCatalog, TAGS } from '../../src/locales/compile-catalogs.ts';
import { placeholdersOf } from '../published/placeholders.ts';

/** Values that are found again in a text, whatever its language: too small to be grouped, one for each placeholder of the English text. */
const valuesFor = (names: readonly string[]): Readonly<Record<string, number | boolean>> =>
  Object.fromEntries(names.map((name, at) => [name, name.startsWith('has') || 41 + at]));

const NAMES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(readCatalog('en')).map(([key, message]) => [key, [...placeholdersOf(message).keys()]]),
);

/** What is said, with a value for each placeholder; a key whose English has none is a text. */
const textsOf = (texts: object, path = ''): [path: string, text: string][] =>
  Object.entries(texts).flatMap(([name, text]): [string, string][] => {
    const key = `${path}${name}`;
    if (typeof text === 'object') return textsOf(text, `${key}.`);
    return [[key, typeof text === 'function' ? text(valuesFor(NAMES.get(key) ?? [])) : String(text)]];
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
  pl: [/[“«»]/, /(?<![\p{L}\d])[aiouwz] (?=\S)/iu],
  pt: [/[„«»]/],
};

describe('The texts', () => {
  const english = new Map(textsOf(textsIn('en')));
  for (const tag of TAGS) {
    const said = textsOf(textsIn(tag));

    it(`name the same people, things and numbers in ${tag} as in English`, () => {
      const others = said.filter(([path, text]) => valuesIn(text) !== valuesIn(english.get(path) ?? ''));
      assert.deepEqual(others, []);
    });

    it(`begin an answer of Access in ${tag} with yes or no and a colon, which the page shows apart`, () => {
      const answers = said.filter(([path]) => /^access\.(?:yes|no(?!Row))[A-Z]/.test(path));
      assert.equal(answers.length, 10);
      for (const [path, text] of answers) assert.match(text, /^[^:]{1,20}: ?\S/, path);
    });

    it(`name the pages of Settings in ${tag} as they are called there`, () => {
      const { account, access, links, oidc, settings, users } = textsIn(tag);
      const titles = [account, access, links, oidc.signIns, users].map(({ title }) => `${settings.title} > ${title}`);
      const naming = said.filter(([, text]) => text.includes(' > '));
      assert.ok(naming.length >= 6);
      for (const [path, text] of naming)
        assert.ok(
          titles.some((title) => text.includes(title)),
          `${path}: ${text}`,
        );
    });

    if (tag === 'en') continue;
    it(`keep to the typography of ${tag}`, () => {
      // What it lacks is English, with the marks of English.
      const catalog = readCatalog(tag);
      const own = said.filter(([path]) => path in catalog);
      const broken = [...RULES, ...(OWN_RULES[tag] ?? [])].flatMap((rule) =>
        own.filter(([, text]) => rule.test(withoutCode(text))).map(([path, text]) => [String(rule), path, text]),
      );
      assert.deepEqual(broken, []);
    });
  }
});
