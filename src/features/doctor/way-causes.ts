/** Causes on the way between a browser and Postern, in the order in which a request goes (SPEC 15). */
import { advice, type Cause, error, headerOf, isPosterns, statusOf, warning } from './cause.ts';
import { COOKIE, FORGED_ADDRESS, FORGED_NAME, ODD_TARGET } from './marks.ts';
import type { ApiSeen, FirstSeen, ProbeResponse, WaySeen } from './observations.ts';

const NETWORK: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the name has no address (DNS)',
  EAI_AGAIN: 'the name could not be looked up (DNS)',
  ECONNREFUSED: 'nothing listens there',
  ETIMEDOUT: 'nothing answered in time: a firewall, or a port that is not forwarded',
  EHOSTUNREACH: 'there is no network route to that address',
  ENETUNREACH: 'there is no route to that network',
  EPROTO: 'it does not speak TLS there',
};

const PLAIN_HTTP_AT_TLS_PORT =
  /This port speaks HTTPS|plain HTTP request was sent to HTTPS port|HTTP request to an HTTPS server/;

/** The address that a redirect leads to, where that is not a page of the same place. */
function redirectedTo({ reach, url }: FirstSeen): URL | undefined {
  const [status, location] = [statusOf(reach), headerOf(reach, 'location')];
  if (status < 300 || status > 399 || location === undefined || isPosterns(reach)) return undefined;
  return URL.parse(location, `${url.protocol}//${url.host}`) ?? undefined;
}

function redirection(seen: FirstSeen): string | undefined {
  const [to, { url }] = [redirectedTo(seen), seen];
  if (!to?.pathname.includes('/postern/api/')) return undefined;
  const isSelf =
    to.host === url.host && to.protocol === url.protocol && to.pathname.startsWith(`${url.prefix}/postern/`);
  return isSelf
    ? 'the proxy redirects the address to itself in an endless loop'
    : `the proxy redirects to ${to.origin}`;
}

