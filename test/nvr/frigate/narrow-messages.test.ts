/** Messages of the WebSocket, both ways, by role: a row for each row of the facts' tables (SPEC 5). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MessageObligations } from '../../../src/access/access-verdict.ts';
import type { Verb } from '../../../src/domain/policy.ts';
import { layoutOfConfig } from '../../../src/nvr/frigate/frigate.ts';
import { judgeInbound, narrowOutbound } from '../../../src/nvr/frigate/narrow-messages.ts';
import { viewOfRole } from '../../access/support/views.ts';

const VIEWER = viewOfRole('viewer');
const GARDENER = viewOfRole('gardener');
const GHOST = viewOfRole('ghost');
const NOTHING_DENIED: MessageObligations = { denied: [] };

describe('A message from a client', () => {
  const judged = (role: string, topic: unknown, ...denied: Verb[]): string =>
    judgeInbound(JSON.stringify({ topic, payload: 'X' }), viewOfRole(role), { denied }).kind;

  // biome-ignore format: a table
  const rows: [topic: unknown, viewer: string, gardener: string, ghost: string][] = [
    ['onConnect',                          'passed',    'passed',    'passed'],
    ['modelState',                         'passed',    'passed',    'passed'],
    ['audioTranscriptionState',            'passed',    'passed',    'passed'],
    ['birdseyeLayout',                     'passed',    'passed',    'passed'],
    ['embeddingsReindexProgress',          'passed',    'passed',    'passed'],
    ['jobState',                           'passed',    'passed',    'passed'],
    ['garden/ptz',                         'passed',    'passed',    'dropped'],
    ['garden-house/ptz',                   'passed',    'dropped',   'dropped'],
    ['attic/ptz',                          'dropped',   'dropped',   'dropped'],
    ['birdseye/ptz',                       'dropped',   'dropped',   'dropped'],
    ['garden/ptz/x',                       'dropped',   'dropped',   'dropped'],
    ['garden/PTZ',                         'dropped',   'dropped',   'dropped'],
    ['/garden/ptz',                        'dropped',   'dropped',   'dropped'],
    ['garden/detect/set',                  'dropped',   'dropped',   'dropped'],
    ['garden/motion_mask/a/set',           'dropped',   'dropped',   'dropped'],
    ['garden/notifications/suspend',       'dropped',   'dropped',   'dropped'],
    ['notifications/set',                  'dropped',   'dropped',   'dropped'],
    ['profile/set',                        'dropped',   'dropped',   'dropped'],
    ['restart',                            'dropped',   'dropped',   'dropped'],
    ['notification_test',                  'dropped',   'dropped',   'dropped'],
    ['insert_many_recordings',             'dropped',   'dropped',   'dropped'],
    ['update_job_state',                   'dropped',   'dropped',   'dropped'],
    ['anything/else',                      'dropped',   'dropped',   'dropped'],
    ['',                                   'dropped',   'dropped',   'dropped'],
    ['x'.repeat(257),                      'malformed', 'malformed', 'malformed'],
    [7,                                    'malformed', 'malformed', 'malformed'],
    [['restart'],                          'malformed', 'malformed', 'malformed'],
    [null,                                 'malformed', 'malformed', 'malformed'],
  ];
  for (const [topic, viewer, gardener, ghost] of rows) {
    it(`about ${JSON.stringify(topic).slice(0, 40)} is ${viewer} for a viewer, ${gardener} for a gardener, ${ghost} for a ghost`, () =>
      assert.deepEqual(
        [judged('viewer', topic), judged('gardener', topic), judged('ghost', topic)],
        [viewer, gardener, ghost],
      ));
  }

  it('moves no camera for a role that is denied ptz', () =>
    assert.deepEqual(
      [
        judged('gardener', 'garden/ptz', 'ptz'),
        judged('gardener', 'onConnect', 'ptz'),
        judged('gardener', 'garden/ptz', 'live', 'history', 'export'),
      ],
      ['dropped', 'passed', 'passed'],
    ));

  // biome-ignore format: a table
  const malformed: [sentence: string, text: string][] = [
    ['no JSON',  'hello'],
    ['a list',   '["onConnect"]'],
    ['a number', '7'],
    ['nothing',  ''],
    ['about an object', '{"topic":"onConnect","payload":{}}'],
    ['about a list',    '{"topic":"garden/ptz","payload":"STOP","retain":[]}'],
    ['deep',            `{"topic":"onConnect","payload":${'['.repeat(30_000)}${']'.repeat(30_000)}}`],
    ['Python\'s', '{"topic":"onConnect","payload":NaN}'],
  ];
  for (const [sentence, text] of malformed) {
    it(`that is ${sentence} is malformed`, () =>
      assert.deepEqual(judgeInbound(text, VIEWER, NOTHING_DENIED), { kind: 'malformed' }));
  }

  it('is sent in a spelling of its own, in which no key stands twice', () =>
    assert.deepEqual(
      judgeInbound(
        '{ "topic": "restart", "topic": "onConnect", "message": "", "retain": false }',
        VIEWER,
        NOTHING_DENIED,
      ),
      { kind: 'passed', text: '{"topic":"onConnect","message":"","retain":false}' },
    ));
});

describe('A message from the NVR', () => {
  const text = (topic: string, payload: unknown): string => JSON.stringify({ topic, payload });
  const json = (topic: string, payload: unknown): string => text(topic, JSON.stringify(payload));
  const WHOLE = 'whole';

  /** `whole`: byte by byte; `-`: nothing; else the message that is left. */
  const seen = (message: string, role: string): string => {
    const narrowed = narrowOutbound(message, viewOfRole(role), NOTHING_DENIED);
    return narrowed === undefined ? '-' : narrowed === message ? WHOLE : narrowed;
  };
  const both = { garden: { motion: true }, 'garden-house': { motion: false } };
  const mine = { garden: { motion: true } };
  const usage = { cpu: '3', cmdline: 'ffmpeg -i rtsp://a:b@c' };
  const stats = { cameras: both, bandwidth_usages: both, cpu_usages: { 1: usage }, service: { uptime: 1 } };
  const quiet = { ...stats, cpu_usages: { 1: { cpu: '3' } } };
  const mineOfStats = { ...quiet, cameras: mine, bandwidth_usages: mine };
  const totals = { ...stats, camera_fps: 12, process_fps: 3, skipped_fps: 2, detection_fps: 1, embeddings: { a: 1 } };
  const none = { camera_fps: 0, process_fps: 0, skipped_fps: 0, detection_fps: 0, embeddings: {} };
  const noneOfStats = { ...quiet, cameras: {}, bandwidth_usages: {} };
  const about = (camera: string) => ({ type: 'update', before: { camera }, after: { camera, id: '1.2-x' } });
  const jobs = {
    export: { camera: 'garden', status: 'running' },
    motion_search: { source_camera: 'garden-house' },
    batch: { results: { jobs: [{ camera: 'garden' }, { source_camera: 'garden-house' }] } },
    foreign: { results: { jobs: [{ camera: 'garden-house' }] } },
    one: { results: { source_camera: 'garden-house' } },
    sync: { status: 'done' },
  };
  const jobsLeft = { export: jobs.export, batch: { results: { jobs: [{ camera: 'garden' }] } }, sync: jobs.sync };

  // biome-ignore format: a table
  const rows: [sentence: string, message: string, viewer: string, gardener: string, ghost: string][] = [
    ['model_state is for every caller',                      json('model_state', { x: 1 }),                        WHOLE, WHOLE, WHOLE],
    ['embeddings_reindex_progress too',                      json('embeddings_reindex_progress', {}),              WHOLE, WHOLE, WHOLE],
    ['audio_transcription_state too',                        text('audio_transcription_state', 'idle'),            WHOLE, WHOLE, WHOLE],
    ['profile/state too',                                    text('profile/state', 'x'),                           WHOLE, WHOLE, WHOLE],
    ['notifications/state too',                              text('notifications/state', 'ON'),                    WHOLE, WHOLE, WHOLE],
    ['notification_test too',                                text('notification_test', ''),                        WHOLE, WHOLE, WHOLE],
    ['birdseye_layout is for callers who see all cameras',   json('birdseye_layout', both),                        WHOLE, '-', '-'],
    ['camera_activity is narrowed to cameras',               json('camera_activity', both),                        WHOLE, json('camera_activity', mine), '-'],
    ['camera_activity of others only is nothing',            json('camera_activity', { 'garden-house': 1 }),       WHOLE, '-', '-'],
    ['camera_activity of one\'s own is whole again',         json('camera_activity', mine),                        WHOLE, WHOLE, '-'],
    ['audio_detections is narrowed to cameras',              json('audio_detections', both),                       WHOLE, json('audio_detections', mine), '-'],
    ['an object that is no text within text is read too',    text('camera_activity', both),                        WHOLE, json('camera_activity', mine), '-'],
    ['job_state is narrowed job by job',                     json('job_state', jobs),                              WHOLE, json('job_state', jobsLeft), '-'],
    ['job_state by camera in the place of kinds loses others', json('job_state', { garden: {}, 'garden-house': {} }), WHOLE, json('job_state', { garden: {} }), '-'],
    ['job_state of others only is nothing',                  json('job_state', { one: jobs.one }),                 WHOLE, '-', '-'],
    ['stats are those of the REST answer',                   json('stats', stats),                                 json('stats', quiet), json('stats', mineOfStats), json('stats', noneOfStats)],
    ['stats count the cameras of their reader alone',        json('stats', totals),                                json('stats', { ...totals, cpu_usages: quiet.cpu_usages }), json('stats', { ...mineOfStats, ...none }), json('stats', { ...noneOfStats, ...none })],
    ['stats of another form are nothing to a restricted role', json('stats', { data: stats }),                     json('stats', { data: quiet }), '-', '-'],
    ['events are for callers who see their camera',          json('events', about('garden')),                      WHOLE, WHOLE, '-'],
    ['events of others are nothing',                         json('events', about('garden-house')),                WHOLE, '-', '-'],
    ['events without a camera are dropped',                  json('events', { after: {} }),                        '-', '-', '-'],
    ['events of a list of cameras are for full roles only', json('events', { after: { camera: ['garden'] } }),   '-', '-', '-'],
    ['events that were of another camera are nothing',       json('events', { ...about('garden'), before: { camera: 'garden-house' } }), WHOLE, '-', '-'],
    ['reviews that were of no camera are nothing',           json('reviews', { ...about('garden'), before: {} }),  '-', '-', '-'],
    ['events without a state of before are for the camera',  json('events', { type: 'new', before: null, after: { camera: 'garden' } }), WHOLE, WHOLE, '-'],
    ['reviews likewise',                                     json('reviews', about('garden-house')),               WHOLE, '-', '-'],
    ['tracked_object_update names its camera',               json('tracked_object_update', { camera: 'garden' }),  WHOLE, WHOLE, '-'],
    ['tracked_object_update of others is nothing',           json('tracked_object_update', { camera: 'garden-house' }), WHOLE, '-', '-'],
    ['triggers likewise',                                    json('triggers', { camera: 'garden-house' }),         WHOLE, '-', '-'],
    ['camera_monitoring likewise',                           json('camera_monitoring', { camera: 'garden-house' }), WHOLE, '-', '-'],
    ['a payload that must be read and cannot be is nothing', text('events', '{'),                                  '-', '-', '-'],
    ['a camera\'s own topics',                               text('garden/motion', 'ON'),                          WHOLE, WHOLE, '-'],
    ['deeper ones too, with a number',                       text('garden/audio/rms', 3.5),                        WHOLE, WHOLE, '-'],
    ['another camera\'s topics',                             text('garden-house/motion', 'ON'),                    WHOLE, '-', '-'],
    ['a zone\'s topics are for callers who see all cameras', text('lawn/person', 1),                               WHOLE, '-', '-'],
    ['a topic that the tables do not know is nothing',       text('new_thing', '{}'),                              '-', '-', '-'],
    ['nor is one that is named like an object\'s own member', text('constructor', '{}'),                           '-', '-', '-'],
    ['nor one that is no text',                              JSON.stringify({ topic: 7, payload: '' }),            '-', '-', '-'],
    ['what is no JSON is nothing',                           'hello',                                              '-', '-', '-'],
  ];
  for (const [sentence, message, viewer, gardener, ghost] of rows) {
    it(sentence, () =>
      assert.deepEqual(
        [seen(message, 'viewer'), seen(message, 'gardener'), seen(message, 'ghost')],
        [viewer, gardener, ghost],
      ),
    );
  }

  it('reaches a role of all cameras like a viewer, but for what is not about cameras one by one', () => {
    const left = [json('camera_activity', both), json('birdseye_layout', both), text('lawn/person', 1)].map((message) =>
      seen(message, 'all_of_them'),
    );
    assert.deepEqual(left, [WHOLE, '-', '-']);
  });

  // biome-ignore format: a table
  const denied: [sentence: string, denied: Verb[], message: string, expected: string][] = [
    ['history: no events',                    ['history'], json('events', about('garden')),                  '-'],
    ['history: no reviews',                   ['history'], json('reviews', about('garden')),                 '-'],
    ['history: no tracked objects',           ['history'], json('tracked_object_update', { camera: 'garden' }), '-'],
    ['history: no triggers',                  ['history'], json('triggers', { camera: 'garden' }),           '-'],
    ['history: no search through recordings', ['history'], json('job_state', { motion_search: jobs.export }), '-'],
    ['history: exports all the same',         ['history'], json('job_state', { export: jobs.export }),       WHOLE],
    ['export: no exports under way',          ['export'],  json('job_state', { export: jobs.export, sync: jobs.sync }), json('job_state', { sync: jobs.sync })],
    ['export: events all the same',           ['export'],  json('events', about('garden')),                  WHOLE],
    ['live, ptz: events all the same',        ['live', 'ptz'], json('events', about('garden')),              WHOLE],
    ['all of them: what a camera does now',   ['live', 'ptz', 'history', 'export'], text('garden/motion', 'ON'), WHOLE],
  ];
  for (const [sentence, verbs, message, expected] of denied) {
    it(`to a role that is denied ${sentence}`, () => {
      const left = narrowOutbound(message, GARDENER, { denied: verbs });
      assert.equal(left === message ? WHOLE : (left ?? '-'), expected);
    });
  }

  it('of a zone with the name of a camera is for callers who see all cameras of both', () => {
    const layout = layoutOfConfig({ cameras: { garden: {}, 'garden-house': { zones: { garden: {} } } } });
    const left = ['viewer', 'gardener', 'all_of_them'].map((role) =>
      narrowOutbound(text('garden/person', 1), viewOfRole(role, layout), NOTHING_DENIED),
    );
    assert.deepEqual(left, [text('garden/person', 1), undefined, text('garden/person', 1)]);
  });

  it('of a job loses what is about others, wherever in it that is', () => {
    const job = { camera: 'garden', other: { camera: 'garden-house' }, both: { garden: 1, 'garden-house': 2 } };
    assert.equal(
      seen(json('job_state', { x: job }), 'gardener'),
      json('job_state', { x: { camera: 'garden', both: { garden: 1 } } }),
    );
  });

  it('is judged by the same views as the responses', () =>
    assert.deepEqual([GARDENER.cameras, GHOST.cameras], [['garden'], []]));
});
