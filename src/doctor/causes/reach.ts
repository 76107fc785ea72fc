/** Causes on the way to Postern: nothing, or another program, answers at the address. */
import { type Cause, headerOf, isPosterns, statusOf, when } from '../cause.ts';
import type { Observations } from '../observations.ts';

const NETWORK: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the name has no address (DNS)',
  EAI_AGAIN: 'the name could not be looked up (DNS)',
  ECONNREFUSED: 'nothing listens there',
  ETIMEDOUT: 'nothing answered in time: a firewall, or a port that is not forwarded',
  EHOSTUNREACH: 'there is no network route to that address',
  ENETUNREACH: 'there is no route to that network',
};

const TLS_FAULT = /^(?:EPROTO|ERR_SSL_|ERR_TLS_)/;
const PLAIN_HTTP_AT_TLS_PORT =
  /This port speaks HTTPS|plain HTTP request was sent to HTTPS port|HTTP request to an HTTPS server/;

/** The address that a redirect leads to, where that is not a page of the same place. */
function redirectedTo({ reach, url }: Observations): URL | undefined {
  const [status, location] = [statusOf(reach) ?? 0, headerOf(reach, 'location')];
  if (status < 300 || status > 399 || location === undefined) return undefined;
  const base = `${url.protocol}//${url.host}`;
  return URL.canParse(location, base) ? new URL(location, base) : undefined;
}

