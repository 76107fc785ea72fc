/** `postern doctor` as a command: what it prints, its exit code, and that it leaves no token behind (SPEC 15). */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Report } from '../../../src/features/doctor/cause.ts';
import { type FakeNvr, startFakeNvr } from '../../support/fake-nvr.ts';
import { type Finished, newDirectory, runPostern, type Serving, servePostern } from '../../support/run-postern.ts';

describe('The command doctor', () => {
  let nvr: FakeNvr;
  let serving: Serving;
  before(async () => {
    nvr = await startFakeNvr();
    serving = await servePostern({ env: { POSTERN__NVR__URL: nvr.url } });
  });
  after(async () => {
    await serving?.end();
    await nvr?.close();
  });
  const doctor = (...args: readonly string[]): Promise<Finished> =>
    runPostern(['doctor', ...args], { directory: serving.directory, env: { POSTERN__NVR__URL: nvr.url } });

  it('says that nothing is wrong where nothing is, and exits 0', async () => {
    const { code, stdout, stderr } = await doctor(serving.url, '--silence', '1');
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /: no errors, no warnings\n\nadvice: second-factor\n {2}1 of 1 admins have no second factor/);
  });

  it('names the cause and the line to change, and exits 1', async () => {
    const other = createServer((_request, response) => response.setHeader('Server', 'nginx').end('hello'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`;
    const { code, stdout } = await doctor(url);
    other.close();
    assert.equal(code, 1);
    assert.match(stdout, /, by nginx: 1 error, no warnings\n\nerror: not-postern\n {2}another program than Postern/);
    assert.match(stdout, /\n {6}location \/ \{ proxy_pass http:\/\/postern:8971; \}\n/);
  });

  it('gives JSON for programs', async () => {
    const { stdout } = await doctor(serving.url, '--silence', '1', '--json');
    const { findings, good, ...report } = JSON.parse(stdout) as Report;
    assert.deepEqual(report, { url: `${serving.url}/`, proxy: null });
    assert.deepEqual(
      findings.map(({ name, level }) => ({ name, level })),
      [{ name: 'second-factor', level: 'advice' }],
    );
    assert.ok(
      ['unreachable', 'buffered', 'nvr'].every((name) => good.includes(name)) && !good.includes('second-factor'),
    );
  });

  it('without an address looks at this machine: an NVR that does not answer', async () => {
    const env = { POSTERN__NVR__URL: 'http://127.0.0.1:1' };
    const { code, stdout } = await runPostern(['doctor'], { directory: serving.directory, env });
    assert.equal(code, 1);
    assert.match(stdout, /^this machine: 1 error, no warnings\n\nerror: nvr\n/);
    assert.match(stdout, /\n\nNo address was given and server\.public_url is not set/);
  });

  it('without an address goes through server.public_url', async () => {
    const env = { POSTERN__NVR__URL: nvr.url, POSTERN__SERVER__PUBLIC_URL: serving.url };
    const { code, stdout } = await runPostern(['doctor', '--silence', '1'], { directory: serving.directory, env });
    assert.deepEqual([code, stdout.split('\n')[0]], [0, `${serving.url}/: no errors, no warnings`]);
  });

  it('takes the token back that it asked with', async () => {
    await doctor(serving.url, '--silence', '1');
    const { stdout } = await runPostern(['tokens', 'list'], { directory: serving.directory });
    assert.doesNotMatch(stdout, /doctor/);
  });

  it('makes nothing in a directory that is not there', async () => {
    const directory = join(newDirectory(), 'typo');
    const { code, stderr } = await runPostern(['doctor'], { directory });
    assert.deepEqual([code, existsSync(directory)], [2, false]);
    assert.notEqual(stderr, '');
  });

  it('exits 2 with a sentence where it cannot look', async () => {
    const { code, stderr } = await runPostern(['doctor', serving.url], { env: { POSTERN__AUTH__ENABLED: 'perhaps' } });
    assert.equal(code, 2);
    assert.match(stderr, /auth\.enabled/);
  });
});
