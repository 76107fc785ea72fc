import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { holdRevocations } from '../../../src/accounts/sessions/store-grace.ts';
import { openStore } from '../../../src/store/open-store.ts';
import { makeScratch } from '../../store/support/scratch-store.ts';
import { moveIn, VERA } from '../../support/people.ts';

const LATE = 9_999_999_999;

describe('The version of a store that holds revocations', () => {
  it('is another one after each end of a session that is not written yet, and after each change of the store', async (test) => {
    const scratch = makeScratch();
    const opened = await openStore({ url: scratch.url });
    let isBroken = true;
    const revokeToken: typeof opened.accounts.revokeToken = async (...revocation) => {
      if (isBroken) throw new Error('cannot be written');
      return opened.accounts.revokeToken(...revocation);
    };
    const store = holdRevocations(
      { ...opened, accounts: { ...opened.accounts, revokeToken } },
      { error() {}, info() {} },
    );
    const hold = (tokenId: string) => store.accounts.revokeToken(tokenId, LATE).catch(() => {});
    test.after(async () => {
      await store.close();
      scratch.remove();
    });
    const changes: (() => unknown)[] = [
      () => hold('one'),
      () => hold('two'),
      () => {
        isBroken = false;
        return store.accounts.revokeToken('three', LATE);
      },
      () => moveIn([VERA], store.accounts, 1),
    ];
    const seen = [store.version()];
    for (const change of changes) {
      await change();
      seen.push(store.version());
      assert.equal(store.version(), seen.at(-1), 'the same while nothing changes');
    }
    assert.equal(new Set(seen).size, seen.length, seen.join(' | '));
  });
});
