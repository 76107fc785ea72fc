/** Hours of roles: what can be written, and when they are open, in three zones over both changes of their clocks (SPEC 13). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Hours, openingAt, parseHours, wallText } from '../../src/domain/hours.ts';

const hours = (...texts: string[]): Hours => {
  const parsed = parseHours(texts);
  return parsed.ok ? parsed.value : assert.fail(parsed.error);
};
/** Unix seconds of a time in UTC, to the minute or the second. */
const at = (text: string): number => Date.parse(`${text}Z`) / 1000;
const DAY = 86_400;

describe('Hours that are written wrong', () => {
  // biome-ignore format: a table
  const rows: readonly [texts: string[], said: RegExp][] = [
    [[],                         /has no hours, so the role could never be used/],
    [['Mon-Fri'],                /"Mon-Fri" is not days with a span of hours: write for example "Mon-Fri 07:00-18:00"/],
    [['07:00-18:00'],            /is not days with a span/],
    [['Mon 7-18'],               /is not days with a span/],
    [['Mon 07:00'],              /is not days with a span/],
    [['Mon 25:00-26:00'],        /"25:00" is not a time of day: write 00:00 to 23:59/],
    [['Mon 24:00-25:00'],        /"24:00" is not a time of day/],
    [['Mon 07:60-08:00'],        /"07:60" is not a time of day/],
    [['Mon 07:00-24:01'],        /"24:01" is not a time of day: write 00:00 to 24:00/],
    [['Mon 07:00-07:00'],        /begins and ends at the same time: for a whole day write 00:00-24:00/],
    [['Mo 07:00-08:00'],         /"Mo" is not a day: write Mon, Tue, Wed/],
    [['Mon-Wed-Fri 07:00-08:00'], /"Mon-Wed-Fri" is not a day/],
    [['Mon, 07:00-08:00'],       /"" is not a day/],
    [['Mon 07:00-08:00', 'x'],   /"x" is not days with a span/],
  ];
  for (const [texts, said] of rows)
    it(`${JSON.stringify(texts)}: ${said.source}`, () => {
      const parsed = parseHours(texts);
      assert.match(parsed.ok ? 'taken' : parsed.error, said);
    });

  it('are never taken for hours when one text has no span, whatever it is', () => {
    const withoutSpan = fc.string({ maxLength: 30 }).filter((text) => !/\d:\d\d-\d/.test(text));
    fc.assert(fc.property(withoutSpan, (text) => !parseHours(['Mon 07:00-08:00', text]).ok));
  });
});

