/** The examples of docs/signed-identities.md, run as they stand behind an instance: other libraries verify its tokens (SPEC 17). */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { blocksOf, ROOT } from '../guides/support/blocks.ts';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { CARL } from '../support/people.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

const ISSUER = 'https://nvr.example.com';
/** Debian's own, for which packages of Debian are. */
const PYTHON = '/usr/bin/python3';
const hasPyJwt = spawnSync(PYTHON, ['-c', 'import jwt, cryptography']).status === 0;

// biome-ignore format: a table
const RUNNERS: readonly (readonly [language: string, library: string, command: (body: string) => readonly [string, ...string[]], skip: string | false])[] = [
  ['ts',     'jose',  (body) => [process.execPath, '--input-type=module-typescript', '-e', body], false],
  ['python', 'PyJWT', (body) => [PYTHON, '-c', body],                                          hasPyJwt ? false : 'PyJWT is not installed'],
];

describe('A signed identity', { timeout: 120_000 }, () => {
  let nvr: FakeNvr;
  let instance: Runtime;
  before(async () => {
    nvr = await startFakeNvr();
    const config = {
      server: { public_url: ISSUER },
      nvr: { url: nvr.url, cameras: ['cam1', 'cam2'], identity_jwt: true },
    };
    instance = await startInstance({ config });
  });
  after(async () => {
    await instance.close();
    await nvr.close();
  });

  const tokenOf = async (session: string): Promise<string> => {
    const response = await instance.ask('/api/version', { token: session });
    assert.equal(response.status, 200, await response.text());
    const headers = new Map(nvr.received.at(-1)?.headers);
    return headers.get('x-postern-jwt') ?? assert.fail('no token');
  };

  for (const [language, library, commandOf, skip] of RUNNERS)
    it(`of a restricted caller is verified by ${library}, and is refused when it was changed`, { skip }, async () => {
      const block = blocksOf('docs/signed-identities.md').find((one) => one.language === language) ?? assert.fail();
      const body = block.body
        .replace(`${ISSUER}/postern`, `${instance.url}/postern`)
        .replace('http://frigate:5000', nvr.url);
      const [program, ...parts] = commandOf(body);
      const run = (token: string) =>
        promisify(execFile)(program, parts, { cwd: ROOT, env: { PATH: process.env['PATH'], TOKEN: token } });
      const token = await tokenOf(await instance.logIn(CARL));
      assert.match((await run(token)).stdout, /^carl front_only .*cam1/);
      const [head, claims = '', signature] = token.split('.');
      const wider = Buffer.from(Buffer.from(claims, 'base64url').toString().replace('"cam1"', '"cam2"')).toString(
        'base64url',
      );
      assert.notEqual(wider, claims);
      await assert.rejects(run(`${head}.${wider}.${signature}`), /signature/i);
    });
});
