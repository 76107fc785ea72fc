/** The NVR's statistics for one reader: no command lines, and of foreign cameras neither a row nor their part in a sum (SPEC 5). */
import type { CameraView } from './camera-view.ts';
import { isRecord, type JsonRecord, memberOf, recordOf } from './recorder-layout.ts';
import { withoutForeignNames } from './without-foreign.ts';
import { withoutSecrets } from './without-secrets.ts';

/** The response's, and the message's of the same shape. Undefined where a restricted reader's cannot be told from others'. */
export function narrowStats(stats: unknown, view: CameraView): unknown {
  if (view.clearance === 'admin') return stats;
  const quiet = withoutSecrets(stats);
  if (view.clearance === 'reader') return quiet;
  return isRecord(quiet) && hasKnownForm(quiet) ? withoutForeignNames(ofSeenCameras(quiet, view), view) : undefined;
}

type Narrow = (member: unknown, stats: JsonRecord, view: CameraView) => unknown;

const asItIs: Narrow = (member) => member;
const byCamera: Narrow = (member, _stats, view) => entriesOf(member, view.sees);
/** The sum over all cameras, less the reader's own, would be the others'. */
const sumOf =
  (key: string): Narrow =>
  (_sum, { cameras }, view) =>
    Object.values(entriesOf(cameras, view.sees)).reduce(
      (sum: number, camera) => sum + Number(memberOf(camera, key) ?? 0),
      0,
    );
/** How many faces and plates are looked at tells what moves before any camera. */
const emptied: Narrow = () => ({});

/** What a restricted reader gets; every other member is left out, for it may be about other cameras. */
const MEMBERS: Readonly<Record<string, Narrow>> = {
  cameras: byCamera,
  bandwidth_usages: byCamera,
  cpu_usages: withoutForeignProcesses,
  detectors: withoutStarts,
  camera_fps: sumOf('camera_fps'),
  process_fps: sumOf('process_fps'),
  skipped_fps: sumOf('skipped_fps'),
  detection_fps: sumOf('detection_fps'),
  embeddings: emptied,
  gpu_usages: asItIs,
  npu_usages: asItIs,
  processes: asItIs,
  service: asItIs,
};

const RECORDS: readonly string[] = ['bandwidth_usages', 'cpu_usages', 'detectors', 'processes', 'service'];

/** An object with the cameras in it, whose members are objects: neither a list of them, nor one that is wrapped. */
const hasKnownForm = (stats: JsonRecord): boolean =>
  isRecord(stats['cameras']) && RECORDS.every((key) => !Object.hasOwn(stats, key) || isRecord(stats[key]));

const ofSeenCameras = (stats: JsonRecord, view: CameraView): JsonRecord =>
  Object.fromEntries(
    Object.entries(stats).flatMap(([key, member]): [string, unknown][] => {
      const narrow = Object.hasOwn(MEMBERS, key) ? MEMBERS[key] : undefined;
      return narrow ? [[key, narrow(member, stats, view)]] : [];
    }),
  );

const entriesOf = (record: unknown, isKept: (key: string) => boolean): JsonRecord =>
  Object.fromEntries(Object.entries(recordOf(record)).filter(([key]) => isKept(key)));

/** How busy they are tells what moves before their camera. */
function withoutForeignProcesses(usages: unknown, { cameras }: JsonRecord, view: CameraView): JsonRecord {
  const foreign = Object.values(entriesOf(cameras, (camera) => !view.sees(camera)));
  const processes = new Set(foreign.flatMap((camera) => PROCESSES.map((key) => String(memberOf(camera, key)))));
  return entriesOf(usages, (pid) => !processes.has(pid));
}

const PROCESSES: readonly string[] = ['pid', 'capture_pid', 'ffmpeg_pid'];

/** A detector works for all cameras: that it is at work at this moment is about one of them. */
function withoutStarts(detectors: unknown): JsonRecord {
  const quiet = Object.entries(recordOf(detectors)).map(([name, detector]): [string, unknown] => [
    name,
    isRecord(detector) && Object.hasOwn(detector, 'detection_start') ? { ...detector, detection_start: 0 } : detector,
  ]);
  return Object.fromEntries(quiet);
}
