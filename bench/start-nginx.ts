/** nginx with one worker and no log, from a directory of its own: the yardstick, and an upstream that is no bottleneck. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram, freePort, untilListening } from './machine.ts';
import { endsWithUs, type StartedServer, stopProcess } from './start-server.ts';

const NGINX = findProgram('nginx');
export const HAS_NGINX = NGINX !== undefined;

export const BIG_FILE = '/recordings/2026-11-20/10/cam1/00.00.mp4';
export const BIG_FILE_BYTES = 100_000_000;
const SMALL_JSON = JSON.stringify({ service: { version: '0.18.0', uptime: 100 }, cameras: { cam1: { fps: 5 } } });

/** Connections to upstreams are kept, as they are in a configuration that somebody cared for. */
const keptUpstream = (name: string, url: string): string =>
  `upstream ${name} { server ${new URL(url).host}; keepalive 64; keepalive_requests 1000000000; }`;
const PASSED = 'proxy_http_version 1.1; proxy_set_header Connection "";';

/** An NVR for which an answer costs nothing. */
export const nginxUpstream = (): Promise<StartedServer> =>
  startNginx((directory) => {
    const file = join(directory, 'big.mp4');
    writeFileSync(file, '');
    truncateSync(file, BIG_FILE_BYTES);
    return {
      server: `location / { default_type application/json; return 200 '${SMALL_JSON}'; } location = ${BIG_FILE} { alias ${file}; }`,
    };
  });

export interface TlsFiles {
  readonly certificate: string;
  readonly privateKey: string;
}

/** What it is to pass requests on, at its fastest: large buffers, and nothing on disk. */
export const nginxProxy = (upstream: string, tls?: TlsFiles): Promise<StartedServer> =>
  startNginx(() => ({
    tls,
    http: keptUpstream('nvr', upstream),
    server: `location / { proxy_pass http://nvr; ${PASSED} ${UNSPOOLED} }`,
  }));

/** A proxy that asks somebody else about each request, who says yes to everything. */
export const nginxAuthRequest = (upstream: string, auth: string): Promise<StartedServer> =>
  startNginx(() => ({
    http: `${keptUpstream('nvr', upstream)} ${keptUpstream('auth', auth)}`,
    server:
      `location / { auth_request /auth; proxy_pass http://nvr; ${PASSED} ${UNSPOOLED} }` +
      `location = /auth { internal; proxy_pass http://auth; ${PASSED} proxy_pass_request_body off; proxy_set_header Content-Length ""; }`,
  }));

const UNSPOOLED =
  'proxy_buffers 8 64k; proxy_buffer_size 64k; proxy_busy_buffers_size 128k; proxy_max_temp_file_size 0; proxy_request_buffering off;';

interface Sections {
  readonly tls?: TlsFiles | undefined;
  readonly http?: string;
  readonly server: string;
}

async function startNginx(sectionsOf: (directory: string) => Sections): Promise<StartedServer> {
  if (NGINX === undefined) throw new Error('nginx is not installed');
  const directory = mkdtempSync(join(tmpdir(), 'postern-nginx-'));
  const port = await freePort();
  const sections = sectionsOf(directory);
  writeFileSync(join(directory, 'nginx.conf'), configuration(directory, port, sections));
  const arguments_ = ['-p', directory, '-c', join(directory, 'nginx.conf'), '-e', join(directory, 'error.log')];
  const child = endsWithUs(spawn(NGINX, arguments_, { stdio: ['ignore', 'inherit', 'inherit'] }));
  await untilListening('nginx', port);
  return {
    pid: child.pid ?? 0,
    lines: [String(port)],
    url: `${sections.tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    async stop() {
      await stopProcess(child);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Without a master the one process is the worker, and its processor time all there is. */
const configuration = (directory: string, port: number, { http = '', server, tls }: Sections): string => `
daemon off; master_process off; worker_processes 1; pid ${directory}/nginx.pid; error_log ${directory}/error.log;
events { worker_connections 4096; }
http {
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000000; client_max_body_size 0;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${directory}/${kind};`).join(' ')}
  ${http}
  server { listen 127.0.0.1:${port}${tls ? ' ssl http2' : ''}; ${tls ? certificateOf(tls) : ''} ${server} }
}
`;

const certificateOf = ({ certificate, privateKey }: TlsFiles): string =>
  `ssl_certificate ${certificate}; ssl_certificate_key ${privateKey};`;
