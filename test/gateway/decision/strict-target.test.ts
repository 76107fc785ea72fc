/** Step 1: what is refused before anything else looks at it, and why (SPEC 5). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { RefusalReason } from '../../../src/domain/refusal.ts';
import type { RequestFacts } from '../../../src/domain/request.ts';
import { ok } from '../../../src/domain/result.ts';
import { parseTarget, strictTarget, targetInOneSpelling } from '../../../src/gateway/decision/strict-target.ts';
import { http1Head } from '../../../src/gateway/listen/http2-exchange.ts';
import { type HeaderLine, someRequest } from '../../support/request-facts.ts';

const outcome = (facts: RequestFacts): RefusalReason | 'plain' => {
  const verdict = strictTarget(facts);
  return verdict.ok ? 'plain' : verdict.error;
};

describe('A plain target', () => {
  // biome-ignore format: a table
  const rows: [target: string, segments: string[], query: string][] = [
    ['/',                                   [''],                                  ''],
    ['/api/events',                         ['api', 'events'],                     ''],
    ['/api/events/',                        ['api', 'events', ''],                 ''],
    ['/api/events?limit=5&cameras=a%2Cb',   ['api', 'events'],                     'limit=5&cameras=a%2Cb'],
    ['/%61pi/users%7E',                     ['api', 'users~'],                     ''],
    ['/clips/front%20door-1.5.jpg',         ['clips', 'front door-1.5.jpg'],       ''],
    ['/api/caf%C3%A9/latest.jpg',           ['api', 'café', 'latest.jpg'],         ''],
    ['/exports/a+b@c:d,e=(f)!$&*~|[g]',     ['exports', 'a+b@c:d,e=(f)!$&*~|[g]'], ''],
    ['/vod/...',                            ['vod', '...'],                        ''],
    ['/api/x?path=..%2f..%2f&p=100%25&n=%0A', ['api', 'x'],                        'path=..%2f..%2f&p=100%25&n=%0A'],
    ['/api/x?a=/../b//c&d=?&e=;f',          ['api', 'x'],                          'a=/../b//c&d=?&e=;f'],
    ['/api/x?',                             ['api', 'x'],                          ''],
  ];
  for (const [target, segments, query] of rows) {
    it(`${target} is decoded once; its path is kept, but for encoded unreserved characters`, () => {
      const path = target.split('?')[0]?.replace('%61', 'a').replace('%7E', '~');
      assert.deepEqual(strictTarget(someRequest({ target })), ok({ path, segments, query }));
    });
  }

  it('of 16 KB is still taken, and one more byte is not', () => {
    assert.equal(outcome(someRequest({ target: `/${'a'.repeat(16_383)}` })), 'plain');
    assert.equal(outcome(someRequest({ target: `/${'a'.repeat(16_384)}` })), 'target-too-long');
  });

  it('means to a URL parser exactly what was judged, but for an apostrophe in the query', () => {
    // biome-ignore format: a table
    const piece = fc.constantFrom(
      '/', '/', '/', 'api', 'users', '.', '..', '%2e', '%2E', '%2f', '%5c', '%25', '%00', '%0a', '%3b', '%c0%af', '%zz', '%', '%20', '%C3%A9', '%69', '%7e', '%2D',
      '\\', '?', '#', ';', '&', '=', '+', "'", '"', '<', '>', '^', '`', '{', '}', '|', '[', ']', '@', ':', ' ', '\t', '\n', '\u00e9', '\u0000', 'http://x',
    );
    const text = fc.oneof(
      fc.array(piece).map((pieces) => `/${pieces.join('')}`),
      fc.string(),
      fc.webPath(),
    );
    fc.assert(
      fc.property(text, (target) => {
        const plain = parseTarget(target);
        if (!plain) return;
        const parsed = new URL(target.replace(/^[^?]*/, decodedUnreserved), 'http://h');
        assert.equal(parsed.host, 'h');
        assert.equal(parsed.pathname, plain.path);
        assert.equal(parsed.search.replace(/^\?/, ''), plain.query.replaceAll("'", '%27'));
        assert.equal(parsed.hash, '');
        assert.deepEqual(plain.segments, plain.path.slice(1).split('/').map(decodeURIComponent));
        assert.ok(plain.segments.every((segment) => !/[\p{Cc}/\\?#;%]|^\.{1,2}$/u.test(segment)));
      }),
      { numRuns: 3000 },
    );
  });
});

