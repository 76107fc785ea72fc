/**
 * Long downloads between two real nginx: the NVR's own, which gives up a reader that takes nothing for its `send_timeout`, and one
 * in front, which reads ahead into a file and then takes nothing until that is sent. Scaled down: 40 MB for a gigabyte, 4 s for 60.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type StartedProxy, skipWithout, startNginx } from '../sso/support/proxies.ts';
import { ADMIN_PERSON } from '../support/people.ts';
import { freePort } from '../support/servers/free-port.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

const BYTES = 96 * 1024 * 1024;

describe('A long download through an nginx in front', { skip: skipWithout('nginx'), concurrency: 4 }, () => {
  const root = mkdtempSync(join(tmpdir(), 'postern-nvr-'));
  let nvr: StartedProxy;
  let instance: Runtime;
  let token = '';
  before(async () => {
    chmodSync(root, 0o755);
    writeFileSync(join(root, 'long.mp4'), '');
    truncateSync(join(root, 'long.mp4'), BYTES);
    const port = await freePort();
    nvr = await startNginx(
      `server { listen 127.0.0.1:${port}; send_timeout 4s; sendfile on; types { video/mp4 mp4; } location / { root ${root}; } }`,
      port,
    );
    instance = await startInstance({ config: { nvr: { url: `http://127.0.0.1:${port}`, cameras: ['cam1'] } } });
    token = await instance.logIn(ADMIN_PERSON);
  });
  after(async () => {
    await instance?.close();
    await nvr?.close();
    rmSync(root, { recursive: true });
  });

  /** Bytes that came, at 4 MB a second: what nginx has read ahead lasts for ten. */
  async function download(lines: string): Promise<number> {
    const port = await freePort();
    const front = await startNginx(
      `server { listen 127.0.0.1:${port}; location / { proxy_pass ${instance.url}; proxy_http_version 1.1; ${lines} } }`,
      port,
    );
    const args = [
      '-sS',
      '--limit-rate',
      '4M',
      '-o',
      '/dev/null',
      '-w',
      '%{size_download}',
      '-H',
      `Authorization: Bearer ${token}`,
    ];
    try {
      return await new Promise((resolve) =>
        execFile('curl', [...args, `http://127.0.0.1:${port}/long.mp4`], (_fault, stdout) => resolve(Number(stdout))),
      );
    } finally {
      await front.close();
    }
  }

  const AHEAD = 'proxy_max_temp_file_size 40m;';
  const DEAF = 'proxy_ignore_headers X-Accel-Buffering;';
  // biome-ignore format: a table
  const rows: [sentence: string, lines: string][] = [
    ['is whole: the answer says that it is not to be buffered',                  AHEAD],
    ['is whole where it is told to keep nothing in a file',                      `proxy_max_temp_file_size 0; ${DEAF}`],
    ['is whole where it is told not to buffer',                                  `proxy_buffering off; ${DEAF}`],
  ];
  for (const [sentence, lines] of rows)
    it(sentence, async () => {
      const bytes = await download(lines);
      assert.equal(bytes, BYTES);
    });
});
