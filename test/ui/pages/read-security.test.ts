/** The page Security shows what is set, and sends what was changed alone (SPEC 8). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changesOf, choiceOf, faultOf } from '../../../src/ui/pages/settings/read-security.ts';

const BEFORE = { second_factor: 'optional', timezone: 'Europe/Berlin', public_url: '' };

describe('The page Security', () => {
  it('shows what is set as text', () => {
    const key = (value: string | null) => ({ value, set_by: null });
    const settings = { second_factor: key('admins'), timezone: key('UTC'), public_url: key(null) };
    assert.deepEqual(choiceOf(settings), { second_factor: 'admins', timezone: 'UTC', public_url: '' });
  });

  it('sends what was changed, without blanks around it, and null for what was emptied', () => {
    assert.deepEqual(changesOf(BEFORE, BEFORE), {});
    assert.deepEqual(changesOf({ ...BEFORE, public_url: ' https://nvr.example.com ' }, BEFORE), {
      public_url: 'https://nvr.example.com',
    });
    assert.deepEqual(changesOf({ ...BEFORE, timezone: ' ' }, BEFORE), { timezone: null });
  });

  it('finds what is wrong with a changed field, and nothing wrong with one that was left', () => {
    // biome-ignore format: a table
    const rows = [
      ['timezone',  undefined,       undefined],
      ['timezone',  'Asia/Tokyo',    undefined],
      ['timezone',  'Asia/Tokio',    'timezoneUnfit'],
      ['timezone',  null,            undefined],
      ['public_url', undefined,       undefined],
      ['public_url', 'nvr',           'publicUrlUnfit'],
    ] as const;
    for (const [field, text, fault] of rows) assert.equal(faultOf(field, text), fault, `${field} ${text}`);
  });
});
