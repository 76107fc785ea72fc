/** The NVR's statistics for one reader: no command lines, and of foreign cameras neither a row nor their part in a sum (SPEC 5). */
import type { CameraView } from './camera-view.ts';
import { isRecord, type JsonRecord, recordOf } from './recorder-layout.ts';
import { withoutForeignNames } from './without-foreign.ts';

/** The answer's, and the message's of the same shape. */
export function narrowStats(stats: JsonRecord, view: CameraView): unknown {
  const quiet = isRecord(stats['cpu_usages'])
    ? { ...stats, cpu_usages: withoutCommandLines(stats['cpu_usages']) }
    : stats;
  return view.clearance === 'restricted' ? withoutForeignNames(ofSeenCameras(quiet, view), view) : quiet;
}

/** They hold the cameras' passwords, so they are for admins alone. */
const withoutCommandLines = (processes: JsonRecord): JsonRecord =>
  Object.fromEntries(
    Object.entries(processes).map(([pid, usage]) => {
      const { cmdline: _, ...rest } = recordOf(usage);
      return [pid, rest];
    }),
  );

const BY_CAMERA: readonly string[] = ['cameras', 'bandwidth_usages'];

function ofSeenCameras(stats: JsonRecord, view: CameraView): JsonRecord {
  const seen = BY_CAMERA.filter((key) => key in stats).map((key) => [key, entriesOf(stats[key], view.sees)]);
  const cameras = recordOf(stats['cameras']);
  const processes = processesOf(entriesOf(cameras, (camera) => !view.sees(camera)));
  const cpu = { cpu_usages: entriesOf(stats['cpu_usages'], (pid) => !processes.has(pid)) };
  const sum = { detection_fps: detectionsOf(entriesOf(cameras, view.sees)) };
  return {
    ...stats,
    ...Object.fromEntries(seen),
    ...('cpu_usages' in stats ? cpu : {}),
    ...('detection_fps' in stats ? sum : {}),
  };
}

const entriesOf = (record: unknown, isKept: (key: string) => boolean): JsonRecord =>
  Object.fromEntries(Object.entries(recordOf(record)).filter(([key]) => isKept(key)));

/** How busy they are tells what moves before their camera. */
const processesOf = (cameras: JsonRecord): ReadonlySet<string> =>
  new Set(Object.values(cameras).flatMap((camera) => PROCESSES.map((key) => String(recordOf(camera)[key]))));
const PROCESSES: readonly string[] = ['pid', 'capture_pid', 'ffmpeg_pid'];

/** The sum over all cameras, less one's own, would be the others'. */
const detectionsOf = (cameras: JsonRecord): number =>
  Object.values(cameras).reduce((sum: number, camera) => sum + Number(recordOf(camera)['detection_fps'] ?? 0), 0);
