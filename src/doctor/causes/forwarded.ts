/** Causes by which Postern does not learn where a request came from: base path, client address, scheme, host name. */
import { type Cause, isProxied, when } from '../cause.ts';
import { FORGED_ADDRESS } from '../marks.ts';
import type { Observations } from '../observations.ts';

const lastHop = ({ seen }: Observations): string | undefined =>
  seen?.headers['x-forwarded-for']?.join(',').split(',').at(-1)?.trim();

/** What the browser called, as far as Postern may believe it. */
const hostOf = ({ seen }: Observations): string | undefined =>
  (seen?.peerTrusted ? seen.headers['x-forwarded-host']?.[0] : undefined) ?? seen?.headers['host']?.[0];

const withoutDefaultPort = (host: string, protocol: string): string =>
  host.toLowerCase().replace(protocol === 'https:' ? /:443$/ : /:80$/, '');

export const FORWARDED_CAUSES: readonly Cause[] = [
  {
    name: 'base-path-differs',
    level: 'error',
    sign: ({ seen, url }) =>
      when(
        seen !== undefined && seen.basePath !== url.prefix,
        `the pages are at ${url.prefix || '/'}, and server.base_path is ${seen?.basePath || 'not set'}: redirects and cookies do not work`,
      ),
    advice: 'Set server.base_path to the path of the address; remove it where there is none.',
    lines: {},
  },
  {
    name: 'client-address-lost',
    level: 'error',
    sign: (seen) =>
      when(
        isProxied(seen) && seen.seen?.headers['x-forwarded-for'] === undefined,
        'the proxy sends no X-Forwarded-For: all clients share one address, so one client with too many failed logins locks out all',
      ),
    advice: 'Let the proxy send the client address, and name the proxy in auth.trusted_proxies.',
    lines: {
      nginx: ['proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;'],
      haproxy: ['option forwardfor'],
      caddy: ['# remove: header_up -X-Forwarded-For'],
      apache: ['ProxyAddHeaders On'],
      traefik: ['# remove from customRequestHeaders: X-Forwarded-For: ""'],
    },
  },
  {
    name: 'client-address-forgeable',
    level: 'error',
    sign: (seen) =>
      when(
        isProxied(seen) && lastHop(seen) === FORGED_ADDRESS,
        'the proxy passes the X-Forwarded-For of the client on unchanged: every client can choose its address, and the login limit has no effect',
      ),
    advice: 'Let the proxy set X-Forwarded-For, or add the address that it sees.',
    lines: {
      nginx: ['proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;'],
      haproxy: ['option forwardfor'],
      caddy: ['# remove: header_up X-Forwarded-For {header.X-Forwarded-For}'],
      apache: ['ProxyAddHeaders On'],
    },
  },
  {
    name: 'proxy-not-trusted',
    level: 'error',
    sign: (seen) =>
      when(
        isProxied(seen) && seen.seen?.headers['x-forwarded-for'] !== undefined && !seen.seen.peerTrusted,
        `the proxy at ${seen.seen?.peer} is not in auth.trusted_proxies: its X-Forwarded headers are ignored`,
      ),
    advice: 'Add the address of the proxy, or its network, to auth.trusted_proxies.',
    lines: {},
  },
  {
    name: 'proto-lost',
    level: 'error',
    sign: (seen) =>
      when(
        seen.url.protocol === 'https:' && seen.seen?.encrypted === false && seen.seen.peerTrusted,
        'the proxy sends no X-Forwarded-Proto: https, so Postern does not know that the browser uses TLS, and the session cookie is not Secure',
      ),
    advice: 'Let the proxy send X-Forwarded-Proto.',
    lines: {
      nginx: ['proxy_set_header X-Forwarded-Proto $scheme;'],
      haproxy: ['http-request set-header X-Forwarded-Proto https if { ssl_fc }'],
      caddy: ['# remove: header_up -X-Forwarded-Proto'],
      apache: ['RequestHeader set X-Forwarded-Proto "https"'],
      traefik: ['# in front of another proxy: entryPoints.web.forwardedHeaders.trustedIPs'],
    },
  },
  {
    name: 'proto-wrong',
    level: 'error',
    sign: (seen) =>
      when(
        seen.url.protocol === 'http:' && seen.seen?.encrypted === true && isProxied(seen),
        'the proxy sends X-Forwarded-Proto: https although the browser uses http: the browser drops the Secure session cookie, so every login ends at the login page again',
      ),
    advice: 'Serve the address by https, or let the proxy send the scheme that the browser used.',
    lines: {
      nginx: ['proxy_set_header X-Forwarded-Proto $scheme;'],
      haproxy: ['http-request set-header X-Forwarded-Proto http unless { ssl_fc }'],
      caddy: ['header_up X-Forwarded-Proto {scheme}'],
      apache: ['RequestHeader set X-Forwarded-Proto expr=%{REQUEST_SCHEME}'],
    },
  },
  {
    name: 'host-lost',
    level: 'error',
    sign: (seen) => {
      const [host, wanted] = [hostOf(seen), withoutDefaultPort(seen.url.host, seen.url.protocol)];
      const isOther = host !== undefined && withoutDefaultPort(host, seen.url.protocol) !== wanted;
      return when(
        isOther,
        `Postern is told the host ${host}, and the browser used ${wanted}: logins and WebSockets of the pages are refused as cross-site requests`,
      );
    },
    advice: 'Let the proxy keep the Host of the browser, with its port.',
    lines: {
      nginx: ['proxy_set_header Host $http_host;'],
      haproxy: ['# remove: http-request set-header Host …'],
      caddy: ['# remove: header_up Host {upstream_hostport}'],
      apache: ['ProxyPreserveHost On'],
      traefik: ['passHostHeader: true'],
    },
  },
];
