/** The curtain takes cameras out of what a caller sees: until an end, and of links for every role. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createCameraView, subtracting, toClearance } from '../../../src/access/camera-view.ts';
import { layoutOfNames } from '../../../src/access/recorder-layout.ts';
import { type Caller, type Credential, isAdministrator, isDrawnFor, lostRights } from '../../../src/domain/caller.ts';
import { ALL_CAMERAS, bothScopes, type CameraScope, toScope } from '../../../src/domain/camera-scope.ts';
import { ADMIN, type CameraName, type Role, type UserName, VIEWER } from '../../../src/domain/names.ts';
import { type DrawnEntry, subtractionOf } from '../../../src/features/curtain/curtain.ts';
import { layoutOfConfig } from '../../../src/nvr/frigate/frigate.ts';

const NOW = 1_000_000;
const PATIO = 'patio' as Role;
const LAYOUT = layoutOfNames(['hall', 'hallway', 'kitchen', 'patio'] as CameraName[]);
const drawn = (camera: string, more: Partial<DrawnEntry> = {}): DrawnEntry => ({
  camera,
  by: 'paul',
  drawnAt: NOW,
  ...more,
});
const HALL = [drawn('hall')];
const LINK: Credential = {
  kind: 'link',
  linkId: 'l1',
  thing: { kind: 'live', camera: 'hall' },
  expiresAt: NOW + 100,
};
const SCREEN: Credential = { kind: 'screen', screenId: 's1', screenName: 'wall' };

const caller = (role: Role, scope: CameraScope = ALL_CAMERAS, more: Partial<Caller> = {}): Caller => ({
  name: 'ann' as UserName,
  role,
  scope,
  credential: { kind: 'api-token', tokenId: 't1' },
  ...more,
});

const behindCurtain = (who: Caller, curtain: readonly DrawnEntry[], now: number): Caller => {
  const left = subtracting([{ subtraction: subtractionOf(() => curtain) }], { now: () => now * 1000 })(who);
  assert.ok(!(left instanceof Promise), 'nothing is waited for');
  return left;
};
const seen = (who: Caller, curtain: readonly DrawnEntry[], now = NOW): readonly string[] =>
  createCameraView(behindCurtain(who, curtain, now), { layout: LAYOUT, now }).cameras;

describe('A drawn curtain', () => {
  it('takes the camera from viewers and custom roles, not from an admin, and not one whose name begins alike', () => {
    assert.deepEqual(seen(caller(VIEWER), HALL), ['hallway', 'kitchen', 'patio']);
    assert.deepEqual(seen(caller(PATIO, toScope(['hall*', 'patio'])), HALL), ['hallway', 'patio']);
    assert.deepEqual(seen(caller(ADMIN), HALL), LAYOUT.cameras);
  });

  it('makes a viewer one whose every request is narrowed', () => {
    assert.equal(toClearance(behindCurtain(caller(VIEWER), HALL, NOW)), 'restricted');
  });

  it('takes it from a token that names it, and from a link and a screen of an admin', () => {
    const narrow = bothScopes(toScope(['hall', 'patio']), ALL_CAMERAS);
    assert.deepEqual(seen(caller(VIEWER, narrow), HALL), ['patio']);
    for (const credential of [LINK, SCREEN])
      assert.ok(!seen(caller(ADMIN, ALL_CAMERAS, { credential }), HALL).includes('hall'));
  });

  it('opens at its end, and says to the caller when its rights change', () => {
    const curtain = [drawn('hall', { until: NOW + 10 })];
    assert.equal(behindCurtain(caller(VIEWER), curtain, NOW).changesAt, NOW + 10);
    assert.equal(behindCurtain(caller(VIEWER, ALL_CAMERAS, { changesAt: NOW + 5 }), curtain, NOW).changesAt, NOW + 5);
    assert.deepEqual(seen(caller(VIEWER), curtain, NOW + 9), ['hallway', 'kitchen', 'patio']);
    assert.deepEqual(seen(caller(VIEWER), curtain, NOW + 10), LAYOUT.cameras);
  });

  it('ends what was admitted before, and nothing of a caller whom it does not concern', () => {
    const before = behindCurtain(caller(VIEWER), [], NOW);
    assert.equal(lostRights(behindCurtain(caller(VIEWER), HALL, NOW), before), 'role-too-low');
    assert.equal(lostRights(behindCurtain(caller(ADMIN), HALL, NOW), caller(ADMIN)), undefined);
    assert.ok(isAdministrator(behindCurtain(caller(ADMIN), HALL, NOW)));
  });

  it('gives one scope for one list, and the caller itself where nothing is drawn', () => {
    const viewer = caller(VIEWER);
    assert.equal(behindCurtain(viewer, [], NOW), viewer);
    assert.equal(behindCurtain(viewer, HALL, NOW).scope, behindCurtain(caller(VIEWER), HALL, NOW + 1).scope);
  });

  it('closes a stream and a zone that a drawn camera shares with others, and no other', () => {
    const front = { zones: { yard: {}, porch: {} }, live: { streams: { Both: 'pair', Own: 'front_hd' } } };
    const hall = { zones: { yard: {} }, live: { streams: { Both: 'pair' } } };
    const layout = layoutOfConfig({ cameras: { front, hall } });
    const view = createCameraView(behindCurtain(caller(VIEWER), HALL, NOW), { layout, now: NOW });
    const isSeen = (owners: readonly string[] = []): boolean => owners.some(view.sees);
    assert.deepEqual(
      ['pair', 'front_hd', 'hall', 'front'].map((name) => isSeen(view.layout.streams.get(name))),
      [false, true, false, true],
    );
    assert.deepEqual(
      ['yard', 'porch'].map((name) => isSeen(view.layout.zones.get(name))),
      [false, true],
    );
    assert.ok(view.isForeign('hall'));
  });

  it('is one of several that take cameras: all that is taken counts, and the first end', async () => {
    const parts = [
      {},
      { subtraction: subtractionOf(() => [drawn('hall', { until: NOW + 10 })]) },
      { subtraction: subtractionOf(async () => [drawn('kit*', { until: NOW + 5 })]) },
    ];
    const left = await subtracting(parts, { now: () => NOW * 1000 })(
      caller(VIEWER, toScope(['hall', 'kitchen', 'patio'])),
    );
    assert.deepEqual(createCameraView(left, { layout: LAYOUT, now: NOW }).cameras, ['patio']);
    assert.deepEqual(
      ['hall', 'kitchen', 'patio'].map((camera) => isDrawnFor(left, camera)),
      [true, true, false],
    );
    assert.equal(left.changesAt, NOW + 5);
  });
});
