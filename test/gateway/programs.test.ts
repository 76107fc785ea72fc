/** Programs that send what they were given only when they are asked by WWW-Authenticate (SPEC 5), as they are. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON } from '../support/people.ts';
import { startInstance } from '../support/start-instance.ts';

const run = promisify(execFile);
const nvr = await startFakeNvr();
nvr.answer = (_request, response) => void response.writeHead(200, { 'content-type': 'text/plain' }).end('0.17.0');
const instance = await startInstance({ config: { nvr: { url: nvr.url, cameras: ['cam1'] } } });
after(async () => {
  await instance.close();
  await nvr.close();
});
const headers = { 'content-type': 'application/json' };
const made = await instance.ask('/api/tokens', {
  method: 'POST',
  token: await instance.logIn(ADMIN_PERSON),
  headers,
  body: '{"name":"a"}',
});
const { token } = (await made.json()) as { token: string };
const URLLIB = `
import sys, urllib.request as r
url, password = sys.argv[1:]
known = r.HTTPPasswordMgrWithDefaultRealm()
known.add_password(None, url, 'any', password)
print(r.build_opener(r.HTTPBasicAuthHandler(known)).open(url).read().decode())`;
const url = `${instance.url}/api/version`;

// biome-ignore format: a table
const PROGRAMS: [program: string, args: readonly string[]][] = [
  ['/usr/bin/curl',    ['-sS', '--anyauth', '-u', `any:${token}`, url]],
  ['/usr/bin/wget',    ['-q', '-O', '-', '--user', 'any', '--password', token, url]],
  ['/usr/bin/python3', ['-c', URLLIB, url, token]],
  ['/usr/bin/ffmpeg',  ['-loglevel', 'error', '-f', 'data', '-i', url.replace('//', `//any:${token}@`), '-map', '0', '-c', 'copy', '-f', 'data', '-']],
];

describe('An API token as the password of', () => {
  for (const [program, args] of PROGRAMS)
    it(program, { skip: existsSync(program) ? false : `${program} is not installed` }, async () => {
      const { stdout } = await run(program, args, { timeout: 60_000 });
      assert.equal(stdout.trim(), '0.17.0');
    });
});
