/** Other proxies, where they are installed: yardsticks for the same job, from a directory of their own. */
import { spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram, freePort, untilListening } from './machine.ts';
import { endsWithUs, type StartedServer, stopProcess } from './start-server.ts';

const CADDY = findProgram('caddy');
const HAPROXY = findProgram('haproxy');
const OAUTH2_PROXY = findProgram('oauth2-proxy');
const hostOf = (url: string): string => new URL(url).host;

/** Undefined where it is not installed. It asks `auth` about each request, which says yes to everything. */
export const caddyForwardAuth = (upstream: string, auth: string): (() => Promise<StartedServer>) | undefined =>
  CADDY === undefined
    ? undefined
    : () =>
        startPeer(
          CADDY,
          (file) => ['run', '--config', file, '--adapter', 'caddyfile'],
          (port) =>
            `{\n admin off\n auto_https off\n log {\n  level ERROR\n }\n}\nhttp://127.0.0.1:${port} {\n forward_auth ${hostOf(auth)} {\n  uri /auth\n }\n reverse_proxy ${hostOf(upstream)}\n}\n`,
        );

/** Undefined where it is not installed. One thread, and nothing is checked. */
export const haproxyProxy = (upstream: string): (() => Promise<StartedServer>) | undefined =>
  HAPROXY === undefined
    ? undefined
    : () =>
        startPeer(
          HAPROXY,
          (file) => ['-f', file, '-db', '-q'],
          (port) =>
            `global\n nbthread 1\n maxconn 2000\ndefaults\n mode http\n timeout client 60s\n timeout server 60s\n timeout connect 5s\n http-reuse always\nfrontend f\n bind 127.0.0.1:${port}\n default_backend b\nbackend b\n server s ${hostOf(upstream)}\n`,
        );

const PERSON = { username: 'vera', password: 'a password of the benchmark' };
const SECRET = 'x'.repeat(32);

/**
 * Undefined where it is not installed. It knows the caller by its own session cookie, which it gives for a password, so that
 * no provider is asked.
 */
export const oauth2Proxy = (upstream: string): (() => Promise<PeerWithSession>) | undefined =>
  OAUTH2_PROXY === undefined
    ? undefined
    : async () => {
        const server = await startPeer(
          OAUTH2_PROXY,
          (file, port) => [
            ...[`--http-address=127.0.0.1:${port}`, `--upstream=${upstream}`, `--htpasswd-file=${file}`],
            ...['--provider=github', '--client-id=none', '--client-secret=none', '--email-domain=*'],
            ...[`--cookie-secret=${SECRET}`, '--cookie-secure=false'],
            ...['--request-logging=false', '--auth-logging=false', '--standard-logging=false'],
          ],
          () => `${PERSON.username}:{SHA}${hash('sha1', PERSON.password, 'base64')}\n`,
        );
        return { ...server, viewer: await sessionOf(server.url) };
      };

export type PeerWithSession = StartedServer & { readonly viewer: { readonly cookie: string } };

async function sessionOf(url: string): Promise<{ cookie: string }> {
  const body = new URLSearchParams(PERSON);
  const response = await fetch(`${url}/oauth2/sign_in`, { method: 'POST', body, redirect: 'manual' });
  const [cookie = ''] = response.headers.getSetCookie();
  if (response.status !== 302) throw new Error(`oauth2-proxy: the login was answered with ${response.status}`);
  return { cookie: cookie.slice(0, cookie.indexOf(';')) };
}

async function startPeer(
  program: string,
  argumentsFor: (file: string, port: number) => readonly string[],
  configuration: (port: number) => string,
): Promise<StartedServer> {
  const directory = mkdtempSync(join(tmpdir(), 'postern-peer-'));
  const port = await freePort();
  const file = join(directory, 'configuration');
  writeFileSync(file, configuration(port));
  const child = endsWithUs(
    spawn(program, argumentsFor(file, port), {
      stdio: 'ignore',
      env: { ...process.env, HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory },
    }),
  );
  await untilListening(program, port);
  return {
    pid: child.pid ?? 0,
    lines: [String(port)],
    url: `http://127.0.0.1:${port}`,
    async stop() {
      await stopProcess(child);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
