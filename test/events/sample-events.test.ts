/** Sample events: repeatable, believable, and what the store takes (SPEC 1). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inflateSync } from 'node:zlib';
import type { EventRecord } from '../../src/domain/events/event.ts';
import { asEvent } from '../../src/events/import-events.ts';
import { generateSampleEvents, SAMPLE_CAMERAS } from '../../src/events/sample-events.ts';

/** 20 November 2026, 12:00 UTC. */
const UNTIL = 1_795_176_000;
const sample = (options: { count?: number; seed?: number; cameras?: string[]; until?: number } = {}): EventRecord[] => [
  ...generateSampleEvents({ count: 2000, seed: 1, until: UNTIL, ...options }),
];
const share = (events: EventRecord[], is: (event: EventRecord) => boolean): number =>
  events.filter(is).length / events.length;
const hourOf = ({ start_time }: EventRecord): number => Math.floor((start_time % 86_400) / 3600);

describe('Sample events', () => {
  const events = sample();

  it('are the same for the same seed and end', () => assert.deepEqual(sample(), events));
  it('are others for another seed', () => assert.notDeepEqual(sample({ seed: 2 }), events));
  it('are as many as asked for, none included', () => {
    assert.equal(events.length, 2000);
    assert.deepEqual(sample({ count: 0 }), []);
  });

  it('are records that an import would take', () => {
    for (const event of events) assert.deepEqual(asEvent(event), { ok: true, value: event });
  });

  it('have ids of their own', () => assert.equal(new Set(events.map(({ id }) => id)).size, 2000));

  it('stand in order of time, and none begins after the end', () => {
    const times = events.map(({ start_time }) => start_time);
    assert.deepEqual(
      times,
      [...times].sort((one, other) => one - other),
    );
    for (const end of [UNTIL, UNTIL + 7.5, UNTIL + 4 * 3600]) {
      const last = sample({ count: 50, until: end }).at(-1);
      assert.ok(last && last.start_time <= end && last.start_time > end - 7200, `${end}: ${last?.start_time}`);
    }
  });

  it('end after they begin; the newest two go on', () => {
    assert.deepEqual(
      events.slice(-3).map(({ end_time }) => end_time === null),
      [false, true, true],
    );
    for (const { start_time, end_time } of events.slice(0, -2)) assert.ok(end_time !== null && end_time >= start_time);
  });

  it('are of the cameras that are named, or of the usual ones', () => {
    const cameras = (list: EventRecord[]) => [...new Set(list.map(({ camera }) => camera))].sort();
    assert.deepEqual(cameras(events), [...SAMPLE_CAMERAS].sort());
    assert.deepEqual(cameras(sample({ cameras: ['a', 'b'] })), ['a', 'b']);
  });

  it('have days on which one camera saw nothing, while others did', () => {
    const days = Map.groupBy(events, ({ start_time }) => Math.floor(start_time / 86_400));
    const seen = [...days.values()].slice(1, -1).map((list) => new Set(list.map(({ camera }) => camera)).size);
    assert.ok(seen.includes(SAMPLE_CAMERAS.length) && seen.includes(SAMPLE_CAMERAS.length - 1), `${seen}`);
    assert.ok(Math.min(...seen) > 0);
  });

  it('have quiet nights and rush hours', () => {
    assert.ok(share(events, (event) => hourOf(event) < 5) < 0.05);
    assert.ok(share(events, (event) => [7, 8, 17, 18].includes(hourOf(event))) > 0.3);
  });

  it('have something for every filter', () => {
    const kinds: Record<string, (event: EventRecord) => boolean> = {
      zones: ({ zones }) => zones.length > 0,
      joinedSubLabel: ({ sub_label }) => sub_label?.includes(',') ?? false,
      plate: ({ data }) => typeof data['recognized_license_plate'] === 'string',
      noClip: ({ has_clip }) => !has_clip,
      favourite: ({ retain_indefinitely }) => retain_indefinitely,
      submitted: ({ plus_id }) => plus_id !== null,
    };
    for (const [kind, is] of Object.entries(kinds)) assert.ok(events.some(is), kind);
    assert.deepEqual([...new Set(events.map(({ label }) => label))].sort(), ['car', 'cat', 'dog', 'package', 'person']);
  });

  it('have small pictures that are whole PNGs', () => {
    for (const picture of new Set(events.map(({ thumbnail }) => thumbnail))) {
      const bytes = Buffer.from(picture ?? '', 'base64');
      assert.ok(bytes.length <= 400);
      assert.equal(bytes.subarray(0, 8).toString('latin1'), '\x89PNG\r\n\x1a\n');
      assert.equal(bytes.subarray(-8, -4).toString('latin1'), 'IEND');
      const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
      const start = bytes.indexOf('IDAT');
      const pixels = inflateSync(bytes.subarray(start + 4, start + 4 + bytes.readUInt32BE(start - 4)));
      assert.equal(pixels.length, (width + 1) * height);
    }
  });
});
