/** Causes by which a request arrives at Postern changed: without its upgrade, cookie, target, method or body. */
import { type Cause, isPosterns, statusOf, when } from '../cause.ts';
import { COOKIE, FORGED_NAME, ODD_TARGET } from '../marks.ts';

export const REQUEST_CAUSES: readonly Cause[] = [
  {
    name: 'http-1-0',
    level: 'error',
    sign: ({ seen }) =>
      when(
        seen?.httpVersion === '1.0',
        'the proxy speaks HTTP/1.0 to Postern: no WebSockets, no keep-alive, no chunked bodies',
      ),
    advice: 'Let the proxy speak HTTP/1.1 to Postern.',
    lines: {
      nginx: ['proxy_http_version 1.1;', 'proxy_set_header Connection $connection_upgrade;'],
      apache: ['# remove: SetEnv force-proxy-request-1.0 1'],
    },
  },
  {
    name: 'upgrade-lost',
    level: 'error',
    sign: ({ upgrade, seen }) =>
      when(
        seen !== undefined && seen.httpVersion !== '1.0' && statusOf(upgrade) !== 404,
        'WebSockets do not work: the upgrade arrives as a plain request, or not at all, so live pictures stay black',
      ),
    advice: 'Let the proxy forward the headers Upgrade and Connection.',
    lines: {
      nginx: [
        'map $http_upgrade $connection_upgrade { default upgrade; "" ""; }    # beside server { }',
        'proxy_http_version 1.1;',
        'proxy_set_header Upgrade $http_upgrade;',
        'proxy_set_header Connection $connection_upgrade;',
      ],
      npm: ['Websockets Support: on'],
      haproxy: ['# remove: http-request del-header Upgrade'],
      caddy: ['# remove: header_up -Upgrade, header_up -Connection'],
      apache: ['ProxyPass / http://postern:8971/ upgrade=websocket    # Apache 2.4.47 or newer'],
      cloudflare: ['Network > WebSockets: on'],
    },
  },
  {
    name: 'cookie-lost',
    level: 'error',
    sign: ({ seen }) =>
      when(
        seen !== undefined && !seen.cookies.includes(COOKIE),
        'the cookies of the browser do not arrive, so no login lasts',
      ),
    advice: 'Let the proxy forward the header Cookie.',
    lines: {
      nginx: ['# remove: proxy_set_header Cookie "";'],
      haproxy: ['# remove: http-request del-header Cookie'],
      caddy: ['# remove: header_up -Cookie'],
      apache: ['# remove: RequestHeader unset Cookie'],
    },
  },
  {
    name: 'identity-forgeable',
    level: 'error',
    sign: ({ seen, identityHeaders }) => {
      const names = identityHeaders.filter((name) => seen?.headers[name]?.includes(FORGED_NAME));
      return when(
        names.length > 0,
        `the proxy passes ${names.join(', ')} of the client on: a client that knows the header name can act as any user`,
      );
    },
    advice: 'Let the proxy set or remove each identity header on every request.',
    lines: {
      nginx: ['proxy_set_header Remote-User $remote_user;', 'proxy_set_header Remote-Groups "";'],
      haproxy: ['http-request del-header Remote-User', 'http-request del-header Remote-Groups'],
      caddy: ['request_header -Remote-*    # before forward_auth, within route { }'],
      apache: ['RequestHeader unset Remote-User early', 'RequestHeader unset Remote-Groups early'],
      traefik: [
        '# middlewares, headers: customRequestHeaders: { Remote-User: "", Remote-Groups: "" }, before forwardAuth',
      ],
    },
  },
  {
    name: 'target-rewritten',
    level: 'error',
    sign: ({ seen }) =>
      when(
        seen !== undefined && !seen.target.endsWith(ODD_TARGET),
        `the proxy rewrites paths or queries: "…${ODD_TARGET}" arrived as "${seen?.target.slice(-60)}"`,
      ),
    advice: 'Let the proxy forward path and query unchanged.',
    lines: {
      nginx: ['proxy_pass http://postern:8971;    # nothing behind the port, no rewrite'],
      caddy: ['# remove: rewrite, uri'],
      haproxy: ['# remove: http-request set-path, set-query'],
      apache: ['ProxyPass / http://postern:8971/ nocanon', 'AllowEncodedSlashes NoDecode'],
    },
  },
  {
    name: 'methods-refused',
    level: 'error',
    sign: ({ seen, put }) =>
      when(
        seen !== undefined && statusOf(put) !== 200,
        `PUT is answered with ${statusOf(put) ?? 'nothing'} by the proxy: users, roles and settings cannot be changed`,
      ),
    advice: 'Let the proxy forward GET, HEAD, POST, PUT, PATCH, DELETE and OPTIONS.',
    lines: {
      nginx: ['# remove: limit_except'],
      haproxy: ['# remove: http-request deny if METH_PUT'],
      caddy: ['# remove the matcher "method"'],
      apache: ['# remove: <Limit PUT>, <LimitExcept GET POST>'],
    },
  },
  {
    name: 'body-limit',
    level: 'error',
    sign: ({ seen, upload }) => {
      if (seen === undefined || isPosterns(upload)) return undefined;
      return `a body of 2 MB is answered with ${statusOf(upload) ?? 'a closed connection'} by the proxy: exports, faces and configurations cannot be uploaded`;
    },
    advice: 'Raise the limit to nvr.max_upload (20 MB unless set), or remove it: Postern has its own limit.',
    lines: {
      nginx: ['client_max_body_size 0;'],
      npm: ['client_max_body_size 0;    # under Advanced'],
      caddy: ['# remove: request_body { max_size … }'],
      haproxy: ['# remove the rule on req.body_size or Content-Length'],
      apache: ['LimitRequestBody 0'],
      traefik: ['# middlewares, buffering: maxRequestBodyBytes: 0'],
    },
  },
];
