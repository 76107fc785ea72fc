/** What a role sees of the cameras of an NVR. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createCameraView } from '../../src/access/camera-view.ts';
import { layoutOfNames } from '../../src/access/recorder-layout.ts';
import { scopeOfRole } from '../../src/domain/camera-scope.ts';
import type { CameraName, Role } from '../../src/domain/names.ts';

it('The cameras that a role sees are worked out again for another list of cameras', () => {
  const role = 'outside' as Role;
  const scope = scopeOfRole(role, new Map([[role, ['out_*']]]));
  const seen = (...names: string[]) =>
    createCameraView({ role, scope }, { layout: layoutOfNames(names as CameraName[]), now: 0 }).cameras;
  assert.deepEqual(seen('out_1', 'hall'), ['out_1']);
  assert.deepEqual(seen('out_1', 'out_2', 'hall'), ['out_1', 'out_2']);
  assert.deepEqual(seen('hall'), []);
});
