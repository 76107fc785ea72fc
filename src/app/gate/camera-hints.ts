/** Cameras of a request or a role that the service does not know, or that are behind the curtain (SPEC 7, 19). Pure. */
import type { Settings } from '../../config/schema/schema.ts';
import type { Explanation } from '../../gateway/explain/explanation.ts';

/** Sentences, or none. */
export const cameraHints = (explanation: Known, settings: Pick<Settings, 'nvr'>): readonly string[] => [
  ...drawnHint(explanation),
  ...unknownHint(explanation, settings),
];

type Known = Pick<Explanation, 'unknownCameras' | 'drawn'>;

const drawnHint = ({ drawn = [] }: Known): readonly string[] =>
  drawn.length > 0
    ? [
        `the curtain is drawn for this caller in front of ${drawn.join(', ')}: open it on the Status page, or by DELETE /api/curtain`,
      ]
    : [];

function unknownHint({ unknownCameras = [] }: Known, { nvr }: Pick<Settings, 'nvr'>): readonly string[] {
  if (unknownCameras.length === 0) return [];
  const names = unknownCameras.join(', ');
  const who = 'custom roles cannot see its events; admins and viewers see what is stored';
  return nvr.cameras === undefined
    ? [`no camera is known by the name ${names}: ${who}`]
    : [`nvr.cameras does not list ${names}: ${who}. Add it to nvr.cameras, or remove that key`];
}
