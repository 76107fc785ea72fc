/** A server below a prefix: what it is sent, and its own addresses as a client must see them (SPEC 1, nvr.routes). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { targetAt, type Upstream } from '../../src/domain/addresses.ts';
import { findDestination } from '../../src/gateway/decision/destinations.ts';
import { parseTarget } from '../../src/gateway/decision/strict-target.ts';
import { withAddressesAt } from '../../src/gateway/narrow/narrow-task.ts';
import { makePlace, valueAt } from '../../src/gateway/response/public-place.ts';

const at = (host: string, below?: string): Upstream & { readonly kind: 'tcp' } => ({
  kind: 'tcp',
  protocol: 'http:',
  host,
  port: 8888,
  ...(below !== undefined && { below }),
});
const NVR = at('nvr');
const RULES = {
  eventsBackend: undefined,
  nvr: NVR,
  routes: [
    { prefix: '/hls/archive', upstream: at('archive', '/hls/archive') },
    { prefix: '/plain', upstream: at('plain') },
    { prefix: '/hls', upstream: at('hls', '/hls') },
  ],
};

/** The server and what it is sent. */
function sent(path: string): string {
  const target = parseTarget(path);
  assert.ok(target, path);
  const destination = findDestination('GET', target, RULES);
  assert.ok(destination?.kind === 'nvr');
  const { upstream } = destination;
  return `${upstream.kind === 'tcp' ? upstream.host : ''} ${targetAt(upstream, target.path)}`;
}

