import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createCoalescedWrites } from '../../src/accounts/coalesced-writes.ts';
import { handClock } from './support/people.ts';

function notes(write?: () => Promise<void>) {
  const clock = handClock();
  const written: string[][] = [];
  const faults: unknown[] = [];
  const writes = createCoalescedWrites<string>({
    clock,
    onFault: (fault) => faults.push(fault),
    write: write ?? (async (sightings) => void written.push([...sightings])),
  });
  return { clock, written, faults, ...writes };
}

describe('What is seen often', () => {
  it('is written together, each once, as it was seen last', async () => {
    const { note, flush, written } = notes();
    note('a', () => 'a1');
    note('b', () => 'b1');
    note('a', () => 'a2');
    await flush();
    assert.deepEqual(written, [['a2', 'b1']]);
  });

  it('is written once a minute at most', async () => {
    const { clock, note, flush, written } = notes();
    for (let second = 0; second < 120; second += 1) {
      note('a', () => `a${second}`);
      await flush();
      clock.advance(1);
    }
    assert.deepEqual(written, [['a0'], ['a60']]);
  });

  it('is not written when there is nothing, and is at the end', async () => {
    const { note, flush, close, written } = notes();
    await flush();
    note('a', () => 'a1');
    await close();
    assert.deepEqual(written, [['a1']]);
  });

  it('is dropped when it cannot be written, and the next write goes on', async () => {
    const full = new Error('the disk is full');
    const { note, flush, faults } = notes(() => Promise.reject(full));
    note('a', () => 'a1');
    await flush();
    await flush();
    assert.deepEqual(faults, [full]);
  });
});