/** Only the first that holds is told: behind it nothing can be seen. */
export const FIRST_CAUSES: readonly Cause<FirstSeen>[] = [
  {
    name: 'unreachable',
    signs: ({ reach, url }) => [
      reach.kind === 'failed' ? error(true, `${url.host}: ${NETWORK[reach.code] ?? reach.message}`) : undefined,
    ],
    advice:
      'Check the name, the port, the firewall, and that the proxy (or Postern) runs, with a certificate where the address is https.',
  },
  {
    name: 'bad-gateway',
    signs: ({ reach }) => [
      error(
        reach.kind === 'answered' && PLAIN_HTTP_AT_TLS_PORT.test(reach.body),
        'the proxy speaks plain HTTP to a port that expects HTTPS',
      ),
      error(
        [502, 503, 504].includes(statusOf(reach)) && !isPosterns(reach),
        `the proxy answers ${statusOf(reach)}: it cannot reach Postern`,
      ),
    ],
    advice:
      'Check host, port and scheme of Postern in the proxy, and that both are on one network. A Postern with TLS needs https:// there.',
    lines: {
      nginx: 'proxy_pass http://postern:8971;    # https:// where tls.enabled is true',
      npm: 'Scheme: https    # where tls.enabled is true',
      caddy: 'reverse_proxy postern:8971    # https://, and tls_insecure_skip_verify, where tls.enabled is true',
      traefik: 'url: http://postern:8971    # https://, and insecureSkipVerify, where tls.enabled is true',
      haproxy: 'server postern postern:8971    # and "ssl verify none" where tls.enabled is true',
      apache: 'ProxyPass / http://postern:8971/    # https://, and SSLProxyEngine on, where tls.enabled is true',
      cloudflare: 'DNS: the record leads to Postern\nSSL/TLS > Overview: Full, where tls.enabled is true',
    },
  },
  {
    name: 'redirected',
    signs: (seen) => [error(redirection(seen) !== undefined, redirection(seen) ?? '')],
    advice:
      'Give doctor the public address, or remove the redirect. A redirect between http and https needs X-Forwarded-Proto.',
    lines: {
      nginx: 'proxy_set_header X-Forwarded-Proto $scheme;',
      caddy: '# remove: redir',
      traefik: '# middlewares: remove redirectScheme where another proxy has the TLS',
      haproxy: 'http-request set-header X-Forwarded-Proto https if { ssl_fc }',
      apache: '# remove: Redirect, RewriteRule [R]',
      cloudflare: 'SSL/TLS > Overview: Full (strict), not Flexible',
    },
  },
  {
    name: 'login-in-front',
    signs: (seen) => {
      const to = redirectedTo(seen);
      const isAsked = to !== undefined || (statusOf(seen.reach) === 401 && !isPosterns(seen.reach));
      const where = to ? `, at ${to.origin}` : '';
      return [warning(isAsked, `the proxy asks for a login first${where}: doctor cannot check what is behind it`)];
    },
    advice:
      'This is right for single sign-on. To check what is behind it, send what a browser would send: --header "Cookie: …" or --header "Authorization: Basic …".',
  },
  {
    name: 'base-path-differs',
    signs: ({ reach, url, seen }) => [
      error(
        seen !== undefined && seen.basePath !== url.prefix,
        `the pages are at ${url.prefix || '/'}, and server.base_path is ${seen?.basePath || 'not set'}: redirects and cookies do not work`,
      ),
      error(
        seen === undefined && url.prefix !== '' && isPosterns(reach) && [403, 404].includes(statusOf(reach)),
        `Postern does not know ${url.prefix} as its base path`,
      ),
    ],
    advice:
      'Set server.base_path to the path of the address, or remove it where there is none, and let the proxy pass it on unchanged.',
  },
  {
    name: 'authorization-lost',
    signs: ({ reach, seen }) => [
      error(
        seen === undefined && isPosterns(reach) && statusOf(reach) === 401,
        'the header Authorization did not arrive, or the address leads to another Postern than the one with this configuration',
      ),
    ],
    advice: 'Let the proxy forward the header Authorization: API tokens need it, also those of Home Assistant.',
    lines: {
      nginx: 'proxy_set_header Authorization $http_authorization;    # and no: proxy_set_header Authorization "";',
      caddy: '# remove: header_up -Authorization',
      traefik: '# remove from customRequestHeaders: Authorization: ""',
      haproxy: '# remove: http-request del-header Authorization',
      apache: '# remove: RequestHeader unset Authorization',
      cloudflare: 'Rules > Overview: remove Transform Rules and Snippets for this host',
    },
  },
  {
    name: 'not-postern',
    signs: ({ reach, seen }) => [
      error(
        seen === undefined && !isPosterns(reach),
        `another program than Postern answers there (status ${statusOf(reach)}): it may be the NVR itself, without protection`,
      ),
    ],
    advice: 'Let the proxy forward every path to Postern, port 8971, and none to the NVR.',
    lines: {
      nginx: 'location / { proxy_pass http://postern:8971; }',
      caddy: 'reverse_proxy postern:8971',
      traefik: 'url: http://postern:8971',
      haproxy: 'server postern postern:8971',
      apache: 'ProxyPass / http://postern:8971/',
      cloudflare: 'DNS, or Zero Trust > Networks > Tunnels: the service is https://postern:8971',
    },
  },
];

const SOON_SECONDS = 14 * 86_400;
const NAME_FAULT = /ALTNAME|altnames|does not match/i;
const day = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10);

