import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import {
  type PasswordRules,
  parseNewPassword,
  passwordFault,
  toPasswordRules,
} from '../../../src/accounts/passwords/password-rules.ts';
import { err } from '../../../src/domain/result.ts';
import { settingsOf } from '../../config/config-place.ts';
import { PASSWORD_RULES } from '../support/people.ts';

const SHORT = 'Password must be at least 12 characters long';
const LONG = 'Password must be at most 1024 bytes long';
const BROKEN = 'Password must be well-formed text without NUL characters';
const COMMON = 'Password is one of the most common ones, or nearly: choose another one';
const holds = (word: string) => `Password must not contain "${word}": attackers try such names first`;

const KEYS = '🔑🚪🏠🌙🌳🐕🦊🍀🎁🚲🎈🔔';
const USER = 'vera.lund';
const RULES: PasswordRules = { ...PASSWORD_RULES, hostNames: ['cellar.example.lan'] };
const parse = async (text: string, rules = RULES) => {
  const fit = await parseNewPassword(text, USER, rules);
  return fit.ok ? fit : err(fit.error.message);
};
/** Of any length, and no repetition. */
const letters = (length: number): string =>
  'wrqzkfmvtyhs'
    .repeat(Math.ceil(length / 12) + 1)
    .slice(0, length - 1)
    .concat('&');

describe('A new password', () => {
  const rows: [sentence: string, text: string, fault: string | undefined][] = [
    ['has at least 12 characters (interface 8)', letters(12), undefined],
    ['does not have 11', letters(11), SHORT],
    ['is not empty', '', 'Password cannot be empty'],
    ['is counted in code points: 12 emoji are enough', KEYS, undefined],
    ['is counted in code points: 11 emoji are 22 units, and too few', [...KEYS].slice(1).join(''), SHORT],
    ['may have 1024 bytes', letters(1024), undefined],
    ['may not have 1025', letters(1025), LONG],
    ['is measured in UTF-8 bytes', 'é'.repeat(513), LONG],
    ['has no NUL', `${letters(12)}\0`, BROKEN],
    ['has no lone surrogate', `\ud800${letters(12)}`, BROKEN],
    ['may have spaces and any script', 'größe, naïveté & 日本', undefined],
    ['is not one of the most common ones', '1qaz2wsx3edc', COMMON],
    ['is not one of them in capitals', 'AdminISTRATOR', COMMON],
    ['is not one of them with digits and signs around it', '#Password123!', COMMON],
    ['is not one of them with signs for letters', 'P@55w0rd2026', COMMON],
    ['is not one of them twice', 'passwordpassword', COMMON],
    ['is no single character, however often', 'a'.repeat(1024), COMMON],
    ['may have a common word in a longer text', 'the dragon ate 3 dull bishops', undefined],
    ['may be of random digits around a common word', '83-61940-dragon-775-0283', undefined],
    ['may hold quotes, commas and brackets, which the list has too', '"123456","password"]', undefined],
    ['does not contain the name of the user', 'so is vera.lund today', holds('vera.lund')],
    ['does not contain a part of that name, in any case', 'so is VERA today', holds('vera')],
    ['does not contain it with signs for letters', 'so is v3r@ today', holds('vera')],
    ['does not contain it where a capital begins it', 'soVera is well', holds('vera')],
    ['does not contain it beside digits', 'summer 2026vera2027', holds('vera')],
    ['may hold a word with a part of that name in it', 'severance of blunders', undefined],
    ['does not contain the whole name in another word', 'xvera.lundx is it', holds('vera.lund')],
    ['does not contain the name of the service', 'down in the cellar.example.lan', holds('cellar.example.lan')],
    ['does not contain the name of its machine', 'down in the cellar', holds('cellar')],
    ['may contain the rest of it', 'for example a lane', undefined],
    ['does not contain the name of the product', 'my Postern is mine', holds('postern')],
    ['does not contain the name of the NVR', 'a Fr1gate at sea!', holds('frigate')],
  ];
  for (const [sentence, text, fault] of rows) {
    it(sentence, async () =>
      assert.deepEqual(
        await parse(text),
        fault === undefined ? { ok: true, value: text } : { ok: false, error: fault },
      ),
    );
  }

  it('has as many characters as the configuration asks for', async () => {
    const rules = { ...RULES, shortest: 15 };
    assert.deepEqual(await parse(letters(14), rules), {
      ok: false,
      error: 'Password must be at least 15 characters long',
    });
    assert.equal((await parse(letters(15), rules)).ok, true);
  });

  it('does not contain the names by which the configuration knows the service, and may hold parts of an IP address', async () => {
    const named = async (yaml: string) => toPasswordRules(await settingsOf(yaml)).hostNames;
    // biome-ignore format: a table
    const rows: [yaml: string, names: readonly string[]][] = [
      ['server: {public_url: "https://haus.example:8443", internal_hosts: [cellar.lan]}', ['cellar.lan', 'haus.example']],
      ['server: {public_url: "https://192.168.1.10"}', []],
      ['server: {public_url: "https://[fd00::1]"}', []],
    ];
    for (const [yaml, names] of rows) assert.deepEqual(await named(yaml), names);
  });

  it('is compared with no part of three letters, but with a whole name of three', async () => {
    const fits = async (text: string, name: string) => (await parseNewPassword(text, name, RULES)).ok;
    assert.equal(await fits('an ann in a may of june', 'may.ann'), true);
    assert.equal(await fits('an elm, a larch in may', 'may'), false);
  });

  it('is compared with no name of two letters: it would be in most sentences', async () => {
    assert.equal((await parseNewPassword('an elm, a larch and an oak', 'al', RULES)).ok, true);
  });

  it('is compared with a list of at least 30,000, each of which is refused', async () => {
    const file = new URL(import.meta.resolve('@zxcvbn-ts/language-common/src/passwords.json'));
    const list: string[] = JSON.parse(await readFile(file, 'utf8'));
    assert.ok(list.length >= 30_000, String(list.length));
    const long = list.filter((text) => [...text].length >= 12);
    assert.ok(long.length > 300, String(long.length));
    for (const text of long) assert.equal((await parseNewPassword(text, 'nn', PASSWORD_RULES)).ok, false, text);
  });

  it('may be shorter when it is only being checked: rules change, and old passwords stay', () => {
    assert.equal(passwordFault('short'), undefined);
    assert.equal(passwordFault('short\0'), BROKEN);
  });
});
