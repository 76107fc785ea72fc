/** Answers that must be narrowed, over real sockets: whole, uncompressed, in bounds, or not at all (SPEC 5, 6). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { after, before, beforeEach, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { WebSocket } from 'ws';
import { REFUSALS } from '../../src/domain/refusal.ts';
import { answerLikeAnNvr, type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, VERA } from '../support/people.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';
import { until } from '../support/until.ts';

const MINE = { camera: 'cam1', id: 'a' };
const OTHER = { camera: 'cam2', id: 'b' };
const MB = 1024 * 1024;
const JSON_TYPE = { 'content-type': 'application/json' };

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

describe('An answer that must be narrowed', () => {
  let nvr: FakeNvr;
  let instance: Runtime;
  let tokens: Record<'admin' | 'vera' | 'carl', string>;
  before(async () => {
    nvr = await startFakeNvr();
    instance = await startInstance({
      config: {
        nvr: { url: nvr.url, timeout_response: 1 },
        auth: { roles: { front_only: ['cam1'], both: ['cam1', 'cam2'] } },
      },
      people: [ADMIN_PERSON, VERA, CARL, BOTH],
    });
    tokens = {
      admin: await instance.logIn(ADMIN_PERSON),
      vera: await instance.logIn(VERA),
      carl: await instance.logIn(CARL),
    };
  });
  beforeEach(() => {
    nvr.received.length = 0;
    nvr.answer = answerLikeAnNvr;
  });
  after(async () => {
    await instance.close();
    await nvr.close();
  });
  const BOTH = { name: 'bob', role: 'both', password: 'BobPassw0rd!!!!' };

  const answering = (answer: Answer): void => {
    nvr.answer = (request, response, received) =>
      request.url?.startsWith('/api/config') ? answerLikeAnNvr(request, response, received) : answer(request, response);
  };
  const asked = async (path: string, token: string, init: RequestInit = {}) => {
    const response = await instance.ask(path, { token, ...init });
    return { status: response.status, headers: response.headers, body: await response.text() };
  };

  it('is asked for whole and uncompressed, whatever the client would take', async () => {
    answering((_request, response) => response.writeHead(200, JSON_TYPE).end(JSON.stringify([MINE, OTHER])));
    const headers = { 'accept-encoding': 'gzip, br', range: 'bytes=0-10', 'if-none-match': '"x"', 'x-kept': 'yes' };
    const { body } = await asked('/api/timeline', tokens.carl, { headers });
    assert.equal(body, JSON.stringify([MINE]));
    assert.deepEqual(
      ['accept-encoding', 'range', 'if-none-match', 'x-kept'].map((name) => nvr.lastHeader(name)),
      [['identity'], [], [], ['yes']],
    );
  });

  it('says nothing of the whole answer in its headers', async () => {
    answering((_request, response) => {
      const described = {
        etag: '"x"',
        'last-modified': 'x',
        'accept-ranges': 'bytes',
        digest: 'x',
        'x-kept': 'yes',
        link: '</api/cam2>; rel=next',
        'content-disposition': 'attachment; filename=cam2.json',
        'content-language': 'de',
        'cache-control': 'public, max-age=60',
      };
      response.writeHead(200, { ...JSON_TYPE, ...described }).end(JSON.stringify([MINE, OTHER]));
    });
    const { headers, body } = await asked('/api/timeline', tokens.carl);
    const told = [
      'etag',
      'last-modified',
      'accept-ranges',
      'digest',
      'x-kept',
      'link',
      'content-disposition',
      'content-language',
      'cache-control',
      'content-length',
    ].map((name) => headers.get(name));
    assert.deepEqual(told, [
      null,
      null,
      null,
      null,
      null,
      null,
      null,
      'de',
      'private, max-age=60',
      String(body.length),
    ]);
  });

  // biome-ignore format: a table
  const unreadable: [sentence: string, answer: Answer, status: number][] = [
    ['that is no JSON',                 (_request, response) => response.writeHead(200, JSON_TYPE).end('[{"camera":"cam2"'),                        502],
    ['that is a page',                  (_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>cam2</p>'),        502],
    ['of another form',                 (_request, response) => response.writeHead(200, JSON_TYPE).end(JSON.stringify({ rows: [OTHER] })),          502],
    ['that is compressed all the same', (_request, response) => response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }).end(gzipSync(JSON.stringify([MINE]))), 502],
    ['that is a part',                  (_request, response) => response.writeHead(206, { ...JSON_TYPE, 'content-range': 'bytes 0-1/9' }).end('[]'), 502],
    ['that is no UTF-8',                (_request, response) => response.writeHead(200, JSON_TYPE).end(Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d])), 502],
    ['that leads to another\'s camera',  (_request, response) => response.writeHead(302, { location: 'http://cam2.lan/' }).end(),                    403],
    ['that is a fault of the NVR',      (_request, response) => response.writeHead(500, JSON_TYPE).end(JSON.stringify({ trace: 'cam2' })),          502],
    ['that is an empty object',          (_request, response) => response.writeHead(200, JSON_TYPE).end('{}'),                                       502],
    ['that is nested without end',       (_request, response) => response.writeHead(200, JSON_TYPE).end('['.repeat(4_000_000)),                      502],
    ['that leads elsewhere',             (_request, response) => response.writeHead(303, { location: '/elsewhere' }).end(),                          502],
  ];
  for (const [sentence, answer, status] of unreadable) {
    it(`${sentence} is ${status} for a restricted role, with no byte of it`, async () => {
      answering(answer);
      const { status: told, body } = await asked('/api/timeline', tokens.carl);
      assert.equal(told, status);
      assert.deepEqual(Object.keys(JSON.parse(body)), ['success', 'message', 'reason']);
    });
  }

  for (const status of [302, 307]) {
    it(`with ${status} that leads to a login goes there, for a restricted role too, without a body`, async () => {
      answering((_request, response) =>
        response.writeHead(status, { location: 'https://sso.lan/login' }).end('<p>cam2</p>'),
      );
      const { status: told, headers, body } = await asked('/api/timeline', tokens.carl);
      assert.deepEqual([told, headers.get('location'), body], [status, 'https://sso.lan/login', '']);
    });
  }

  // biome-ignore format: a table
  const LED: [sentence: string, asked: string, location: string, status: number][] = [
    ['to a picture of one\u2019s own',            '/api/cam1/latest.jpg',  '/api/cam1/latest.webp',             302],
    ['beside what was asked for',              '/api/cam1/latest.jpg',  'latest.webp?h=100',                 302],
    ['to the NVR by its own name',             '/api/cam1/latest.jpg',  'NVR/api/cam1/latest.webp',          302],
    ['to a login elsewhere',                   '/api/cam1/latest.jpg',  'https://sso.lan/login',             302],
    ['to another\u2019s picture',                '/api/cam1/latest.jpg',  '/api/cam2/latest.jpg',              403],
    ['to another\u2019s, by the NVR\u2019s own name', '/api/cam1/latest.jpg',  'NVR/api/cam2/latest.jpg',           403],
    ['to another\u2019s, in the query',          '/api/timeline',         '/api/timeline?camera=cam2',         403],
    ['to what is for admins',                  '/api/cam1/latest.jpg',  '/api/config/raw?camera=x',          502],
    ['to a path that is not plain',            '/api/cam1/latest.jpg',  '/api/cam1%2Flatest.jpg',            502],
    ['to an event that was not asked for',     '/api/timeline',         '/api/events/17.5-abc/snapshot.jpg', 502],
    ['to another server that names another\u2019s', '/api/cam1/latest.jpg', '//cdn.lan/cam2.jpg',             403],
  ];
  for (const [sentence, path, location, status] of LED)
    it(`that leads a restricted role ${sentence} is ${status}, without a body of the NVR`, async () => {
      const sent = location.replace('NVR', nvr.url);
      answering((_request, response) =>
        response.writeHead(302, { location: sent, 'x-of': 'cam2', 'content-type': 'text/html' }).end('<a href=cam2>'),
      );
      const { status: told, headers, body } = await asked(path, tokens.carl);
      assert.deepEqual(
        [told, headers.get('location'), headers.get('x-of')],
        [status, status === 302 ? sent : null, null],
      );
      assert.doesNotMatch(body, /cam2|href/);
      if (status === 302) assert.equal(body, '');
    });

  for (const status of [302, 401])
    it(`of ${status} that names two targets leads to neither where one is another’s`, async () => {
      nvr.rawAnswer = {
        bytes: `HTTP/1.1 ${status} X\r\nLocation: /login\r\nLocation: /api/cam2/latest.jpg\r\nContent-Length: 0\r\n\r\n`,
      };
      const { status: told, headers } = await asked('/api/cam1/latest.jpg', tokens.carl);
      nvr.rawAnswer = undefined;
      assert.deepEqual([told, headers.get('location')], [status === 302 ? 403 : 401, null]);
    });

  for (const [location, status] of [
    ['/live/jsmpeg/cam2', 403],
    ['/live/jsmpeg/cam1?x=1', 302],
  ] as const)
    it(`that leads an upgrade to ${location} is ${status}`, async () => {
      nvr.answerUpgrade = (_request, socket) =>
        socket.end(`HTTP/1.1 302 Found\r\nLocation: ${location}\r\nX-Of: cam2\r\nContent-Length: 4\r\n\r\ncam2`);
      const socket = new WebSocket(`${instance.url.replace('http', 'ws')}/live/jsmpeg/cam1`, {
        headers: { authorization: `Bearer ${tokens.carl}` },
      });
      const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
      const body = await response.setEncoding('utf8').toArray();
      nvr.answerUpgrade = undefined;
      const { location: told, 'x-of': of } = response.headers;
      assert.deepEqual([response.statusCode, told, of], [status, status === 302 ? location : undefined, undefined]);
      assert.doesNotMatch(body.join(''), /cam2/);
    });

  it('that leads elsewhere leads an admin there, as the NVR wrote it', async () => {
    answering((_request, response) => response.writeHead(302, { location: '/api/cam2', 'x-of': 'cam2' }).end('<a>'));
    const { status, headers, body } = await asked('/api/cam1/latest.jpg', tokens.admin);
    assert.deepEqual([status, headers.get('location'), headers.get('x-of'), body], [302, '/api/cam2', 'cam2', '<a>']);
  });

  it('of more than 32 MB is refused', async () => {
    answering((_request, response) => {
      response.writeHead(200, JSON_TYPE);
      response.write('[');
      let megabytes = 0;
      const more = (): void => {
        if (megabytes === 40) return void response.end(']');
        megabytes += 1;
        response.write(' '.repeat(1024 * 1024), more);
      };
      response.on('error', () => {});
      more();
    });
    assert.equal((await asked('/api/timeline', tokens.carl)).status, 502);
  });

  it('whose client leaves gives its memory back, and its turn', async () => {
    // Five of these are more than one caller has room for, and than have a turn at once.
    for (let round = 0; round < 6; round += 1) {
      const client = new AbortController();
      const { promise: closed, resolve } = Promise.withResolvers<void>();
      answering((_request, response) => {
        response.on('error', () => {});
        response.once('close', resolve);
        response.writeHead(200, { ...JSON_TYPE, 'content-length': 10 * MB });
        response.write(' '.repeat(8 * MB), () => client.abort());
      });
      await assert.rejects(asked('/api/timeline', tokens.carl, { signal: client.signal }));
      await closed;
    }
    answering((_request, response) => response.writeHead(200, JSON_TYPE).end(`[${' '.repeat(8 * MB)}]`));
    assert.equal((await asked('/api/timeline', tokens.carl)).status, 200);
  });

  it('that does not come holds up neither the lists of others nor a refusal', async () => {
    const client = new AbortController();
    const begun: Promise<unknown>[] = [];
    answering((_request, response) => {
      response.on('error', () => {});
      response.writeHead(200, { ...JSON_TYPE, 'content-length': MB });
      begun.push(new Promise<void>((resolve) => void response.write(' '.repeat(MB / 8), () => resolve())));
    });
    const waiting = Array.from({ length: 5 }, () => asked('/api/timeline', tokens.carl, { signal: client.signal }));
    await until('all have begun', () => begun.length === waiting.length);
    await Promise.all(begun);
    answering((_request, response) => response.writeHead(200, JSON_TYPE).end(`[${' '.repeat(MB)}]`));
    const other = await asked('/api/events', await instance.logIn(BOTH));
    answering((_request, response) => response.writeHead(400, JSON_TYPE).end(`{${' '.repeat(MB)}}`));
    const refused = await asked('/api/timeline', tokens.vera);
    client.abort();
    const rest = await Promise.allSettled(waiting);
    assert.deepEqual(
      [other.status, refused.status, ...rest.map(({ status }) => status)],
      [200, 400, ...waiting.map(() => 'rejected')],
    );
  });

  it('that is cut breaks the connection', async () => {
    answering((_request, response) => {
      response.writeHead(200, { ...JSON_TYPE, 'content-length': 1000 });
      response.write('[]', () => response.destroy());
    });
    await assert.rejects(asked('/api/timeline', tokens.carl), /fetch failed|terminated/);
  });

  it('is the same whether there is nothing of any camera, or of others only', async () => {
    const none = { message: 'No previews found.' };
    answering((_request, response) => response.writeHead(404, JSON_TYPE).end(JSON.stringify(none)));
    const [nothing, viewers] = [
      await asked('/api/preview/all/start/1/end/2', tokens.carl),
      await asked('/api/preview/all/start/1/end/2', tokens.vera),
    ];
    answering((_request, response) => response.writeHead(200, JSON_TYPE).end(JSON.stringify([OTHER])));
    const others = await asked('/api/preview/all/start/1/end/2', tokens.carl);
    assert.deepEqual([nothing.status, nothing.body], [200, '[]']);
    assert.deepEqual([others.status, others.body], [200, '[]']);
    assert.deepEqual([viewers.status, JSON.parse(viewers.body)], [404, none]);
  });

  it('that refuses keeps its status and its sentence, and nothing else', async () => {
    answering((_request, response) =>
      response
        .writeHead(400, JSON_TYPE)
        .end(JSON.stringify({ message: 'A search query must be supplied', other: 'cam2' })),
    );
    const { status, body } = await asked('/api/events/search', tokens.carl);
    assert.deepEqual([status, JSON.parse(body)], [400, { success: false, message: 'A search query must be supplied' }]);
  });

  it('has no head of its own: HEAD is 405, and the NVR is not asked', async () => {
    const statuses = [];
    for (const path of ['/api/timeline', '/api/events', '/api/events/1.2-abc', '/api/config']) {
      statuses.push((await asked(path, tokens.carl, { method: 'HEAD' })).status);
    }
    statuses.push((await asked('/api/labels', await instance.logIn(BOTH), { method: 'HEAD' })).status);
    const received = nvr.received;
    assert.deepEqual([statuses, received], [[405, 405, 405, 405, 405], []]);
  });

  it('is passed on unchanged to a caller who sees all cameras, byte by byte', async () => {
    const odd = '[ {"camera":"cam2","x":1.0}, "é" ]';
    answering((_request, response) => response.writeHead(200, { ...JSON_TYPE, etag: '"x"' }).end(odd));
    const answers = [await asked('/api/timeline', tokens.vera), await asked('/api/timeline', tokens.admin)];
    assert.deepEqual(
      answers.map(({ body, headers }) => [body, headers.get('etag')]),
      [
        [odd, '"x"'],
        [odd, '"x"'],
      ],
    );
  });

  it('of statistics loses command lines for a viewer, and nothing for an admin', async () => {
    const stats = '{"cpu_usages": {"1": {"cpu": 1.0, "cmdline": "x"}}, "cameras": {"cam2": 1}}';
    answering((_request, response) => response.writeHead(200, JSON_TYPE).end(stats));
    const [viewer, admin] = [await asked('/api/stats', tokens.vera), await asked('/api/stats', tokens.admin)];
    assert.deepEqual(
      [JSON.parse(viewer.body), admin.body],
      [{ cpu_usages: { 1: { cpu: 1 } }, cameras: { cam2: 1 } }, stats],
    );
  });

  it('is joined from one question for each camera where the NVR takes one at a time', async () => {
    answering((request, response) => {
      const camera = new URL(request.url ?? '', 'http://x').searchParams.get('camera');
      response.writeHead(200, JSON_TYPE).end(JSON.stringify(camera === 'cam1' ? ['dog', 'cat'] : ['person', 'cat']));
    });
    const { status, body } = await asked('/api/labels?x=1', await instance.logIn(BOTH));
    assert.deepEqual([status, JSON.parse(body)], [200, ['cat', 'dog', 'person']]);
    assert.deepEqual(nvr.received.map(({ target }) => target).sort(), [
      '/api/labels?x=1&camera=cam1',
      '/api/labels?x=1&camera=cam2',
    ]);
  });

  it('of rows with times is joined in their order, and has no more of them than were asked for', async () => {
    const at = (camera: string, ...times: number[]) => times.map((timestamp) => ({ camera, timestamp }));
    answering((request, response) => {
      const query = new URL(request.url ?? '', 'http://x').searchParams;
      const rows =
        query.get('camera') === 'cam1' ? at('cam1', 9.5, 40, 50) : [...at('cam2', 10, 30, 90), ...at('cam3', 0)];
      response.writeHead(200, JSON_TYPE).end(JSON.stringify(rows));
    });
    const { status, body } = await asked('/api/timeline?limit=4', await instance.logIn(BOTH));
    assert.deepEqual([status, JSON.parse(body)], [200, [...at('cam1', 9.5), ...at('cam2', 10, 30), ...at('cam1', 40)]]);
    assert.deepEqual(nvr.received.map(({ target }) => target).sort(), [
      '/api/timeline?limit=4&camera=cam1',
      '/api/timeline?limit=4&camera=cam2',
    ]);
  });

  it('that is cut off at a limit tells a role of one camera nothing of how much there is of others', async () => {
    const rows = [OTHER, OTHER, MINE, OTHER];
    answering((request, response) => {
      const { searchParams: query } = new URL(request.url ?? '', 'http://x');
      const asked = rows.filter(({ camera }) => (query.get('camera') ?? camera) === camera);
      response.writeHead(200, JSON_TYPE).end(JSON.stringify(asked.slice(0, Number(query.get('limit')))));
    });
    const lengths = [];
    for (const limit of [0, 1, 2, 3, 4]) {
      lengths.push(JSON.parse((await asked(`/api/timeline?limit=${limit}`, tokens.carl)).body).length);
    }
    assert.deepEqual(lengths, [0, 1, 1, 1, 1]);
  });

  it('says what went wrong: the NVR failed, or its answer has another form', async () => {
    const told: unknown[] = [];
    for (const [status, body] of [
      [500, '{"trace":"cam2"}'],
      [200, '<p>'],
    ] as const) {
      answering((_request, response) => response.writeHead(status, JSON_TYPE).end(body));
      for (const [path, token] of [
        ['/api/timeline', tokens.carl],
        ['/api/labels', await instance.logIn(BOTH)],
        ['/api/events/1.2-abc/clip.mp4', tokens.carl],
      ] as const) {
        const asking = await asked(path, token);
        told.push([asking.status, JSON.parse(asking.body).message]);
      }
    }
    const failed = [502, REFUSALS['nvr-failed'].message];
    const unexpected = [502, REFUSALS['nvr-unexpected-form'].message];
    assert.deepEqual(told, [failed, failed, failed, unexpected, unexpected, unexpected]);
  });

  it('of an id that does not exist is that of a foreign one', async () => {
    const paths = ['/api/events/1.2-abc', '/api/events/1.2-abc/snapshot.jpg', '/api/review_ids?ids=1.2-abc'];
    const told: unknown[] = [];
    for (const [status, body] of [
      [404, '"Event not found"'],
      [200, JSON.stringify(OTHER)],
    ] as const) {
      answering((_request, response) => response.writeHead(status, JSON_TYPE).end(body));
      for (const path of paths) {
        const asking = await asked(path, tokens.carl);
        told.push([path, asking.status, asking.body]);
      }
    }
    assert.deepEqual(told.slice(0, 3), told.slice(3));
    assert.equal((told[0] as unknown[])[1], 403);
  });

  it('that cannot be joined is 502', async () => {
    answering((_request, response) => response.writeHead(500).end());
    assert.equal((await asked('/api/labels', await instance.logIn(BOTH))).status, 502);
  });
});
