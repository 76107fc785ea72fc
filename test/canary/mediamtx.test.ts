/** The canary before MediaMTX, by the answers of a real one: it finds a row that lets a foreign path out (SPEC 15, 20). */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readRecording } from '../nvrs/mediamtx/record-answers.ts';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { startInstance } from '../support/start-instance.ts';

const { answers } = readRecording();
const SERVERS = ['api', 'hls', 'webrtc', 'playback'];

describe('The canary before MediaMTX', () => {
  let nvr: FakeNvr;
  let directory: string;
  before(async () => {
    nvr = await startFakeNvr();
    // What was not recorded is there all the same, and names no path.
    nvr.answer = (_request, response, { method, target }) => {
      const targets = [target, target.split('?', 1)[0]];
      const names = targets.flatMap((one) => SERVERS.map((server) => `${server} ${method} ${one}`));
      const known = names.map((name) => answers[name]).find((answer) => answer !== undefined);
      response.writeHead(known?.status ?? 200, known?.headers ?? { 'content-type': 'application/json' });
      response.end(Buffer.from(known?.body ?? '{"items":[],"itemCount":0,"pageCount":0}', 'latin1'));
    };
    directory = mkdtempSync(join(tmpdir(), 'postern-test-'));
  });
  after(async () => {
    await nvr.close();
    rmSync(directory, { recursive: true, force: true });
  });

  /** What a round finds where these rows stand before those of the table. */
  async function leaksWith(rows: string): Promise<readonly string[]> {
    const policy = join(directory, 'mine.yaml');
    writeFileSync(policy, `version: 1\nextends: mediamtx\nroutes: ${rows}\n`);
    const routes = Object.fromEntries(
      ['/hls', '/webrtc', '/playback'].map((prefix) => [prefix, { url: nvr.url, strip: true }]),
    );
    const instance = await startInstance({
      config: { nvr: { url: nvr.url, policy, routes }, canary: { every: '1h' } },
    });
    try {
      const round = await instance.postern.canary.round(1);
      assert.equal(round?.kind, 'done');
      return round?.kind === 'done' ? [...new Set(round.leaks.map(({ route, by }) => `${route} ${by}`))] : [];
    } finally {
      await instance.close();
    }
  }

  // biome-ignore format: a table
  const cases: [sentence: string, rows: string, leaks: readonly string[]][] = [
    ['finds nothing with the table as it is',        '[]', []],
    ['finds a playlist that every role may ask for', '[{ route: "GET /hls/{camera...}/{file:file}.m3u8", access: any }]', ['GET /hls/{camera...}/{file:file}.m3u8 answered']],
    ['finds a page that every role may ask for',     '[{ route: "GET /webrtc/{camera...}/", access: any }]', ['GET /webrtc/{camera...}/ answered']],
    ['finds a list of paths that is not narrowed',   '[{ route: "GET /v3/paths/list", access: any }]', ['GET /v3/paths/list key']],
    ['finds a list of sessions that is not narrowed', '[{ route: "GET /v3/rtspsessions/list", access: any }]', ['GET /v3/rtspsessions/list name']],
    ['finds one path that is not judged',            '[{ route: "GET /v3/paths/get/{camera...}", access: any }]', ['GET /v3/paths/get/{camera...} answered']],
  ];
  for (const [sentence, rows, leaks] of cases) it(sentence, async () => assert.deepEqual(await leaksWith(rows), leaks));
});
