/** Frigate's WebSocket messages, judged in both directions: by tables of topics, else by the topic's first segment (SPEC 5). */
import type { MessageObligations } from '../../access/access-verdict.ts';
import type { CameraView } from '../../access/camera-view.ts';
import type { InboundVerdict } from '../../access/nvr-adapter.ts';
import { readMember } from '../../access/recorder-layout.ts';
import { isSince } from '../../access/time-locators.ts';
import { seesNamed, withoutForeignNames } from '../../access/without-foreign.ts';
import { withoutSecrets } from '../../access/without-secrets.ts';
import { isRecord, type JsonRecord, mapMembers, parsedJson } from '../../domain/json.ts';
import type { Verb } from '../../domain/policy.ts';
import { narrowStats } from './narrow-stats.ts';

const LONGEST_TOPIC = 256;

/** Every role may send these: the NVR answers by a broadcast to all clients. */
const READ_TOPICS: ReadonlySet<string> = new Set([
  'onConnect',
  'modelState',
  'audioTranscriptionState',
  'birdseyeLayout',
  'embeddingsReindexProgress',
  'jobState',
]);

/** Internal to the NVR's processes, which use the same bus: no client may send these, whatever its role. */
const INTERNAL_TOPICS: ReadonlySet<string> = new Set([
  'insert_many_recordings',
  'insert_preview',
  'request_region_grid',
  'upsert_review_segment',
  'clear_ongoing_review_segments',
  'update_camera_activity',
  'update_audio_activity',
  'expire_audio_activity',
  'update_event_description',
  'update_review_description',
  'update_model_state',
  'handle_embeddings_reindex_progress',
  'update_birdseye_layout',
  'update_audio_transcription_state',
  'update_job_state',
]);

/** Judges a message of a client. Topics that the tables do not name are for admins. */
export function judgeInbound(text: string, view: CameraView, { denied }: MessageObligations): InboundVerdict {
  const message = parsedRecord(text);
  const topic = message?.['topic'];
  if (!message || typeof topic !== 'string') return { kind: 'malformed' };
  if (view.clearance === 'admin') return INTERNAL_TOPICS.has(topic) ? { kind: 'dropped' } : { kind: 'passed', text };
  if (topic.length > LONGEST_TOPIC) return { kind: 'malformed' };
  // Pages send strings and numbers; thousands of nested lists would exhaust the stack of JSON.stringify.
  if (Object.values(message).some((member) => typeof member === 'object' && member !== null))
    return { kind: 'malformed' };
  const [camera = '', action, ...rest] = topic.split('/');
  const isMove = action === 'ptz' && rest.length === 0;
  const mayMove = isMove && !denied.includes('ptz') && isCamera(camera, view) && view.sees(camera);
  if (!mayMove && !READ_TOPICS.has(topic)) return { kind: 'dropped' };
  return { kind: 'passed', text: JSON.stringify(message) };
}

const NOTHING = Symbol('nothing');

/** Returns the payload to send (the same object when nothing was cut), or NOTHING. */
type NarrowMessage = (payload: unknown, view: CameraView, denied: readonly Verb[]) => unknown;

const aboutCamera =
  (...path: readonly string[]): NarrowMessage =>
  (payload, view) =>
    seesNamed(path.reduce(readMember, payload), view) ? payload : NOTHING;

/** A change is judged by what was, where something was, and by what is. */
const changed: NarrowMessage = (payload, view, denied) => {
  const { before } = isRecord(payload) ? payload : {};
  const isSeen = before === undefined || before === null || seesNamed(readMember(before, 'camera'), view);
  return isSeen ? aboutCamera('after', 'camera')(payload, view, denied) : NOTHING;
};

/** Something that began is judged by its time as well: the object at `path` tells when, or its id does. */
const begun =
  (camera: NarrowMessage, ...path: readonly string[]): NarrowMessage =>
  (payload, view, denied) => {
    const isOld = view.since !== undefined && !isSince(path.reduce(readMember, payload), view.since);
    return isOld ? NOTHING : camera(payload, view, denied);
  };

/** Topics about no camera: every caller gets these, even a role without cameras. */
const GLOBAL: ReadonlySet<string> = new Set([
  'model_state',
  'embeddings_reindex_progress',
  'audio_transcription_state',
  'profile/state',
  'notifications/state',
  'notification_test',
]);

/** Topics whose payload is read: it is JSON, or JSON as text. `verb`: denied for the routes that tell the same, it is denied here. */
const READ: Readonly<Record<string, { readonly narrow: NarrowMessage; readonly verb?: Verb }>> = {
  camera_activity: { narrow: byCamera },
  audio_detections: { narrow: byCamera },
  // A job tells of footage, and not of when it is.
  job_state: {
    narrow: (payload, view, denied) =>
      narrowJobs(payload, view, view.since === undefined ? denied : [...denied, 'history', 'export']) ?? NOTHING,
  },
  stats: { narrow: (payload, view) => (isRecord(payload) ? (narrowStats(payload, view) ?? NOTHING) : NOTHING) },
  events: { narrow: begun(changed, 'after'), verb: 'history' },
  reviews: { narrow: begun(changed, 'after'), verb: 'history' },
  tracked_object_update: { narrow: begun(aboutCamera('camera')), verb: 'history' },
  triggers: { narrow: begun(aboutCamera('camera')), verb: 'history' },
  camera_monitoring: { narrow: aboutCamera('camera') },
};

