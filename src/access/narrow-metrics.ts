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

/** A process is named after its camera, so that any label's value may hold a name. */
const isSeen = (line: string, view: CameraView): boolean =>
  [...line.matchAll(LABEL)].every(({ groups }) => {
    const value = groups?.['value'] ?? '';
    if (CAMERA_LABELS.includes(groups?.['name'] ?? '') && !view.sees(value)) return false;
    return !view.layout.cameras.some((camera) => view.isForeign(camera) && value.includes(camera));
  });
