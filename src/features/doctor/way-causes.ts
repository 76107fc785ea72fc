/** Causes on the way between a browser and Postern, in the order in which a request goes (SPEC 15). */
import { advice, type Cause, error, isPosterns, probeHeader, probeStatus, warning } from './cause.ts';
import type { FirstSeen, WaySeen } from './examine.ts';
import { COOKIE, FORGED_ADDRESS, FORGED_NAME, ODD_TARGET } from './marks.ts';
import type { ProbeResponse } from './send.ts';

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
  const [status, location] = [probeStatus(reach), probeHeader(reach, 'location')];
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
// biome-ignore format: a table
export const FIRST_CAUSES: readonly Cause<FirstSeen>[] = [
  error('unreachable', ({ reach, url }) => reach.kind === 'failed' && `${url.host}: ${NETWORK[reach.code] ?? reach.message}`),
  error('bad-gateway', ({ reach }) => reach.kind === 'answered' && PLAIN_HTTP_AT_TLS_PORT.test(reach.body) &&
    'the proxy speaks plain HTTP to a port that expects HTTPS'),
  error('bad-gateway', ({ reach }) => [502, 503, 504].includes(probeStatus(reach)) && !isPosterns(reach) &&
    `the proxy answers ${probeStatus(reach)}: it cannot reach Postern`),
  error('redirected', redirection),
  warning('login-in-front', (seen) => {
    const to = redirectedTo(seen);
    const isAsked = to !== undefined || (probeStatus(seen.reach) === 401 && !isPosterns(seen.reach));
    const where = to ? `, at ${to.origin}` : '';
    return isAsked && `the proxy asks for a login first${where}: doctor cannot check what is behind it`;
  }),
  error('base-path-differs', ({ url, seen }) => seen && seen.basePath !== url.prefix &&
    `the pages are at ${url.prefix || '/'}, and server.base_path is ${seen.basePath || 'not set'}: redirects and cookies do not work`),
  error('base-path-differs', ({ reach, url, seen }) =>
    !seen && url.prefix !== '' && isPosterns(reach) && [403, 404].includes(probeStatus(reach)) &&
    `Postern does not know ${url.prefix} as its base path`),
  error('authorization-lost', ({ reach, seen }) => !seen && isPosterns(reach) && probeStatus(reach) === 401 &&
    'the header Authorization did not arrive, or the address leads to another Postern than the one with this configuration'),
  error('not-postern', ({ reach, seen }) => !seen && !isPosterns(reach) &&
    `another program than Postern answers there (status ${probeStatus(reach)}): it may be the NVR itself, without protection`),
];

const SOON_SECONDS = 14 * 86_400;
const NAME_FAULT = /ALTNAME|altnames|does not match/i;
const day = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10);

/** What names the certificate of another host. */
const isForOther = ({ fault = '' }: { readonly fault?: string | undefined }): boolean => NAME_FAULT.test(fault);

/** Told whatever answers. */
// biome-ignore format: a table
export const CERTIFICATE_CAUSES: readonly Cause<FirstSeen>[] = [
  error('certificate', ({ tls, now }) => tls && tls.endsAt <= now && `the certificate ended on ${day(tls.endsAt)}`),
  warning('certificate', ({ tls, now }) => tls && tls.endsAt > now && tls.endsAt - now < SOON_SECONDS &&
    `the certificate ends on ${day(tls.endsAt)}`),
  error('certificate', ({ tls, url }) => tls && isForOther(tls) && `the certificate is for another name than ${url.host}`),
  warning('certificate', ({ tls, now }) => tls?.fault && !isForOther(tls) && tls.endsAt > now &&
    `browsers do not trust the certificate (${tls.fault}): they warn, and Home Assistant refuses unless its check is off`),
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
const arrivedHost = ({ seen }: WaySeen): string | undefined =>
  (seen.peerTrusted ? seen.headers['x-forwarded-host']?.[0] : undefined) ?? seen.headers['host']?.[0];

const withoutDefaultPort = (host: string, protocol: string): string =>
  host.toLowerCase().replace(protocol === 'https:' ? /:443$/ : /:80$/, '');

const setCookie = ({ reach }: WaySeen): string | undefined =>
  probeHeader(reach, 'set-cookie')
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
  const ids = responses.map((response) => probeHeader(response, 'x-request-id')).filter((id) => id !== undefined);
  return new Set(ids).size < ids.length;
}

/** Where the proxy answers from its cache; undefined where it does not. */
function cachedAt({ known, unknown, knownAgain, forEverybody, pictures }: WaySeen['api']): string | undefined {
  const isShown =
    known.kind === 'answered' && unknown.kind === 'answered' && unknown.status === 200 && unknown.body === known.body;
  if (isShown || areAlike([known, unknown, knownAgain]) || areAlike(forEverybody)) return 'below /api/';
  return areAlike(pictures) ? 'for paths that end in .jpg' : undefined;
}

const MOST_SKEW_SECONDS = 60;

