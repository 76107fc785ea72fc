/** The message catalogs: the keys and placeholders of English, all forms of each language, and nothing that is said nowhere (SPEC 8). */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse, type Token } from '@messageformat/parser';
import { NOTICE_KINDS } from '../../src/domain/accounts/notice.ts';
import { REFUSALS } from '../../src/domain/refusal.ts';
import { textsIn } from '../../src/locales/catalogs.ts';
import { readCatalog, TAGS } from '../../src/locales/compile-catalogs.ts';
import { LANGUAGES } from '../../src/locales/languages.ts';
import { placeholdersOf } from '../published/placeholders.ts';

const SOURCES = join(import.meta.dirname, '../../src');
const ENGLISH = readCatalog('en');
const KEYS = Object.keys(ENGLISH);

/** Tokens of all depths. */
const tokensOf = (tokens: readonly Token[]): Token[] =>
  tokens.flatMap((token) => [token, ...('cases' in token ? token.cases.flatMap((one) => tokensOf(one.tokens)) : [])]);

const marksOf = (message: string): string[] => (message.match(/`[^`]+`/g) ?? []).sort();

describe('The messages', () => {
  it('can be chosen in each language that has a file, by its own name', () => {
    assert.deepEqual(
      LANGUAGES.map(([tag]) => tag),
      TAGS,
    );
    assert.deepEqual(new Set(LANGUAGES.map(([, name]) => name)).size, TAGS.length);
  });

  for (const tag of TAGS) {
    const catalog = readCatalog(tag);
    const said = Object.entries(catalog);

    it(`have no key in ${tag} that English lacks, stand in the order of the English file, and none is empty`, () => {
      assert.deepEqual(
        Object.keys(catalog),
        KEYS.filter((key) => Object.hasOwn(catalog, key)),
      );
      assert.deepEqual(
        said.filter(([, message]) => message.trim() === ''),
        [],
      );
    });

    it(`have the same placeholders and the same code in ${tag} as in English`, () => {
      for (const [key, message] of said) {
        const english = ENGLISH[key] ?? '';
        assert.deepEqual([...placeholdersOf(message).keys()].sort(), [...placeholdersOf(english).keys()].sort(), key);
        assert.deepEqual(marksOf(message), marksOf(english), key);
        assert.equal(message.includes('{'), english.includes('{'), key);
      }
    });

    it(`have all plural forms of ${tag}, and no other construct than plural, select and number`, () => {
      const forms = new Intl.PluralRules(tag).resolvedOptions().pluralCategories;
      for (const [key, message] of said)
        for (const token of tokensOf(parse(message))) {
          assert.ok(token.type !== 'selectordinal', key);
          if (token.type === 'function') assert.deepEqual([token.key, token.param], ['number', undefined], key);
          if (token.type !== 'plural') continue;
          const named = token.cases.map((one) => one.key).filter((name) => !/^=\d+$/.test(name));
          assert.deepEqual(named.sort(), [...forms].sort(), `${key} of ${tag}`);
        }
    });
  }

  it('that a language lacks are English, and its own are its own', () => {
    assert.equal(textsIn('xx').ui.common.show, 'Show');
    assert.equal(textsIn('de').ui.common.show, 'Anzeigen');
    assert.equal(textsIn('pl').ledger.people({ number: 1234 }), '1234 osoby');
    assert.equal(textsIn('de').ledger.people({ number: 1234 }), '1.234 Personen');
  });

  it('of refusals are there in each language, and for reasons that there are', () => {
    const sources = globSync('{accounts,features,gateway}/**/*.ts', { cwd: SOURCES });
    const code = sources.map((file) => readFileSync(join(SOURCES, file), 'utf8')).join('\n');
    const isGiven = (reason: string): boolean => reason in REFUSALS || code.includes(`'${reason}'`) || isMade(reason);
    const isMade = (reason: string): boolean => new RegExp(`\`${reason.split('-')[0]}-\\$\\{`).test(code);
    const reasons = Object.keys(textsIn('en').problems);
    assert.deepEqual(
      reasons.filter((reason) => !isGiven(reason)),
      [],
    );
    for (const tag of TAGS)
      assert.deepEqual(
        reasons.filter((reason) => !(`problems.${reason}` in readCatalog(tag))),
        [],
        tag,
      );
  });

  it('of security events are there for each kind', () => {
    assert.deepEqual(Object.keys(textsIn('en').ledger.notices.kinds).sort(), [...NOTICE_KINDS].sort());
  });

  it('are named with their group on the pages, so that a build finds which texts come with a page', () => {
    const pages = globSync('{ui/pages,features/*/page}/**/*.{ts,tsx}', { cwd: SOURCES });
    const bare = pages.filter((file) => {
      const text = readFileSync(join(SOURCES, file), 'utf8');
      const code = text.replaceAll(/^import[^;]*;|\/\*[\s\S]*?\*\/|\/\/.*/gm, '');
      return /\bwords\b[^}]*\} from '[^']*\/words\.ts'/.test(text) && /\bwords\b(?!\.\w)/.test(code);
    });
    // The texts of refusals are a part of their own.
    assert.deepEqual(bare, ['ui/pages/shared/form-faults.ts']);
  });

  it('are all said somewhere', () => {
    const sources = globSync('{app,features,locales,ui}/**/*.{ts,tsx,html}', { cwd: SOURCES });
    const text = sources.map((file) => readFileSync(join(SOURCES, file), 'utf8')).join('\n');
    /** Looked up by a name that comes from elsewhere. */
    const byName =
      /^(?:ledger\.(?:notices\.kinds|sentences|seen|credentials|ranges|places)|ui\.frame\.proxyFaults|explore\.labels|refusals\.titles|problems)\.|^status\.degraded$/;
    const unsaid = KEYS.filter((key) => !byName.test(key)).filter(
      (key) => !new RegExp(`\\b${key.split('.').at(-1)}\\b`).test(text),
    );
    assert.deepEqual(unsaid, []);
  });
});
