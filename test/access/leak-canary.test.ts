/** A leak canary: whatever an NVR answers about a foreign camera, no byte of it is left (attacks E). */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { narrowResponse } from '../../src/access/narrow-response.ts';
import type { ResponseForm } from '../../src/domain/policy.ts';
import { FRIGATE } from '../../src/nvr/frigate/frigate.ts';
import { narrowOutbound } from '../../src/nvr/frigate/narrow-messages.ts';
import { viewOfRole } from './support/views.ts';

const CANARY = 'c4n4ry';
const OWN_TEXT = 'g00d';
const MINE = 'garden';
const OTHER = 'garden-house';
const VIEW = viewOfRole('gardener');
const OWN_CONFIG = {
  auth: { enabled: true, roles: { gardener: [MINE] }, refresh_time: 1, session_length: 2, cookie_name: 'c' },
  proxy: { logout_url: undefined },
};

const PAGE = {
  page: {
    list: 'items',
    count: 'total',
    pages: 'pages',
    size: 's',
    number: 'n',
    usual: 5,
    asked: { size: 5, number: 0 },
  },
};

/** Any JSON, in which every text and every key holds a word. */
const jsonWith = (word: string) =>
  fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      textWith(word),
      tie('list'),
      tie('map'),
    ),
    list: fc.array(tie('value'), { maxLength: 3 }),
    map: fc.dictionary(textWith(word), tie('value'), { maxKeys: 3 }),
  })).value;
const textWith = (word: string) => fc.string({ maxLength: 8 }).map((text) => `${text}${word}`);

/** About a camera: it says which in one of the ways of the NVR, and everything else in it holds the word. */
const objectOf = (camera: string, word: string) =>
  fc
    .tuple(fc.dictionary(textWith(word), jsonWith(word), { maxKeys: 4 }), jsonWith(word))
    .map(([rest, data]) => ({ ...rest, data, camera }));
const FOREIGN_OBJECT = objectOf(OTHER, CANARY);
const OWN_OBJECT = objectOf(MINE, OWN_TEXT);
/** Inside an object of one's own there may be others, of any camera. */
const MIXED_OBJECT = fc
  .tuple(OWN_OBJECT, fc.array(FOREIGN_OBJECT, { maxLength: 2 }), FOREIGN_OBJECT)
  .map(([own, list, one]) => ({ ...own, list, one }));
const BY_CAMERA = fc
  .tuple(jsonWith(OWN_TEXT), jsonWith(CANARY))
  .map(([own, other]) => ({ [MINE]: own, [OTHER]: other }));
const ELEMENTS = fc.array(fc.oneof(OWN_OBJECT, FOREIGN_OBJECT, MIXED_OBJECT, jsonWith(CANARY)), { maxLength: 8 });

// biome-ignore format: a table
const ANSWERS: Readonly<Record<Exclude<ResponseForm, 'metrics'>, fc.Arbitrary<unknown>>> = {
  array:   ELEMENTS,
  one:     FOREIGN_OBJECT,
  nested:  fc.dictionary(fc.string({ maxLength: 5 }), fc.array(fc.oneof(OWN_OBJECT, FOREIGN_OBJECT, MIXED_OBJECT), { maxLength: 4 })),
  streams: fc.tuple(jsonWith(OWN_TEXT), jsonWith(CANARY), jsonWith(CANARY)).map(([own, other, unknown]) => ({ garden_sub: own, house_main: other, nobodys: unknown })),
  times:   fc.array(FOREIGN_OBJECT),
  page:    fc.tuple(ELEMENTS, jsonWith(CANARY)).map(([items, sum]) => ({ items, total: sum, [CANARY]: sum, pages: 1 })),
  cases:   fc.array(fc.oneof(FOREIGN_OBJECT, jsonWith(CANARY)), { maxLength: 4 }),
  stats:   fc.tuple(BY_CAMERA, BY_CAMERA, textWith(CANARY), FOREIGN_OBJECT).map(([cameras, bandwidth_usages, cmdline, other]) => ({ cameras, bandwidth_usages, cpu_usages: { 1: { cpu: 1, cmdline } }, other, processes: { [OTHER]: other } })),
  config:  fc.tuple(jsonWith(OWN_TEXT), fc.dictionary(fc.constantFrom('ffmpeg', 'onvif', 'zones', 'live', 'objects', 'ui', 'x', 'friendly_name'), jsonWith(CANARY)), FOREIGN_OBJECT)
    .map(([own, other, object]) => ({ cameras: { [MINE]: { x: own }, [OTHER]: { ...other, password: CANARY } }, go2rtc: { streams: { house_main: CANARY } }, auth: { x: CANARY }, environment_vars: { x: CANARY }, camera_groups: { mine: { cameras: [MINE, OTHER] }, [CANARY]: { cameras: [OTHER] } }, object })),
};