describe('A target in one spelling', () => {
  // biome-ignore format: a table
  const rows: [target: string, expected: string][] = [
    ['/%61pi/%7e',       '/api/~'],
    ['/%61pi?a=%61&%62', '/api?a=%61&%62'],
    ['/%61?b?%61',       '/a?b?%61'],
    ['?%61',             '?%61'],
    ['/a%2fb?',          '/a%2fb?'],
    ['/%%37%35',         '/%%37%35'],
  ];
  for (const [target, expected] of rows)
    it(`of ${target} is ${expected}: of the query nothing is decoded`, () =>
      assert.equal(targetInOneSpelling(target), expected));
});

it('A target of more than 200 parameters is refused, also when they are empty', () => {
  for (const pair of ['a=b', 'a', ''])
    for (const [count, expected] of [
      [200, 'plain'],
      [201, 'parameters-too-many'],
    ] as const)
      assert.equal(outcome(someRequest({ target: `/x?${Array(count).fill(pair).join('&')}` })), expected);
});

describe('A target is refused', () => {
  // biome-ignore format: a table
  const rows: [because: string, target: string, reason?: string][] = [
    ['without its slash',                    ''],
    ['that is a star',                       '*'],
    ['in absolute form',                     'http://127.0.0.1:5000/api/config/raw'],
    ['with two slashes in front',            '//api/users', 'slash-doubled'],
    ['with two slashes inside',              '/api//users', 'slash-doubled'],
    ['with two slashes at its end',          '/api/users//', 'slash-doubled'],
    ['with a dot segment',                   '/api/./users'],
    ['with a dot segment at its end',        '/api/users/.'],
    ['with two dots',                        '/api/x/../users'],
    ['with dots encoded',                    '/api/%2e%2e/users'],
    ['with one dot of two encoded',          '/api/.%2E/users'],
    ['with one dot encoded',                 '/%2e/api/users'],
    ['with an encoded slash',                '/api%2fusers'],
    ['with an encoded slash, upper case',    '/assets/..%2Fapi/config'],
    ['with a backslash',                     '/assets\\..\\api\\config'],
    ['with an encoded backslash',            '/api%5cusers'],
    ['with an encoded newline',              '/api/users%0a'],
    ['with an encoded tab',                  '/api/users%09'],
    ['with an encoded carriage return',      '/api/users%0D'],
    ['with an encoded delete',               '/api/users%7f'],
    ['with an encoded C1 control',           '/api/users%C2%85'],
    ['with a NUL',                           '/api/users%00.js'],
    ['encoded twice',                        '/api/%2575sers'],
    ['whose escape another one completes',   '/api/%%37%35sers'],
    ['whose escape ends in another one',     '/api/%7%35sers'],
    ['with an encoded question mark',        '/api/config%3f.js'],
    ['with an encoded fragment mark',        '/api/config%23.js'],
    ['with an encoded semicolon',            '/api/users%3Bx=1'],
    ['with a path parameter',                '/api/users;x=1'],
    ['with dots before a path parameter',    '/assets/..;/api/config'],
    ['with a fragment',                      '/assets/x#/../../api/config'],
    ['with a fragment in the query',         '/api/x?a#b'],
    ['with a lone percent sign',             '/api/100%'],
    ['with a broken escape',                 '/api/%zz'],
    ['with a cut escape',                    '/api/a%4'],
    ['with an escape of the %u kind',        '/api/%u002f'],
    ['with an overlong slash',               '/api%c0%afusers'],
    ['with bytes that are no UTF-8',         '/api/%ff'],
    ['with an encoded surrogate',            '/api/%ed%a0%80'],
    ['with a raw byte outside ASCII',        '/api/caf\u00c3\u00a9'],
    ['with a control byte',                  '/api/\u0001'],
    ['with a blank',                         '/api/a b'],
    ['with a trailing newline',              '/api/users\n'],
    ['with a quote',                         '/api/"'],
    ['with a brace, which parsers rewrite',  '/api/{camera}'],
    ['with a caret, which parsers rewrite',  '/api/a^b'],
    ['with two question marks, of which some readers cut one off', '/api/x??cameras=a'],
    ['with a parameter that would do so, were those before it taken out', '/api/x?after=1&?cameras=a'],
    ['with such a one behind nothing',       '/api/x?&?cameras=a'],
    ['with a broken escape in the query',    '/api/x?a=100%'],
    ['with a raw byte in the query',         '/api/x?a=\u00e9'],
    ['with a backslash in the query',        '/api/x?a=\\'],
    ['with a newline in the query',          '/api/x?a=b\n'],
    ['with a blank in the query',            '/api/x?a b'],
    ['with a quote in the query',            '/api/x?a="b"'],
    ['with ten thousand steps upwards',      '/..'.repeat(10_000)],
  ];
  for (const [because, target, reason = 'target-not-plain'] of rows) {
    it(`${because}: ${JSON.stringify(target.slice(0, 50))}`, () => {
      assert.equal(outcome(someRequest({ target })), reason);
    });
  }
});

