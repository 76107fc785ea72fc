/** A viewer may send any plate pattern, and none of them keeps the backend busy (attack: patterns that backtrack). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { parsePlates } from '../../src/events/plates.ts';
import { event } from './support/event.ts';
import { type ServedEvents, serveEvents } from './support/served-events.ts';

const isWanted = (text: string, plate: string): boolean | undefined => {
  const parsed = parsePlates(text);
  if (!parsed.ok || parsed.value.kind !== 'plate') return undefined;
  const { plates, matches } = parsed.value.isWanted;
  return plates.includes(plate) || (matches?.(plate) ?? false);
};

describe('Plate patterns', () => {
  const evil = ['(a+)+$', '(a|a)*b.', '(a*)*c.', '^(([a-z])+.)+[A-Z]([a-z])+$', '(x+x+)+y', '.*.*.*='];
  for (const pattern of evil) {
    it(`${pattern} is answered for a plate that would make it backtrack`, () => {
      // A backtracking engine needs longer than the test may take: 2^60 steps.
      assert.equal(isWanted(pattern, `${'a'.repeat(60)}!`), false);
    });
  }

  it('are not tried on what is too long for a plate', () => {
    assert.equal(isWanted('^A', `A${'B'.repeat(63)}`), true);
    assert.equal(isWanted('^A', `A${'B'.repeat(64)}`), false);
  });

  it('are at most sixteen, beside plates that are none', () => {
    const costly = (count: number) => ['B1', ...Array.from({ length: count }, (_, n) => `a${n}.`)].join(',');
    assert.equal(isWanted(costly(16), 'a3b'), true);
    assert.equal(isWanted(costly(17), 'a3b'), undefined);
  });

  it('repeat at most three times, by whatever sign', () => {
    for (const pattern of ['.*.+.?', 'a*b*c*', '^.{1,2}a+b*$']) assert.equal(typeof isWanted(pattern, 'x'), 'boolean');
    for (const pattern of ['.*.*.*.*x', 'a+b+c+d+', '.?.?.?.?', 'a*b+c?d{2}.', '[*+?]*.'])
      assert.match(JSON.stringify(parsePlates(pattern)), /repeats too often/, pattern);
  });

  it('of any kind give an answer or a reason', () =>
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'^$.*+?[](){}|\\abAB19-,') }), fc.string(), (pattern, plate) => {
        const parsed = parsePlates(pattern);
        if (!parsed.ok) assert.match(parsed.error.message, /pattern|List/);
        else assert.equal(typeof isWanted(pattern, plate), 'boolean');
      }),
    ));
});

describe('A plate pattern over many events', () => {
  let served: ServedEvents;
  before(async () => {
    const events = Array.from({ length: 3500 }, (_, n) =>
      event({
        id: `e${String(n).padStart(4, '0')}`,
        start_time: n,
        data: n % 2 ? { recognized_license_plate: `P${n}` } : {},
      }),
    );
    served = await serveEvents({ events });
  });
  after(() => served.close());

  const ids = async (query: string) =>
    ((await served.ask(`/api/events?${query}`)).json() as { id: string }[]).map(({ id }) => id).join(' ');

  it('finds records that stand far apart', async () => {
    assert.equal(await ids('recognized_license_plate=^P1..1$&limit=3'), 'e1991 e1981 e1971');
    assert.equal(await ids('recognized_license_plate=^P(?:3|3499)$'), 'e3499 e0003');
    assert.equal(await ids('recognized_license_plate=^P(?:3|3499)$&sort=date_asc'), 'e0003 e3499');
  });

  it('finds nothing where there is nothing', async () => assert.equal(await ids('recognized_license_plate=^Q'), ''));
});
