/** Activity tells by which credential something was done: a leaked token's acts do not look like its owner's (SPEC 14). */
import '../../ui/support/in-english.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { credentialText, namesIn } from '../../../src/features/ledger/page/activity-records.ts';

const NAMES = new Map([
  ...namesIn('token', [
    { id: 'abc', name: 'Home Assistant' },
    { id: 'def', name: '' },
    { id: 'ghi', name: null },
  ]),
  ...namesIn('link', [{ id: 'abc', name: 'Pool' }]),
]);

describe('The credential of a record', () => {
  const rows: readonly (readonly [credential: string, expected: string])[] = [
    ['token:abc', 'API token “Home Assistant”'],
    ['link:abc', 'Link “Pool”'],
    ['token:def', 'API token def'],
    ['token:0123456789abcdef', 'API token 01234567'],
    ['session:8a6e0804-2bd0-4672-b79d-d97027f9071a', 'Session 8a6e0804'],
    ['session', 'Session'],
    ['oidc:home-and-garden', 'Sign-in with home-and-garden'],
    ['internal', 'Internal port'],
    ['something:else', 'something else'],
  ];
  for (const [credential, expected] of rows)
    it(`is ${expected} for ${credential}`, () => assert.equal(credentialText(credential, NAMES), expected));
});