export const REACH_CAUSES: readonly Cause[] = [
  {
    name: 'tls-broken',
    level: 'error',
    sign: ({ reach, url }) =>
      when(
        reach.kind === 'failed' && url.protocol === 'https:' && TLS_FAULT.test(reach.code),
        `${url.host} does not speak TLS there: ${reach.kind === 'failed' ? reach.message : ''}`,
      ),
    advice: 'Give the proxy a certificate for this name and let it listen with TLS, or use the http:// address.',
    lines: {
      nginx: [
        'listen 443 ssl;',
        'ssl_certificate /etc/nginx/tls/fullchain.pem;',
        'ssl_certificate_key /etc/nginx/tls/privkey.pem;',
      ],
      haproxy: ['bind :443 ssl crt /etc/haproxy/tls/nvr.pem'],
      apache: [
        'SSLEngine on',
        'SSLCertificateFile /etc/apache2/tls/fullchain.pem',
        'SSLCertificateKeyFile /etc/apache2/tls/privkey.pem',
      ],
    },
    isLast: true,
  },
  {
    name: 'unreachable',
    level: 'error',
    sign: ({ reach, url }) =>
      reach.kind === 'failed' ? `${url.host}: ${NETWORK[reach.code] ?? reach.message}` : undefined,
    advice: 'Check the name, the port, the firewall, and that the proxy (or Postern) runs.',
    lines: {},
    isLast: true,
  },
  {
    name: 'http-to-https-port',
    level: 'error',
    sign: ({ reach }) =>
      when(
        reach.kind === 'answered' && PLAIN_HTTP_AT_TLS_PORT.test(reach.body),
        'the proxy speaks plain HTTP to a port that expects HTTPS',
      ),
    advice:
      'Let the proxy use https:// towards Postern, or set tls.enabled: false in Postern within a private network.',
    lines: {
      nginx: ['proxy_pass https://postern:8971;'],
      npm: ['Scheme: https'],
      caddy: ['reverse_proxy https://postern:8971 {', '  transport http {', '    tls_insecure_skip_verify', '  }', '}'],
      traefik: ['url: https://postern:8971', 'serversTransport: { insecureSkipVerify: true }'],
      haproxy: ['server postern postern:8971 ssl verify none'],
      apache: ['SSLProxyEngine on', 'ProxyPass / https://postern:8971/'],
    },
    isLast: true,
  },
  {
    name: 'bad-gateway',
    level: 'error',
    sign: ({ reach }) =>
      when(
        [502, 503, 504].includes(statusOf(reach) ?? 0) && !isPosterns(reach),
        `the proxy answers ${statusOf(reach)}: it cannot reach Postern`,
      ),
    advice:
      'Check host, port and scheme of Postern in the proxy, and that both are on one network. A Postern with TLS needs https:// there.',
    lines: {
      nginx: ['proxy_pass http://postern:8971;    # https:// where tls.enabled is true'],
      caddy: ['reverse_proxy postern:8971'],
      haproxy: ['server postern postern:8971    # and "ssl verify none" where tls.enabled is true'],
      apache: ['ProxyPass / http://postern:8971/'],
      traefik: ['url: http://postern:8971'],
    },
    isLast: true,
  },
  {
    name: 'redirected',
    level: 'error',
    sign: (seen) => {
      const to = redirectedTo(seen);
      if (!to || isPosterns(seen.reach)) return undefined;
      const isSamePlace = to.host === seen.url.host && to.pathname.startsWith(`${seen.url.prefix}/postern/api/`);
      if (isSamePlace && to.protocol === seen.url.protocol)
        return 'the proxy redirects the address to itself in an endless loop';
      return when(isSamePlace || to.pathname.includes('/postern/api/'), `the proxy redirects to ${to.origin}`);
    },
    advice:
      'Give doctor the public address, or remove the redirect. A redirect between http and https needs X-Forwarded-Proto.',
    lines: {},
    isLast: true,
  },
  {
    name: 'login-in-front',
    level: 'warning',
    sign: (seen) => {
      const { reach } = seen;
      if (isPosterns(reach)) return undefined;
      const to = redirectedTo(seen);
      if (to) return `the proxy asks for a login first, at ${to.origin}: doctor cannot check what is behind it`;
      return when(statusOf(reach) === 401, 'the proxy asks for a login first: doctor cannot check what is behind it');
    },
    advice:
      'This is right for single sign-on. To check what is behind it, send what a browser would send: --header "Cookie: …" or --header "Authorization: Basic …".',
    lines: {},
    isLast: true,
  },
  {
    name: 'base-path-missing',
    level: 'error',
    sign: ({ reach, url, seen }) =>
      when(
        url.prefix !== '' && seen === undefined && isPosterns(reach) && [403, 404].includes(statusOf(reach) ?? 0),
        `Postern does not know ${url.prefix} as its base path`,
      ),
    advice: 'Set server.base_path to the path of the address, and let the proxy pass it on unchanged.',
    lines: {},
    isLast: true,
  },
  {
    name: 'authorization-lost',
    level: 'error',
    sign: ({ reach, seen }) =>
      when(
        seen === undefined && isPosterns(reach) && statusOf(reach) === 401,
        'the header Authorization did not arrive, or the address leads to another Postern than the one with this configuration',
      ),
    advice: 'Let the proxy forward the header Authorization: API tokens need it, also those of Home Assistant.',
    lines: {
      nginx: ['proxy_set_header Authorization $http_authorization;    # and no: proxy_set_header Authorization "";'],
      caddy: ['# remove: header_up -Authorization'],
      haproxy: ['# remove: http-request del-header Authorization'],
      apache: ['# remove: RequestHeader unset Authorization'],
      traefik: ['# remove from customRequestHeaders: Authorization: ""'],
    },
    isLast: true,
  },
  {
    name: 'not-postern',
    level: 'error',
    sign: ({ reach, seen }) =>
      when(
        seen === undefined && !isPosterns(reach),
        `another program than Postern answers there (status ${statusOf(reach)}): it may be the NVR itself, without protection`,
      ),
    advice: 'Let the proxy forward every path to Postern, port 8971, and none to the NVR.',
    lines: {
      nginx: ['location / { proxy_pass http://postern:8971; }'],
      caddy: ['reverse_proxy postern:8971'],
      haproxy: ['server postern postern:8971'],
      apache: ['ProxyPass / http://postern:8971/'],
      traefik: ['url: http://postern:8971'],
    },
    isLast: true,
  },
];
