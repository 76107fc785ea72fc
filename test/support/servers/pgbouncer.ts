/** A PgBouncer of a test's own in front of a PostgreSQL, by transactions, as its manual sets it up. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { until } from '../until.ts';
import { freePort } from './free-port.ts';

/** The reason why tests with PgBouncer are skipped, for `describe`; false when it is installed. */
export const withoutPgbouncer: string | false = spawnSync('pgbouncer', ['--version']).error
  ? 'PgBouncer is not installed'
  : false;

export interface TestPgbouncer {
  readonly port: number;
  stop(): Promise<void>;
}

/** It refuses to run as root. */
const asUser = (): { uid?: number; gid?: number } => {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres']));
  return { uid: id('-u'), gid: id('-g') };
};

export async function startPgbouncer(serverPort: number): Promise<TestPgbouncer> {
  const directory = mkdtempSync(join(tmpdir(), 'postern-pgbouncer-'));
  const port = await freePort();
  const user = asUser();
  const file = (name: string, text: string): string => {
    const path = join(directory, name);
    writeFileSync(path, text, { mode: 0o600 });
    if (user.uid !== undefined && user.gid !== undefined) chownSync(path, user.uid, user.gid);
    return path;
  };
  const users = file('users.txt', '"postern" ""\n');
  const config = file(
    'pgbouncer.ini',
    `[databases]
* = host=127.0.0.1 port=${serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
`,
  );
  if (user.uid !== undefined && user.gid !== undefined) chownSync(directory, user.uid, user.gid);
  const bouncer = spawn('pgbouncer', [config], { ...user, stdio: 'ignore' });
  const atExit = (): void => void bouncer.kill('SIGKILL');
  process.once('exit', atExit);
  await until('PgBouncer answers', async () => {
    const client = new pg.Client(`postgres://postern@127.0.0.1:${port}/postgres`);
    try {
      await client.connect();
      await client.query('select 1');
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => {});
    }
  });
  return {
    port,
    async stop() {
      const ended = once(bouncer, 'exit');
      bouncer.kill('SIGKILL');
      await ended;
      process.removeListener('exit', atExit);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
