/** `npm install -g` of the package into an empty prefix: npm fetches what it needs, and the program on the path starts. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { runPostern, servePostern } from '../support/run-postern.ts';
import { ROOT } from './support/compose.ts';

/** npm's words for a machine without a way to a registry, and with nothing of it kept. */
const NO_REGISTRY = /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|ENOTCACHED)\b/;
const PATIENCE_MS = 180_000;
/** Of Debian, Alpine or the user: tried where it is too old. */
const SYSTEM_NODE = '/usr/bin/node';

const directory = mkdtempSync(join(tmpdir(), 'postern-global-'));
const prefix = join(directory, 'prefix');
const program = join(prefix, 'bin/postern');

function install(): string {
  execFileSync(process.execPath, [join(ROOT, 'deploy/npm/make-package.ts'), directory], { stdio: 'ignore' });
  const [tarball = assert.fail('no package was made')] = globSync('*.tgz', { cwd: directory });
  const words = ['install', '--global', '--prefix', prefix, '--prefer-offline', '--no-audit', '--no-fund'];
  const options = { cwd: directory, encoding: 'utf8', timeout: PATIENCE_MS } as const;
  const { status, stderr } = spawnSync('npm', [...words, join(directory, tarball)], options);
  return status === 0 ? '' : stderr || 'npm did not end in time';
}

const problem = install();
const skip = NO_REGISTRY.test(problem) ? 'no registry to install from' : false;
const olderNode = spawnSync(SYSTEM_NODE, ['--version'], { encoding: 'utf8' }).stdout?.trim() ?? '';
const withoutOlderNode = /^v(?:1\d|2[0-3])\./.test(olderNode) ? false : `${SYSTEM_NODE} is not an older Node`;

describe('The package, installed globally', { skip, timeout: PATIENCE_MS }, () => {
  after(() => rmSync(directory, { recursive: true }));

  it('is installed without a checkout beside it', () => {
    assert.equal(problem, '');
    assert.equal(readlinkSync(program), '../lib/node_modules/postern/bundle/main.js');
  });

  it('has a program that says its version', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string };
    assert.equal(execFileSync(program, ['--version'], { encoding: 'utf8' }).trim(), version);
  });

  it('serves its login page, and lets in who has the printed password', async () => {
    const server = await servePostern({ main: program, env: { POSTERN__TLS__ENABLED: 'false' } });
    try {
      assert.match(await (await fetch(`${server.url}/login`)).text(), /\/postern\/assets\//);
      const login = await fetch(`${server.url}/api/login`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ user: 'admin', password: server.adminPassword }),
      });
      assert.equal(login.status, 200);
      const telemetry = { POSTERN__SERVER__TELEMETRY: new URL(server.telemetryUrl).host };
      const asked = { main: program, directory: server.directory, env: telemetry };
      assert.deepEqual(await runPostern(['healthcheck'], asked), { code: 0, stdout: '', stderr: '' });
    } finally {
      assert.equal(await server.end(), 0);
    }
  });

  it('says on an older Node what to install', { skip: withoutOlderNode }, () => {
    const { status, stderr } = spawnSync(SYSTEM_NODE, [program], { encoding: 'utf8' });
    const words = `Postern needs Node 24.18.1 or newer and this is ${olderNode}: install a newer Node.\n`;
    assert.deepEqual([status, stderr], [1, words]);
  });
});