/** Told whatever answers. */
export const CERTIFICATE_CAUSES: readonly Cause<FirstSeen>[] = [
  {
    name: 'certificate',
    signs: ({ tls, now, url }) => {
      if (!tls) return [];
      const { fault = '', endsAt } = tls;
      const [isOther, isOver] = [NAME_FAULT.test(fault), endsAt <= now];
      return [
        error(isOver, `the certificate ended on ${day(endsAt)}`),
        warning(!isOver && endsAt - now < SOON_SECONDS, `the certificate ends on ${day(endsAt)}`),
        error(isOther, `the certificate is for another name than ${url.host}`),
        warning(
          fault !== '' && !isOther && !isOver,
          `browsers do not trust the certificate (${fault}): they warn, and Home Assistant refuses unless its check is off`,
        ),
      ];
    },
    advice:
      'Let the proxy have a certificate of a public authority for this name, with the full chain (fullchain.pem, not cert.pem), and renew it by itself; or install your own authority on the devices.',
    lines: {
      nginx: 'ssl_certificate /etc/nginx/tls/fullchain.pem;',
      caddy: '# remove: tls internal',
      traefik: 'tls: { certResolver: letsencrypt }',
      haproxy: 'bind :443 ssl crt /etc/haproxy/tls/nvr.pem    # chain and key in one file',
      apache: 'SSLCertificateFile /etc/apache2/tls/fullchain.pem',
      cloudflare: 'SSL/TLS > Edge Certificates: Universal SSL on',
    },
  },
];

/**
 * Another program speaks HTTP in between: the connection that Postern has is not the one that doctor made. Where TLS goes
 * through unopened, to the certificate of Postern, it is only a relay, such as Docker's for a published port.
 */
const isProxied = ({ seen, reach, tls }: WaySeen): boolean =>
  reach.kind === 'answered' &&
  seen.peerPort !== reach.localPort &&
  (seen.certificate === undefined || seen.certificate !== tls?.certificate);

const lastHop = ({ seen }: WaySeen): string | undefined =>
  seen.headers['x-forwarded-for']?.join(',').split(',').at(-1)?.trim();

/** What the browser called, as far as Postern may believe it. */
const hostOf = ({ seen }: WaySeen): string | undefined =>
  (seen.peerTrusted ? seen.headers['x-forwarded-host']?.[0] : undefined) ?? seen.headers['host']?.[0];

const withoutDefaultPort = (host: string, protocol: string): string =>
  host.toLowerCase().replace(protocol === 'https:' ? /:443$/ : /:80$/, '');

const setCookie = ({ reach }: WaySeen): string | undefined =>
  headerOf(reach, 'set-cookie')
    ?.split(/, (?=\w+=)/)
    .find((line) => line.startsWith(`${COOKIE}=`));

/** What is missing in the cookie that arrived. */
function lostOfCookie({ seen }: WaySeen, cookie: string): readonly string[] {
  const wanted = [`Path=${seen.basePath}/`, 'HttpOnly', ...(seen.encrypted ? ['Secure'] : [])];
  const parts = cookie.split('; ').map((part) => part.toLowerCase());
  return wanted.filter((part) => !parts.includes(part.toLowerCase()));
}

/** Postern gives no two answers the same id. */
function areAlike(responses: readonly ProbeResponse[]): boolean {
  const ids = responses.map((response) => headerOf(response, 'x-request-id')).filter((id) => id !== undefined);
  return new Set(ids).size < ids.length;
}

/** Where the proxy answers from its cache; undefined where it does not. */
function cachedAt({ known, unknown, knownAgain, forEverybody, pictures }: ApiSeen): string | undefined {
  const isShown =
    known.kind === 'answered' && unknown.kind === 'answered' && unknown.status === 200 && unknown.body === known.body;
  if (isShown || areAlike([known, unknown, knownAgain]) || areAlike(forEverybody)) return 'below /api/';
  return areAlike(pictures) ? 'for paths that end in .jpg' : undefined;
}

const MOST_SKEW_SECONDS = 60;

