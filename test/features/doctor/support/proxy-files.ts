/** Configurations of the real proxies in front of Postern: a good one each, and the parts that a broken one changes. */
import { type StartedProxy, startApache, startCaddy, startHaproxy, startNginx } from '../../../sso/support/proxies.ts';

/** Starts a proxy at the port, in front of `postern`. */
export type Front = (postern: string, port: number, files: TlsFiles) => Promise<StartedProxy>;

export interface TlsFiles {
  readonly certificate: string;
  readonly key: string;
  /** Chain and key in one. */
  readonly both: string;
}

const NGINX_HEADERS = `
    proxy_set_header Upgrade $http_upgrade;
    proxy_set_header Connection $connection_upgrade;
    proxy_set_header Host $http_host;
    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    proxy_set_header X-Forwarded-Proto $scheme;`;

const NGINX_SERVER = `
  client_max_body_size 0;
  proxy_buffering off;
  proxy_request_buffering off;
  proxy_read_timeout 1h;`;

interface NginxParts {
  /** The header lines of the good configuration that stay, and more. */
  readonly headers?: string;
  readonly server?: string;
  readonly version?: string;
  /** Within `location /`. */
  readonly more?: string;
  /** Within `http`. */
  readonly http?: string;
  readonly location?: string;
  readonly pass?: string;
  readonly tls?: boolean;
  readonly http2?: boolean;
}

export const nginx =
  ({
    headers = NGINX_HEADERS,
    server = NGINX_SERVER,
    version = '1.1',
    more = '',
    http = '',
    ...parts
  }: NginxParts = {}): Front =>
  (postern, port, files) =>
    startNginx(
      `map $http_upgrade $connection_upgrade { default upgrade; "" ""; }
${http}
server {
  listen 127.0.0.1:${port}${parts.tls ? ' ssl' : ''}${parts.http2 ? ' http2' : ''};
  ${parts.tls ? `ssl_certificate ${files.certificate}; ssl_certificate_key ${files.key};` : ''}
  ${server}
  location ${parts.location ?? '/'} {
    proxy_pass ${parts.pass ?? `http://${postern}`};
    proxy_http_version ${version};
    ${headers}
    ${more}
  }
}`,
      port,
    );

/** The good header lines, without the lines that name `header`. */
export const nginxWithout = (header: string): string =>
  NGINX_HEADERS.split('\n')
    .filter((line) => !line.includes(` ${header} `))
    .join('\n');

export const nginxServer = (from: string, to: string): string => NGINX_SERVER.replace(from, to);

export const caddy =
  (inside = '', beside = '', tls = false): Front =>
  (postern, port, files) =>
    startCaddy(
      `${tls ? 'https' : 'http'}://127.0.0.1:${port} {
  ${tls ? `tls ${files.certificate} ${files.key}` : ''}
  ${beside}
  reverse_proxy ${postern} {
    ${inside}
  }
}`,
      port,
    );

const HAPROXY_TIMES = 'timeout connect 5s\n  timeout client 1h\n  timeout server 1h\n  timeout tunnel 1h';

export const haproxy =
  (frontend = 'option forwardfor', backend = '', { times = HAPROXY_TIMES, tls = false, global = '' } = {}): Front =>
  (postern, port, files) =>
    startHaproxy(
      `global
  maxconn 100
  ${global}
defaults
  mode http
  ${times}
frontend web
  bind 127.0.0.1:${port}${tls ? ` ssl crt ${files.both}` : ''}
  ${frontend}
  default_backend postern
backend postern
  ${backend}
  server postern ${postern}
`,
      port,
      {},
    );

const APACHE_MODULES = [
  'mpm_event',
  'authz_core',
  'proxy',
  'proxy_http',
  'headers',
  'setenvif',
  'env',
  'filter',
  'rewrite',
  'ssl',
  'socache_shmcb',
];

interface ApacheParts {
  readonly pass?: string;
  readonly more?: string;
  readonly modules?: readonly string[];
  readonly tls?: boolean;
  readonly preserve?: boolean;
  readonly timeout?: number;
}

export const apache =
  ({ pass, more = '', modules = [], tls = false, preserve = true, timeout = 3600 }: ApacheParts = {}): Front =>
  (postern, port, files) =>
    startApache(
      `Listen 127.0.0.1:${port}
<VirtualHost 127.0.0.1:${port}>
  ${tls ? `SSLEngine on\n  SSLCertificateFile ${files.certificate}\n  SSLCertificateKeyFile ${files.key}` : ''}
  ProxyPreserveHost ${preserve ? 'On' : 'Off'}
  LimitRequestBody 0
  RequestHeader set X-Forwarded-Proto "${tls ? 'https' : 'http'}"
  ${pass ?? `ProxyPass / http://${postern}/ upgrade=websocket timeout=${timeout}`}
  ${more.replaceAll('POSTERN', postern)}
</VirtualHost>`,
      port,
      [...APACHE_MODULES, ...modules],
    );
