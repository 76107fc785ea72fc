/** Secrets in text from outside: recognized by what they look like, however the address around them is mangled. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { maskSecrets } from '../../src/domain/text.ts';

const SECRET = 'Ab3dEf6hIj9lMn2pQr5tUv8xYz1bCd4fGh7jKl0n-_Q';

// biome-ignore format: a table
const MANGLED: [sentence: string, text: string][] = [
  ['as it is made',                           `/s/${SECRET}`],
  ['with the slash encoded',                  `/s%2f${SECRET}`],
  ['with the slash encoded twice',            `/s%252F${SECRET}`],
  ['with the slash encoded thrice',           `/s%25252F${SECRET}`],
  ['with a backslash',                        `/s\\${SECRET}`],
  ['with an encoded backslash',               `/s%5C${SECRET}`],
  ['with two slashes',                        `//s//${SECRET}`],
  ['in capitals',                             `/S/${SECRET}`],
  ['without the slash',                       `/s${SECRET}`],
  ['behind a parameter',                      `/s;v=1/${SECRET}`],
  ['behind an equals sign',                   `/open;t=${SECRET}`],
  ['below a base path',                       `/nvr/s/${SECRET}/clip.mp4`],
  ['with a stop behind it',                   `/s/${SECRET}.`],
  ['with a bracket behind it',                `/s%2F${SECRET})`],
  ['with its first letter encoded',           `/s/%41${SECRET.slice(1)}`],
  ['with every character encoded',            `/x/${[...SECRET].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('')}`],
  ['of an invitation',                        `/postern%2finvitation%2f${SECRET}`],
  ['of an invitation behind a backslash',     `\\invitation\\${SECRET}`],
  ['in a query',                              `https://nvr.example.com/?next=%2Fs%2F${SECRET}`],
  ['in a user agent',                         `Preview/1.0 (+https://nvr.example.com/s/${SECRET})`],
  ['of an API token',                         `/api/events;token=pst_abcdefgh_${SECRET}`],
  ['of a session',                            `/api/events/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZG1pbiJ9.${SECRET}`],
];

describe('A secret in a text', () => {
  for (const [sentence, text] of MANGLED) {
    it(`is left out ${sentence}`, () => {
      const shown = maskSecrets(text);
      assert.match(shown, /…/);
      assert.ok(!shown.includes(SECRET.slice(1, -1)), shown);
    });
  }

  it('is left out whatever it is, and wherever it stands behind characters that are none of its own', () =>
    fc.assert(
      fc.property(
        fc.constantFrom('/', '%2f', '%2F', '%5c', '\\', '%252f', ';a=', '=', '(', ':'),
        fc.constantFrom('', '/x', ')', '.', '%29'),
        (before, behind) => {
          const secret = randomBytes(32).toString('base64url');
          assert.ok(!maskSecrets(`/s${before}${secret}${behind}`).includes(secret));
        },
      ),
    ));
});

describe('A text without a secret', () => {
  for (const text of [
    '/api/events/1700000000.123456-abcdef/clip.mp4',
    '/exports/front_door_20251101_120000-20251101_130000_abc123.mp4',
    '/api/front%20door/latest.jpg',
    '/postern/assets/index-BhX8_2aK.js',
    '/api/review/1700000000.123456-abcdef%2Fpreview',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  ])
    it(`stays as it is: ${text}`, () => assert.equal(maskSecrets(text), text));
});
