/**
 * Postern's own reader of responses against Node's parser: what it takes, Node takes alike, and what Node refuses it refuses.
 * `POSTERN_FUZZ_CASES=1000000` for a long run.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type OwnReading, type ReadResponse, readByNode, readByPostern } from './read-response.ts';

const CASES = Number(process.env['POSTERN_FUZZ_CASES'] ?? 1500);
const SEED = process.env['POSTERN_FUZZ_SEED'];

// biome-ignore format: a table
const STATUS_LINES = [
  'HTTP/1.1 200 OK', 'HTTP/1.1 200 OK', 'HTTP/1.1 200 OK', 'HTTP/1.1 206 Partial Content', 'HTTP/1.1 204 No Content', 'HTTP/1.1 304 Not Modified',
  'HTTP/1.0 200 OK', 'HTTP/1.1 200', 'HTTP/1.1 200 ', 'HTTP/1.1 500 x', 'HTTP/1.1 205 Reset', 'HTTP/1.1 101 Switching', 'HTTP/1.1 99 x', 'HTTP/1.1 099 x',
  'HTTP/1.1 2000 x', 'HTTP/1.1 20 x', 'HTTP/1.1  200 OK', 'HTTP/1.1\t200 OK', 'HTTP/2.0 200 OK', 'HTTP/0.9 200 OK', 'HTTP/1.2 200 OK', 'HTTP/11 200 OK',
  'http/1.1 200 OK', ' HTTP/1.1 200 OK', 'ICY 200 OK', 'HTTP/1.1 200 O\x00K', 'HTTP/1.1 200 \xe9t\xe9', 'HTTP/1.1 -20 x', 'HTTP/1.1 2x0 OK', '',
];
const HEADER_LINES = [
  'Content-Length: 5',
  'Content-Length: 5',
  'Content-Length: 0',
  'Content-Length: 3',
  'content-length:5',
  'Content-Length: 05',
  'Content-Length: +5',
  'Content-Length: 5, 5',
  'Content-Length: 5,6',
  'Content-Length: -1',
  'Content-Length: 0x5',
  'Content-Length: 5 5',
  'Content-Length: ',
  'Content-Length',
  'Content-Length: 18446744073709551621',
  'Content-Length: 9007199254740993',
  'Content-Length : 5',
  'Content-Length:\t5\t',
  ' Content-Length: 5',
  'Content_Length: 5',
  'Content-Length: 5\x0b',
  'Content-Length: \xa05',
  'Content-Length: 5;',
  'Content-Length: 5\r',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: chunked',
  'transfer-encoding:CHUNKED',
  'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding: chunked, gzip',
  'Transfer-Encoding: chunked, chunked',
  'Transfer-Encoding: identity',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding : chunked',
  'Transfer-Encoding: chunked\t',
  'Transfer-Encoding: chunked\x0b',
  'Transfer-Encoding:\xa0chunked',
  'Transfer-Encoding: "chunked"',
  'Transfer-Encoding: chunked;q=1',
  'Transfer-Encoding: ',
  'Transfer-Encoding',
  'Transfer_Encoding: chunked',
  'X: a\r\n Transfer-Encoding: chunked',
  'X: a\n',
  'X:a\rContent-Length: 5',
  'X: a\nContent-Length: 5',
  'Transfer-Encoding: chunked ',
  'Connection: close',
  'Connection: keep-alive',
  'Connection: x, close',
  'Proxy-Connection: close',
  'Keep-Alive: timeout=5',
  'Upgrade: websocket',
  'Connection: Upgrade',
  'X-A: b',
  'X-A:  c ',
  'X-A: \t',
  'X-\xe9: b',
  'X-A: \xe9\xff',
  'X-A: \x01',
  'X-A: \x7f',
  'X A: b',
  'X-A\t: b',
  ': b',
  ':',
  '=: b',
  '__proto__: x',
  'constructor: y',
  'Trailer: X-T',
  'Set-Cookie: a=1',
  'Set-Cookie: b=2',
  'Content-Type: text/html',
  'X-A: b\x00c',
  '\x00: b',
  '(: b',
  'a b',
  '',
  '',
];
const FRAMING_LINES = ['Content-Length: 5', 'Transfer-Encoding: chunked', 'Connection: keep-alive', 'X-A: b'];
const BODIES = [
  'hello',
  'hello',
  'hello world',
  '',
  'abc',
  '\r\n',
  '5\r\nhello\r\n0\r\n\r\n',
  '5\r\nhello\r\n0\r\n\r\n',
  '3\r\nabc\r\n2\r\nde\r\n0\r\nX-T: 6\r\n\r\n',
  '5;a=b\r\nhello\r\n0\r\n\r\n',
  '5;a\r\nhello\r\n0;b="c d"\r\n\r\n',
  '5 \r\nhello\r\n0\r\n\r\n',
  '5; a=b\r\nhello\r\n0\r\n\r\n',
  '5;\r\nhello\r\n0\r\n\r\n',
  '5;a="\r\nhello\r\n0\r\n\r\n',
  '05\r\nhello\r\n000\r\n\r\n',
  '0x5\r\nhello\r\n0\r\n\r\n',
  '+5\r\nhello\r\n0\r\n\r\n',
  '5\nhello\n0\n\n',
  '5\rhello\r\n0\r\n\r\n',
  '5\r\nhello0\r\n\r\n',
  '5\r\nhello\n0\r\n\r\n',
  '5\r\nhelloX\r\n0\r\n\r\n',
  '5\r\nhello\r\n0\r\nX: y\r\n',
  '5\r\nhello\r\n0\r\nContent-Length: 3\r\n\r\n',
  '0\r\nTransfer-Encoding: chunked\r\n\r\n',
  '0\r\nX : y\r\n\r\n',
  '0\r\n X: y\r\n\r\n',
  '0\r\nX: \x01\r\n\r\n',
  '0\r\nX: y\n\r\n',
  '\r\n0\r\n\r\n',
  'zz\r\n',
  '-1\r\n',
  'ffffffffffffffff\r\nhello',
  '10000000000000005\r\nhello\r\n0\r\n\r\n',
  'fffffffffffff\r\nhello',
  'A\r\n0123456789\r\n0\r\n\r\n',
  'a\r\n0123456789\r\n0\r\n\r\n',
];
const BEHIND = [
  '',
  '',
  '',
  'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
  'x',
  '\r\n',
  '\n',
  'HTTP/1.1 404 Not Found\r\n\r\n',
];
const INTERIM = [
  '',
  '',
  '',
  '',
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n',
  'HTTP/1.1 102 x\r\nContent-Length: 5\r\n\r\n',
  'HTTP/1.1 102 x\r\nTransfer-Encoding: chunked\r\n\r\n',
  '\r\n',
  '\n',
];
const ENDS = ['\r\n', '\r\n', '\r\n', '\r\n', '\r\n', '\r\n', '\n', '\r', '\r\r\n', '\n\r\n'];
const HOSTILE = [
  '\r',
  '\n',
  '\r\n',
  '\x00',
  ' ',
  '\t',
  ':',
  ';',
  ',',
  '0',
  '5',
  'f',
  '\x0b',
  '\x85',
  '\xa0',
  '\xff',
  '"',
  'chunked',
  'HTTP/1.1 ',
  '\r\n\r\n',
  'Content-Length: 1\r\n',
];

const mostly = (usual: string, rare: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof({ weight: 12, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: rare });
const often = (usual: string, others: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof({ weight: 2, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: others });
const end = mostly('\r\n', fc.constantFrom(...ENDS));
const line = fc
  .tuple(fc.oneof(fc.constantFrom(...HEADER_LINES), fc.constantFrom(...FRAMING_LINES)), end)
  .map((parts) => parts.join(''));
const response = fc
  .tuple(
    fc.constantFrom(...INTERIM),
    often('HTTP/1.1 200 OK', fc.constantFrom(...STATUS_LINES)),
    end,
    fc.array(line, { maxLength: 4 }).map((lines) => lines.join('')),
    end,
    fc.constantFrom(...BODIES),
    fc.constantFrom(...BEHIND),
  )
  .map((parts) => parts.join(''));
interface Change {
  readonly at: number;
  readonly removed: number;
  readonly put: string;
}
const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(400),
  removed: fc.nat(3),
  put: fc.oneof(
    fc.constantFrom(...HOSTILE),
    fc.nat(255).map((code) => String.fromCharCode(code)),
    fc.constant(''),
  ),
});
const fuzzCase = fc.record({
  method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD'),
  text: response,
  changes: fc.oneof(
    { weight: 3, arbitrary: fc.constant([] as Change[]) },
    { weight: 2, arbitrary: fc.array(change, { minLength: 1, maxLength: 3 }) },
  ),
  cuts: fc.oneof(
    fc.constant<number[] | 'each'>([]),
    fc.array(fc.nat(400), { maxLength: 5 }),
    fc.constant<number[] | 'each'>('each'),
  ),
});

const changed = (text: string, changes: readonly Change[]): string =>
  changes.reduce((was, { at, removed, put }) => {
    const place = at % (was.length + 1);
    return was.slice(0, place) + put + was.slice(place + removed);
  }, text);

function piecesOf(bytes: Buffer, cuts: readonly number[] | 'each'): Buffer[] {
  const places = cuts === 'each' ? [...bytes.keys()] : cuts.map((cut) => cut % (bytes.length + 1));
  const sorted = [...new Set([0, ...places, bytes.length])].sort((a, b) => a - b);
  return sorted.slice(1).map((place, at) => bytes.subarray(sorted[at], place));
}

const comparable = ({ status, headers, body, trailers }: ReadResponse) => ({ status, headers, body, trailers });

function assertAlike(own: OwnReading, node: ReadResponse): void {
  if (own.isWhole) {
    assert.equal(node.isWhole, true, 'taken as whole, which Node does not');
    assert.deepEqual(comparable(own), comparable(node));
    return;
  }
  if (own.status === undefined) return;
  // Refused in the middle of its body: what was passed on by then must not be anything that Node would not have passed on.
  if (node.status !== undefined) assert.deepEqual([own.status, own.headers], [node.status, node.headers]);
  assert.ok(node.body.startsWith(own.body) || own.body.startsWith(node.body), 'another body');
}

async function check(method: string, text: string, cuts: readonly number[] | 'each'): Promise<OwnReading> {
  const bytes = Buffer.from(text, 'latin1');
  const own = readByPostern(method, piecesOf(bytes, cuts));
  const atOnce = readByPostern(method, [bytes]);
  assert.deepEqual(own, atOnce, 'another reading in other pieces');
  // Of bytes behind the end Node says that they are no HTTP, after it has taken the response; so it is given none.
  const upToEnd = own.isWhole ? bytes.subarray(0, own.consumed) : bytes;
  assertAlike(own, await readByNode(method, piecesOf(upToEnd, cuts)));
  return own;
}

describe("Postern's reader of responses beside Node's parser", () => {
  it('takes alike what it takes, and refuses what Node refuses, in every splitting of random responses', async () => {
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(fuzzCase, async ({ method, text, changes, cuts }) => {
        if ((await check(method, changed(text, changes), cuts)).isWhole) taken += 1;
      }),
      { numRuns: CASES, ...(SEED === undefined ? {} : { seed: Number(SEED) }) },
    );
    assert.ok(taken > CASES / 20, `only ${taken} of ${CASES} were taken: the cases prove too little`);
    if (CASES > 100_000) console.log(`${CASES} cases, ${taken} taken as whole`);
  });

  // biome-ignore format: a table
  const found: readonly (readonly [sentence: string, text: string])[] = [
    ['a 304 in chunks has no body',                              'HTTP/1.1 304 x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n'],
    ['nothing follows a 100 of HTTP/1.0',                        'HTTP/1.0 100 Continue\r\n\r\nHTTP/1.1 304 x\r\n\r\n'],
    ['a tab behind a coding makes it another one',               'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\t\r\n\r\n5\r\nhello\r\n0\r\n\r\n'],
    ['a tab and a blank behind it as well',                      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\t \r\n\r\n5\r\nhello\r\n0\r\n\r\n'],
    ['nothing follows a 100 that says close',                    'HTTP/1.1 100 x\r\nConnection: close\r\n\r\nHTTP/1.1 304 x\r\n\r\n'],
  ];
  for (const [sentence, text] of found) {
    it(`reads alike what random responses have found: ${sentence}`, async () => {
      for (const cuts of [[], 'each'] as const) await check('GET', text, cuts);
    });
  }
});
