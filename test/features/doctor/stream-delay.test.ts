/** How late the first words of a stream may be: buffers that hold back what the next frame pushes on do no harm (SPEC 15, `buffered`). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { readStream } from '../../../src/features/doctor/examine.ts';
import { STREAM_END } from '../../../src/features/doctor/marks.ts';

const SILENCE = 4;

describe('A stream whose first words come', { concurrency: true }, () => {
  /** Keeps the first words back for so many seconds, and none of the last ones. */
  const server = createServer(({ url }, response) => {
    response.writeHead(200).flushHeaders();
    const delay = Number(url?.slice(1)) * 1000;
    setTimeout(() => response.write('data: postern\n\n'), delay);
    setTimeout(() => response.end(STREAM_END), Math.max(delay + 1, SILENCE * 1000));
  });
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => server.close());

  const rows: [sentence: string, delay: number, cameAtOnce: boolean][] = [
    ['half a second late is not kept back', 0.5, true],
    ['a second and a half late is kept back', 1.5, false],
    ['with its end is kept back', SILENCE, false],
  ];
  for (const [sentence, delay, cameAtOnce] of rows)
    it(sentence, async () => {
      const { port } = server.address() as AddressInfo;
      const url = new URL(`http://127.0.0.1:${port}/${delay}`);
      assert.equal((await readStream({ url, timeoutMs: 30_000 }, SILENCE))?.cameAtOnce, cameAtOnce);
    });
});
