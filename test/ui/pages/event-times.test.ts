/** Times as the viewer's own clock and language say them. */
import '../support/in-english.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fromLocalInput, localeFor, toLocalInput } from '../../../src/ui/pages/shared/spelling.ts';
import {
  formatDate,
  formatDay,
  formatDuration,
  formatMoment,
  formatScore,
  formatShortMoment,
  formatTick,
  formatTime,
} from '../../../src/ui/pages/shared/words.ts';

const BERLIN = { locale: 'en-GB', timeZone: 'Europe/Berlin' };
const NEW_YORK = { locale: 'en-GB', timeZone: 'America/New_York' };
const at = (text: string): number => Date.parse(text) / 1000;

describe('A moment beyond the last one of a calendar', () => {
  it('is shown as that one: the API takes such an end of a token', () =>
    assert.equal(
      formatDate(Number.MAX_SAFE_INTEGER, { locale: 'en-GB', timeZone: 'UTC' }),
      '13\u00A0September 275760',
    ));
});

describe('A time', () => {
  it('is told by the clock of the viewer', () => {
    assert.equal(formatTime(at('2026-08-04T12:05:09Z'), BERLIN), '14:05:09');
    assert.equal(formatTime(at('2026-08-04T12:05:09Z'), NEW_YORK), '08:05:09');
    assert.match(
      formatMoment(at('2026-08-04T12:05:09Z'), BERLIN),
      /^4\u00A0August 2026 at\u00A014:05:09\u00A0(CEST|GMT\+2)$/,
    );
  });

  const NOW = at('2026-08-04T22:30:00Z');
  // biome-ignore format: a table
  const days: [sentence: string, time: string, region: typeof BERLIN, day: string][] = [
    ['today',                                      '2026-08-04T22:05:00Z', BERLIN,   'Today'],
    ['yesterday, though it is today in New York',  '2026-08-04T21:55:00Z', BERLIN,   'Yesterday'],
    ['today, though it is yesterday in Berlin',    '2026-08-04T21:55:00Z', NEW_YORK, 'Today'],
    ['a date when it is longer ago',               '2026-08-01T12:00:00Z', BERLIN,   'Saturday 1\u00A0August 2026'],
    ['a date when it is a year ago',               '2025-08-04T22:05:00Z', BERLIN,   'Tuesday 5\u00A0August 2025'],
  ];
  for (const [sentence, time, region, day] of days) {
    it(`stands under ${sentence}`, () => assert.equal(formatDay(at(time), NOW, region).replace(',', ''), day));
  }

  // biome-ignore format: a table
  const ticks: [sentence: string, time: string, stepSeconds: number, said: string][] = [
    ['the time',              '2026-08-04T10:00:00Z', 3600,        '12:00'],
    ['the day at midnight',   '2026-08-03T22:00:00Z', 3600,        '4\u00A0Aug'],
    ['the day on a long axis', '2026-08-04T10:00:00Z', 86_400,     '4\u00A0Aug'],
    ['the month on a very long one', '2026-08-04T10:00:00Z', 30 * 86_400, 'Aug 2026'],
  ];
  for (const [sentence, time, stepSeconds, said] of ticks) {
    it(`is marked on the axis by ${sentence}`, () => assert.equal(formatTick(at(time), stepSeconds, BERLIN), said));
  }

  it('keeps its day beside its month at the end of a line, and breaks elsewhere', () => {
    const moment = at('2026-12-03T12:05:00Z');
    assert.equal(formatShortMoment(moment, { ...BERLIN, locale: 'de' }, NOW), '3.\u00A0Dez., 13:05');
    assert.equal(formatDate(moment, { ...BERLIN, locale: 'pl' }), '3\u00A0grudnia 2026');
  });

  it('has its year where it is another one', () => {
    assert.equal(formatShortMoment(at('2026-01-04T12:05:00Z'), BERLIN, NOW), '4\u00A0Jan, 13:05');
    assert.equal(formatShortMoment(at('2025-12-31T23:05:00Z'), BERLIN, NOW), '1\u00A0Jan, 0:05');
    assert.equal(formatShortMoment(at('2025-12-31T23:05:00Z'), NEW_YORK, NOW), '31\u00A0Dec 2025, 18:05');
  });

  // biome-ignore format: a table
  const locales: [sentence: string, page: string, wished: string[], locale: string][] = [
    ['as the viewer writes the language of the page', 'de', ['fr', 'de-CH', 'en'], 'de-CH'],
    ['in the language of the page, which is not one of the viewer', 'en', ['fr-FR'], 'en'],
    ['not in a language that only begins alike',     'de', ['den', 'de'],          'de'],
  ];
  for (const [sentence, page, wished, locale] of locales)
    it(`is written ${sentence}`, () => assert.equal(localeFor(page, wished), locale));

  it('goes into a field and comes back', () => {
    const minute = at('2026-08-04T12:05:00Z');
    assert.equal(fromLocalInput(toLocalInput(minute)), minute);
    assert.equal(toLocalInput(undefined), '');
    assert.equal(toLocalInput(1e300), '');
    assert.equal(fromLocalInput(''), undefined);
    assert.equal(fromLocalInput('soon'), undefined);
  });
});

describe('A length', () => {
  // biome-ignore format: a table
  const rows: [seconds: number, said: string][] = [
    [0, '1 sec'], [0.4, '1 sec'], [59.4, '59 sec'], [59.6, '1 min'], [65, '1 min 5 sec'], [3600, '1 hr'], [3900, '1 hr 5 min'], [90_000, '1 day 1 hr'], [172_800, '2 days'], [-5, '1 sec'],
  ];
  for (const [seconds, said] of rows)
    it(`of ${seconds} seconds is ${said}, no number apart from its unit`, () =>
      assert.equal(formatDuration(seconds), said.replaceAll(/(?<=\d) /g, '\u00A0')));

  it('of certainty is a whole number of percents', () => assert.equal(formatScore(0.8749), '87%'));
});
