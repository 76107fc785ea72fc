/** Bodies that are judged before they are sent on: they must be there in time, and nothing of them reaches the NVR before. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, VERA } from '../support/people.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

describe('A body that is judged', () => {
  let nvr: FakeNvr;
  let instance: Runtime;
  before(async () => {
    nvr = await startFakeNvr();
    instance = await startInstance({
      config: { nvr: { url: nvr.url, cameras: ['cam1', 'cam2'] } },
      timeouts: { body: 1 },
      people: [ADMIN_PERSON, VERA, CARL],
    });
  });
  after(async () => {
    await instance.close();
    await nvr.close();
  });

  for (const target of ['/api/reviews/viewed', '/api/go2rtc/webrtc?src=cam1'])
    it(`and does not come ends with 408 at ${target}, and the NVR was asked nothing`, async () => {
      const token = await instance.logIn(VERA);
      nvr.received.length = 0;
      const socket = connect(instance.port, '127.0.0.1');
      let said = '';
      socket.on('data', (bytes) => {
        said += String(bytes);
      });
      socket.write(
        `POST ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 90\r\n\r\n{"ids":`,
      );
      await once(socket, 'close', { signal: AbortSignal.timeout(30_000) });
      assert.match(said, /^HTTP\/1\.1 408 /);
      assert.deepEqual(
        nvr.received.filter(({ method }) => method === 'POST'),
        [],
      );
    });
});
