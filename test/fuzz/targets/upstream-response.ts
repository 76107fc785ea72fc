/** Responses of the NVR as bytes: in whatever pieces they come they are read alike, and a careful reader finds the same end. */
import assert from 'node:assert/strict';
import type { HeaderLines, UpstreamHead } from '../../../src/gateway/http1/response-head.ts';
import { createResponseReader } from '../../../src/gateway/http1/response-reader.ts';
import { responseFault } from '../../../src/gateway/response/response-headers.ts';
import type { FuzzTarget } from './target.ts';

interface ReadResponse {
  readonly head: UpstreamHead | undefined;
  readonly body: string;
  readonly trailers: HeaderLines | undefined;
  /** Bytes behind it, or what is wrong; undefined: it goes on. */
  readonly left: number | string | undefined;
}

function readIn(bytes: Buffer, sizes: readonly number[], method: string): ReadResponse {
  let head: UpstreamHead | undefined;
  let trailers: HeaderLines | undefined;
  let body = '';
  const reader = createResponseReader({
    onHead(read) {
      assert.equal(head, undefined, 'two heads of one response');
      head = read;
    },
    onBody(part) {
      assert.ok(head && !trailers, 'a body without its head, or behind its end');
      body += part.toString('latin1');
    },
    onEnd(read) {
      assert.equal(trailers, undefined, 'a response ended twice');
      trailers = read;
    },
  });
  reader.expect(method);
  for (let [at, turn] = [0, 0]; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? bytes.length;
    // The memory of what was given is used again.
    const piece = Buffer.from(bytes.subarray(at, at + size));
    at += piece.length;
    const left = reader.read(piece);
    piece.fill(0x21);
    if (typeof left === 'string') return { head, body, trailers, left };
    if (trailers) return { head, body, trailers, left: bytes.length - at + left };
    assert.equal(left, 0, 'bytes were left before the end');
  }
  const fault = reader.end();
  return { head, body, trailers, left: fault ?? (trailers ? 0 : undefined) };
}

/** Where the body ends, for a reader that looks at the whole text; undefined when it is not there. */
function bodyOf(text: string, { framing }: UpstreamHead): string | undefined {
  if (framing.kind === 'none') return '';
  if (framing.kind === 'until-close') return text;
  if (framing.kind === 'length') return text.length < framing.bytes ? undefined : text.slice(0, framing.bytes);
  let [body, rest] = ['', text];
  for (;;) {
    const line = /^([0-9a-f]+)[^\r\n]*\r\n/i.exec(rest);
    if (!line) return undefined;
    const size = Number.parseInt(line[1] ?? '', 16);
    rest = rest.slice(line[0].length);
    if (size === 0) return body;
    body += rest.slice(0, size);
    rest = rest.slice(size + 2);
  }
}

const END = '\r\n\r\n';

export const fuzzTarget: FuzzTarget = {
  outcomes: ['refused', 'goes on', 'none', 'length', 'chunked', 'until-close'],
  longest: 600,
  seeds: [
    'g1HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Type: text/plain\r\n\r\nhelloHTTP/1.1 200 OK\r\n',
    'g7HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\nrest',
    'g3HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.0 200 OK\r\n\r\nuntil the end',
    'h2HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n',
    'g2HTTP/1.1 304 Not Modified\r\nETag: "x"\r\n\r\n',
    'g5HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n',
    'g5HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nhe',
  ],
  words: [
    '\r\n',
    '\r\n\r\n',
    'Content-Length: 1\r\n',
    'Transfer-Encoding: chunked\r\n',
    'HTTP/1.1 ',
    '0\r\n\r\n',
    'ffffffffffff',
    ' : ',
    '\r',
    '\n',
    'Connection: close\r\n',
    'HTTP/1.1 100 \r\n\r\n',
    '5\r\nhello\r\n',
  ],
  judge(input) {
    const method = input[0] === 0x68 ? 'HEAD' : 'GET';
    const bytes = input.subarray(2);
    const whole = readIn(bytes, [bytes.length], method);
    const pieces = 1 + ((input[1] ?? 0) % 9);
    for (const sizes of [[1], [pieces, 1, 2]]) {
      const read = readIn(bytes, sizes, method);
      // What is wrong in the middle of a response may be seen before or behind a part of it.
      if (typeof whole.left === 'string') assert.equal(typeof read.left, 'string');
      else assert.deepEqual(read, whole, `read otherwise in pieces of ${sizes}`);
    }
    const { head, body, trailers, left } = whole;
    if (typeof left === 'string') return left === 'ECONNRESET' ? 'goes on' : 'refused';
    assert.ok(head && trailers, 'it ended without a head or an end');
    if (responseFault(head)) return 'refused';
    for (const lines of [head.headers, trailers])
      for (const [name, value] of Object.entries(lines)) {
        assert.match(name, /^[!#$%&'*+\-.^_`|~0-9a-z]+$/);
        for (const line of [value].flat()) assert.doesNotMatch(line, /[\0\r\n]|^[ \t]|[ \t]$/);
      }
    // Heads before the response itself are passed over.
    const text = bytes
      .toString('latin1')
      .replace(/^(?:HTTP\/1\.[01] 1(?!01)\d\d[^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n)*/, '');
    const behind = text.slice(text.indexOf(END) + END.length);
    assert.equal(body, bodyOf(behind, head), 'another reader finds another body');
    if (head.framing.kind === 'length') assert.equal(left, behind.length - head.framing.bytes);
    if (head.framing.kind === 'none') assert.equal(left, behind.length);
    return head.framing.kind;
  },
};
