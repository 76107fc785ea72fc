/** A viewer may send any plate pattern, and none of them keeps the backend busy (attack: patterns that backtrack). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { parsePlates } from '../../src/domain/events/plate-patterns.ts';
import { event } from './support/event.ts';
import { type ServedEvents, serveEvents } from './support/served-events.ts';

const isWanted = (text: string, plate: string): boolean | undefined => {
  const parsed = parsePlates(text);
  if (!parsed.ok || parsed.value.kind !== 'plate') return undefined;
  const { plates, matches } = parsed.value.isWanted;
  return plates.includes(plate) || (matches?.(plate) ?? false);
};

describe('Plate patterns', () => {
  const evil = ['a*a*a*b', '[a-z]+a+.*=$', '.*.*.*='];
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
    for (const pattern of ['.*.+.?', 'a*b*c*', '^.{2}a+b*$']) assert.equal(typeof isWanted(pattern, 'x'), 'boolean');
    for (const pattern of ['.*.*.*.*x', 'a+b+c+d+', '.?.?.?.?', 'a*b+c?d{2}.', '[*+?]*.'])
      assert.match(JSON.stringify(parsePlates(pattern)), /repeats too often/, pattern);
  });

  it('have no groups and at most 32 characters', () => {
    for (const pattern of [
      '(a+)+$',
      '^(A|B)',
      'a{2.',
      '^\\1',
      '[z-a]',
      '[a',
      'A.^B',
      '$.',
      '+A',
      'a**',
      `^${'A'.repeat(32)}`,
    ])
      assert.equal(parsePlates(pattern).ok, false, pattern);
    assert.equal(isWanted(`^${'A'.repeat(31)}`, 'A'.repeat(32)), true);
  });

  it('match as an engine that backtracks does', () => {
    const one = fc.oneof(
      fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '[a-b]', '[.*]', '\\w', '\\.'),
      fc.constantFrom('-', 'é', '😀'),
    );
    const step = fc.tuple(one, fc.constantFrom('', '', '*', '+', '?', '{2}')).map(([letter, times]) => letter + times);
    const pattern = fc
      .tuple(fc.constantFrom('', '^'), fc.array(step, { maxLength: 5 }), fc.constantFrom('', '$'))
      .map((parts) => parts.flat().join(''))
      .filter((text) => /^\^|[.[\]?+*]/.test(text) && (text.match(/[*+?{]/g)?.length ?? 0) <= 3);
    const plate = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '-', 'é', '😀'), maxLength: 8 });
    fc.assert(
      fc.property(pattern, plate, (text, read) => assert.equal(isWanted(text, read), new RegExp(text, 'u').test(read))),
      { numRuns: 2000 },
    );
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
    assert.equal(await ids('recognized_license_plate=^P3$,^P349[9]'), 'e3499 e0003');
    assert.equal(await ids('recognized_license_plate=^P3$,^P349[9]&sort=date_asc'), 'e0003 e3499');
  });

  it('finds nothing where there is nothing', async () => assert.equal(await ids('recognized_license_plate=^Q'), ''));
});
