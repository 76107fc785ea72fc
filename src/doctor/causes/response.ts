/** Causes by which an answer arrives at the browser as another than Postern gave. */
import { type Cause, headerOf, isPosterns, statusOf, when } from '../cause.ts';
import { COOKIE, MARK } from '../marks.ts';
import type { Observations, ProbeResponse } from '../observations.ts';

const setCookie = ({ reach }: Observations): string | undefined =>
  headerOf(reach, 'set-cookie')
    ?.split(/, (?=\w+=)/)
    .find((line) => line.startsWith(`${COOKIE}=`));

const UNBUFFERED = {
  nginx: ['proxy_buffering off;'],
  npm: ['proxy_buffering off;    # under Advanced'],
  caddy: ['flush_interval -1'],
  haproxy: ['# remove: option http-buffer-request, filter compression, cache'],
  apache: ['ProxyPass / http://postern:8971/ flushpackets=on', 'SetEnv no-gzip 1'],
  traefik: ['# middlewares: remove buffering'],
};

const UNCACHED = {
  nginx: ['proxy_cache off;'],
  haproxy: ['# remove: http-request cache-use, http-response cache-store'],
  apache: ['CacheDisable /'],
  cloudflare: ['Cache Rules: bypass for this host'],
  npm: ['Cache Assets: off'],
};

const areAllCached = ({ again, seen }: Observations): boolean =>
  seen !== undefined && again?.seen !== undefined && !again.seen.headers[MARK]?.includes(again.sent);

/** Postern gives no two answers the same id. */
function areAlike(responses: readonly ProbeResponse[]): boolean {
  const ids = responses.map((response) => headerOf(response, 'x-request-id')).filter((id) => id !== undefined);
  return new Set(ids).size < ids.length;
}

/** Where the proxy answers from its cache; undefined where it does not. */
function cachedAt(seen: Observations): string | undefined {
  if (areAllCached(seen)) return 'everywhere';
  if (!seen.api) return undefined;
  const { known, unknown, knownAgain, forEverybody, pictures } = seen.api;
  const isShown =
    known.kind === 'answered' && unknown.kind === 'answered' && unknown.status === 200 && unknown.body === known.body;
  if (isShown || areAlike([known, unknown, knownAgain]) || areAlike(forEverybody)) return 'below /api/';
  return areAlike(pictures) ? 'for paths that end in .jpg' : undefined;
}

