/** Which Node runs Postern: older ones drop header lines in silence, and are refused in a sentence. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { MAIN } from '../support/run-postern.ts';

interface Ran {
  readonly code: number;
  readonly stderr: string;
}

/** `postern check --help` on a Node that says it is this version. */
function runOn(version: string): Promise<Ran> {
  const pretend = `Object.defineProperty(process.versions, 'node', { value: '${version}' });
    Object.defineProperty(process, 'version', { value: 'v${version}' });`;
  const preload = `data:text/javascript,${encodeURIComponent(pretend)}`;
  return new Promise((resolve) => {
    execFile(process.execPath, ['--import', preload, MAIN, 'check', '--help'], (error, _stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stderr }),
    );
  });
}

describe('Postern', () => {
  for (const version of ['9.99.99', '20.20.2', '22.30.0', '24.2.0', '24.18.0', '24.18.0-rc.1']) {
    it(`refuses to start on Node ${version}, and says which it needs`, async () => {
      const { code, stderr } = await runOn(version);
      assert.equal(code, 1);
      assert.equal(stderr, `Postern needs Node 24.18.1 or newer and this is v${version}: start it with "npm start".\n`);
    });
  }

  for (const version of ['24.18.1', '24.18.10', '24.21.0', '26.0.0', '27.0.0-nightly2026']) {
    it(`starts on Node ${version}`, async () => {
      assert.equal((await runOn(version)).code, 0);
    });
  }
});
