/** A running process whose configuration an operator edits: by signal, by saving the file, by a secret or route table it names (SPEC 1). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { newDirectory, type Serving, servePostern } from '../support/run-postern.ts';
import { watchCamera } from './support/reloading.ts';

let nvr: FakeNvr;
before(async () => {
  nvr = await startFakeNvr();
});
after(() => nvr.close());

const config = (more = ''): string =>
  `tls: { enabled: false }\nauth: { hash_iterations: 1000 }\nnvr: { url: '${nvr.url}', cameras: [cam1], policy: ./routes.yaml, auth_secret_file: secret }\n${more}`;
const ROUTES = 'version: 1\nextends: frigate\nroutes: []\n';
const CLOSED = 'version: 1\nextends: frigate\nroutes:\n  - { route: GET /api/version, access: none }\n';

interface Served extends Serving {
  write(name: string, text: string): void;
  /** Resolves when the log says so, counted from the start. */
  logged(text: string, times?: number): Promise<void>;
  /** What the NVR was last told. */
  secret(): Promise<string | undefined>;
}

async function serve(t: { after(work: () => unknown): void }): Promise<Served> {
  const directory = newDirectory(config());
  const write = (name: string, text: string): void => writeFileSync(join(directory, name), text);
  write('routes.yaml', ROUTES);
  write('secret', 'the first secret\n');
  const postern = await servePostern({ directory });
  t.after(() => postern.process.exitCode ?? postern.end());
  return {
    ...postern,
    write,
    async logged(text, times = 1) {
      const { stdout } = postern.process;
      while (postern.output.stdout.split(text).length <= times) await once(stdout ?? postern.process, 'data');
    },
    async secret() {
      await fetch(`${postern.internalUrl}/api/config/raw`);
      return nvr.lastHeader('x-proxy-secret')[0];
    },
  };
}

const TAKEN = 'configuration reloaded';
const NOT_TAKEN = 'configuration not reloaded';

describe('A running service reads its configuration again', { timeout: 300_000 }, () => {
  it('at SIGHUP, with a stream open all the while', async (t) => {
    const at = await serve(t);
    const picture = await watchCamera(at.internalUrl, 'cam1', {});
    const policy = async () => (await fetch(`${at.url}/login`)).headers.get('content-security-policy');
    assert.match((await policy()) ?? '', /frame-ancestors 'self'/);
    // Nothing of a file is read while it is written: this one takes the name of the old one.
    at.write('next.yaml', config('ui: { frame_ancestors: none }\n'));
    renameSync(join(at.directory, 'next.yaml'), join(at.directory, 'config.yaml'));
    at.process.kill('SIGHUP');
    await at.logged(TAKEN);
    assert.match((await policy()) ?? '', /frame-ancestors 'none'/);
    at.write('config.yaml', config('ui: { frame_ancestors: [none }\n'));
    at.process.kill('SIGHUP');
    await at.logged(NOT_TAKEN);
    assert.match((await policy()) ?? '', /frame-ancestors 'none'/);
    assert.equal(await picture.echo('still there'), 'still there');
    assert.equal(await at.end(), 0);
    assert.equal(await picture.closed, 1001);
    assert.equal(at.output.stderr, '');
  });

  it('when it is saved, and when a bad one is put right', async (t) => {
    const at = await serve(t);
    at.write('config.yaml', config('logger: { default: nonsense }\n'));
    await at.logged(NOT_TAKEN);
    assert.match(at.output.stdout, /config\.yaml:4:20 logger\.default: \\?"nonsense\\?" is not one of/);
    at.write('config.yaml', config('ui: { frame_ancestors: none }\n'));
    await at.logged(TAKEN);
    rmSync(join(at.directory, 'config.yaml'));
    await at.logged(NOT_TAKEN, 2);
    at.write('config.yaml', config('# no more\n'));
    await at.logged(TAKEN, 2);
  });

  it('when a secret that it names is another one', async (t) => {
    const at = await serve(t);
    assert.equal(await at.secret(), 'the first secret');
    at.write('secret', 'the second secret\n');
    await at.logged(TAKEN);
    assert.equal(await at.secret(), 'the second secret');
    assert.doesNotMatch(at.output.stdout, /the (?:first|second) secret/);
  });

  it('when its route table is another one, or a bad one', async (t) => {
    const at = await serve(t);
    const version = async () => (await fetch(`${at.internalUrl}/api/version`)).status;
    assert.equal(await version(), 200);
    at.write('routes.yaml', CLOSED);
    await at.logged(TAKEN);
    assert.equal(await version(), 404);
    assert.match(at.output.stdout, /"changed":\["nvr\.policy"\]/);
    at.write('routes.yaml', `${CLOSED}nonsense: true\n`);
    await at.logged(NOT_TAKEN);
    assert.match(at.output.stdout, /routes\.yaml:5:11 nonsense: unknown key/);
    assert.equal(await version(), 404);
    at.write('routes.yaml', ROUTES);
    await at.logged(TAKEN, 2);
    assert.equal(await version(), 200);
  });
});