/**
 * The text of the NVR's message to pass on to others than admins, or undefined. Topics that the tables do not know are
 * dropped.
 */
export function narrowOutbound(text: string, view: CameraView, obligations: MessageObligations): string | undefined {
  const narrowed = narrowTopic(text, view, obligations);
  return narrowed !== undefined && MAY_NAME_SOURCE.test(narrowed) ? withoutSources(narrowed) : narrowed;
}

/** An address, also with the escapes of JSON within JSON. Few messages have one. */
const MAY_NAME_SOURCE = /:[\\/]{1,8}\//;

/** The payload is JSON, JSON as text, or plain text, such as what a program said before it ended. */
function withoutSources(text: string): string {
  const { payload, ...message } = parsedRecord(text) ?? {};
  const inner = typeof payload === 'string' ? parsedJson(payload) : undefined;
  const isText = typeof inner === 'object' && inner !== null;
  return JSON.stringify({
    ...message,
    payload: isText ? JSON.stringify(withoutSecrets(inner)) : withoutSecrets(payload),
  });
}

function narrowTopic(text: string, view: CameraView, { denied }: MessageObligations): string | undefined {
  const message = parsedRecord(text);
  const topic = message?.['topic'];
  if (!message || typeof topic !== 'string') return undefined;
  if (GLOBAL.has(topic)) return text;
  const seesNone = view.clearance === 'restricted' && view.cameras.length === 0;
  // The pages show the state of the NVR to a role without cameras as well.
  if (seesNone && topic !== 'stats') return undefined;
  if (topic === 'birdseye_layout') return view.clearance === 'restricted' ? undefined : text;
  const read = Object.hasOwn(READ, topic) ? READ[topic] : undefined;
  if (!read) return bySegment(text, topic, view);
  if (read.verb && denied.includes(read.verb)) return undefined;
  const json = typeof message['payload'] === 'string' ? parsedJson(message['payload']) : message['payload'];
  const narrowed = json === undefined ? NOTHING : read.narrow(json, view, denied);
  if (narrowed === NOTHING) return undefined;
  // The NVR sends objects as JSON text within JSON; the narrowed payload keeps that form.
  return narrowed === json ? text : JSON.stringify({ topic, payload: JSON.stringify(narrowed) });
}

/** `front/motion`, `front/audio/rms`. A zone may belong to several cameras, and have the name of another camera. */
function bySegment(text: string, topic: string, view: CameraView): string | undefined {
  const [first = ''] = topic.split('/', 1);
  const zoneOwners = view.layout.zones.get(first);
  const isSeen = isCamera(first, view)
    ? [first, ...(zoneOwners ?? [])].every((camera) => view.sees(camera))
    : zoneOwners !== undefined && view.clearance !== 'restricted';
  return isSeen ? text : undefined;
}

const isCamera = (name: string, view: CameraView): boolean => view.layout.cameras.some((camera) => camera === name);

function byCamera(payload: unknown, view: CameraView): unknown {
  if (!isRecord(payload)) return NOTHING;
  if (view.clearance !== 'restricted') return payload;
  const seen = mapMembers(payload, (told, camera) => (view.sees(camera) ? told : undefined));
  return Object.keys(seen).length === 0 ? NOTHING : seen;
}

function parsedRecord(text: string): JsonRecord | undefined {
  const json = parsedJson(text);
  return isRecord(json) ? json : undefined;
}

/** Narrows Frigate's running jobs, as its WebSocket reports them: visible cameras and allowed verbs only (SPEC 5). */
const VERB_OF_JOB: Readonly<Record<string, Verb>> = { export: 'export', motion_search: 'history' };
const JOB_CAMERA_FIELDS: readonly string[] = ['camera', 'source_camera'];

/** Jobs by kind; undefined when none is left. A job without a camera is about no camera, and stays. */
function narrowJobs(payload: unknown, view: CameraView, denied: readonly Verb[]): unknown {
  if (!isRecord(payload)) return undefined;
  if (view.clearance !== 'restricted') return payload;
  const seen = mapMembers(payload, (job, kind) => {
    const verb = Object.hasOwn(VERB_OF_JOB, kind) ? VERB_OF_JOB[kind] : undefined;
    const isHidden = (verb && denied.includes(verb)) || view.isForeign(kind);
    const kept = isHidden ? undefined : seenJob(job, view);
    // Without the foreign parts nothing may be left of it.
    return kept === undefined ? undefined : seenJob(withoutForeignNames(kept, view), view);
  });
  return Object.keys(seen).length === 0 ? undefined : seen;
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
