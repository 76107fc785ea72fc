/** The ends of a guest's account that are chosen by one press (SPEC 13). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findEnd } from '../../../src/ui/pages/settings/typed-hours.ts';

describe('The end of a guest', () => {
  const at = (day: number, hour: number, minute: number): number =>
    new Date(2026, 10, day, hour, minute).getTime() / 1000;
  // biome-ignore format: a table
  const ROWS = [
    ['tonight', new Date(2026, 10, 23, 14, 5), at(23, 23, 59)],
    ['sunday',  new Date(2026, 10, 23, 14, 5), at(29, 23, 59)],
    ['sunday',  new Date(2026, 10, 29, 14, 5), at(29, 23, 59)],
    ['week',    new Date(2026, 10, 23, 14, 5), at(30, 14, 5)],
  ] as const;
  for (const [name, now, end] of ROWS)
    it(`is ${name} as a person means it, chosen on ${now.toDateString()}`, () => assert.equal(findEnd(name, now), end));
});
