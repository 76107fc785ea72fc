/** The canary before go2rtc, which has no things but streams: it finds a row that lets foreign pictures or names out (SPEC 15, 20). */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startFakeGo2rtc } from '../nvrs/go2rtc/fake-go2rtc.ts';
import type { FakeNvr } from '../support/fake-nvr.ts';
import { startInstance } from '../support/start-instance.ts';

describe('The canary before go2rtc', () => {
  let nvr: FakeNvr;
  let directory: string;
  before(async () => {
    nvr = await startFakeGo2rtc();
    directory = mkdtempSync(join(tmpdir(), 'postern-test-'));
  });
  after(async () => {
    await nvr.close();
    rmSync(directory, { recursive: true, force: true });
  });

  /** What a round finds where these rows stand before those of the table. */
  async function leaksWith(rows: string): Promise<readonly string[]> {
    const policy = join(directory, 'mine.yaml');
    writeFileSync(policy, `version: 1\nextends: go2rtc\nroutes: ${rows}\n`);
    const instance = await startInstance({ config: { nvr: { url: nvr.url, policy }, canary: { every: '1h' } } });
    try {
      const round = await instance.postern.canary.round(1);
      assert.equal(round?.kind, 'done');
      return round?.kind === 'done' ? round.leaks.map(({ route, by }) => `${route} ${by}`) : [];
    } finally {
      await instance.close();
    }
  }

  // biome-ignore format: a table
  const cases: [sentence: string, rows: string, leaks: readonly string[]][] = [
    ['finds nothing with the table as it is',   '[]', []],
    ['finds a picture that every role may ask for', '[{ route: "GET /api/frame.jpeg", access: any }]',  ['GET /api/frame.jpeg answered']],
    ['finds a stream of which the name is not compared', '[{ route: "GET /api/stream.mp4", access: any, cameras: ["session:query:id"] }]', ['GET /api/stream.mp4 answered']],
    ['finds a list that is not narrowed',       '[{ route: "GET /api/streams", access: any }]',     ['GET /api/streams key']],
  ];
  for (const [sentence, rows, leaks] of cases) it(sentence, async () => assert.deepEqual(await leaksWith(rows), leaks));
});
