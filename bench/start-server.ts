/** The processes that a benchmark puts under load: each of its own, so that none takes another's processor time. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface StartedServer {
  readonly pid: number;
  /** The lines it printed to begin with. */
  readonly lines: readonly string[];
  /** `http://127.0.0.1:port`, of the port that its first line names. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts bench/servers/<name>.ts and waits for its first lines. */
export async function startServer(name: string, lines: number, ...args: string[]): Promise<StartedServer> {
  // http-proxy 1.18.1 calls what Node has deprecated.
  const child = spawn(
    process.execPath,
    ['--disable-warning=DEP0060', join(import.meta.dirname, 'servers', `${name}.ts`), ...args],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  endsWithUs(child);
  const printed: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    printed.push(line);
    if (printed.length === lines) break;
  }
  child.stdout.resume();
  return {
    pid: child.pid ?? 0,
    lines: printed,
    url: `http://127.0.0.1:${printed[0]}`,
    stop: () => stopProcess(child),
  };
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill();
});

/** However the benchmark ends, the process ends with it. */
export function endsWithUs(child: ChildProcess): ChildProcess {
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill();
  await ended;
}

/** Keeps what is started, and stops it all at the end of its block, whatever came between. */
export function startedTogether() {
  const started: { stop(): Promise<void> }[] = [];
  return {
    async keep<Server extends { stop(): Promise<void> }>(starting: Promise<Server>): Promise<Server> {
      const server = await starting;
      started.push(server);
      return server;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await Promise.allSettled(started.map((server) => server.stop()));
    },
  };
}