/** From a moment in UTC: whether it is open, and when that changes, in UTC. */
// biome-ignore format: a table
const TABLE: readonly [why: string, zone: string, texts: string[], now: string, isOpen: boolean, changes: string | undefined][] = [
  ['before work',                                    'Europe/Berlin',       ['Mon-Fri 07:00-18:00'], '2026-11-23T05:59', false, '2026-11-23T06:00:00'],
  ['at the first second',                            'Europe/Berlin',       ['Mon-Fri 07:00-18:00'], '2026-11-23T06:00', true,  '2026-11-23T17:00:00'],
  ['in the last second',                             'Europe/Berlin',       ['Mon-Fri 07:00-18:00'], '2026-11-23T16:59:59', true, '2026-11-23T17:00:00'],
  ['at the end',                                     'Europe/Berlin',       ['Mon-Fri 07:00-18:00'], '2026-11-23T17:00', false, '2026-11-24T06:00:00'],
  ['over the weekend',                               'Europe/Berlin',       ['Mon-Fri 07:00-18:00'], '2026-11-27T17:00', false, '2026-11-30T06:00:00'],
  ['of two entries the nearer',                      'Europe/Berlin',       ['Mon-Fri 07:00-18:00', 'Sat 09:00-12:00'], '2026-11-27T17:00', false, '2026-11-28T08:00:00'],
  ['entries that touch are one',                     'Europe/Berlin',       ['Mon 07:00-12:00', 'monday 12:00-13:00'], '2026-11-23T07:00', true, '2026-11-23T12:00:00'],
  ['a list of days',                                 'Europe/Berlin',       ['Tue,Thu 07:00-08:00'], '2026-11-24T07:00', false, '2026-11-26T06:00:00'],
  ['a range over the weekend',                       'Europe/Berlin',       ['Fri-Mon 07:00-08:00'], '2026-11-23T07:00', false, '2026-11-27T06:00:00'],
  ['over midnight, before it',                       'Europe/Berlin',       ['Fri 22:00-02:00'],     '2026-11-27T21:30', true,  '2026-11-28T01:00:00'],
  ['over midnight, after it',                        'Europe/Berlin',       ['Fri 22:00-02:00'],     '2026-11-28T00:59', true,  '2026-11-28T01:00:00'],
  ['over the midnight of Sunday',                    'Europe/Berlin',       ['Sun 22:00-02:00'],     '2026-11-23T00:30', true,  '2026-11-23T01:00:00'],
  ['until midnight',                                 'Europe/Berlin',       ['Sun 22:00-24:00'],     '2026-11-22T22:59', true,  '2026-11-22T23:00:00'],
  ['always: never otherwise',                        'Europe/Berlin',       ['daily 00:00-24:00'],   '2026-11-22T22:59', true,  undefined],
  // Berlin: 29 March 2026 02:00 becomes 03:00 (01:00 UTC); 25 October 2026 03:00 becomes 02:00 (01:00 UTC).
  ['spring, Berlin: opens by the new clock',         'Europe/Berlin',       ['daily 07:00-18:00'],   '2026-03-28T18:00', false, '2026-03-29T05:00:00'],
  ['spring, Berlin: a night is an hour shorter',     'Europe/Berlin',       ['Sat 22:00-06:00'],     '2026-03-28T21:00', true,  '2026-03-29T04:00:00'],
  ['spring, Berlin: hours that are skipped do not come', 'Europe/Berlin',   ['daily 02:15-02:45'],   '2026-03-29T00:30', false, '2026-03-30T00:15:00'],
  ['spring, Berlin: an end that is skipped comes with the jump', 'Europe/Berlin', ['Sun 01:00-02:30'], '2026-03-29T00:30', true, '2026-03-29T01:00:00'],
  ['spring, Berlin: a beginning that is skipped comes with the jump', 'Europe/Berlin', ['Sun 02:30-04:00'], '2026-03-29T00:30', false, '2026-03-29T01:00:00'],
  ['autumn, Berlin: closes by the new clock',        'Europe/Berlin',       ['Sat 22:00-06:00'],     '2026-10-24T20:00', true,  '2026-10-25T05:00:00'],
  ['autumn, Berlin: an hour shown twice is open twice', 'Europe/Berlin',    ['Sun 02:00-03:00'],     '2026-10-25T00:00', true,  '2026-10-25T02:00:00'],
  ['autumn, Berlin: half of it, the first time',     'Europe/Berlin',       ['Sun 02:00-02:30'],     '2026-10-25T00:29', true,  '2026-10-25T00:30:00'],
  ['autumn, Berlin: and again',                      'Europe/Berlin',       ['Sun 02:00-02:30'],     '2026-10-25T00:30', false, '2026-10-25T01:00:00'],
  ['autumn, Berlin: until the second half hour',     'Europe/Berlin',       ['Sun 02:00-02:30'],     '2026-10-25T01:00', true,  '2026-10-25T01:30:00'],
  // New York: 8 March 2026 02:00 becomes 03:00 (07:00 UTC); 1 November 2026 02:00 becomes 01:00 (06:00 UTC).
  ['spring, New York',                               'America/New_York',    ['Mon-Fri 07:00-18:00'], '2026-03-06T23:00', false, '2026-03-09T11:00:00'],
  ['spring, New York: a night',                      'America/New_York',    ['Sat 22:00-06:00'],     '2026-03-08T03:00', true,  '2026-03-08T10:00:00'],
  ['autumn, New York',                               'America/New_York',    ['Mon-Fri 07:00-18:00'], '2026-10-30T22:00', false, '2026-11-02T12:00:00'],
  ['autumn, New York: an hour shown twice',          'America/New_York',    ['Sun 01:00-02:00'],     '2026-11-01T05:00', true,  '2026-11-01T07:00:00'],
  // Lord Howe: half an hour. 4 October 2026 02:00 becomes 02:30 (15:30 UTC, 3 October); 5 April 2026 02:00 becomes 01:30 (15:00 UTC, 4 April).
  ['spring, Lord Howe: half an hour is skipped',     'Australia/Lord_Howe', ['Sun 02:00-02:30'],     '2026-10-03T15:00', false, '2026-10-10T15:00:00'],
  ['spring, Lord Howe: opens by the new clock',      'Australia/Lord_Howe', ['Sun 07:00-18:00'],     '2026-10-03T15:00', false, '2026-10-03T20:00:00'],
  ['autumn, Lord Howe: half an hour is shown twice', 'Australia/Lord_Howe', ['Sun 01:30-02:00'],     '2026-04-04T14:30', true,  '2026-04-04T15:30:00'],
  ['autumn, Lord Howe: opens by the new clock',      'Australia/Lord_Howe', ['Sun 07:00-18:00'],     '2026-04-04T14:30', false, '2026-04-04T20:30:00'],
];

