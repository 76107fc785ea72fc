/** A Redis server of a test's own, on a free port, in a directory of its own; ended with the test. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';

/** For `describe`: the reason why tests with Redis are skipped; false when the server is installed. */
export const withoutRedis: string | false = isInstalled() ? false : 'redis-server is not installed';

export interface TestRedis {
  readonly port: number;
  readonly url: string;
  /** What `redis-cli` says to a command. */
  ask(...words: readonly string[]): string;
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  /** Ends it at once, as a power failure would; what it held is gone. */
  kill(): Promise<void>;
  /** Starts it again on the same port. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** `options` as on the command line of the server: `--requirepass`, `x`. */
export async function startRedis(options: readonly string[] = []): Promise<TestRedis> {
  const directory = mkdtempSync(join(tmpdir(), 'postern-redis-'));
  const port = await freePort();
  const own = ['--port', String(port), '--bind', '127.0.0.1', '--dir', directory, '--save', '', '--appendonly', 'no'];
  let server: ReturnType<typeof spawn>;

  const ask = (...words: readonly string[]): string =>
    execFileSync('redis-cli', ['-p', String(port), ...words], {
      encoding: 'utf8',
      stdio: 'pipe',
      timeout: 5000,
    }).trim();
  const start = async (): Promise<void> => {
    server = spawn('redis-server', [...own, ...options], { stdio: ['ignore', 'pipe', 'ignore'] });
    const { stdout } = server;
    for await (const text of stdout ?? []) if (/Ready to accept connections/.test(String(text))) return;
    throw new Error(`redis-server ended at its start: ${[...own, ...options].join(' ')}`);
  };
  const ended = async (): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const exit = once(server, 'exit');
    server.kill('SIGKILL');
    await exit;
  };
  const atExit = (): void => {
    server.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  };
  process.once('exit', atExit);
  await start();
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    ask,
    signal: (name) => void server.kill(name),
    kill: ended,
    start,
    async stop() {
      await ended();
      process.removeListener('exit', atExit);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function isInstalled(): boolean {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
