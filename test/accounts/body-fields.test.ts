/** What is wrong with the fields of a body, in the words of the NVR's own API, by the shape that a route declares (SPEC 4.1). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { fieldsIn, GIVEN_TEXT, MAYBE_GIVEN_TEXT, unknownFields } from '../../src/accounts/http/json-body.ts';
import { ASSERTION } from '../../src/accounts/passkeys/credential.ts';
import { VALIDITY } from '../../src/accounts/users/users.ts';

const SHAPE = z.object({ name: GIVEN_TEXT, role: MAYBE_GIVEN_TEXT, ...VALIDITY.shape });
const NO_TIME = 'Input should be a time in whole Unix seconds, or null';

describe('The fields of a body', () => {
  // biome-ignore format: a table
  const rows: readonly (readonly [body: string, faults: readonly string[]])[] = [
    ['{"name":"a","valid_from":null,"more":1}', []],
    ['[]',                                      ['body: Input should be an object']],
    ['{"name":null,"role":1}',                  ['body.name: Input should be a string', 'body.role: Input should be a string']],
    ['{"valid_until":1.5}',                     ['body.name: Field required']],
    ['{"name":"\\ud800"}',                      ['body.name: Input should be well-formed Unicode']],
    ['{"name":"a","valid_from":"x","valid_until":1e300}', [`body.valid_from: ${NO_TIME}`, `body.valid_until: ${NO_TIME}`]],
    ['{"name":"a","valid_from":-1}',            [`body.valid_from: ${NO_TIME}`]],
  ];
  for (const [body, faults] of rows)
    it(`${body}: ${faults.length > 0 ? faults.join('; ') : 'nothing is wrong'}`, () => {
      const read = fieldsIn(SHAPE, JSON.parse(body));
      assert.deepEqual(read.ok ? [] : read.error.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`), faults);
    });

  it('read null as empty where a text may be absent', () =>
    assert.deepEqual(fieldsIn(SHAPE, { name: 'a', role: null }), { ok: true, value: { name: 'a', role: '' } }));

  it('have the type of what is wrong: a credential of another id is no bad text', () => {
    const type = (shape: z.ZodType, body: unknown) => {
      const read = fieldsIn(shape, body);
      return read.ok ? [] : read.error.map(({ loc, type }) => `${loc.join('.')}: ${type}`);
    };
    const response = { clientDataJSON: 'AA', authenticatorData: 'AA', signature: 'AA' };
    const credential = { id: 'AAAA', rawId: 'BBBB', type: 'public-key', response };
    assert.deepEqual(type(z.object({ credential: ASSERTION }), { credential }), ['body.credential.id: value_error']);
    assert.deepEqual(type(SHAPE, { name: '\ud800' }), ['body.name: string_unicode']);
    assert.deepEqual(type(SHAPE, { name: 'a', valid_from: 1.5 }), ['body.valid_from: int_type']);
  });

  it('that the shape does not know are named, with those that it does', () =>
    assert.deepEqual(
      unknownFields(VALIDITY, { valid_from: 1, from: 2 }).map(({ loc, msg }) => [...loc, msg]),
      [['body', 'from', 'Unknown field: write only valid_from, valid_until']],
    ));
});
