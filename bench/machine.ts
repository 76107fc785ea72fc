/** What the machine says of a process, and which programs it has. Only Linux says it all; elsewhere it stays unsaid. */
import { accessSync, constants, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { cpus } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** All threads together, since the process began; undefined where nobody counts. */
export function processorSeconds(pid: number): number | undefined {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`);
    return tasks.reduce(
      (sum, task) => sum + Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]) / 1e9,
      0,
    );
  } catch {
    return undefined;
  }
}

/** Resident memory; `VmHWM` is the most it ever was. */
export function residentMegabytes(pid: number, field: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
  const line = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1]) / 1024;
}

/** Open files by kind: `socket`, `file`, `anon_inode`, `pipe`. */
export function openFiles(pid: number): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of readdirSync(`/proc/${pid}/fd`)) {
    const kind = kindOf(`/proc/${pid}/fd/${name}`);
    if (kind !== undefined) counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

/** Undefined when it was closed between the list and the look. */
function kindOf(path: string): string | undefined {
  try {
    const target = readlinkSync(path);
    return target.startsWith('/') ? 'file' : target.split(':', 1)[0];
  } catch {
    return undefined;
  }
}

const CALM_IDLE = 0.85;
const LOOK_MS = 500;

/** Waits until nobody else uses the processors, for at most so long; whether it came to that. */
export async function untilCalm(patienceMilliseconds: number): Promise<boolean> {
  for (const until = Date.now() + patienceMilliseconds; ; ) {
    const before = cpuTimes();
    await sleep(LOOK_MS);
    const after = cpuTimes();
    if ((after.idle - before.idle) / (after.all - before.all) >= CALM_IDLE) return true;
    if (Date.now() >= until) return false;
  }
}

/** Of all processors together, in milliseconds since the machine began. */
export function cpuTimes(): { idle: number; all: number } {
  const times = cpus().map((cpu) => cpu.times);
  const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
  return { idle: sumOf(times.map(({ idle }) => idle)), all: sumOf(times.flatMap((each) => Object.values(each))) };
}

export interface TcpSocket {
  readonly localPort: number;
  readonly remotePort: number;
  readonly state: string;
}

// biome-ignore format: a table
const TCP_STATES: readonly string[] = ['', 'established', 'syn-sent', 'syn-received', 'fin-wait-1', 'fin-wait-2', 'time-wait', 'closed', 'close-wait', 'last-ack', 'listening', 'closing'];

/** The TCP sockets that a process holds, over IPv4. */
export function tcpSockets(pid: number): TcpSocket[] {
  const inodes = new Set(readdirSync(`/proc/${pid}/fd`).map((name) => inodeOf(`/proc/${pid}/fd/${name}`)));
  const port = (address = ''): number => Number.parseInt(address.split(':')[1] ?? '', 16);
  return readFileSync(`/proc/${pid}/net/tcp`, 'utf8')
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , , , , , , , inode]) => inode !== undefined && inodes.has(inode))
    .map(([, local, remote, state = '']) => ({
      localPort: port(local),
      remotePort: port(remote),
      state: TCP_STATES[Number.parseInt(state, 16)] ?? state,
    }));
}

function inodeOf(path: string): string | undefined {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(path))?.[1];
  } catch {
    return undefined;
  }
}

/** Where a program is, in PATH or where Debian keeps its servers. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** For a program that cannot be told to take any. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });
}

const LISTENS_WITHIN_MS = 20_000;

/** Until a program that was just started takes connections there. */
export async function untilListening(program: string, port: number): Promise<void> {
  for (const until = Date.now() + LISTENS_WITHIN_MS; Date.now() < until; await sleep(20)) {
    const isThere = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (isThere) return;
  }
  throw new Error(`${program} does not listen on port ${port}`);
}
