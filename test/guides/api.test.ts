/** The examples of docs/api.md and of README, run as they stand against a server: shell, Python and TypeScript. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { runPostern, type Serving, servePostern } from '../support/run-postern.ts';
import { type Block, blocksOf } from './support/blocks.ts';

/** By the language of the block; the file's name goes last. */
const RUNNERS: Readonly<Record<string, { readonly file: string; readonly command: readonly string[] }>> = {
  sh: { file: 'example.sh', command: ['bash', '-euo', 'pipefail'] },
  python: { file: 'example.py', command: ['python3'] },
  ts: { file: 'example.ts', command: [process.execPath] },
};

/** `curl` is not on every machine, nor is Python. */
const missing = (program: string): string | false =>
  spawnSync(program, ['--version'], { stdio: 'ignore' }).error ? `${program} is not installed` : false;

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

describe('The examples', { timeout: 300_000 }, () => {
  const directory = mkdtempSync(join(tmpdir(), 'postern-examples-'));
  let serving: Serving;
  let token: string;
  before(async () => {
    serving = await servePostern();
    const made = await runPostern(['tokens', 'create', 'examples', '--cameras', 'garden'], {
      directory: serving.directory,
    });
    token = made.stdout.trim();
  });
  after(async () => {
    await serving?.end();
    rmSync(directory, { recursive: true });
  });

  const run = async ({ language, body }: Block): Promise<Ran> => {
    const { file, command } = RUNNERS[language] ?? assert.fail(language);
    const text = body
      .replaceAll(/<(?:password|from the box)>/g, serving.adminPassword ?? '')
      .replaceAll('http://127.0.0.1:8971', serving.url);
    const path = join(directory, file);
    writeFileSync(path, text);
    const [program = '', ...before] = command;
    const env = { PATH: process.env['PATH'], POSTERN_URL: serving.url, POSTERN_TOKEN: token };
    const child = spawn(program, [...before, path], { cwd: directory, env });
    const output = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk) => (output.stdout += chunk));
    child.stderr.on('data', (chunk) => (output.stderr += chunk));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, ...output };
  };
  const example = (file: string, language: string, holds: string): Block =>
    blocksOf(file).find((block) => block.language === language && block.body.includes(holds)) ?? assert.fail(holds);
  const API = 'docs/api.md';

  it('curl: events of a camera', { skip: missing('curl') }, async () => {
    const { code, stdout, stderr } = await run(example(API, 'sh', '/api/events'));
    assert.deepEqual([code, stderr], [0, '']);
    const events = JSON.parse(stdout) as { camera: string }[];
    assert.deepEqual(
      events.map(({ camera }) => camera),
      Array(5).fill('garden'),
    );
  });

  it('curl: a person logs in, makes a user, and logs out', { skip: missing('curl') }, async () => {
    const { code, stdout, stderr } = await run(example(API, 'sh', '/api/users'));
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /"username":"vera","role":"viewer"/);
  });

  it('Python: every event, page by page', { skip: missing('python3') }, async () => {
    const { code, stdout, stderr } = await run(example(API, 'python', 'urllib'));
    assert.deepEqual([code, stderr], [0, '']);
    const lines = stdout.trim().split('\n');
    assert.equal(new Set(lines).size, 120, 'more than two pages, and no event twice');
  });

  it('TypeScript: every event, page by page', async () => {
    const { code, stdout, stderr } = await run(example(API, 'ts', 'AsyncGenerator'));
    assert.deepEqual([code, stderr], [0, '']);
    const lines = stdout.trim().split('\n');
    assert.ok(lines.length > 120);
    assert.equal(new Set(lines).size, lines.length);
    assert.ok(lines.every((line) => line.endsWith(' garden')));
  });
});
