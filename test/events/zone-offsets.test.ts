/** Local time is that of the event's own day: where the clocks changed, to the second (interface 4.1, `timezone`). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { canonicalZone, createZoneOffsets } from '../../src/domain/zone-offsets.ts';
import { event } from './support/event.ts';
import { serveEvents } from './support/served-events.ts';

/** 20 November 2026. */
const offsetsOf = createZoneOffsets(1_795_132_800);
const at = (zone: string, time: string): number | undefined => {
  const seconds = Date.parse(time) / 1000;
  return offsetsOf(zone).findLast(({ since }) => since <= seconds)?.seconds;
};
const HOUR = 3600;

describe('The offset of a time zone', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, zone: string, time: string, offset: number][] = [
    ['is none in UTC',                                  'UTC',                 '2026-07-01T00:00:00Z', 0],
    ['is the old one up to the second of the change',   'Europe/Berlin',       '2025-03-30T00:59:59Z', HOUR],
    ['is the new one from that second on',              'Europe/Berlin',       '2025-03-30T01:00:00Z', 2 * HOUR],
    ['goes back in autumn',                             'Europe/Berlin',       '2025-10-26T01:00:00Z', HOUR],
    ['changes at local two o’clock in New York',        'America/New_York',    '2024-03-10T07:00:00Z', -4 * HOUR],
    ['has half hours',                                  'Asia/Kolkata',        '2026-01-01T00:00:00Z', 5.5 * HOUR],
    ['changes by half an hour on Lord Howe',            'Australia/Lord_Howe', '2025-10-04T15:30:00Z', 11 * HOUR],
    ['before that change was half an hour less',        'Australia/Lord_Howe', '2025-10-04T15:29:59Z', 10.5 * HOUR],
    ['follows a month of fasting in Morocco',           'Africa/Casablanca',   '2025-03-01T00:00:00Z', 0],
    ['and its end',                                     'Africa/Casablanca',   '2025-04-07T00:00:00Z', HOUR],
    ['was the law’s of its own year',                   'Europe/Moscow',       '2012-01-01T00:00:00Z', 4 * HOUR],
    ['knows the changes of the year to come',           'Europe/Berlin',       '2027-07-01T00:00:00Z', 2 * HOUR],
  ];
  for (const [sentence, zone, time, offset] of rows) it(sentence, () => assert.equal(at(zone, time), offset));

  it('is known under any case of the name, and under no other name', () => {
    assert.equal(canonicalZone('europe/BERLIN'), 'Europe/Berlin');
    for (const name of ['Mars/Phobos', '+01:00', '', 'Europe/Berlin ', '../etc'])
      assert.equal(canonicalZone(name), undefined, name);
  });
});

it('An event from before 1970 has a time of day, too', async () => {
  const served = await serveEvents({ events: [event({ id: 'old', start_time: -1800.5 })] });
  const ids = async (range: string) =>
    ((await served.ask(`/api/events?time_range=${range}`)).json() as { id: string }[]).map(({ id }) => id);
  assert.deepEqual([await ids('23:29,23:30'), await ids('23:30,24:00'), await ids('00:00,01:00')], [['old'], [], []]);
  await served.close();
});
