/** Cameras of a request or a role that the service does not know: stored events of them are seen by few (SPEC 7). Pure. */
import type { Settings } from '../../config/schema/schema.ts';
import type { Explanation } from '../../gateway/explain/explanation.ts';

/** A sentence, or none. */
export function cameraHints(
  { unknownCameras = [] }: Pick<Explanation, 'unknownCameras'>,
  { nvr }: Pick<Settings, 'nvr'>,
): readonly string[] {
  if (unknownCameras.length === 0) return [];
  const names = unknownCameras.join(', ');
  const who = 'custom roles cannot see its events; admins and viewers see what is stored';
  return nvr.cameras === undefined
    ? [`no camera is known by the name ${names}: ${who}`]
    : [`nvr.cameras does not list ${names}: ${who}. Add it to nvr.cameras, or remove that key`];
}
