/** How strong a password looks while it is typed (SPEC 12). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseNewPassword } from '../../../src/accounts/passwords/password-rules.ts';
import { isUnfit, judgeStrength, type Strength } from '../../../src/ui/pages/shared/password-strength.ts';

describe('A password that is typed', () => {
  // biome-ignore format: a table
  const rows: [password: string, looks: Strength][] = [
    ['',                                    'short'],
    ['correct hor',                         'short'],
    ['🔑🚪🏠🌙🌳🐕🦊🍀🎁🚲🎈',              'short'],
    ['the door of Vera is blue',            'own-name'],
    ['blunders are severed hourly',         'strong'],
    ['LUND is a town in the south',         'own-name'],
    ['a Frigate on the sea',                'own-name'],
    ['aaaaaaaaaaaaaaaaaaaaaa',              'repeated'],
    ['abcabcabcabcabc',                     'repeated'],
    ['aaaabbbbccccdddd',                    'weak'],
    ['wrqzkfmvtyhs',                        'weak'],
    ['wrqzkfmVtyh7',                        'fair'],
    ['correct horse battery',               'strong'],
    ['wrqZkfmvtyhs77&x',                    'strong'],
  ];
  for (const [password, looks] of rows)
    it(`looks ${looks}: ${password}`, () => assert.equal(judgeStrength(password, 'vera.lund', 12), looks));

  it('is short by the length that the configuration asks for', () =>
    assert.deepEqual(
      [14, 15].map((shortest) => judgeStrength('wrqzkfmvtyhs&7', 'vera', shortest)),
      ['fair', 'short'],
    ));

  it('that the page finds unfit is refused by the server as well', async () => {
    const parts = fc.array(fc.constantFrom('a', 'Ab', 'vera', 'x7', '🔑', 'frigate', ' ', '-q'), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(parts, async (typed) => {
        const password = typed.join('');
        if (!isUnfit(judgeStrength(password, 'vera', 12))) return;
        assert.equal((await parseNewPassword(password, 'vera', { shortest: 12, hostNames: [] })).ok, false);
      }),
    );
  });
});
