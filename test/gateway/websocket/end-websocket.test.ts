import assert from 'node:assert/strict';
import { once } from 'node:events';
import { duplexPair } from 'node:stream';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createFrameReader, endableWebSocket, passOn } from '../../../src/gateway/websocket/proxy-upgrade.ts';

/** A binary frame as a server sends it (RFC 6455 5.2). */
function frame(payload: Buffer): Buffer {
  const length = payload.length;
  if (length < 126) return Buffer.concat([Buffer.from([0x82, length]), payload]);
  const isShort = length < 65_536;
  const head = Buffer.alloc(isShort ? 4 : 10);
  head.set([0x82, isShort ? 126 : 127]);
  if (isShort) head.writeUInt16BE(length, 2);
  else head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}

const CLOSE_4401 = Buffer.from([0x88, 0x02, 0x11, 0x31]);

describe('Where frames end', () => {
  it('is found however the bytes are cut', () => {
    const sizes = fc.array(fc.constantFrom(0, 1, 125, 126, 127, 65_535, 65_536, 70_000), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(
        sizes,
        fc.array(fc.integer({ min: 1, max: 50_000 }), { minLength: 1, maxLength: 20 }),
        (lengths, cuts) => {
          const frames = lengths.map((length) => frame(Buffer.alloc(length, 0x88)));
          const ends = new Set(frames.map((_, at) => Buffer.concat(frames.slice(0, at + 1)).length));
          const all = Buffer.concat(frames);
          const reader = createFrameReader();
          let at = 0;
          for (let turn = 0; at < all.length; turn += 1) {
            const chunk = all.subarray(at, at + (cuts[turn % cuts.length] ?? 1));
            const first = reader.read(chunk);
            const expected = [...ends].filter((end) => end > at && end <= at + chunk.length).sort((a, b) => a - b)[0];
            assert.equal(first === undefined ? undefined : at + first, expected);
            at += chunk.length;
            assert.equal(reader.isBetween(), ends.has(at));
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('A WebSocket that is passed on unread', () => {
  function newStream() {
    const [server, nvr] = duplexPair();
    const [client, reader] = duplexPair();
    const end = endableWebSocket(server, client);
    passOn(server, client, () => {});
    passOn(client, server, () => {});
    return { server, nvr, client, reader, end };
  }

  /** What the client got, when the server had sent these bytes, the end came, and then came the rest. */
  async function clientOf(before: Buffer, after: Buffer): Promise<Buffer> {
    const { server, nvr, reader, end } = newStream();
    const got: Buffer[] = [];
    reader.on('data', (chunk: Buffer) => got.push(chunk));
    nvr.write(before);
    await new Promise(setImmediate);
    end(4401);
    end(4401);
    if (!server.destroyed) nvr.write(after);
    await once(reader, 'end');
    return Buffer.concat(got);
  }
  const [one, two] = [frame(Buffer.alloc(300, 1)), frame(Buffer.alloc(70_000, 2))];

  it('ends with a close frame between two frames', async () => {
    assert.deepEqual(await clientOf(one, two), Buffer.concat([one, CLOSE_4401]));
  });

  it('gets the rest of a frame that is under way, and nothing after it', async () => {
    const got = await clientOf(Buffer.concat([one, two.subarray(0, 100)]), Buffer.concat([two.subarray(100), one]));
    assert.deepEqual(got, Buffer.concat([one, two, CLOSE_4401]));
  });

  it('gets the rest of a frame whose head is under way', async () => {
    const got = await clientOf(two.subarray(0, 3), Buffer.concat([two.subarray(3), one]));
    assert.deepEqual(got, Buffer.concat([two, CLOSE_4401]));
  });

  it('is cut off when the frame is never whole', async () => {
    const { server, nvr, client, end } = newStream();
    nvr.write(two.subarray(0, 100));
    await new Promise(setImmediate);
    end(4401);
    await once(client, 'close');
    assert.deepEqual([client.destroyed, server.destroyed], [true, true]);
  });

  it('passes nothing of the client on when it is to end, though a frame of the server is under way', async () => {
    const { nvr, reader, end } = newStream();
    const heard: string[] = [];
    nvr.on('data', (chunk: Buffer) => heard.push(String(chunk)));
    nvr.write(two.subarray(0, 100));
    reader.write('before');
    await once(nvr, 'data');
    end(4401);
    reader.write('after');
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
    nvr.write(two.subarray(100));
    await once(reader.resume(), 'end');
    assert.deepEqual(heard, ['before']);
  });
});
