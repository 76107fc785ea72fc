/** Who has an event's picture: its store, or the NVR whose database is read but whose pictures are files (SPEC 7). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { event } from '../events/support/event.ts';
import { makeNvrDatabase, type NvrFile } from '../events/support/nvr-file.ts';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { CARL, VERA } from '../support/people.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

const PICTURE = '/api/events/1-a/thumbnail.jpg';

describe("An event's picture", () => {
  let nvr: FakeNvr;
  let file: NvrFile;
  let instance: Runtime;
  before(async () => {
    nvr = await startFakeNvr();
    file = await makeNvrDatabase([JSON.stringify(event({ id: '1-a', camera: 'cam2' }))]);
    instance = await startInstance({
      config: {
        nvr: { url: nvr.url, cameras: ['cam1', 'cam2'] },
        events: { source: 'nvr-database', nvr_database: file.path },
      },
    });
    nvr.answer = (request, response) => {
      if (request.url === PICTURE) return response.end('a picture');
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"camera":"cam2"}');
    };
  });
  after(async () => {
    await instance.close();
    await file.close();
    await nvr.close();
  });

  it('comes from the NVR when its database is read: newer ones keep pictures as files', async () => {
    const answer = await instance.ask(PICTURE, { token: await instance.logIn(VERA) });
    assert.deepEqual([answer.status, await answer.text()], [200, 'a picture']);
  });

  it('is refused to a caller who does not see the camera, and the NVR is not asked for it', async () => {
    nvr.received.length = 0;
    const answer = await instance.ask(PICTURE, { token: await instance.logIn(CARL) });
    assert.equal(answer.status, 403);
    assert.deepEqual(
      nvr.received.filter(({ target }) => target === PICTURE),
      [],
    );
  });
});
