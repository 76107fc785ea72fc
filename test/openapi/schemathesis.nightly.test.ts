/** Hostile and random requests after the description, by schemathesis (PyPI) where it is installed: no answer is a 5xx, each is described. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openApiDocument } from '../../src/routes/document.ts';
import { OWN_ROUTES } from '../support/own-operations.ts';
import { startInstance } from '../support/start-instance.ts';

/** Elsewhere than on the PATH: in a virtual environment. */
const PROGRAM = process.env['SCHEMATHESIS'] ?? 'schemathesis';
const skip = spawnSync(PROGRAM, ['--version'], { stdio: 'ignore' }).error ? `${PROGRAM} is not installed` : false;
const SECONDS = 8;
const CHECKS = 'not_a_server_error,status_code_conformance,content_type_conformance';
/** Ends the session that others use; waits on purpose; answers with assets of any kind. */
const LEFT_OUT = 'logout|doctor|rest';

describe('schemathesis finds nothing', { skip, timeout: 300_000 }, () => {
  // On the internal listener there is no limit on guesses, and every caller is an admin.
  it('that is a fault of the server, or is not described', async () => {
    const instance = await startInstance();
    const directory = mkdtempSync(join(tmpdir(), 'postern-schema-'));
    try {
      const file = join(directory, 'openapi.json');
      writeFileSync(file, JSON.stringify(openApiDocument('0', OWN_ROUTES)));
      const flags = [
        '--checks',
        CHECKS,
        '--phases',
        'coverage,fuzzing',
        '--max-time',
        String(SECONDS),
        '--warnings',
        'off',
      ];
      const words = ['run', file, '-u', instance.internalUrl, ...flags, '--exclude-path-regex', LEFT_OUT];
      const child = spawn(PROGRAM, words, { cwd: directory });
      let said = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
      const [code] = await once(child, 'close');
      assert.equal(code, 0, said);
    } finally {
      await instance.close();
      rmSync(directory, { recursive: true });
    }
  });
});
