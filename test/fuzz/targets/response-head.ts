/** Heads of the NVR's responses: one framing, no identity, no cookie of our name, no shared cache, no header of one connection. */
import assert from 'node:assert/strict';
import { byName, responseFault, responseHeaders } from '../../../src/gateway/response/response-headers.ts';
import type { FuzzTarget } from './target.ts';

/** What Postern itself adds. */
// biome-ignore format: a table
const OWN: readonly string[] = [
  'x-request-id', 'set-cookie', 'cache-control', 'referrer-policy', 'x-robots-tag', 'x-content-type-options', 'content-security-policy',
];
const asRead = (name: string): string => name.toLowerCase().replaceAll(/[_.]/g, '-');

/** As the client gives them: lower-case names, several lines of one name in a list. */
function readHead(text: string) {
  const [first = '', ...lines] = text.split('\n');
  const headers: Record<string, string | string[]> = {};
  for (const line of lines) {
    const cut = line.indexOf(':');
    const name = line.slice(0, Math.max(cut, 0)).toLowerCase();
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name)) continue;
    const value = line.slice(cut + 1).trim();
    const before = Object.hasOwn(headers, name) ? headers[name] : undefined;
    Object.defineProperty(headers, name, {
      value: before === undefined ? value : [before, value].flat(),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return { statusCode: Number(first.split(' ')[1]), headers };
}

const linesOf = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : [value].flat();

export const fuzzTarget: FuzzTarget = {
  outcomes: ['refused', 'passed', 'passed by link', 'public'],
  longest: 500,
  seeds: [
    'HTTP/1.1 200 OK\nContent-Type: application/json\nContent-Length: 5\nCache-Control: public, max-age=60',
    'HTTP/1.1 206 x\nTransfer-Encoding: chunked\nConnection: close, X-Private\nX-Private: 1\nSet-Cookie: a=b\nSet-Cookie: frigate_token=x; Path=/',
    'PUBLIC 200 OK\nRemote-User: admin\nX_Accel_Redirect: /x\nAlt-Svc: h3\nStrict-Transport-Security: max-age=1\nAccess-Control-Allow-Origin: *',
    'LINK 200 OK\nLocation: /x\nSet-Cookie: s=1\nReferrer-Policy: unsafe-url\nExpires: 0\nX-Request-Id: theirs',
    'HTTP/1.1 100 Continue\n__proto__: x',
  ],
  words: [
    'Set-Cookie: ',
    'frigate_token=',
    'Content-Length: 1\n',
    'Transfer-Encoding: chunked\n',
    'Connection: ',
    'remote-',
    'x_accel_',
    'no-store',
    's-maxage=1',
    'private',
    'public',
    ' 999 ',
    'Keep-Alive: 1\n',
  ],
  judge(input) {
    const text = input.toString('latin1');
    const head = readHead(text);
    if (responseFault(head)) return 'refused';
    assert.ok(head.statusCode >= 200 && head.statusCode <= 599);
    const isPublic = text.startsWith('PUBLIC');
    const isForVisitor = text.startsWith('LINK');
    const allowsCors = text.startsWith('HTTP/1.0');
    const own = { requestId: 'r1', cookie: 'frigate_token=ours; Path=/', ...(isForVisitor && { isForVisitor }) };
    const lines = responseHeaders(head, { cookieName: 'frigate_token', isPublic, allowsCors, own });
    assert.ok(lines.length % 2 === 0 && lines.every((one) => typeof one === 'string'));
    const passed = byName(lines);
    const named = linesOf(head.headers['connection']).flatMap((line) =>
      line.split(',').map((name) => name.trim().toLowerCase()),
    );
    for (const name of Object.keys(passed)) {
      assert.doesNotMatch(
        asRead(name),
        /^(?:remote-|x-accel-|connection$|keep-alive$|te$|trailer$|upgrade$|transfer-encoding$|alt-svc$|strict-transport-security$|x-proxy-secret$|proxy-(?:connection|authenticate|authorization)$)/,
      );
      if (!allowsCors && !isForVisitor) assert.ok(!name.startsWith('access-control-'), name);
      if (!OWN.includes(name)) assert.ok(!named.includes(name), `${name} is of one connection`);
    }
    const cookies = linesOf(passed['set-cookie']).map((line) => (line.split(';', 1)[0] ?? '').trim());
    const ours = cookies.filter(
      (pair) => !pair.includes('=') || ['', 'frigate_token'].includes(pair.slice(0, pair.indexOf('=')).trim()),
    );
    assert.deepEqual(ours, isForVisitor ? [] : ['frigate_token=ours']);
    const cache = linesOf(passed['cache-control']).join(', ').toLowerCase();
    if (isForVisitor) assert.equal(cache, 'private, no-store');
    else if (!isPublic)
      assert.ok(
        /(?:^|, ?)(?:private|no-store)(?:,|$)/.test(cache) && !/(?:^|, ?)(?:public(?:,|$)|s-maxage=)/.test(cache),
        cache,
      );
    assert.deepEqual(linesOf(passed['x-request-id']), ['r1']);
    if (isForVisitor) return 'passed by link';
    return isPublic ? 'public' : 'passed';
  },
};
