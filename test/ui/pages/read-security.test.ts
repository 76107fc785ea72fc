/** The page Security reads what is set, and sends what was changed alone (SPEC 1, 12). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changesOf, faultOf, readSecurity } from '../../../src/ui/pages/settings/security/read-security.ts';

const BEFORE = { secondFactor: 'optional', timezone: 'Europe/Berlin', publicUrl: '' };

describe('The page Security', () => {
  it('reads what is set, by what, and whether the file can be changed', () => {
    const body = {
      file: '/config/config.yaml',
      writable: true,
      keys: {
        second_factor: { value: 'admins', set_by: null },
        timezone: { value: 'UTC', set_by: 'POSTERN__AUTH__TIMEZONE' },
        public_url: { value: null, set_by: null },
      },
    };
    assert.deepEqual(readSecurity(body), {
      file: '/config/config.yaml',
      isWritable: true,
      choice: { secondFactor: 'admins', timezone: 'UTC', publicUrl: '' },
      setBy: { timezone: 'POSTERN__AUTH__TIMEZONE' },
    });
  });

  it('reads an answer that is none as nothing that it may change', () => {
    for (const body of [undefined, null, [], { keys: 7 }, { keys: { timezone: 'UTC' }, writable: 'yes' }])
      assert.deepEqual(readSecurity(body), {
        file: '',
        isWritable: false,
        choice: { secondFactor: '', timezone: '', publicUrl: '' },
        setBy: {},
      });
  });

  it('sends what was changed, without blanks around it', () => {
    assert.deepEqual(changesOf(BEFORE, BEFORE), {});
    assert.deepEqual(changesOf({ ...BEFORE, publicUrl: ' https://nvr.example.com ' }, BEFORE), {
      public_url: 'https://nvr.example.com',
    });
  });

  it('finds what is wrong with a changed field, and nothing wrong with one that was left', () => {
    // biome-ignore format: a table
    const rows = [
      ['timezone',  'Europe/Berlin', undefined],
      ['timezone',  'Asia/Tokyo',    undefined],
      ['timezone',  'Asia/Tokio',    'timezoneUnfit'],
      ['timezone',  ' ',             'removeByHand'],
      ['publicUrl', '',              undefined],
      ['publicUrl', 'nvr',           'publicUrlUnfit'],
    ] as const;
    for (const [field, text, fault] of rows)
      assert.equal(faultOf(field, { ...BEFORE, [field]: text }, BEFORE), fault, `${field} ${text}`);
  });
});
