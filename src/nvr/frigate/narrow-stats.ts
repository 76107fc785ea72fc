/** Narrows Frigate's statistics: no command lines, no rows of foreign cameras, sums over the reader's cameras only (SPEC 5). */

import type { CameraView } from '../../access/camera-view.ts';
import { asRecord, readMember } from '../../access/recorder-layout.ts';
import { withoutForeignNames } from '../../access/without-foreign.ts';
import { withoutSecrets } from '../../access/without-secrets.ts';
import { isRecord, type JsonRecord, mapMembers } from '../../domain/json.ts';

/**
 * The statistics for the response and the WebSocket message. Undefined for a restricted reader when the form is not the known
 * one.
 */
export function narrowStats(stats: unknown, view: CameraView): unknown {
  if (view.clearance === 'admin') return stats;
  const quiet = withoutSecrets(stats);
  if (view.clearance === 'reader') return quiet;
  return isRecord(quiet) && hasKnownForm(quiet) ? withoutForeignNames(ofSeenCameras(quiet, view), view) : undefined;
}

type NarrowMember = (member: unknown, stats: JsonRecord, view: CameraView) => unknown;

const asItIs: NarrowMember = (member) => member;
const byCamera: NarrowMember = (member, _stats, view) => keepEntries(member, view.sees);
/** The sum over all cameras minus the reader's own would tell the sum of the other cameras. */
const sumField =
  (key: string): NarrowMember =>
  (_sum, { cameras }, view) =>
    Object.values(keepEntries(cameras, view.sees)).reduce(
      (sum: number, camera) => sum + Number(readMember(camera, key) ?? 0),
      0,
    );
/** The rates of recognized faces and plates tell what moves before any camera. */
const emptied: NarrowMember = () => ({});

/** What a restricted reader gets. Every other member is removed, because it may be about other cameras. */
const MEMBERS: Readonly<Record<string, NarrowMember>> = {
  cameras: byCamera,
  bandwidth_usages: byCamera,
  cpu_usages: withoutForeignProcesses,
  detectors: withoutStarts,
  camera_fps: sumField('camera_fps'),
  process_fps: sumField('process_fps'),
  skipped_fps: sumField('skipped_fps'),
  detection_fps: sumField('detection_fps'),
  embeddings: emptied,
  gpu_usages: asItIs,
  npu_usages: asItIs,
  processes: asItIs,
  service: asItIs,
};

const RECORDS: readonly string[] = ['bandwidth_usages', 'cpu_usages', 'detectors', 'processes', 'service'];

/** An object with `cameras`, whose known members are objects: no list, and no object that wraps it. */
const hasKnownForm = (stats: JsonRecord): boolean =>
  isRecord(stats['cameras']) && RECORDS.every((key) => !Object.hasOwn(stats, key) || isRecord(stats[key]));

const ofSeenCameras = (stats: JsonRecord, view: CameraView): JsonRecord =>
  mapMembers(stats, (member, key) => (Object.hasOwn(MEMBERS, key) ? MEMBERS[key]?.(member, stats, view) : undefined));

const keepEntries = (record: unknown, isKept: (key: string) => boolean): JsonRecord =>
  mapMembers(asRecord(record), (value, key) => (isKept(key) ? value : undefined));

/** The load of a camera's process tells what moves before it. */
function withoutForeignProcesses(usages: unknown, { cameras }: JsonRecord, view: CameraView): JsonRecord {
  const foreign = Object.values(keepEntries(cameras, (camera) => !view.sees(camera)));
  const processes = new Set(foreign.flatMap((camera) => PROCESSES.map((key) => String(readMember(camera, key)))));
  return keepEntries(usages, (pid) => !processes.has(pid));
}

const PROCESSES: readonly string[] = ['pid', 'capture_pid', 'ffmpeg_pid'];

/** A detector works for all cameras: the time of its last start tells about one of them. */
function withoutStarts(detectors: unknown): JsonRecord {
  return mapMembers(asRecord(detectors), (detector) =>
    isRecord(detector) && Object.hasOwn(detector, 'detection_start') ? { ...detector, detection_start: 0 } : detector,
  );
}
