/** Drift between the NVR's own description and the route table (SPEC 15). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadPolicy } from '../../../src/config/policy/load-policy.ts';
import { listOperations } from '../../../src/features/policy/openapi-operations.ts';
import { type OpenApiOperation, policyDrift } from '../../../src/features/policy/policy-drift.ts';
import { row } from '../../support/routes.ts';

const ROWS = [
  row('GET,PUT /api/config any'),
  row('GET /api/events/{id} camera event:path:id lookup'),
  row('GET /api/events/{id}/snapshot.{extension} camera event:path:id lookup'),
  row('GET /api/events any query:cameras+query:camera rewrite:cameras'),
  row('GET /api/review any query:cameras rewrite:cameras'),
  row('GET /api/stats any'),
  row('GET !/api/{camera}/latest.{extension} camera path:camera check'),
  row('GET /api/logs/{service} admin'),
  row('ANY /api/hooks/{rest...} admin'),
  row('GET /live/{rest...} any'),
  { ...row('GET /api/users admin'), own: true },
];
const asked = (text: string): OpenApiOperation => {
  const [method = '', path = '', parameters] = text.split(' ');
  return { method, path, parameters: parameters?.split(',') ?? [] };
};
const driftOf = (...operations: readonly string[]) => policyDrift(ROWS, operations.map(asked), '/api');

describe('An operation of the NVR', () => {
  // biome-ignore format: a table
  const rows: readonly (readonly [sentence: string, operation: string, unknown: readonly string[], changed?: object])[] = [
    ['with a row is known',                                'GET /api/stats', []],
    ['with a row of Postern itself is known',              'GET /api/users', []],
    ['is known by other names of its parameters',          'GET /api/events/{event_id}', []],
    ['with a fixed end is known by a row that takes it',   'GET /api/events/{event_id}/snapshot.jpg', []],
    ['of any method is known by a row for any',            'DELETE /api/hooks/{name}', []],
    ['without a row is for admins',                        'GET /api/faces', ['for admins']],
    ['by a new method is for admins',                      'DELETE /api/stats', ['for admins']],
    ['deeper than a row is for admins',                    'GET /api/stats/{name}', ['for admins']],
    ['that another row takes by chance is told with it',   'GET /api/events/secrets', ['GET /api/events/{id}']],
    ['in the place of a camera is told with it',           'GET /api/doorbell/latest.jpg', ['GET /api/{camera}/latest.{extension}']],
    ['with a parameter that names cameras anew is changed', 'GET /api/stats camera_name,limit', [], { unread: ['camera_name'], missing: [] }],
    ['without the parameter that narrows it is changed',   'GET /api/review limit', [], { unread: [], missing: ['cameras'] }],
    ['with one of the parameters that are read is known',  'GET /api/events cameras,labels', []],
    ['for admins may name cameras as it likes',            'GET /api/logs/{service} camera', []],
  ];
  for (const [sentence, operation, unknown, moved] of rows) {
    it(sentence, () => {
      const drift = driftOf(operation);
      assert.deepEqual(
        drift.unknown.map(({ judgedBy = 'for admins' }) => judgedBy),
        unknown,
      );
      assert.deepEqual(
        drift.changed.map(({ unread, missing }) => ({ unread, missing })),
        moved ? [moved] : [],
      );
    });
  }

  it('that is gone leaves a row, of each method, below the prefix and not of Postern itself', () => {
    const { gone } = driftOf('GET /api/config', 'GET /api/events/{id}', 'GET /api/stats', 'GET /api/logs/{x}');
    assert.deepEqual(
      gone.map(({ row: left }) => left),
      [
        'PUT /api/config',
        'GET /api/events/{id}/snapshot.{extension}',
        'GET /api/events',
        'GET /api/review',
        'GET /api/{camera}/latest.{extension}',
        'ANY /api/hooks/{rest...}',
      ],
    );
  });
});

describe('An OpenAPI description', () => {
  const paths = {
    '/events': {
      parameters: [{ name: 'cameras', in: 'query' }],
      get: {
        parameters: [
          { name: 'limit', in: 'query' },
          { name: 'x', in: 'header' },
        ],
      },
      options: {},
    },
    '/events/{id}': { delete: {} },
  };
  it('tells its operations below the prefix of its server, with the parameters of the query', () => {
    const read = listOperations(
      {
        openapi: '3.1.0',
        info: { version: '0.18' },
        servers: [{ url: 'https://demo.test/api/' }],
        paths,
      },
      '/api',
    );
    const operations = [
      { method: 'GET', path: '/api/events', parameters: ['cameras', 'limit'], body: undefined },
      { method: 'DELETE', path: '/api/events/{id}', parameters: [], body: undefined },
    ];
    assert.deepEqual(read, { title: undefined, version: '0.18', prefix: '/api', operations });
    const whole = Object.fromEntries(Object.entries(paths).map(([path, item]) => [`/api${path}`, item]));
    const same = listOperations({ openapi: '3.0.1', paths: whole }, '/api');
    assert.deepEqual(same.operations, operations);
  });

  it('tells parameters that it names elsewhere, or in a query behind a path, and one operation for each path', () => {
    const read = listOperations({
      openapi: '3.1.0',
      components: { parameters: { src: { name: 'src', in: 'query' } } },
      paths: {
        '/stream?src={src}': { get: {} },
        '/stream': { get: { parameters: [{ $ref: '#/components/parameters/src' }, { name: 'quality', in: 'query' }] } },
      },
    });
    assert.deepEqual(read.operations, [
      { method: 'GET', path: '/stream', parameters: ['src', 'quality'], body: undefined },
    ]);
  });

  for (const text of [
    'null',
    '[]',
    '{}',
    '{"openapi":"3.1.0"}',
    '{"paths":{}}',
    '"openapi"',
    '{"openapi":1,"paths":[]}',
  ])
    it(`is not ${text}`, () => assert.throws(() => listOperations(JSON.parse(text)), /is no OpenAPI/));
});

/** The same NVR in two releases, as the shipped table knows the first one: a few operations, written by hand. */
const release = (version: string, paths: object, schemas: object): unknown => ({
  openapi: '3.1.0',
  info: { version },
  paths,
  components: { schemas },
});
const json = (schema: object): object => ({ requestBody: { content: { 'application/json': { schema } } } });
const query = (...names: readonly string[]): object => ({ parameters: names.map((name) => ({ name, in: 'query' })) });
const OLD = release(
  '0.18.0',
  {
    '/events': { get: query('cameras', 'camera', 'limit') },
    '/review': { get: query('cameras', 'limit') },
    '/{camera_name}/recordings': { get: query('after') },
    '/reviews/viewed': { post: json({ $ref: '#/components/schemas/Viewed' }) },
    '/exports/batch': { post: json({ $ref: '#/components/schemas/Batch' }) },
    '/go2rtc/streams': { get: {} },
  },
  {
    Viewed: { properties: { ids: { type: 'array', items: { type: 'string' } } } },
    Batch: { properties: { items: { type: 'array', items: { $ref: '#/components/schemas/Item' } }, name: {} } },
    Item: { allOf: [{ properties: { camera: {}, image_path: {} } }, { $ref: '#/components/schemas/Item' }] },
  },
);
const NEW = release(
  '0.19.0',
  {
    '/events': { get: query('cameras', 'camera', 'limit', 'source_camera') },
    '/review': { get: query('limit') },
    '/reviews/viewed': { post: json({ $ref: '#/components/schemas/Viewed' }) },
    '/exports/batch': { post: json({ anyOf: [{ $ref: '#/components/schemas/Batch' }, { type: 'null' }] }) },
    '/go2rtc/streams': { get: {}, post: {} },
    '/faces/{name}': { get: {} },
  },
  {
    Viewed: { properties: { ids: {}, cameras: { items: { type: 'string' } } } },
    Batch: { properties: { jobs: { type: 'array', items: { properties: { camera: {} } } } } },
  },
);

