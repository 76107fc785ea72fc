/** Postern as a process of its own, started as a person starts it: for what only a process can show. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUNDLE, isBundleCurrent } from '../../src/build-server.ts';
import { leaveIdleConnections } from './idle-connections.ts';
import { freePorts } from './servers/free-port.ts';

/** The program as its users run it; the sources where the server is not built from them. */
export const MAIN = isBundleCurrent() ? join(BUNDLE, 'main.js') : join(import.meta.dirname, '../../src/main.ts');
/** Reached only when something hangs, which is then the failure. */
const PATIENCE_MS = 120_000;

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly directory?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string;
  /** Another program than `MAIN`. */
  readonly main?: string;
  /** Milliseconds until a start counts as failed, and is ended. */
  readonly patience?: number;
}

/** Runs a command to its end. */
export async function runPostern(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const child = start(args, options);
  child.process.stdin?.end(options.stdin ?? '');
  const [code] = (await once(child.process, 'close')) as [number | null];
  return { code, stdout: child.output.stdout, stderr: child.output.stderr };
}

export interface Serving {
  readonly process: ChildProcess;
  readonly directory: string;
  readonly url: string;
  readonly internalUrl: string;
  readonly telemetryUrl: string;
  readonly output: { stdout: string; stderr: string };
  /** The password in the box, when this start printed one. */
  readonly adminPassword: string | undefined;
  /** Sends the signal and gives the exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts `serve` on free ports and waits until it says that it is ready. */
export async function servePostern(options: RunOptions = {}): Promise<Serving> {
  const directory = options.directory ?? newDirectory();
  const [external, internal, telemetry] = await freePorts(3);
  const env = {
    POSTERN__SERVER__EXTERNAL: `127.0.0.1:${external}`,
    POSTERN__SERVER__INTERNAL: `127.0.0.1:${internal}`,
    POSTERN__SERVER__TELEMETRY: `127.0.0.1:${telemetry}`,
    ...options.env,
  };
  const { process: child, output } = start(['serve'], { ...options, directory, env });
  if (!(await isReady(child, output, options.patience ?? PATIENCE_MS))) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    throw new Error(`process ${child.pid} was not ready and is ended: ${output.stdout}${output.stderr}`);
  }
  return {
    process: child,
    directory,
    url: `http://127.0.0.1:${external}`,
    internalUrl: `http://127.0.0.1:${internal}`,
    telemetryUrl: `http://127.0.0.1:${telemetry}`,
    output,
    adminPassword: /Password: +(\w+)/.exec(output.stdout)?.[1],
    async end(signal = 'SIGTERM') {
      const ended = once(child, 'exit');
      child.kill(signal);
      leaveIdleConnections();
      return (await ended)[0] as number | null;
    },
  };
}

const isReady = (child: ChildProcess, output: { readonly stdout: string }, patience: number): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), patience);
    const settle = (ready: boolean): void => {
      clearTimeout(timer);
      resolve(ready);
    };
    child.stdout?.on('data', () => {
      if (output.stdout.includes('Postern is ready.')) settle(true);
    });
    child.once('exit', () => settle(false));
  });

const made: string[] = [];
const started = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of started) child.kill('SIGKILL');
  for (const directory of made) rmSync(directory, { recursive: true, force: true });
});

export function newDirectory(config?: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'postern-run-'));
  made.push(directory);
  if (config !== undefined) writeFileSync(join(directory, 'config.yaml'), config);
  return directory;
}

function start(args: readonly string[], { directory = newDirectory(), env, main = MAIN }: RunOptions) {
  const child = spawn(process.execPath, [main, '--config-dir', directory, ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  started.add(child);
  child.once('exit', () => started.delete(child));
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    output.stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    output.stderr += chunk.toString();
  });
  return { process: child, output };
}
