/** Searches for motion: the NVR finds one by its id alone, and a role of another camera gets nothing of it (SPEC 5). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { answerLikeAnNvr, type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, type Person, VERA } from '../support/people.ts';
import { sendJson } from '../support/second-factor.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

const SEARCH = {
  start_time: 1700000000,
  end_time: 1700000060,
  polygon_points: [
    [0, 0],
    [1, 0],
    [1, 1],
  ],
};

describe('A search for motion', () => {
  let nvr: FakeNvr;
  let at: Runtime;
  let jobs = 0;
  const tokens = new Map<Person, string>();
  before(async () => {
    nvr = await startFakeNvr();
    nvr.answer = (request, response, received) => {
      if (!request.url?.endsWith('/search/motion')) return answerLikeAnNvr(request, response, received);
      jobs += 1;
      const body = JSON.stringify({ success: true, message: 'Search job started', job_id: `3f2a9c1e-${100 + jobs}` });
      request.resume().once('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end(body));
    };
    at = await startInstance({ config: { nvr: { url: nvr.url } } });
    for (const person of [ADMIN_PERSON, VERA, CARL]) tokens.set(person, await at.logIn(person));
  });
  after(async () => {
    await at.close();
    await nvr.close();
  });

  const start = async (person: Person, camera: string): Promise<string> => {
    const answer = await sendJson(at, `/api/${camera}/search/motion`, SEARCH, tokens.get(person) ?? '');
    const json = (await answer.json()) as { job_id: string; message: string };
    assert.deepEqual([answer.status, json.message], [200, 'Search job started']);
    return json.job_id;
  };
  const status = async (person: Person, path: string, method = 'GET'): Promise<number> =>
    (await at.ask(path, { method, token: tokens.get(person) ?? '' })).status;

  it('is of the camera that it was started for, whoever started it', async () => {
    for (const starter of [ADMIN_PERSON, VERA]) {
      const job = await start(starter, 'cam2');
      nvr.received.length = 0;
      for (const camera of ['cam1', 'cam2']) {
        assert.equal(await status(CARL, `/api/${camera}/search/motion/${job}`), 403);
        assert.equal(await status(CARL, `/api/${camera}/search/motion/${job}/cancel`, 'POST'), 403);
      }
      assert.deepEqual(nvr.received, []);
      assert.equal(await status(VERA, `/api/cam2/search/motion/${job}`), 200);
    }
  });

  it('is there for a role that sees the camera, after a reload as well', async () => {
    const own = await start(CARL, 'cam1');
    const foreign = await start(ADMIN_PERSON, 'cam2');
    await at.reload({ nvr: { url: nvr.url, timeout_response: 31 } });
    assert.equal(await status(CARL, `/api/cam1/search/motion/${own}`), 200);
    assert.equal(await status(CARL, `/api/cam1/search/motion/${own}/cancel`, 'POST'), 200);
    assert.equal(await status(CARL, `/api/cam1/search/motion/${foreign}`), 403);
  });
});
