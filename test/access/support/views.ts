/** What an admin, a viewer, a gardener (of the garden alone) and a ghost (of no known role) see of an NVR with two cameras. */
import { type CameraView, createCameraView } from '../../../src/access/camera-view.ts';
import type { RecorderLayout } from '../../../src/access/recorder-layout.ts';
import { scopeOfRole } from '../../../src/domain/camera-scope.ts';
import type { Role } from '../../../src/domain/names.ts';
import { layoutOfConfig } from '../../../src/nvr/frigate/frigate.ts';

const ROLES = new Map([
  ['gardener' as Role, ['garden']],
  ['all_of_them' as Role, ['*']],
]);

/** Two cameras whose names begin alike, with a zone and a stream each, and one zone of both. */
export const LAYOUT: RecorderLayout = layoutOfConfig({
  cameras: {
    garden: { zones: { lawn: {}, shared: {} }, live: { streams: { Main: 'garden', Sub: 'garden_sub' } } },
    'garden-house': { zones: { bed: {}, shared: {} }, live: { streams: { Main: 'house_main' } } },
  },
});

export const viewOfRole = (role: string, layout: RecorderLayout = LAYOUT): CameraView =>
  createCameraView({ role: role as Role, scope: scopeOfRole(role as Role, ROLES) }, { layout, now: 0 });