const POST = { method: 'POST' } as const;
const CHUNKED: HeaderLine = ['Transfer-Encoding', 'chunked'];

describe('A head', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, expected: RefusalReason | 'plain', changes: Partial<RequestFacts>, headers?: HeaderLine[]][] = [
    ['with ordinary headers is plain',                       'plain',               {}, [['Accept', '*/*'], ['Cookie', 'a=1'], ['cookie', 'b=2']]],
    ['with an underscore in a name',                         'headers-not-plain',   {}, [['Remote_Role', 'admin']]],
    ['with a dot in a name',                                 'headers-not-plain',   {}, [['Remote.Role', 'admin']]],
    ['with a name outside ASCII',                            'headers-not-plain',   {}, [['Remote-Rol\u00e9', 'admin']]],
    ['with a blank in a name',                               'headers-not-plain',   {}, [['Remote Role', 'admin']]],
    ['with an empty name',                                   'headers-not-plain',   {}, [['', 'admin']]],
    ['with __proto__ for a name',                            'headers-not-plain',   {}, [['__proto__', 'admin']]],
    ['with constructor for a name is plain',                 'plain',               {}, [['constructor', 'admin']]],
    ['with a pseudo header on HTTP/1.1',                     'headers-not-plain',   {}, [[':path', '/']]],
    ['with a repeated Remote-Role is plain: it is dropped',  'plain',               {}, [['Remote-Role', 'a'], ['REMOTE-ROLE', 'b']]],
    ['with Authorization twice is plain: its sources judge it', 'plain',            {}, [['Authorization', '1'], ['AUTHORIZATION', '1']]],
    ...['X-Proxy-Secret', 'Content-Type', 'Origin', 'Upgrade', 'Sec-WebSocket-Key', 'Sec-WebSocket-Version', 'Sec-Fetch-Site', 'Content-Length', 'Expect'].map(
      (name): [string, RefusalReason, object, HeaderLine[]] => [`with ${name} twice`, 'headers-not-plain', {}, [[name, '1'], [name.toUpperCase(), '1']]],
    ),

    ['with a second Host',                                   'headers-not-plain',   {}, [['host', 'evil.test']]],
    ['without Host',                                         'headers-not-plain',   { rawHeaders: [] }],
    ['without Host on HTTP/1.0 is plain',                    'plain',               { rawHeaders: [], httpVersion: '1.0' }],
    ['with two Hosts on HTTP/1.0',                           'headers-not-plain',   { httpVersion: '1.0' }, [['Host', 'nvr.test']]],
    ...['', 'x@evil', 'x/../y', 'x:80:80', 'x:port', 'a b', 'http://x', '[::1', '::1', '[::1%25eth0]', 'x#', 'x?', 'x\\y', 'x,y', '%61', 'caf\u00e9'].map(
      (host): [string, RefusalReason, object] => [`with the Host "${host}"`, 'headers-not-plain', { rawHeaders: ['Host', host] }],
    ),
    ...['nvr', 'nvr.test:8971', '10.0.0.2', '[fd00::1]:8971', '[::ffff:10.0.0.2]', 'my_nvr.local'].map(
      (host): [string, 'plain', object] => [`with the Host "${host}" is plain`, 'plain', { rawHeaders: ['Host', host] }],
    ),

    ...['TRACE', 'CONNECT', 'PROPFIND', 'PURGE', 'QUERY', 'M-SEARCH', 'get', ''].map(
      (method): [string, RefusalReason, object] => [`with the method "${method}"`, 'method-unknown', { method }],
    ),
    ...['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map(
      (method): [string, 'plain', object] => [`with the method ${method} is plain`, 'plain', { method }],
    ),
    ['of HTTP/0.9',                                          'framing-not-plain',   { httpVersion: '0.9' }],
    ['that only says HTTP/2.0',                              'framing-not-plain',   { httpVersion: '2.0' }],
    ['of HTTP/1.2',                                          'framing-not-plain',   { httpVersion: '1.2' }],

    ['of a GET with a body of known length is plain',        'plain',               {}, [['Content-Length', '12']]],
    ...['POST', 'PUT', 'PATCH'].map((method): [string, 'plain', object, HeaderLine[]] => [`of a chunked ${method} is plain`, 'plain', { method }, [CHUNKED]]),
    ...['GET', 'HEAD', 'DELETE', 'OPTIONS'].map((method): [string, RefusalReason, object, HeaderLine[]] => [`of a chunked ${method}`, 'framing-not-plain', { method }, [CHUNKED]]),
    ['chunked on HTTP/1.0',                                  'framing-not-plain',   { ...POST, httpVersion: '1.0' }, [CHUNKED]],
    ['chunked with a length',                                'framing-not-plain',   POST, [CHUNKED, ['Content-Length', '4']]],
    ['chunked twice',                                        'framing-not-plain',   POST, [CHUNKED, CHUNKED]],
    ...['cow', 'identity, chunked', 'gzip, chunked', 'xchunked', '"chunked"', 'Chunked', '\u000bchunked', 'chunked,', 'identity', ''].map(
      (coding): [string, RefusalReason, object, HeaderLine[]] => [`with the coding ${JSON.stringify(coding)}`, 'framing-not-plain', POST, [['Transfer-Encoding', coding]]],
    ),
    ...['+3', '-1', '0x3', '', '1 2', '3, 3', '18446744073709551619', '3.0', '03', '00'].map(
      (length): [string, RefusalReason, object, HeaderLine[]] => [`with the length "${length}"`, 'framing-not-plain', POST, [['Content-Length', length]]],
    ),

    ['that expects 100-continue is plain',                   'plain',               POST, [['Expect', '100-Continue']]],
    ['that expects anything else',                           'expectation-unknown', POST, [['Expect', '200-ok']]],
    ['that expects 100-continue among others',               'expectation-unknown', POST, [['Expect', '100-continue, x']]],

    ['with Upgrade: h2c on a plain request is plain',        'plain',               {}, [['Upgrade', 'h2c'], ['Connection', 'Upgrade, HTTP2-Settings'], ['HTTP2-Settings', 'AAMA']]],
  ];
  for (const [sentence, expected, changes, headers] of rows) {
    it(expected === 'plain' ? sentence : `${sentence} is refused as ${expected}`, () => {
      assert.equal(outcome(someRequest(changes, headers)), expected);
    });
  }

  it('is judged in a time that grows with its size only', () => {
    const many = Array.from({ length: 199 }, (_, index): HeaderLine => [`a-${index}`, '%2f'.repeat(500)]);
    assert.equal(outcome(someRequest({ target: `/${'%41'.repeat(2700)}` }, many)), 'plain');
  });

  it('of 201 lines is refused as headers-too-many', () => {
    const many = Array.from({ length: 200 }, (_, index): HeaderLine => [`a-${index}`, '']);
    assert.equal(outcome(someRequest({}, many)), 'headers-too-many');
  });

  it('is plain only with a path, on HTTP/1, whatever it holds', () => {
    const names = fc.oneof(
      fc.string(),
      fc.constantFrom('Host', 'transfer-encoding', 'Content-Length', ':path', 'Upgrade'),
    );
    const facts = fc.record({
      method: fc.oneof(fc.string(), fc.constantFrom('GET', 'POST')),
      target: fc.oneof(fc.string(), fc.webPath()),
      httpVersion: fc.constantFrom('0.9', '1.0', '1.1', '2.0', ''),
      isUpgrade: fc.boolean(),
      rawHeaders: fc.array(fc.tuple(names, fc.string())).map((lines) => lines.flat()),
    });
    const mayBePlain = ({ target, httpVersion }: { target: string; httpVersion: string }): boolean =>
      /^\/[\x21-\x7e]*$/.test(target) && httpVersion.startsWith('1.');
    fc.assert(fc.property(facts, (changes) => outcome(someRequest(changes)) !== 'plain' || mayBePlain(changes)));
  });
});

