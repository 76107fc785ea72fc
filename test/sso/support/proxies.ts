/** Real proxies in front of the instance: nginx, Caddy, HAProxy, Apache and Traefik, as they are installed, from configurations in a temp directory. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { ask } from './ask.ts';

export interface StartedProxy {
  readonly port: number;
  /** Of its configuration and its pid file. */
  readonly directory: string;
  close(): Promise<void>;
}

const PROGRAMS = { nginx: '-v', caddy: 'version', haproxy: '-v', apache2: '-v', traefik: 'version' } as const;
export type Program = keyof typeof PROGRAMS;

/** For `it(…, { skip })`: false where the program is there, else why the test cannot run. `at`: elsewhere than on the PATH. */
export function skipWithout(program: Program, at: string = program): string | false {
  const found = spawnSync(at, [PROGRAMS[program]], { stdio: 'ignore' });
  return found.error ? `${at} is not installed` : false;
}

/** `site` is what would stand in `conf.d`; it listens on `port`. */
export const startNginx = (site: string, port: number): Promise<StartedProxy> =>
  start('nginx', port, (directory) => {
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `  ${name}_temp_path ${join(directory, name)};`,
    );
    writeFileSync(join(directory, 'site.conf'), site);
    const main = [
      `pid ${join(directory, 'nginx.pid')};`,
      'daemon off;',
      'master_process off;',
      'error_log stderr warn;',
      'events { worker_connections 256; }',
      'http {',
      '  access_log off;',
      ...temporary,
      `  include ${join(directory, 'site.conf')};`,
      '}',
    ];
    writeFileSync(join(directory, 'nginx.conf'), main.join('\n'));
    return ['-p', directory, '-c', join(directory, 'nginx.conf'), '-e', 'stderr'];
  });

export const startCaddy = (caddyfile: string, port: number, at = 'caddy'): Promise<StartedProxy> =>
  start(at, port, (directory) => {
    writeFileSync(join(directory, 'Caddyfile'), `{\n\tadmin off\n\tauto_https off\n}\n${caddyfile}`);
    return ['run', '--adapter', 'caddyfile', '--config', join(directory, 'Caddyfile')];
  });

export const startHaproxy = (
  config: string,
  port: number,
  files: Readonly<Record<string, string>>,
): Promise<StartedProxy> =>
  start('haproxy', port, (directory) => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
    writeFileSync(join(directory, 'haproxy.cfg'), config.replaceAll('/etc/haproxy/', `${directory}/`));
    return ['-db', '-f', join(directory, 'haproxy.cfg')];
  });

/** `site` is what would stand in `sites-enabled`; `modules` are loaded by name. */
export const startApache = (site: string, port: number, modules: readonly string[]): Promise<StartedProxy> =>
  start('apache2', port, (directory) => {
    const loads = modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`);
    const main = [
      `ServerRoot ${directory}`,
      `PidFile ${join(directory, 'apache.pid')}`,
      `DefaultRuntimeDir ${directory}`,
      'Mutex pthread default',
      'ServerName localhost',
      'ErrorLog "|/bin/cat"', // standard error is a socket here, which cannot be opened by name
      'LogLevel warn',
      'User nobody',
      'Group nogroup',
      ...loads,
      site,
    ];
    writeFileSync(join(directory, 'apache.conf'), main.join('\n'));
    return ['-X', '-f', join(directory, 'apache.conf')];
  });

/** `dynamic` is what the file provider reads; its routers are at the entry point `websecure`, without TLS unless `tls`. */
export async function startTraefik(dynamic: string, port: number, own = TRAEFIK, tls = false): Promise<StartedProxy> {
  const proxy = await start('traefik', port, (directory) => {
    writeFileSync(join(directory, 'dynamic.yml'), dynamic);
    const placed = own.replace('":443"', `"127.0.0.1:${port}"`).replace('/etc/traefik/', `${directory}/`);
    writeFileSync(join(directory, 'traefik.yml'), `${placed}${QUIET}`);
    return [`--configFile=${join(directory, 'traefik.yml')}`];
  });
  // It listens before it has read its rules.
  const hasRules = (): Promise<boolean> =>
    ask(port, { tls, headers: [['Host', 'nvr.example.com']] }).then(
      ({ status }) => status !== 404,
      () => false,
    );
  const until = Date.now() + PATIENCE_MS;
  while (!(await hasRules()) && Date.now() < until) await pause();
  return proxy;
}

const TRAEFIK = `
entryPoints: { websecure: { address: ":443" } }
providers: { file: { filename: /etc/traefik/dynamic.yml } }
`;
/** It would tell its makers that it runs. */
const QUIET = `
global: { checkNewVersion: false, sendAnonymousUsage: false }
log: { level: WARN }
`;

const PATIENCE_MS = 30_000;

async function start(
  program: string,
  port: number,
  prepare: (directory: string) => readonly string[],
): Promise<StartedProxy> {
  const directory = mkdtempSync(join(tmpdir(), `postern-${basename(program)}-`));
  const environment = { ...process.env, HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory };
  const child = spawn(program, prepare(directory), {
    cwd: directory,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  const close = async (): Promise<void> => {
    await ended(child);
    rmSync(directory, { recursive: true, force: true });
  };
  const started = await Promise.race([accepts(port), once(child, 'exit').then(() => false), failed(child)]);
  if (started) return { port, directory, close };
  await close();
  throw new Error(`${program} did not start:\n${said}`);
}

const failed = async (child: ChildProcess): Promise<false> => {
  await once(child, 'error');
  return false;
};

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 2_000);
  await exit;
  clearTimeout(timer);
}

/** True as soon as a program listens there. */
async function accepts(port: number): Promise<boolean> {
  const until = Date.now() + PATIENCE_MS;
  while (Date.now() < until) {
    if (await isOpen(port)) return true;
    await pause();
  }
  return false;
}

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 25));

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