// biome-ignore format: a table
export const WAY_CAUSES: readonly Cause<WaySeen>[] = [
  advice('http-2-missing', ({ tls }) => tls?.offersHttp2 === false &&
    'the address offers no HTTP/2: a browser opens six connections at most, so pages with many pictures load slowly'),
  error('clock-differs', ({ seen, now }) => Math.abs(seen.time - now) > MOST_SKEW_SECONDS &&
    `the clock of Postern is ${Math.round(Math.abs(seen.time - now))} s ${seen.time > now ? 'ahead of' : 'behind'} the clock here: sessions end too early, or too late`),
  error('client-address-wrong', (way) => isProxied(way) && lastHop(way) === undefined &&
    'the proxy sends no X-Forwarded-For: all clients share one address, so one client with too many failed logins locks out all'),
  error('client-address-wrong', (way) => isProxied(way) && lastHop(way) === FORGED_ADDRESS &&
    'the proxy passes the X-Forwarded-For of the client on unchanged: every client can choose its address, and the login limit has no effect'),
  error('proxy-not-trusted', (way) => isProxied(way) && lastHop(way) !== undefined && !way.seen.peerTrusted &&
    `the proxy at ${way.seen.peer} is not in auth.trusted_proxies: its X-Forwarded headers are ignored`),
  error('proto-wrong', ({ url, seen }) => url.protocol === 'https:' && !seen.encrypted && seen.peerTrusted &&
    'the proxy sends no X-Forwarded-Proto: https, so Postern does not know that the browser uses TLS, and the session cookie is not Secure'),
  error('proto-wrong', (way) => way.url.protocol === 'http:' && way.seen.encrypted && isProxied(way) &&
    'the proxy sends X-Forwarded-Proto: https although the browser uses http: the browser drops the Secure session cookie, so every login ends at the login page again'),
  error('host-lost', (way) => {
    const [host, wanted] = [arrivedHost(way), withoutDefaultPort(way.url.host, way.url.protocol)];
    return host !== undefined && withoutDefaultPort(host, way.url.protocol) !== wanted &&
      `Postern is told the host ${host}, and the browser used ${wanted}: logins and WebSockets of the pages are refused as cross-site requests`;
  }),
  error('upgrade-lost', ({ seen }) => seen.httpVersion === '1.0' &&
    'the proxy speaks HTTP/1.0 to Postern: no WebSockets, no keep-alive, no chunked bodies'),
  error('upgrade-lost', ({ upgrade, seen }) => seen.httpVersion !== '1.0' && probeStatus(upgrade) !== 404 &&
    'WebSockets do not work: the upgrade arrives as a plain request, or not at all, so live pictures stay black'),
  error('cookie-lost', ({ seen }) => !seen.cookies.includes(COOKIE) &&
    'the cookies of the browser do not arrive, so no login lasts'),
  error('cookie-lost', (way) => setCookie(way) === undefined && 'Set-Cookie does not arrive at the browser, so no login lasts'),
  error('cookie-lost', (way) => {
    const cookie = setCookie(way);
    const lost = cookie === undefined ? [] : lostOfCookie(way, cookie);
    return lost.length > 0 && `the proxy changes the cookie of Postern: ${lost.join(', ')} is missing in "${cookie}"`;
  }),
  error('identity-forgeable', ({ seen, identityHeaders }) => {
    const names = identityHeaders.filter((name) => seen.headers[name]?.includes(FORGED_NAME)).join(', ');
    return names !== '' && `the proxy passes ${names} of the client on: a client that knows the header name can act as any user`;
  }),
  error('requests-changed', ({ seen }) => !seen.target.endsWith(ODD_TARGET) &&
    `the proxy rewrites paths or queries: "…${ODD_TARGET}" arrived as "${seen.target.slice(-60)}"`),
  error('requests-changed', ({ put }) => probeStatus(put) !== 200 &&
    `PUT is answered with ${probeStatus(put) || 'nothing'} by the proxy: users, roles and settings cannot be changed`),
  error('body-limit', ({ upload }) => !isPosterns(upload) &&
    `a body of 2 MB is answered with ${probeStatus(upload) || 'a closed connection'} by the proxy: exports, faces and configurations cannot be uploaded`),
  error('buffered', ({ stream, events }) => {
    const encoding = events?.encoding ?? stream?.encoding;
    return encoding !== undefined && `the proxy compresses streams (${encoding}), which delays them`;
  }),
  error('buffered', ({ stream }) => stream && !stream.cameAtOnce && stream.encoding === undefined &&
    `the proxy buffers responses: the first bytes of a stream arrived only after ${stream.silence} s, when it went on or ended. Live pictures stutter or stay black`),
  warning('buffered', ({ stream, download }) => stream?.cameAtOnce && download?.cameAtOnce === false && download.encoding === undefined &&
    'the proxy buffers files and sends them in large pieces: clips and exports begin late'),
  error('cut-while-silent', ({ stream }) => stream?.wasWhole === false &&
    `the proxy cuts a stream that is silent for ${stream.silence} s: WebSockets and live views are cut again and again`),
  error('range-lost', ({ file }) => probeStatus(file) !== 206 &&
    `a request for a part of a file (Range) got status ${probeStatus(file) || 'none'} instead of 206: seeking in a recording fails, and Safari plays no video`),
  error('answers-cached', ({ api }) => cachedAt(api) !== undefined &&
    `the proxy answers from its cache ${cachedAt(api)}, and asks for whom no more: what one user sees, and perhaps the session cookie that came with it, is sent to others and to strangers`),
  error('errors-replaced', ({ refused }) => !isPosterns(refused) &&
    `the proxy replaces Postern's error responses with its own page (status ${probeStatus(refused) || 'none'}): the console and API clients cannot tell what is wrong`),
];