export const RESPONSE_CAUSES: readonly Cause[] = [
  {
    name: 'set-cookie-lost',
    level: 'error',
    sign: (seen) =>
      when(
        seen.seen !== undefined && setCookie(seen) === undefined,
        'Set-Cookie does not arrive at the browser, so no login lasts',
      ),
    advice: 'Let the proxy forward the header Set-Cookie.',
    lines: {
      nginx: ['# remove: proxy_hide_header Set-Cookie; proxy_ignore_headers Set-Cookie;'],
      haproxy: ['# remove: http-response del-header Set-Cookie'],
      caddy: ['# remove: header_down -Set-Cookie'],
      apache: ['# remove: Header unset Set-Cookie'],
    },
  },
  {
    name: 'set-cookie-changed',
    level: 'error',
    sign: (seen) => {
      const cookie = setCookie(seen);
      if (cookie === undefined || seen.seen === undefined) return undefined;
      const wanted = [`Path=${seen.seen.basePath}/`, 'HttpOnly', ...(seen.seen.encrypted ? ['Secure'] : [])];
      const parts = cookie.split('; ').map((part) => part.toLowerCase());
      const lost = wanted.filter((part) => !parts.includes(part.toLowerCase()));
      return when(
        lost.length > 0,
        `the proxy changes the cookie of Postern: ${lost.join(', ')} is missing in "${cookie}"`,
      );
    },
    advice: 'Let the proxy forward the header Set-Cookie unchanged.',
    lines: {
      nginx: ['# remove: proxy_cookie_path, proxy_cookie_flags, proxy_cookie_domain'],
      haproxy: ['# remove: http-response replace-header Set-Cookie'],
      caddy: ['# remove: header_down Set-Cookie …'],
      apache: ['# remove: ProxyPassReverseCookiePath, Header edit Set-Cookie'],
    },
  },
  {
    name: 'buffered',
    level: 'error',
    sign: ({ stream }) =>
      when(
        stream !== undefined && !stream.cameAtOnce && stream.encoding === undefined,
        `the proxy buffers responses: the first bytes of a stream arrived only after ${stream?.silence} s, when it went on or ended. Live pictures stutter or stay black`,
      ),
    advice: 'Turn response buffering off.',
    lines: UNBUFFERED,
  },
  {
    name: 'buffered-files',
    level: 'warning',
    sign: ({ stream, download }) =>
      when(
        stream?.cameAtOnce === true && download?.cameAtOnce === false && download.encoding === undefined,
        'the proxy buffers files and sends them in large pieces: clips and exports begin late',
      ),
    advice: 'Turn response buffering off.',
    lines: UNBUFFERED,
  },
  {
    name: 'stream-compressed',
    level: 'error',
    sign: ({ stream, events }) => {
      const encoding = events?.encoding ?? stream?.encoding;
      return when(encoding !== undefined, `the proxy compresses streams (${encoding}), which delays them`);
    },
    advice: 'Compress only text, never event streams or video.',
    lines: {
      nginx: ['gzip off;    # or take text/event-stream and multipart/* out of gzip_types'],
      haproxy: ['# remove text/event-stream and multipart from: compression type'],
      caddy: ['# remove: encode with a matcher that fits streams'],
      apache: ['SetEnv no-gzip 1'],
      traefik: ['# middlewares, compress: excludedContentTypes: [text/event-stream, multipart/x-mixed-replace]'],
    },
  },
  {
    name: 'cut-while-silent',
    level: 'error',
    sign: ({ stream }) =>
      when(
        stream !== undefined && !stream.wasWhole,
        `the proxy cuts a stream that is silent for ${stream?.silence} s: WebSockets and live views are cut again and again`,
      ),
    advice: 'Raise the time-out of the proxy for silent streams to an hour.',
    lines: {
      nginx: ['proxy_read_timeout 1h;', 'proxy_send_timeout 1h;'],
      npm: ['proxy_read_timeout 1h;    # under Advanced'],
      haproxy: ['timeout server 1h', 'timeout tunnel 1h'],
      caddy: ['# remove: read_timeout, response_header_timeout of transport http'],
      apache: ['ProxyTimeout 3600'],
      traefik: ['# entryPoints: transport.respondingTimeouts: { readTimeout: 0, writeTimeout: 0 }'],
    },
  },
  {
    name: 'range-lost',
    level: 'error',
    sign: ({ seen, file }) =>
      when(
        seen !== undefined && statusOf(file) !== 206,
        `a request for a part of a file (Range) got status ${statusOf(file) ?? 'none'} instead of 206: seeking in a recording fails, and Safari plays no video`,
      ),
    advice: 'Let the proxy forward the header Range, and pass 206 responses on unchanged.',
    lines: {
      nginx: ['# remove: proxy_set_header Range ""; proxy_force_ranges, slice, proxy_cache'],
      haproxy: ['# remove: http-request del-header Range'],
      caddy: ['# remove: header_up -Range'],
      apache: ['# remove: RequestHeader unset Range, MaxRanges none'],
      cloudflare: ['Cache Rules: bypass for this host'],
    },
  },
  {
    name: 'answers-cached',
    level: 'error',
    sign: (seen) => {
      const where = cachedAt(seen);
      return (
        where &&
        `the proxy answers from its cache ${where}, and asks for whom no more: what one user sees, and perhaps the session cookie that came with it, is sent to others and to strangers`
      );
    },
    advice: 'Turn off the cache of the proxy for this host.',
    lines: UNCACHED,
  },
  {
    name: 'errors-replaced',
    level: 'error',
    sign: ({ seen, refused }) =>
      when(
        seen !== undefined && !isPosterns(refused),
        `the proxy replaces Postern's error responses with its own page (status ${statusOf(refused) ?? 'none'}): the console and API clients cannot tell what is wrong`,
      ),
    advice: 'Let the proxy pass error responses on unchanged.',
    lines: {
      nginx: ['proxy_intercept_errors off;'],
      haproxy: ['# remove: http-error, errorfile and http-response return for 401 and 404'],
      caddy: ['# remove: handle_response, handle_errors'],
      apache: ['ProxyErrorOverride Off'],
      traefik: ['# middlewares: remove errors'],
    },
  },
];