const UPGRADE: readonly HeaderLine[] = [
  ['Connection', 'keep-alive, Upgrade'],
  ['Upgrade', 'websocket'],
  ['Sec-WebSocket-Version', '13'],
  ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
];
const upgradeWith = (name: string, value: string): HeaderLine[] =>
  UPGRADE.map((line) => (line[0] === name ? [name, value] : line));

describe('A WebSocket upgrade', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, expected: RefusalReason | 'plain', changes: Partial<RequestFacts>, headers: readonly HeaderLine[]][] = [
    ['is plain as browsers send it',               'plain',             {}, UPGRADE],
    ['is plain with Connection in two lines',      'plain',             {}, [...upgradeWith('Connection', 'keep-alive'), ['connection', 'upgrade']]],
    ['by POST',                                    'upgrade-not-plain', POST, UPGRADE],
    ['on HTTP/1.0',                                'upgrade-not-plain', { httpVersion: '1.0' }, UPGRADE],
    ['with bytes behind its head',                 'upgrade-not-plain', { pipelinedBytes: 1 }, UPGRADE],
    ['with a length',                              'upgrade-not-plain', {}, [...UPGRADE, ['Content-Length', '5']]],
    ['with the length 00',                         'framing-not-plain', {}, [...UPGRADE, ['Content-Length', '00']]],
    ['with chunks',                                'framing-not-plain', {}, [...UPGRADE, CHUNKED]],
    ['with an expectation',                        'upgrade-not-plain', {}, [...UPGRADE, ['Expect', '100-continue']]],
    ['to h2c',                                     'upgrade-not-plain', {}, upgradeWith('Upgrade', 'h2c')],
    ['to either of two protocols',                 'upgrade-not-plain', {}, upgradeWith('Upgrade', 'websocket, h2c')],
    ['of version 777',                             'upgrade-not-plain', {}, upgradeWith('Sec-WebSocket-Version', '777')],
    ['with a short key',                           'upgrade-not-plain', {}, upgradeWith('Sec-WebSocket-Key', 'c2hvcnQ=')],
    ['with a key that is no base64',               'upgrade-not-plain', {}, upgradeWith('Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25j***==')],
    ['without a key',                              'upgrade-not-plain', {}, UPGRADE.slice(0, 3)],
    ['without Connection: upgrade',                'upgrade-not-plain', {}, upgradeWith('Connection', 'x-upgrade')],
  ];
  for (const [sentence, expected, changes, headers] of rows) {
    it(expected === 'plain' ? sentence : `${sentence} is refused as ${expected}`, () => {
      assert.equal(outcome(someRequest({ target: '/ws', isUpgrade: true, ...changes }, headers)), expected);
    });
  }
});

