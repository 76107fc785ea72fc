/** Narrows Frigate's running jobs, as its WebSocket reports them: visible cameras and allowed verbs only (SPEC 5). */

import type { CameraView } from '../../access/camera-view.ts';
import { seesNamed, withoutForeignNames } from '../../access/narrow/without-foreign.ts';
import { isRecord, type JsonRecord } from '../../domain/json.ts';
import type { Verb } from '../../domain/policy/policy.ts';

const VERB_OF_JOB: Readonly<Record<string, Verb>> = { export: 'export', motion_search: 'history' };
const JOB_CAMERA_FIELDS: readonly string[] = ['camera', 'source_camera'];

/** Jobs by kind; undefined when none is left. A job without a camera is about no camera, and stays. */
export function narrowJobs(payload: unknown, view: CameraView, denied: readonly Verb[]): unknown {
  if (!isRecord(payload)) return undefined;
  if (view.clearance !== 'restricted') return payload;
  const seen = Object.entries(payload).flatMap(([kind, job]): [string, unknown][] => {
    const isHidden = isVerbDenied(VERB_OF_JOB, kind, denied) || view.isForeign(kind);
    const kept = isHidden ? undefined : seenJob(job, view);
    // Without the foreign parts nothing may be left of it.
    const left = kept === undefined ? undefined : seenJob(withoutForeignNames(kept, view), view);
    return left === undefined ? [] : [[kind, left]];
  });
  return seen.length === 0 ? undefined : Object.fromEntries(seen);
}

function seenJob(job: unknown, view: CameraView): unknown {
  if (!isRecord(job)) return job;
  if (!seesJob(job, view)) return undefined;
  const { results } = job;
  if (!isRecord(results)) return job;
  if (!seesJob(results, view)) return undefined;
  if (!Array.isArray(results['jobs'])) return job;
  const jobs = results['jobs'].filter((part) => isRecord(part) && seesJob(part, view));
  return jobs.length === 0 ? undefined : { ...job, results: { ...results, jobs } };
}

const seesJob = (job: JsonRecord, view: CameraView): boolean =>
  JOB_CAMERA_FIELDS.every((field) => !(field in job) || job[field] === null || seesNamed(job[field], view));

/** Whether the table gives this name a verb that is denied. */
export function isVerbDenied(verbs: Readonly<Record<string, Verb>>, name: string, denied: readonly Verb[]): boolean {
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  return verb !== undefined && denied.includes(verb);
}
