/** A connection that goes on saying the same is not judged anew, and nothing else is taken for the same. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type IdentityVerdict, INTERNAL_CALLER } from '../../src/domain/caller.ts';
import type { UserName } from '../../src/domain/names.ts';
import { cachedOnConnection } from '../../src/identity/sources.ts';
import { type HeaderLine, someRequest } from '../support/request-facts.ts';

const COOKIE: HeaderLine = ['Cookie', 'frigate_token=vera'];
const BEARER: HeaderLine = ['Authorization', 'Bearer vera'];

const identified = (name: string): IdentityVerdict => ({
  kind: 'identified',
  caller: { ...INTERNAL_CALLER, name: name as UserName },
});

/** A source that gives each caller a new number, so that each call shows. */
function counting(verdict: (asked: number) => IdentityVerdict | Promise<IdentityVerdict> = (n) => identified(`n${n}`)) {
  const world = { asked: 0, version: '1', second: 1000 };
  const identify = cachedOnConnection(
    () => {
      world.asked += 1;
      return verdict(world.asked);
    },
    { version: () => world.version, now: () => world.second },
  );
  const connection = {};
  const ask = (lines: readonly HeaderLine[], on: object = connection) =>
    identify(someRequest({ connection: on }, lines));
  return { world, ask, identify };
}

describe('A remembered source', () => {
  for (const line of [COOKIE, BEARER]) {
    it(`is asked once for the same ${line[0]} on one connection`, async () => {
      const { world, ask } = counting();
      const verdicts = [await ask([line]), await ask([line]), await ask([line])];
      assert.deepEqual([world.asked, verdicts], [1, [identified('n1'), identified('n1'), identified('n1')]]);
    });
  }

  it('waits for a verdict that takes its time, and has it at once the next time', async () => {
    const { world, ask } = counting((n) => Promise.resolve(identified(`n${n}`)));
    const first = await ask([COOKIE]);
    assert.deepEqual([first, ask([COOKIE]), world.asked], [identified('n1'), identified('n1'), 1]);
  });

  // biome-ignore format: a table
  const others: [sentence: string, change: (world: { version: string; second: number }) => void, lines: HeaderLine[], connection?: object][] = [
    ['another cookie',              () => {},                              [['Cookie', 'frigate_token=carl']]],
    ['a cookie more',               () => {},                              [['Cookie', 'frigate_token=vera; a=b']]],
    ['a bearer token more',         () => {},                              [COOKIE, BEARER]],
    ['no cookie',                   () => {},                              [BEARER]],
    ['nothing at all',              () => {},                              []],
    ['another connection',          () => {},                              [COOKIE], {}],
    ['a change of the accounts',    (world) => { world.version = '2'; },   [COOKIE]],
    ['the next second',             (world) => { world.second = 1001; },   [COOKIE]],
    ['a clock that was set back',   (world) => { world.second = 900; },    [COOKIE]],
  ];
  for (const [sentence, change, lines, connection] of others) {
    it(`is asked again for ${sentence}`, async () => {
      const { world, ask } = counting();
      await ask([COOKIE]);
      change(world);
      assert.deepEqual([await ask(lines, connection), world.asked], [identified('n2'), 2]);
    });
  }

  it('is asked each time where nothing is known of the connection', async () => {
    const { world, identify } = counting();
    await identify(someRequest({}, [COOKIE]));
    await identify(someRequest({}, [COOKIE]));
    assert.equal(world.asked, 2);
  });

  it('judges a refused caller again each time', async () => {
    const { world, ask } = counting(() => ({ kind: 'refused', reason: 'token-invalid' }));
    await ask([COOKIE]);
    await ask([COOKIE]);
    assert.equal(world.asked, 2);
  });

  it('remembers nothing that went wrong', async () => {
    const { ask } = counting((n) => (n === 1 ? Promise.reject(new Error('disk')) : identified(`n${n}`)));
    await assert.rejects(async () => ask([COOKIE]), /disk/);
    assert.deepEqual(await ask([COOKIE]), identified('n2'));
  });
});
