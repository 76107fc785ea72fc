/** Messages of the NVR's WebSocket: judged twice they are the same, and no reader finds another topic or camera in them. */
import assert from 'node:assert/strict';
import { createCameraView } from '../../../src/access/camera-view.ts';
import { scopeOfNames } from '../../../src/domain/camera-scope.ts';
import type { Role } from '../../../src/domain/names.ts';
import { judgeTopics } from '../../../src/gateway/websocket/message-relay.ts';
import { layoutOfConfig } from '../../../src/nvr/frigate/frigate.ts';
import { judgeInbound, narrowOutbound } from '../../../src/nvr/frigate/narrow-messages.ts';
import { CONFIG } from '../../policy/support/two-cameras.ts';
import type { FuzzTarget } from './target.ts';

const VIEW = createCameraView(
  { role: 'gardener' as Role, scope: scopeOfNames(['garden']) },
  { layout: layoutOfConfig(CONFIG), now: 0 },
);
const JUDGE = judgeTopics({ fromClient: judgeInbound, fromNvr: narrowOutbound }, () => VIEW, { denied: ['export'] });
const SENT_BY_ALL: readonly string[] = [
  'onConnect',
  'modelState',
  'audioTranscriptionState',
  'birdseyeLayout',
  'embeddingsReindexProgress',
  'jobState',
  'garden/ptz',
];

/** Whether anything in it is about the other camera, by a field or a key. */
function isAboutOther(json: unknown): boolean {
  if (typeof json !== 'object' || json === null) return false;
  return Object.entries(json).some(([key, value]) => {
    if (!Array.isArray(json) && key === 'bedroom') return true;
    if (['camera', 'source_camera', 'camera_name'].includes(key) && value === 'bedroom') return true;
    return isAboutOther(value);
  });
}

/** Topics whose payload names its camera at one place: what else is in it is the object of that camera. */
const OF_ONE_CAMERA =
  /^(?:events|reviews|tracked_object_update|triggers|camera_monitoring|garden(?:_door)?(?:\/|$))|^(?:model_state|embeddings_reindex_progress|audio_transcription_state|profile\/state|notifications\/state|notification_test)$/;

export const fuzzTarget: FuzzTarget = {
  outcomes: ['in passed', 'in dropped', 'in malformed', 'out passed', 'out dropped'],
  longest: 400,
  seeds: [
    '>{"topic":"onConnect","message":"","retain":false}',
    '>{"topic":"garden/ptz","payload":"MOVE_LEFT"}',
    '>{"topic":"bedroom/ptz","topic":"garden/ptz","payload":"x"}',
    '<{"topic":"camera_activity","payload":"{\\"garden\\":{},\\"bedroom\\":{}}"}',
    '<{"topic":"events","payload":"{\\"type\\":\\"new\\",\\"after\\":{\\"camera\\":\\"garden\\"},\\"before\\":{\\"camera\\":\\"garden\\"}}"}',
    '<{"topic":"stats","payload":{"cameras":{"garden":{},"bedroom":{}}}}',
    '<{"topic":"job_state","payload":{"motion_search":{"camera":"garden","results":{"jobs":[{"camera":"bedroom"}]}}}}',
    '<{"topic":"garden/motion","payload":"ON"}',
    '<{"topic":"bedroom_door/person","payload":1}',
  ],
  words: [
    '"topic":',
    '"payload":',
    '"camera":"bedroom"',
    'bedroom',
    'garden',
    '/ptz',
    '"topic":"restart"',
    '\\"bedroom\\":',
    '\\u0074opic',
    'model_state',
    'birdseye_layout',
    'triggers',
    'reviews',
    '"after":',
  ],
  judge(input) {
    const text = input.toString('utf8');
    const data = text.slice(1);
    if (text.startsWith('<')) {
      const told = JUDGE.fromNvr(Buffer.from(data), false);
      if (told === undefined) return 'out dropped';
      assert.deepEqual(JUDGE.fromNvr(Buffer.from(String(told)), false), told, 'judged otherwise the second time');
      const { topic, payload } = JSON.parse(String(told));
      assert.doesNotMatch(String(topic), /^bedroom(?:\/|$)/);
      const json: unknown = typeof payload === 'string' ? parsed(payload) : payload;
      if (!OF_ONE_CAMERA.test(topic)) assert.ok(!isAboutOther(json), `${topic} tells of the other camera`);
      return 'out passed';
    }
    const verdict = JUDGE.fromClient(data);
    if (verdict.kind !== 'passed') return `in ${verdict.kind}`;
    assert.deepEqual(JUDGE.fromClient(verdict.text), verdict, 'judged otherwise the second time');
    const { topic } = JSON.parse(verdict.text);
    assert.ok(SENT_BY_ALL.includes(topic), `${topic} was passed`);
    // No key stands twice: readers differ in which one they take.
    assert.equal(verdict.text, JSON.stringify(JSON.parse(verdict.text)));
    return 'in passed';
  },
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
