/** Narrows Frigate's metrics text: samples of foreign cameras and command lines are removed (SPEC 5). */
import type { CameraView } from '../../access/camera-view.ts';
import { withoutSecretsInText } from '../../access/narrow/without-secrets.ts';

const LABEL = /(?<name>\w+)="(?<value>(?:[^"\\]|\\.)*)"/g;
const CAMERA_LABELS: readonly string[] = ['camera', 'camera_name'];

/** Command lines hold the cameras' passwords. */
const COMMAND_LINE = /(?<=[{,]\s*cmdline=")(?:[^"\\]|\\.)*(?=")/g;

/** `name{label="value",other="value"} 1.5e-3 1700000000000`, a comment, or nothing: labels have one meaning only. */
const PAIR = String.raw`\w+="(?:[^"\\]|\\.)*"`;
const LABELS = String.raw`\{(?:${PAIR}(?:, ?${PAIR})*,?)?\}`;
const NUMBER = String.raw`(?:[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?|[-+]?Inf|NaN)`;
const LINE = new RegExp(String.raw`^(?:#.*|\s*|[A-Za-z_:][\w:]*(?:${LABELS})?\s+${NUMBER}(?:\s+-?\d+)?\s*)$`);

/** Undefined when a line is no metrics: then nothing can be removed with certainty. */
export function narrowMetrics(text: string, view: CameraView): string | undefined {
  const lines = text.split('\n');
  if (!lines.every((line) => LINE.test(line))) return undefined;
  return lines
    .filter((line) => (line.startsWith('#') ? !namesForeign(line, view) : isSeen(line, view)))
    .map((line) => withoutSecretsInText(line.replace(COMMAND_LINE, '')))
    .join('\n');
}

/** Samples of the NVR that are about no camera. Other samples without a camera are about several, such as sums. */
const ABOUT_NO_CAMERA = /^frigate_(?:service|cpu|mem|gpu|npu|storage|device|detector_inference)_/;
const OF_THE_NVR = /^frigate_/;

const isSum = (line: string, labels: readonly Label[]): boolean =>
  OF_THE_NVR.test(line) && !ABOUT_NO_CAMERA.test(line) && !labels.some(({ name }) => CAMERA_LABELS.includes(name));

interface Label {
  readonly name: string;
  readonly value: string;
}

const labelsOf = (line: string): readonly Label[] =>
  [...line.matchAll(LABEL)].map(({ groups }) => ({ name: groups?.['name'] ?? '', value: groups?.['value'] ?? '' }));

/** A process has the name of its camera, so any label may hold a camera name. */
function isSeen(line: string, view: CameraView): boolean {
  if (view.clearance !== 'restricted') return true;
  const labels = labelsOf(line);
  return !isSum(line, labels) && labels.every((label) => isSeenLabel(label, view));
}

const isSeenLabel = ({ name, value }: Label, view: CameraView): boolean =>
  (!CAMERA_LABELS.includes(name) || view.sees(value)) && !namesForeign(value, view);

const namesForeign = (text: string, view: CameraView): boolean =>
  view.layout.cameras.some((camera) => view.isForeign(camera) && text.includes(camera));