describe('An HTTP/2 request', () => {
  const get: HeaderLine[] = [
    [':method', 'GET'],
    [':path', '/api/x'],
    [':scheme', 'https'],
  ];
  const post: HeaderLine[] = [[':method', 'POST'], ...get.slice(1)];
  const authority: HeaderLine = [':authority', 'nvr.test:8971'];
  const cookies: HeaderLine[] = [
    ['cookie', 'a=1'],
    ['cookie', 'b=2'],
  ];
  const read = (lines: readonly HeaderLine[], hasBody: boolean) =>
    http1Head({ rawHeaders: lines.flat(), headers: Object.fromEntries([...lines].reverse()), hasBody });
  const facts = (lines: readonly HeaderLine[], hasBody: boolean): RequestFacts => {
    const method = lines[0]?.[1] ?? '';
    return { ...someRequest({ httpVersion: '2', method, target: '/api/x' }), ...read(lines, hasBody) };
  };

  it('loses the blanks around its values, as in HTTP/1', () => {
    const blanks: HeaderLine[] = [
      ['x-role', ' viewer\t '],
      ['x-empty', ' \t'],
      ['x-inner', 'a b'],
    ];
    const { rawHeaders, headers } = read([...get, authority, ...blanks], false);
    assert.deepEqual(rawHeaders, ['host', 'nvr.test:8971', 'x-role', 'viewer', 'x-empty', '', 'x-inner', 'a b']);
    assert.deepEqual([headers['x-role'], headers['x-empty'], headers['x-inner']], ['viewer', '', 'a b']);
  });

  it('is read as HTTP/1 would have said it', () => {
    assert.deepEqual(read([...post, authority, ['host', 'nvr.test:8971'], ...cookies], true), {
      rawHeaders: ['host', 'nvr.test:8971', ...cookies.flat(), 'transfer-encoding', 'chunked'],
      headers: { host: 'nvr.test:8971', cookie: 'a=1', 'transfer-encoding': 'chunked' },
    });
    assert.deepEqual(read([...get, ['host', 'nvr.test']], false), {
      rawHeaders: ['host', 'nvr.test'],
      headers: { host: 'nvr.test' },
    });
  });

  // biome-ignore format: a table
  const rows: [sentence: string, expected: RefusalReason | 'plain', headers: HeaderLine[], hasBody?: boolean][] = [
    ['is plain with its pseudo headers',           'plain',             [...get, authority, ...cookies]],
    ['is plain with a Host alone',                 'plain',             [...get, ['host', 'nvr.test:8971']]],
    ['is plain with an equal Host',                'plain',             [...get, authority, ['host', 'nvr.test:8971']]],
    ['with another Host',                          'headers-not-plain', [...get, authority, ['host', 'evil.test']]],
    ['with another Host before its authority',     'headers-not-plain', [...get, ['host', 'evil.test'], authority]],
    ['without any authority',                      'headers-not-plain', get],
    ['with an empty authority',                    'headers-not-plain', [...get, [':authority', '']]],
    ['with a user in its authority',               'headers-not-plain', [...get, [':authority', 'me@nvr.test']]],
    ['with two authorities',                       'headers-not-plain', [...get, authority, authority]],
    ['with two different authorities',             'headers-not-plain', [...get, authority, [':authority', 'evil.test']]],
    ['with two paths',                             'headers-not-plain', [...get, authority, [':path', '/api/y']]],
    ['with an unknown pseudo header',              'headers-not-plain', [...get, authority, [':protocol', 'websocket']]],
    ['with Connection',                            'headers-not-plain', [...get, authority, ['connection', 'x']]],
    ['with Upgrade',                               'headers-not-plain', [...get, authority, ['upgrade', 'h2c']]],
    ['with two Expect',                            'headers-not-plain', [...get, authority, ['expect', '100-continue'], ['expect', '100-continue']]],
    ['is plain with a body of unknown length',     'plain',             [...post, authority], true],
    ['is plain with a body of known length',       'plain',             [...post, authority, ['content-length', '5']], true],
    ['is plain with a body on GET, as HTTP/1',     'plain',             [...get, authority, ['content-length', '5']], true],
    ['GET with a body of unknown length',          'framing-not-plain', [...get, authority], true],
    ['with two lengths',                           'headers-not-plain', [...post, authority, ['content-length', '5'], ['content-length', '6']], true],
    ['with a Transfer-Encoding of its own',        'framing-not-plain', [...post, authority, ['transfer-encoding', 'chunked']]],
    ['with one of its own and a body',             'framing-not-plain', [...post, authority, ['transfer-encoding', 'chunked']], true],
  ];
  for (const [sentence, expected, headers, hasBody = false] of rows) {
    it(expected === 'plain' ? sentence : `${sentence} is refused as ${expected}`, () => {
      assert.equal(outcome(facts(headers, hasBody)), expected);
    });
  }
});

