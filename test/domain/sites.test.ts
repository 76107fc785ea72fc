/** Names of sites (SPEC 20). */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isSiteName } from '../../src/domain/accounts/site.ts';

it('names of sites are short, in lower case, and never hold a colon', () => {
  for (const good of ['a', 'house', 'barn-2', '1']) assert.ok(isSiteName(good), good);
  for (const bad of ['', 'House', 'a:b', '-a', 'a-', 'a b', 'a'.repeat(31), '*', 'a.b'])
    assert.ok(!isSiteName(bad), bad);
});
