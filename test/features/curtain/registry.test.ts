/** The curtain as every request knows it: read again when it has changed, and as it was while the store is away (SPEC 19). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createStoreGrace } from '../../../src/accounts/sessions/store-grace.ts';
import { storeFault } from '../../../src/domain/store/store-fault.ts';
import { type Curtain, rememberCurtain } from '../../../src/features/curtain/curtain.ts';
import { createRowNotices } from '../../../src/store/postgres/postgres-changes.ts';

const HALL: Curtain = [{ camera: 'hall', by: 'paul', drawnAt: 1 }];

/** A store on a server: it may be away, and others write it. */
function started() {
  const heard = createRowNotices();
  const at = { curtain: HALL, isAway: false, reads: 0, milliseconds: 0 };
  const listDrawn = async (): Promise<Curtain> => {
    at.reads += 1;
    if (at.isAway) throw storeFault('unreachable', 'away', undefined);
    return at.curtain;
  };
  const version = (): string => String(heard.revision());
  const clock = { now: () => at.milliseconds };
  const grace = createStoreGrace({ version, heard, clock, seconds: 60 });
  return { at, heard, registry: { latest: rememberCurtain({ listDrawn }, grace, heard) } };
}

describe('The curtain of the store', () => {
  it('is read once for each change', async () => {
    const { at, heard, registry } = started();
    await registry.latest();
    await registry.latest();
    assert.equal(at.reads, 1);
    at.curtain = [];
    heard.heard('curtain hall');
    assert.deepEqual([await registry.latest(), at.reads], [[], 2]);
  });

  it('stays as it was while the store is away, however long', async () => {
    const { at, heard, registry } = started();
    await registry.latest();
    at.isAway = true;
    heard.heard('users vera');
    for (const milliseconds of [1000, 86_400_000]) {
      at.milliseconds = milliseconds;
      assert.equal(await registry.latest(), HALL);
    }
  });

  it('is not taken for what it was when a change was heard of and cannot be read: the request is refused', async () => {
    const { at, heard, registry } = started();
    await registry.latest();
    at.isAway = true;
    heard.heard('curtain kitchen');
    await assert.rejects(async () => registry.latest(), /away/);
  });

  it('is not taken for open when it was never read', async () => {
    const { at, registry } = started();
    at.isAway = true;
    await assert.rejects(async () => registry.latest(), /away/);
  });
});