describe('Two releases of the NVR', async () => {
  const shipped = await loadPolicy('frigate', '.');
  const rows = shipped.kind === 'loaded' ? shipped.rows : assert.fail();
  const driftIn = (description: unknown) => {
    const described = listOperations(description, '/api');
    return policyDrift(rows, described.operations, described.prefix);
  };

  it('are alike to the table where nothing has changed', () => {
    const { unknown, changed } = driftIn(OLD);
    assert.deepEqual([unknown, changed], [[], []]);
  });

  it('differ in what is told of the second: new and gone operations, parameters and members of bodies', () => {
    const { unknown, changed, gone } = driftIn(NEW);
    assert.deepEqual(
      unknown.map(({ operation }) => operation),
      ['POST /api/go2rtc/streams', 'GET /api/faces/{name}'],
    );
    assert.deepEqual(
      changed.map(({ operation, unread, missing }) => [operation, unread, missing]),
      [
        ['GET /api/events', ['source_camera'], []],
        ['GET /api/review', [], ['cameras']],
        ['POST /api/reviews/viewed', ['body: cameras'], []],
        ['POST /api/exports/batch', ['body: jobs[].camera'], ['body: items[].camera', 'body: items[].image_path']],
      ],
    );
    const isGone = (wanted: string): boolean => gone.some(({ row: left }) => left === wanted);
    const recordings = 'GET /api/{camera}/recordings';
    assert.deepEqual(
      [isGone(recordings), driftIn(OLD).gone.some(({ row: left }) => left === recordings)],
      [true, false],
    );
  });
});
