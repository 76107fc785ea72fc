import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Clause, parseRateLimit } from '../../src/domain/rate-limit.ts';

const clause = (count: number, windowSeconds: number, text: string): Clause => ({ count, windowSeconds, text });

describe('A rate limit (interface 8)', () => {
  // biome-ignore format: a table
  const rows: [text: string, ...clauses: Clause[]][] = [
    ['5/minute;20/hour', clause(5, 60, '5/minute'), clause(20, 3600, '20/hour')],
    ['1/second', clause(1, 1, '1/second')],
    ['3/day, 4/month | 5/year', clause(3, 86_400, '3/day'), clause(4, 2_592_000, '4/month'), clause(5, 31_104_000, '5/year')],
    ['1 per 2 hours', clause(1, 7200, '1/2 hours')],
    ['10/5minutes', clause(10, 300, '10/5 minutes')],
    ['7 PER Minutes', clause(7, 60, '7/minute')],
    ['\t007 / 01 seconds ', clause(7, 1, '7/second')],
    ['0/minute', clause(0, 60, '0/minute')],
  ];
  for (const [text, ...clauses] of rows) {
    it(`"${text}" is read`, () => assert.deepEqual(parseRateLimit(text), { ok: true, value: clauses }));
  }

  const how =
    'write <count>/<unit> such as 5/minute;20/hour (second, minute, hour, day, month, year), or null for no limit';
  // biome-ignore format: a table
  const refused: [text: string, problem: string][] = [
    ['', 'is empty'],
    [' ', 'is empty'],
    ['foo', '"foo" is not a rate limit'],
    ['5/min', '"5/min" is not a rate limit'],
    ['5/week', '"5/week" is not a rate limit'],
    ['-5/minute', '"-5/minute" is not a rate limit'],
    ['5.5/minute', '"5.5/minute" is not a rate limit'],
    ['5/0 minutes', '"5/0 minutes" is not a rate limit'],
    ['5/minute/', '"5/minute/" is not a rate limit'],
    ['9999999999/minute', '"9999999999/minute" is not a rate limit'],
    ['5/minute;', '"5/minute;" has an empty clause'],
    ['5/minute;bar;baz', '"bar" is not a rate limit'],
  ];
  for (const [text, problem] of refused) {
    it(`"${text}" is refused, not taken for no limit`, () =>
      assert.deepEqual(parseRateLimit(text), { ok: false, error: `${problem}: ${how}` }));
  }

  it('is never a fault, whatever is written', () => {
    const pieces = fc.constantFrom('5', '/', 'per', ' ', 'minute', 's', ';', ',', '|', '0', '\n', 'é', '\0');
    const texts = fc.oneof(
      fc.string(),
      fc.array(pieces).map((parts) => parts.join('')),
    );
    fc.assert(fc.property(texts, (text) => ['boolean'].includes(typeof parseRateLimit(text).ok)));
  });

  it('says the same when written out and read again', () => {
    const units = fc.constantFrom('second', 'minute', 'hour', 'day', 'month', 'year');
    const written = fc
      .tuple(
        fc.nat(99_999),
        fc.constantFrom('/', ' per ', '/ '),
        fc.integer({ min: 1, max: 9999 }),
        units,
        fc.constantFrom('', 's'),
      )
      .map(([count, slash, multiple, unit, plural]) => `${count}${slash}${multiple} ${unit}${plural}`);
    fc.assert(
      fc.property(
        fc.array(written, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(';', ' , ', '|'),
        (clauses, separator) => {
          const parsed = parseRateLimit(clauses.join(separator));
          assert.ok(parsed.ok);
          assert.equal(parsed.value.length, clauses.length);
          assert.deepEqual(parseRateLimit(parsed.value.map(({ text }) => text).join(';')), parsed);
        },
      ),
    );
  });
});