describe('Hours', () => {
  for (const [why, zone, texts, now, isOpen, changes] of TABLE)
    it(`${texts.join('; ')} at ${now} UTC, ${zone}: ${isOpen ? 'open' : 'closed'} until ${changes} (${why})`, () => {
      const opening = openingAt(hours(...texts), zone, at(now));
      assert.equal(opening.isOpen, isOpen);
      assert.equal(opening.changesAt, changes === undefined ? undefined : at(changes));
    });

  it('are what the clock on the wall shows, and change exactly when they are told to, over every change of the clocks', () => {
    const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'];
    const starts = ['2026-03-06', '2026-03-27', '2026-04-03', '2026-10-02', '2026-10-23', '2026-10-30'];
    const minute = fc.integer({ min: 0, max: 1439 });
    const span = fc
      .record({ day: fc.constantFrom('Mon', 'Thu', 'Sat', 'Sun', 'daily'), from: minute, to: minute })
      .filter(({ from, to }) => from !== to);
    const clock = (value: number) =>
      `${String(Math.floor(value / 60)).padStart(2, '0')}:${String(value % 60).padStart(2, '0')}`;
    const formats = new Map(zones.map((zone) => [zone, wallClock(zone)]));
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.constantFrom(...starts),
        fc.array(span, { minLength: 1, maxLength: 3 }),
        (zone, start, spans) => {
          const open = hours(...spans.map(({ day, from, to }) => `${day} ${clock(from)}-${clock(to)}`));
          const shows = (time: number): boolean => isShown(spans, formats.get(zone)?.(time) ?? assert.fail());
          let now = at(`${start}T00:00`);
          const end = now + 4 * DAY;
          while (now < end) {
            const { isOpen, changesAt = end } = openingAt(open, zone, now);
            assert.equal(isOpen, shows(now), `${zone} ${new Date(now * 1000).toISOString()}`);
            const until = Math.min(changesAt, end);
            for (let time = now + 1800; time < until; time += 1800) assert.equal(shows(time), isOpen);
            assert.equal(shows(until - 1), isOpen);
            if (until < end) assert.equal(shows(until), !isOpen);
            now = until;
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('are open or not at a time before the last question as well: a clock may be set back', () => {
    const open = hours('Mon-Fri 07:00-18:00');
    assert.equal(openingAt(open, 'UTC', at('2026-11-23T12:00')).isOpen, true);
    assert.equal(openingAt(open, 'UTC', at('2026-11-23T06:00')).isOpen, false);
    assert.equal(openingAt(open, 'America/New_York', at('2026-11-23T08:00')).isOpen, false);
  });

  it('are told in the clock of their zone', () =>
    assert.equal(wallText(at('2026-07-01T05:00'), 'Europe/Berlin'), '2026-07-01 07:00 (Europe/Berlin)'));
});

interface Wall {
  readonly weekday: string;
  readonly minute: number;
}

/** Another way to the same: what Intl shows. */
function wallClock(zone: string): (time: number) => Wall {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    weekday: 'short',
    hour: 'numeric',
    minute: 'numeric',
    hourCycle: 'h23',
  });
  return (time) => {
    const parts = Object.fromEntries(format.formatToParts(time * 1000).map(({ type, value }) => [type, value]));
    return { weekday: parts['weekday'] ?? '', minute: Number(parts['hour']) * 60 + Number(parts['minute']) };
  };
}

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

function isShown(spans: readonly { day: string; from: number; to: number }[], { weekday, minute }: Wall): boolean {
  const yesterday = DAYS.at(DAYS.indexOf(weekday) - 1) ?? '';
  const isOn = (day: string, wanted: string) => day === 'daily' || day === wanted;
  return spans.some(({ day, from, to }) =>
    from < to
      ? isOn(day, weekday) && minute >= from && minute < to
      : (isOn(day, weekday) && minute >= from) || (isOn(day, yesterday) && minute < to),
  );
}