const STREAM = fc.tuple(jsonWith(OWN_TEXT), textWith(CANARY), FOREIGN_OBJECT).map(([own, other, object]) => ({
  producers: [{ own, source: other, sdp: other, url: `exec:${other}` }, { url: `rtsps://${other}@host/` }],
  consumers: [object],
}));

describe('A role of one camera', () => {
  for (const [form, answers] of Object.entries(ANSWERS)) {
    it(`is given no byte of the other in an answer of the form ${form}`, () =>
      fc.assert(
        fc.property(answers, (answer) => {
          const narrowed = narrowResponse(
            form as ResponseForm,
            JSON.stringify(answer),
            {
              view: VIEW,
              known: form === 'config' ? OWN_CONFIG : undefined,
              ...(form === 'page' && { reading: PAGE }),
            },
            FRIGATE,
          );
          if (narrowed.ok) assert.doesNotMatch(narrowed.value, new RegExp(CANARY));
        }),
        { numRuns: 300 },
      ));
  }

  it('is given no source in what is told of one stream of its own', () =>
    fc.assert(
      fc.property(STREAM, (answer) => {
        const narrowed = narrowResponse('streams', JSON.stringify(answer), { view: VIEW }, FRIGATE);
        assert.ok(narrowed.ok);
        assert.doesNotMatch(JSON.stringify(narrowed), new RegExp(CANARY));
      }),
      { numRuns: 300 },
    ));

  it('is given no byte of the other in an answer of any form that is something else', () =>
    fc.assert(
      fc.property(
        fc.constantFrom<ResponseForm>('array', 'one', 'streams'),
        fc.oneof(
          jsonWith(CANARY),
          fc.string().map((text) => text + CANARY),
        ),
        (form, answer) => {
          const body = typeof answer === 'string' ? answer : JSON.stringify(answer);
          const narrowed = narrowResponse(form, body, { view: VIEW }, FRIGATE);
          if (narrowed.ok) assert.doesNotMatch(narrowed.value, new RegExp(CANARY));
        },
      ),
      { numRuns: 300 },
    ));

  it('is given every element of its own, unchanged', () =>
    fc.assert(
      fc.property(fc.array(fc.oneof(OWN_OBJECT, FOREIGN_OBJECT), { maxLength: 8 }), (elements) => {
        const narrowed = narrowResponse('array', JSON.stringify(elements), { view: VIEW }, FRIGATE);
        const expected = elements.filter(({ camera }) => camera === MINE);
        assert.deepEqual(narrowed.ok && JSON.parse(narrowed.value), JSON.parse(JSON.stringify(expected)));
      }),
    ));

  it('is given no byte of the other in a message', () => {
    const topics = fc.constantFrom(
      'camera_activity',
      'audio_detections',
      'stats',
      'events',
      'reviews',
      'triggers',
      'job_state',
      `${OTHER}/motion`,
      'birdseye_layout',
      'bed/person',
      'new_thing',
    );
    const payloads = fc.oneof(
      BY_CAMERA.map((cameras) => ({ [OTHER]: cameras[OTHER] })),
      FOREIGN_OBJECT.map((after) => ({ after, before: after, camera: OTHER })),
      FOREIGN_OBJECT.map((job) => ({ camera: OTHER, results: { jobs: [job] } })),
      FOREIGN_OBJECT.map((job) => ({
        own: { camera: MINE, deep: { list: [job], map: { [OTHER]: job } } },
        search: job,
        export: { results: { camera: OTHER, x: job } },
        batch: { results: { jobs: [job] } },
      })),
    );
    fc.assert(
      fc.property(topics, payloads, fc.boolean(), (topic, payload, isText) => {
        // A job is under its kind, and its camera stands in it; statistics hold cameras under their heading.
        const told =
          topic === 'stats'
            ? { cameras: payload }
            : topic === 'job_state'
              ? { kind: { camera: OTHER, payload } }
              : payload;
        const message = JSON.stringify({ topic, payload: isText ? JSON.stringify(told) : told });
        assert.doesNotMatch(narrowOutbound(message, VIEW, { denied: [] }) ?? '', new RegExp(CANARY));
      }),
      { numRuns: 300 },
    );
  });
});