export const WAY_CAUSES: readonly Cause<WaySeen>[] = [
  {
    name: 'http-2-missing',
    signs: ({ tls }) => [
      advice(
        tls?.offersHttp2 === false,
        'the address offers no HTTP/2: a browser opens six connections at most, so pages with many pictures load slowly',
      ),
    ],
    advice: 'Let the proxy offer HTTP/2 to browsers. To Postern it may speak HTTP/1.1.',
    lines: {
      nginx: 'http2 on;    # before nginx 1.25.1: listen 443 ssl http2;',
      npm: 'HTTP/2 Support: on    # in the tab SSL',
      caddy: '# remove from the option protocols: h1 alone',
      traefik: '# tls.options: remove alpnProtocols: [http/1.1]',
      haproxy: 'bind :443 ssl crt /etc/haproxy/tls/nvr.pem alpn h2,http/1.1',
      apache: 'Protocols h2 http/1.1    # a2enmod http2',
      cloudflare: 'Speed > Settings > HTTP/2: on',
    },
  },
  {
    name: 'clock-differs',
    signs: ({ seen, now }) => {
      const skew = seen.time - now;
      return [
        error(
          Math.abs(skew) > MOST_SKEW_SECONDS,
          `the clock of Postern is ${Math.round(Math.abs(skew))} s ${skew > 0 ? 'ahead of' : 'behind'} the clock here: sessions end too early, or too late`,
        ),
      ];
    },
    advice: 'Set the clocks by NTP.',
  },
  {
    name: 'client-address-wrong',
    signs: (way) => [
      error(
        isProxied(way) && lastHop(way) === undefined,
        'the proxy sends no X-Forwarded-For: all clients share one address, so one client with too many failed logins locks out all',
      ),
      error(
        isProxied(way) && lastHop(way) === FORGED_ADDRESS,
        'the proxy passes the X-Forwarded-For of the client on unchanged: every client can choose its address, and the login limit has no effect',
      ),
    ],
    advice:
      'Let the proxy set X-Forwarded-For, or add the address that it sees, and name the proxy in auth.trusted_proxies.',
    lines: {
      nginx: 'proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;',
      caddy: '# remove: header_up X-Forwarded-For …',
      traefik:
        '# entryPoints: remove forwardedHeaders.insecure: true\n# remove from customRequestHeaders: X-Forwarded-For: ""',
      haproxy: 'option forwardfor',
      apache: 'ProxyAddHeaders On',
      cloudflare:
        'Rules > Settings > Managed Transforms: "Remove visitor IP headers" off\nauth.trusted_proxies: the networks of https://www.cloudflare.com/ips, and those alone',
    },
  },
  {
    name: 'proxy-not-trusted',
    signs: (way) => [
      error(
        isProxied(way) && lastHop(way) !== undefined && !way.seen.peerTrusted,
        `the proxy at ${way.seen.peer} is not in auth.trusted_proxies: its X-Forwarded headers are ignored`,
      ),
    ],
    advice: 'Add the address of the proxy, or its network, to auth.trusted_proxies.',
    lines: { cloudflare: 'auth.trusted_proxies: the networks of https://www.cloudflare.com/ips' },
  },
  {
    name: 'proto-wrong',
    signs: (way) => [
      error(
        way.url.protocol === 'https:' && !way.seen.encrypted && way.seen.peerTrusted,
        'the proxy sends no X-Forwarded-Proto: https, so Postern does not know that the browser uses TLS, and the session cookie is not Secure',
      ),
      error(
        way.url.protocol === 'http:' && way.seen.encrypted && isProxied(way),
        'the proxy sends X-Forwarded-Proto: https although the browser uses http: the browser drops the Secure session cookie, so every login ends at the login page again',
      ),
    ],
    advice: 'Serve the address by https, and let the proxy send the scheme that the browser used.',
    lines: {
      nginx: 'proxy_set_header X-Forwarded-Proto $scheme;',
      caddy: 'header_up X-Forwarded-Proto {scheme}',
      traefik:
        '# in front of another proxy: entryPoints.web.forwardedHeaders.trustedIPs\n# remove from customRequestHeaders: X-Forwarded-Proto',
      haproxy:
        'http-request set-header X-Forwarded-Proto https if { ssl_fc }\nhttp-request set-header X-Forwarded-Proto http unless { ssl_fc }',
      apache: 'RequestHeader set X-Forwarded-Proto expr=%{REQUEST_SCHEME}',
      cloudflare: 'SSL/TLS > Edge Certificates: Always Use HTTPS on',
    },
  },
  {
    name: 'host-lost',
    signs: (way) => {
      const [host, wanted] = [hostOf(way), withoutDefaultPort(way.url.host, way.url.protocol)];
      return [
        error(
          host !== undefined && withoutDefaultPort(host, way.url.protocol) !== wanted,
          `Postern is told the host ${host}, and the browser used ${wanted}: logins and WebSockets of the pages are refused as cross-site requests`,
        ),
      ];
    },
    advice: 'Let the proxy keep the Host of the browser, with its port.',
    lines: {
      nginx: 'proxy_set_header Host $http_host;',
      caddy: '# remove: header_up Host {upstream_hostport}',
      traefik: 'passHostHeader: true',
      haproxy: '# remove: http-request set-header Host …',
      apache: 'ProxyPreserveHost On',
      cloudflare: 'Rules > Origin Rules: remove Host Header',
    },
  },
  {
    name: 'upgrade-lost',
    signs: ({ upgrade, seen }) => {
      const isOld = seen.httpVersion === '1.0';
      return [
        error(isOld, 'the proxy speaks HTTP/1.0 to Postern: no WebSockets, no keep-alive, no chunked bodies'),
        error(
          !isOld && statusOf(upgrade) !== 404,
          'WebSockets do not work: the upgrade arrives as a plain request, or not at all, so live pictures stay black',
        ),
      ];
    },
    advice: 'Let the proxy speak HTTP/1.1 to Postern, and forward the headers Upgrade and Connection.',
    lines: {
      nginx: `map $http_upgrade $connection_upgrade { default upgrade; "" ""; }    # beside server { }
proxy_http_version 1.1;
proxy_set_header Upgrade $http_upgrade;
proxy_set_header Connection $connection_upgrade;`,
      npm: 'Websockets Support: on',
      caddy: '# remove: header_up -Upgrade, header_up -Connection',
      traefik: '# remove from customRequestHeaders: Upgrade, Connection',
      haproxy: '# remove: http-request del-header Upgrade',
      apache:
        'ProxyPass / http://postern:8971/ upgrade=websocket    # Apache 2.4.47 or newer\n# remove: SetEnv force-proxy-request-1.0 1',
      cloudflare: 'Network > WebSockets: on',
    },
  },
  {
    name: 'cookie-lost',
    signs: (way) => {
      const cookie = setCookie(way);
      const lost = cookie === undefined ? [] : lostOfCookie(way, cookie);
      return [
        error(!way.seen.cookies.includes(COOKIE), 'the cookies of the browser do not arrive, so no login lasts'),
        error(cookie === undefined, 'Set-Cookie does not arrive at the browser, so no login lasts'),
        error(lost.length > 0, `the proxy changes the cookie of Postern: ${lost.join(', ')} is missing in "${cookie}"`),
      ];
    },
    advice: 'Let the proxy forward the headers Cookie and Set-Cookie unchanged.',
    lines: {
      nginx: `# remove: proxy_set_header Cookie "";
# remove: proxy_hide_header Set-Cookie; proxy_ignore_headers Set-Cookie;
# remove: proxy_cookie_path, proxy_cookie_flags, proxy_cookie_domain`,
      caddy: '# remove: header_up -Cookie, header_down Set-Cookie …',
      traefik: '# remove from customRequestHeaders: Cookie; from customResponseHeaders: Set-Cookie',
      haproxy: '# remove: http-request del-header Cookie; http-response del-header and replace-header Set-Cookie',
      apache: '# remove: RequestHeader unset Cookie, Header unset or edit Set-Cookie, ProxyPassReverseCookiePath',
      cloudflare: 'Rules > Overview: remove Transform Rules and Snippets for this host',
    },
  },
  {
    name: 'identity-forgeable',
    signs: ({ seen, identityHeaders }) => {
      const names = identityHeaders.filter((name) => seen.headers[name]?.includes(FORGED_NAME)).join(', ');
      return [
        error(
          names !== '',
          `the proxy passes ${names} of the client on: a client that knows the header name can act as any user`,
        ),
      ];
    },
    advice: 'Let the proxy set or remove each identity header on every request.',
    lines: {
      nginx: 'proxy_set_header Remote-User $remote_user;\nproxy_set_header Remote-Groups "";',
      caddy: 'request_header -Remote-*    # before forward_auth, within route { }',
      traefik:
        '# middlewares, headers: customRequestHeaders: { Remote-User: "", Remote-Groups: "" }, before forwardAuth',
      haproxy: 'http-request del-header Remote-User\nhttp-request del-header Remote-Groups',
      apache: 'RequestHeader unset Remote-User early\nRequestHeader unset Remote-Groups early',
      cloudflare: 'Rules > Transform Rules > Modify Request Header: remove Remote-User and Remote-Groups',
    },
  },
  {
    name: 'requests-changed',
    signs: ({ seen, put }) => [
      error(
        !seen.target.endsWith(ODD_TARGET),
        `the proxy rewrites paths or queries: "…${ODD_TARGET}" arrived as "${seen.target.slice(-60)}"`,
      ),
      error(
        statusOf(put) !== 200,
        `PUT is answered with ${statusOf(put) || 'nothing'} by the proxy: users, roles and settings cannot be changed`,
      ),
    ],
    advice: 'Let the proxy forward path and query unchanged, and GET, HEAD, POST, PUT, PATCH, DELETE and OPTIONS.',
    lines: {
      nginx: 'proxy_pass http://postern:8971;    # nothing behind the port, no rewrite, no limit_except',
      caddy: '# remove: rewrite, uri, the matcher "method"',
      traefik: '# remove: replacePath, replacePathRegex, stripPrefix, addPrefix, Method(…) in the rule of the router',
      haproxy: '# remove: http-request set-path, set-query, deny if METH_PUT',
      apache:
        'ProxyPass / http://postern:8971/ nocanon\nAllowEncodedSlashes NoDecode\n# remove: <Limit PUT>, <LimitExcept GET POST>',
      cloudflare:
        'Rules > Settings > URL Normalization: off\nRules > Transform Rules > Rewrite URL, and WAF rules on the method: none for this host',
    },
  },
  {
    name: 'body-limit',
    signs: ({ upload }) => [
      error(
        !isPosterns(upload),
        `a body of 2 MB is answered with ${statusOf(upload) || 'a closed connection'} by the proxy: exports, faces and configurations cannot be uploaded`,
      ),
    ],
    advice: 'Raise the limit to nvr.max_upload (20 MB unless set), or remove it: Postern has its own limit.',
    lines: {
      nginx: 'client_max_body_size 0;',
      caddy: '# remove: request_body { max_size … }',
      traefik: '# middlewares, buffering: maxRequestBodyBytes: 0',
      haproxy: '# remove the rule on req.body_size or Content-Length',
      apache: 'LimitRequestBody 0',
      cloudflare: '# 100 MB in free plans, and not to be raised there: larger uploads go by another way',
    },
  },
  {
    name: 'buffered',
    signs: ({ stream, events, download }) => {
      const encoding = events?.encoding ?? stream?.encoding;
      return [
        error(encoding !== undefined, `the proxy compresses streams (${encoding}), which delays them`),
        error(
          stream !== undefined && !stream.cameAtOnce && stream.encoding === undefined,
          `the proxy buffers responses: the first bytes of a stream arrived only after ${stream?.silence} s, when it went on or ended. Live pictures stutter or stay black`,
        ),
        warning(
          stream?.cameAtOnce === true && download?.cameAtOnce === false && download.encoding === undefined,
          'the proxy buffers files and sends them in large pieces: clips and exports begin late',
        ),
      ];
    },
    advice: 'Turn response buffering off, and compress only text, never event streams or video.',
    lines: {
      nginx: 'proxy_buffering off;\ngzip off;    # or take text/event-stream and multipart/* out of gzip_types',
      caddy: 'flush_interval -1\n# remove: encode with a matcher that fits streams',
      traefik:
        '# middlewares: remove buffering\n# compress: excludedContentTypes: [text/event-stream, multipart/x-mixed-replace]',
      haproxy: '# remove: option http-buffer-request, filter compression, cache',
      apache: 'ProxyPass / http://postern:8971/ flushpackets=on\nSetEnv no-gzip 1',
      cloudflare: 'Rules > Compression Rules: no compression for this host',
    },
  },
  {
    name: 'cut-while-silent',
    signs: ({ stream }) => [
      error(
        stream?.wasWhole === false,
        `the proxy cuts a stream that is silent for ${stream?.silence} s: WebSockets and live views are cut again and again`,
      ),
    ],
    advice: 'Raise the time-out of the proxy for silent streams to an hour.',
    lines: {
      nginx: 'proxy_read_timeout 1h;\nproxy_send_timeout 1h;',
      caddy: '# remove: read_timeout, response_header_timeout of transport http',
      traefik: '# entryPoints: transport.respondingTimeouts: { readTimeout: 0, writeTimeout: 0 }',
      haproxy: 'timeout server 1h\ntimeout tunnel 1h',
      apache: 'ProxyTimeout 3600',
      cloudflare: '# 100 s, and more in Enterprise plans only: DNS > Proxy status: DNS only, for what is longer silent',
    },
  },
  {
    name: 'range-lost',
    signs: ({ file }) => [
      error(
        statusOf(file) !== 206,
        `a request for a part of a file (Range) got status ${statusOf(file) || 'none'} instead of 206: seeking in a recording fails, and Safari plays no video`,
      ),
    ],
    advice: 'Let the proxy forward the header Range, and pass 206 responses on unchanged.',
    lines: {
      nginx: '# remove: proxy_set_header Range ""; proxy_force_ranges, slice, proxy_cache',
      caddy: '# remove: header_up -Range',
      traefik: '# remove from customRequestHeaders: Range',
      haproxy: '# remove: http-request del-header Range',
      apache: '# remove: RequestHeader unset Range, MaxRanges none',
      cloudflare: 'Cache Rules: bypass for this host',
    },
  },
  {
    name: 'answers-cached',
    signs: ({ api }) => [
      error(
        cachedAt(api) !== undefined,
        `the proxy answers from its cache ${cachedAt(api)}, and asks for whom no more: what one user sees, and perhaps the session cookie that came with it, is sent to others and to strangers`,
      ),
    ],
    advice: 'Turn off the cache of the proxy for this host.',
    lines: {
      nginx: 'proxy_cache off;',
      npm: 'Cache Assets: off',
      caddy: '# remove: cache',
      traefik: '# middlewares: remove the plugin that caches',
      haproxy: '# remove: http-request cache-use, http-response cache-store',
      apache: 'CacheDisable /',
      cloudflare: 'Cache Rules: bypass for this host',
    },
  },
  {
    name: 'errors-replaced',
    signs: ({ refused }) => [
      error(
        !isPosterns(refused),
        `the proxy replaces Postern's error responses with its own page (status ${statusOf(refused) || 'none'}): the console and API clients cannot tell what is wrong`,
      ),
    ],
    advice: 'Let the proxy pass error responses on unchanged.',
    lines: {
      nginx: 'proxy_intercept_errors off;',
      caddy: '# remove: handle_response, handle_errors',
      traefik: '# middlewares: remove errors',
      haproxy: '# remove: http-error, errorfile and http-response return for 401 and 404',
      apache: 'ProxyErrorOverride Off',
      cloudflare: 'Rules > Error Pages, Custom Error Rules: none for this host',
    },
  },
];
