/** The switches of the curtain on the page Live: one for each camera and entry, and what each says is drawn (SPEC 19). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { curtainEnd, curtainSwitches } from '../../../src/features/curtain/page/curtain-rules.ts';

const drawn = (camera: string) => ({ camera, until: null, by: 'paul', drawn_at: 1 });
const shown = (entries: readonly string[], cameras: readonly string[]) =>
  curtainSwitches(entries.map(drawn), cameras).map(({ name, by }) => [name, by?.camera]);

describe('The switches of the curtain', () => {
  it('are cameras and other entries, each with what draws it, by preference its own entry', () => {
    assert.deepEqual(shown(['b*', 'bath', 'h.ll'], ['bath', 'barn', 'hall']), [
      ['bath', 'bath'],
      ['barn', 'b*'],
      ['hall', undefined],
      ['b*', 'b*'],
      ['h.ll', 'h.ll'],
    ]);
  });

  it('are those of the cameras where nothing is drawn', () => {
    assert.deepEqual(shown([], ['hall']), [['hall', undefined]]);
  });

  it('draw for an hour, until the next midnight, or without an end', () => {
    const evening = new Date(2026, 11, 31, 22, 30);
    const seconds = evening.getTime() / 1000;
    assert.deepEqual(
      (['open', 'hour', 'night'] as const).map((length) => curtainEnd(length, evening)),
      [null, seconds + 3600, seconds + 5400],
    );
  });
});
