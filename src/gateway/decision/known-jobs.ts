/** Whose camera a job of the NVR is of, as its start said: the NVR finds a job by its id alone, and its answer names no camera (SPEC 5). */
import { LRUCache } from 'lru-cache';
import { isId } from '../../access/camera-locators.ts';
import { upTo } from '../../domain/bounded.ts';

const MOST_JOBS = 10_000;

/** One for the process: a job outlives a reload. Ids are random. */
const cameras = new LRUCache<string, string>(upTo(MOST_JOBS));

/** `started` is the NVR's answer to the start: `{"job_id": …}`. Any other text is no start. */
export function noteStartedJob(started: string, camera: string): void {
  try {
    const json: unknown = JSON.parse(started);
    const id: unknown = typeof json === 'object' && json !== null ? Reflect.get(json, 'job_id') : undefined;
    if (typeof id === 'string' && isId(id)) cameras.set(id, camera);
  } catch {
    // The answer is passed on as it is.
  }
}

/** Undefined of a job that was not started through this process. */
export const cameraOfJob = (id: string): string | undefined => cameras.get(id);
