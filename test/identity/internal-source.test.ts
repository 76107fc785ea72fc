/** Interface 5.6, port 5000: "All requests are anonymous and remote-role is overridden to admin-level access." */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { INTERNAL_CALLER } from '../../src/domain/caller.ts';
import { internalSource } from '../../src/identity/sources.ts';
import { type HeaderLine, someRequest } from '../support/request-facts.ts';

// biome-ignore format: a table
const CLAIMS: readonly HeaderLine[] = [
  ['Remote-User', 'vera'], ['Remote-Role', 'viewer'], ['X-Server-Port', '5000'], ['Authorization', 'Bearer x'], ['Cookie', 'frigate_token=x'],
];

describe('The internal source', () => {
  it('takes every caller on the internal listener for anonymous, with all rights', () => {
    assert.deepEqual(internalSource(someRequest({ listener: 'internal' })), {
      kind: 'identified',
      caller: INTERNAL_CALLER,
    });
  });

  it('ignores role headers there', () => {
    assert.deepEqual(internalSource(someRequest({ listener: 'internal' }, CLAIMS)), {
      kind: 'identified',
      caller: INTERNAL_CALLER,
    });
  });

  it('is silent on the external listener, whatever port a header names', () => {
    assert.deepEqual(internalSource(someRequest({ listener: 'external' }, CLAIMS)), { kind: 'silent' });
  });
});