describe('A request below a prefix that is taken off', () => {
  // biome-ignore format: a table
  const SENT: [path: string, sent: string][] = [
    ['/hls',                        'hls /'],
    ['/hls/',                       'hls /'],
    ['/hls/porch/index.m3u8',       'hls /porch/index.m3u8'],
    ['/hls/hls/index.m3u8',         'hls /hls/index.m3u8'],
    ['/hls/archive',                'archive /'],
    ['/hls/archive/porch',          'archive /porch'],
    ['/hls/archives/porch',         'hls /archives/porch'],
    ['/hlsx/porch',                 'nvr /hlsx/porch'],
    ['/HLS/porch',                  'nvr /HLS/porch'],
    ['/h%6Cs/porch',                'hls /porch'],
    ['/hls/a%20b',                  'hls /a%20b'],
    ['/plain/porch',                'plain /plain/porch'],
    ['/porch/hls/x',                'nvr /porch/hls/x'],
  ];
  for (const [path, expected] of SENT) it(`${path} goes to ${expected}`, () => assert.equal(sent(path), expected));

  it('is sent as it was judged, less the prefix: whatever stands behind it', () => {
    const segment = fc.stringMatching(/^[A-Za-z0-9._~!$&'()*+,:=@|-]{1,8}$/).filter((text) => !/^\.+$/.test(text));
    const path = fc.array(segment, { minLength: 0, maxLength: 5 }).map((parts) => parts.join('/'));
    const prefix = fc.constantFrom('/hls', '/hls/archive', '/plain', '/hlsx', '');
    fc.assert(
      fc.property(prefix, path, fc.boolean(), (start, rest, hasSlash) => {
        const target = parseTarget(`${start}/${rest}${hasSlash && rest !== '' ? '/' : ''}`);
        if (!target) return;
        const destination = findDestination('GET', target, RULES);
        assert.ok(destination?.kind === 'nvr');
        const { below = '' } = destination.upstream;
        const out = targetAt(destination.upstream, target.path);
        assert.ok(out.startsWith('/'));
        assert.ok(`${below}${out}` === target.path || (out === '/' && target.path === below));
        // The next server reads the same segments behind the prefix as were judged here.
        const read = parseTarget(out);
        assert.deepEqual(
          read?.segments,
          target.path === below ? [''] : target.segments.slice(below.split('/').length - 1),
        );
      }),
    );
  });
});

const place = (sentPath: string, basePath = '', upstream: Upstream = at('hls', '/hls')) =>
  makePlace(upstream, {
    path: sentPath,
    hosts: ['postern:8971'],
    client: { host: 'Example.com', encrypted: true, basePath },
  });

describe('An address in the head of a response', () => {
  // biome-ignore format: a table
  const LOCATIONS: [location: string, seen: string, sent?: string, basePath?: string][] = [
    ['/porch/',                               '/hls/porch/'],
    ['/porch/index.m3u8?cookieCheck=1',       '/hls/porch/index.m3u8?cookieCheck=1'],
    ['/porch/whep/5b3c#x',                    '/hls/porch/whep/5b3c#x'],
    ['/',                                     '/hls/'],
    ['/hls/x',                                '/hls/hls/x'],
    ['/porch/',                               '/nvr/hls/porch/', '/porch', '/nvr'],
    ['http://hls:8888/porch/',                '/hls/porch/'],
    ['HTTP://HLS:8888/porch/',                '/hls/porch/'],
    ['https://example.com/porch/',            '/hls/porch/'],
    ['http://postern:8971/porch/',            '/hls/porch/'],
    ['//hls:8888/porch/',                     '/hls/porch/'],
    ['http://hls:8888',                       '/hls/'],
    ['http://hls:9999/porch/',                'http://hls:9999/porch/'],
    ['https://elsewhere.example/porch/',      'https://elsewhere.example/porch/'],
    ['//elsewhere.example/x',                 '//elsewhere.example/x'],
    ['rtsp://hls:8888/porch',                 'rtsp://hls:8888/porch'],
    ['javascript:alert(1)',                   'javascript:alert(1)'],
    ['index.m3u8',                            '/hls/porch/index.m3u8', '/porch/'],
    ['index.m3u8',                            '/hls/index.m3u8', '/'],
    ['?a=b',                                  '/hls/porch/?a=b', '/porch/'],
    ['../../../secret',                       '/hls/secret', '/porch/'],
    ['/../../api/users',                      '/hls/api/users'],
    ['/\\elsewhere.example/x',                '/\\elsewhere.example/x'],
    ['http://[',                              'http://['],
  ];
  for (const [location, seen, sentPath = '/porch', basePath = ''] of LOCATIONS)
    it(`${location} is seen as ${seen}${basePath === '' ? '' : `, below ${basePath}`}`, () => {
      assert.equal(valueAt('location', location, place(sentPath, basePath)), seen);
      assert.equal(valueAt('content-location', location, place(sentPath, basePath)), seen);
    });

  it('never leads out of the prefix, if it is one of the server', () => {
    const piece = fc.constantFrom(
      '/',
      '..',
      '.',
      '%2e%2e',
      'porch',
      'hls',
      '\\',
      '?',
      '#',
      'a=b',
      'http:',
      'hls:8888',
      '//',
      '@',
      ' ',
      '\t',
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
        (location) => {
          const seen = valueAt('location', location, place('/porch/'));
          const read = URL.parse(seen, 'http://client.example/hls/porch/');
          if (read === null || read.host !== 'client.example') return;
          assert.ok(read.pathname === '/hls' || read.pathname.startsWith('/hls/'), `${location} is seen as ${seen}`);
        },
      ),
    );
  });

  // biome-ignore format: a table
  const COOKIES: [line: string, seen: string][] = [
    ['a=b',                                   'a=b'],
    ['a=b; Path=/',                           'a=b; Path=/nvr/hls'],
    ['a=b; path=/porch; Secure',              'a=b; Path=/nvr/hls/porch; Secure'],
    ['a=b;PATH = /porch ;Secure',             'a=b; Path=/nvr/hls/porch;Secure'],
    ['a=b; Path=',                            'a=b; Path='],
    ['path=/; HttpOnly',                      'path=/; HttpOnly'],
    ['__Host-a=b; Path=/; Secure',            '__Host-a=b; Path=/; Secure'],
    ['a=b; Path=/x; Path=/y',                 'a=b; Path=/nvr/hls/x; Path=/nvr/hls/y'],
  ];
  for (const [line, seen] of COOKIES)
    it(`the cookie ${line} is seen as ${seen}`, () =>
      assert.equal(valueAt('set-cookie', line, place('/porch', '/nvr')), seen));

  it('stays as it is at a server whose paths are the same here, and in other headers', () => {
    assert.equal(valueAt('location', '/x', undefined), '/x');
    assert.equal(valueAt('link', '</x>', place('/')), '</x>');
  });

  it('is a whole address in JSON, for programs that do not know where it came from', () => {
    const at = place('/list', '/nvr');
    assert.ok(at);
    const json = {
      url: 'http://hls:8888/get?path=a',
      other: '/get',
      list: [{ url: '/get', more: [{ url: 5 }] }],
      url2: 'http://b/',
    };
    const written = withAddressesAt(JSON.stringify(json), ['url'], at);
    assert.deepEqual(JSON.parse(written ?? ''), {
      ...json,
      url: 'https://Example.com/nvr/hls/get?path=a',
      list: [{ url: 'https://Example.com/nvr/hls/get', more: [{ url: 5 }] }],
    });
    for (const odd of ['', '{', '\xff']) assert.equal(withAddressesAt(odd, ['url'], at), undefined);
  });

  it('is read by the path alone at a Unix socket', () => {
    const socket = place('/porch', '', { kind: 'unix', path: '/run/hls.sock', below: '/hls' });
    assert.equal(valueAt('location', 'http://example.com/a', socket), '/hls/a');
    assert.equal(valueAt('location', 'http://localhost/a', socket), 'http://localhost/a');
  });
});
