import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { runCheck } from '../../src/cli/check.ts';
import { withDirectory } from './config-place.ts';

/** What `postern check` says, with the directory called DIRECTORY. */
const check = (files: Readonly<Record<string, string>>) =>
  withDirectory(files, async (directory) => {
    const said = { stdout: '', stderr: '' };
    const printer = (to: keyof typeof said) => ({
      write: (text: string) => {
        said[to] += text.replaceAll(directory, 'DIRECTORY');
      },
    });
    const code = await runCheck({ directory, env: {}, stdout: printer('stdout'), stderr: printer('stderr') });
    return { code, ...said, files: await readdir(directory) };
  });

describe('postern check (SPEC 1)', () => {
  it('prints every problem, then how many there are, and exits 1', async () => {
    assert.deepEqual(await check({ 'config.yaml': 'auth: {enabled: 1}\nserver: {port: 1}\n' }), {
      code: 1,
      stdout: '',
      stderr: `DIRECTORY/config.yaml:1:17 auth.enabled: 1 is not true or false
DIRECTORY/config.yaml:2:10 server.port: unknown key: remove it
DIRECTORY/config.yaml: 2 problems
`,
      files: ['config.yaml'],
    });
  });

  it('reads the route table too', async () => {
    const files = { 'config.yaml': 'nvr: {policy: routes.yaml}', 'routes.yaml': 'version: 1' };
    assert.deepEqual(await check(files), {
      code: 1,
      stdout: '',
      stderr: 'routes.yaml routes: is missing: write it\nDIRECTORY/config.yaml: 1 problem\n',
      files: ['config.yaml', 'routes.yaml'],
    });
  });

  it('prints warnings and exits 0 when there is no problem', async () => {
    assert.deepEqual(await check({ 'config.yaml': 'auth: {session_length: 0}' }), {
      code: 0,
      stdout: `warning: DIRECTORY/config.yaml:1:24 auth.session_length: 0: a login lasts a few seconds only; write 86400 for a day
DIRECTORY/config.yaml: no problems
`,
      stderr: '',
      files: ['config.yaml'],
    });
  });

  it('writes nothing when there is no configuration yet', async () => {
    const quickstart = join(import.meta.dirname, '../../conf/quickstart.yaml');
    assert.deepEqual(await check({}), {
      code: 0,
      stdout: `${quickstart}: no problems; the first start copies it into DIRECTORY\n`,
      stderr: '',
      files: [],
    });
  });
});