describe('A query', () => {
  const pairs = (count: number, pair = 'a'): string =>
    `/api/events?${Array.from({ length: count }, () => pair).join('&')}`;
  // biome-ignore format: a table
  const rows: readonly (readonly [sentence: string, expected: RefusalReason | 'plain', target: string])[] = [
    ['of 200 parameters is plain',            'plain',               pairs(200)],
    ['of 201 parameters is refused',          'parameters-too-many', pairs(201)],
    ['of 201 parameters with values',         'parameters-too-many', pairs(201, 'a=%41')],
    ['of 8 KB of them is refused',            'parameters-too-many', pairs(4000)],
    ['of 8 KB of empty ones is refused',      'parameters-too-many', pairs(8000, '')],
    ['with ampersands in one value is plain', 'plain',               `/api/events?a=${'%26'.repeat(1000)}`],
  ];
  for (const [sentence, expected, target] of rows) {
    it(sentence, () => {
      const verdict = strictTarget(someRequest({ target }));
      assert.equal(verdict.ok ? 'plain' : verdict.error, expected);
    });
  }
});

/** RFC 3986 6.2.2.2, written once more and in another way. */
const decodedUnreserved = (path: string): string =>
  path.replaceAll(/%[0-9A-Fa-f]{2}/g, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
    return /[A-Za-z0-9\-._~]/.test(character) ? character : encoded;
  });
