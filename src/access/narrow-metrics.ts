/** Narrowing the NVR's metrics text: samples of foreign cameras and command lines stay behind (SPEC 5). */
import type { CameraView } from './camera-view.ts';

const LABEL = /(?<name>\w+)="(?<value>(?:[^"\\]|\\.)*)"/g;
const CAMERA_LABELS: readonly string[] = ['camera', 'camera_name'];

/** Command lines hold the cameras' passwords. */
const COMMAND_LINE = /(?<=[{,]\s*cmdline=")(?:[^"\\]|\\.)*(?=")/g;

export const narrowMetrics = (text: string, view: CameraView): string =>
  text
    .split('\n')
    .filter((line) => line.startsWith('#') || isSeen(line, view))
    .map((line) => line.replace(COMMAND_LINE, ''))
    .join('\n');

/** Less one's own cameras' samples it would be those of the others. */
const SUM = /^frigate_detection_total_fps\b/;

/** A process is named after its camera, so that any label's value may hold a name. */
const isSeen = (line: string, view: CameraView): boolean =>
  !(view.clearance === 'restricted' && SUM.test(line)) &&
  [...line.matchAll(LABEL)].every(({ groups }) => {
    const value = groups?.['value'] ?? '';
    if (CAMERA_LABELS.includes(groups?.['name'] ?? '') && !view.sees(value)) return false;
    return !view.layout.cameras.some((camera) => view.isForeign(camera) && value.includes(camera));
  });
