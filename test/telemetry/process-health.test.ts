/** The process tells that it stood still, that its clock was set, and how many file descriptors are left (SPEC 9). */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createProcessHealth } from '../../src/telemetry/health.ts';
import { until } from '../support/until.ts';

describe('The health of the process', () => {
  it('tells of an event loop that stood still, for a minute', async (test) => {
    let skipped = 0;
    const ticks = (): number => performance.now() + skipped;
    const health = createProcessHealth({ now: () => 0 }, () => {}, ticks);
    test.after(health.close);
    assert.deepEqual(health.eventLoop(), { kind: 'ok' });
    skipped = 5000; // between two looks, a second apart, five seconds more have gone by
    await until('it is told', () => health.eventLoop().kind === 'degraded');
    const reason = /blocked for (?<blocked>\d+) ms within the last minute/.exec(JSON.stringify(health.eventLoop()));
    // A timer may be early by a millisecond, and late by more.
    assert.ok(Number(reason?.groups?.['blocked']) >= 4990, JSON.stringify(health.eventLoop()));
    skipped += 61_000;
    assert.deepEqual(health.eventLoop(), { kind: 'ok' });
  });

  it('tells how far and in which direction the clock was set', (test) => {
    let wall = 1e12;
    const jumps: number[] = [];
    const health = createProcessHealth(
      { now: () => wall },
      (seconds) => void jumps.push(seconds),
      () => 0,
    );
    test.after(health.close);
    wall += 9_000;
    assert.deepEqual(health.clock(), { kind: 'ok' });
    wall -= 86_400_000;
    assert.deepEqual(health.clock(), { kind: 'degraded', reason: 'the clock was set back by 86400 s' });
    assert.deepEqual(jumps, [-86_400]);
  });

  it('tells that descriptors are near their limit', () => {
    const file = join(import.meta.dirname, '../../src/telemetry/health.ts');
    const script = `
      import { openSync } from 'node:fs';
      import { descriptorsPart } from ${JSON.stringify(file)};
      const few = (await descriptorsPart()).kind;
      for (let opened = 0; opened < 150; opened++) openSync('/dev/null', 'r');
      const many = await descriptorsPart();
      try { for (;;) openSync('/dev/null', 'r'); } catch {}
      console.log([few, many.reason, (await descriptorsPart()).reason].join('; '));`;
    const command = `ulimit -n 200 && exec "$0" --input-type=module-typescript -e "$1"`;
    const { stdout, stderr } = spawnSync('sh', ['-c', command, process.execPath, script], { encoding: 'utf8' });
    const [few, many, none] = stdout.trimEnd().split('; ');
    assert.equal(few, 'ok', stderr);
    assert.match(many ?? '', /^1[67]\d of 200 file descriptors are in use$/);
    assert.equal(none, 'no file descriptor is left and connections are refused: raise the limit (ulimit -n)');
  });
});
