/** All probes through one public address, and what was seen by them (SPEC 15). */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { parsedJson } from '../../domain/json.ts';
import { faultMessage } from '../../domain/result.ts';
import {
  COOKIE,
  FORGED_ADDRESS,
  FORGED_NAME,
  LONGEST_SILENCE_SECONDS,
  ODD_TARGET,
  PICTURE,
  RANGE,
  STREAM_END,
  UPLOAD_BYTES,
} from './marks.ts';
import type { ArrivedProbe } from './probe-routes.ts';
import { open, type Probe, type ProbeResponse, send } from './send.ts';

/** What of the machine that looks is needed for the probes. */
export interface ExamineOptions {
  /** Where the pages are, without what is below them. */
  readonly url: URL;
  /** An API token that may nothing but be known. */
  readonly token: string;
  readonly identityHeaders: readonly string[];
  /** Sent with each probe: what the proxy wants of a browser. */
  readonly headers: OutgoingHttpHeaders;
  /** PEM of an authority to be believed. */
  readonly ca: string | undefined;
  /** Seconds that a stream is silent. */
  readonly silence: number;
  /** Unix seconds. */
  readonly now: () => number;
}

const PATIENCE_MS = 10_000;
/** A second reading waits for so many times as long. */
const SURE_FACTOR = 3;

export async function examine(options: ExamineOptions): Promise<FirstSeen | WaySeen> {
  const known = { authorization: `Bearer ${options.token}`, ...options.headers };
  const at = (path: string): URL => new URL(`${prefixOf(options.url)}${PROBES}${path}`, options.url.origin);
  const ask: Ask = (path, probe = {}) =>
    send({ url: at(path), timeoutMs: PATIENCE_MS, ...probe, headers: { ...known, ...probe.headers } });
  const first = await lookFirst(options, ask);
  const { seen } = first;
  if (!seen) return first;
  const read: Read = (form, seconds) => {
    const url = at(`/stream?silence=${seconds}&form=${form}`);
    return readStream({ url, headers: { ...known, 'accept-encoding': 'gzip' }, timeoutMs: PATIENCE_MS }, seconds);
  };
  return { ...first, seen, ...(await lookAlong(options, ask, read)) };
}

type Ask = (path: string, probe?: Partial<Probe>) => Promise<ProbeResponse>;
type Read = (form: string, seconds: number) => Promise<StreamSeen>;

/** The path below which the pages are said to be; empty for none. */
const prefixOf = (url: URL): string => url.pathname.replace(/\/$/, '');

/** What the first probe saw. */
export type FirstSeen = Awaited<ReturnType<typeof lookFirst>>;

async function lookFirst({ url, ca, now, identityHeaders }: ExamineOptions, ask: Ask) {
  const [reach, tls] = await Promise.all([
    ask(ODD_TARGET, { headers: asBrowser(identityHeaders) }),
    lookAtTls(url, ca),
  ]);
  const protocol: 'http:' | 'https:' = url.protocol === 'https:' ? 'https:' : 'http:';
  return {
    url: { protocol, host: url.host, prefix: prefixOf(url) },
    /** Unix seconds of the clock here. */
    now: now(),
    /** Names of the headers that Postern takes an identity from; none with accounts of its own. */
    identityHeaders,
    reach,
    tls,
    /** Undefined when Postern was not reached, or did not know doctor's token. */
    seen: seenIn(reach),
  };
}

/** What all probes saw, where the first arrived. */
export type WaySeen = FirstSeen & { readonly seen: ArrivedProbe } & Awaited<ReturnType<typeof lookAlong>>;

async function lookAlong(options: ExamineOptions, ask: Ask, read: Read) {
  const { silence } = options;
  // A machine or a line that was busy for a moment looks like a proxy that keeps answers back, but not twice.
  const readSurely = async (form: string): Promise<StreamSeen> => {
    const seen = await read(form, silence);
    const isKeptBack = seen?.wasWhole && !seen.cameAtOnce && seen.encoding === undefined;
    if (!isKeptBack) return seen;
    const again = await read(form, Math.min(silence * SURE_FACTOR, LONGEST_SILENCE_SECONDS));
    // What is there before the silence is over is the first reading, from a cache: it says nothing of the way.
    return again?.wasWhole && again.took < again.silence ? seen : again;
  };
  const octets = { 'content-type': 'application/octet-stream' };
  const [api, upgrade, put, upload, file, refused, stream, events, download] = await Promise.all([
    lookAtApi(options),
    ask('/socket', { headers: UPGRADE }),
    ask('/seen', { method: 'PUT' }),
    ask('/upload', { method: 'POST', body: Buffer.alloc(UPLOAD_BYTES), headers: octets }),
    ask('/file', { headers: { range: `bytes=${RANGE.first}-${RANGE.last}` } }),
    ask('/nothing'),
    readSurely('parts'),
    readSurely('events'),
    readSurely('file'),
  ]);
  /** `refused`: with a sentence in JSON. `download`: a stream with a length that is said before. */
  return { api, upgrade, put, upload, file, refused, stream, events, download };
}

const PROBES = '/postern/api/doctor';
const WHO_AM_I = '/api/profile';
const FOR_EVERYBODY = '/api/auth/first_time_login';

/**
 * Routes of Postern below `/api/`, asked one after the other: each answer has an id of its own, unless it is from a cache, where
 * what the first leaves is the answer to the next. Proxies keep answers to a token less often than those to a cookie.
 */
async function lookAtApi({ url, token, headers }: ExamineOptions) {
  const prefix = prefixOf(url);
  const get = (path: string, more: OutgoingHttpHeaders): Promise<ProbeResponse> =>
    send({ url: new URL(`${prefix}${path}`, url.origin), timeoutMs: PATIENCE_MS, headers: { ...headers, ...more } });
  const asKnown = { authorization: `Bearer ${token}` };
  const browsers = [1, 2].map((): OutgoingHttpHeaders => ({ cookie: `${COOKIE}=${randomUUID()}` }));
  const known = await get(WHO_AM_I, asKnown);
  const unknown = await get(WHO_AM_I, {});
  const knownAgain = await get(WHO_AM_I, asKnown);
  const inTurn = (path: string, askers: readonly OutgoingHttpHeaders[]): Promise<readonly ProbeResponse[]> =>
    Array.fromAsync(askers, (asker) => get(path, asker));
  const forEverybody = await inTurn(FOR_EVERYBODY, browsers);
  const pictures = await inTurn(`${PROBES}${PICTURE}`, [asKnown, ...browsers, {}]);
  return { known, unknown, knownAgain, forEverybody, pictures };
}

const UPGRADE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'cG9zdGVybi1kb2N0b3IhIQ==',
};

/** The headers of a browser, with headers that an attacker might add, to see whether they arrive. */
const asBrowser = (identityHeaders: readonly string[]): OutgoingHttpHeaders => ({
  cookie: `${COOKIE}=1`,
  'x-forwarded-for': FORGED_ADDRESS,
  ...Object.fromEntries(identityHeaders.map((name) => [name, FORGED_NAME])),
});

function seenIn(response: ProbeResponse): ArrivedProbe | undefined {
  if (response.kind !== 'answered' || response.status !== 200) return undefined;
  const told = Object(parsedJson(response.body)) as { service?: unknown; seen?: ArrivedProbe };
  return told.service === 'postern' ? told.seen : undefined;
}

/** The certificate as a browser judges it; undefined when there is no TLS there: the first probe says why. `ca`: PEM of an authority that is to be believed too. */
async function lookAtTls(url: URL, ca: string | undefined): Promise<ReturnType<typeof judged> | undefined> {
  if (url.protocol !== 'https:') return undefined;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const socket = connect({
    host,
    port: Number(url.port) || 443,
    ...(isIP(host) ? {} : { servername: host }),
    ...(ca === undefined ? {} : { ca }),
    rejectUnauthorized: false,
    ALPNProtocols: ['h2', 'http/1.1'],
  });
  socket.on('error', () => {});
  try {
    // For the whole handshake: a peer that sends a byte now and then is not waited for.
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(PATIENCE_MS) });
    return judged(socket);
  } catch {
    return undefined;
  } finally {
    socket.destroy();
  }
}

function judged(socket: TLSSocket) {
  const { valid_to, fingerprint256 } = socket.getPeerCertificate();
  const fault = socket.authorizationError;
  return {
    /** Node's words for what is wrong with the chain or the name; undefined when a browser would take it. */
    fault: fault ? faultMessage(fault) : undefined,
    /** Unix seconds. */
    endsAt: Date.parse(valid_to) / 1000,
    /** SHA-256 of it. */
    certificate: fingerprint256,
    offersHttp2: socket.alpnProtocol === 'h2',
  };
}

/** A stream that says something, is silent for a while, and says its last. */
type StreamSeen = Awaited<ReturnType<typeof readStream>>;

const SLACK_MS = 5_000;
/** A live picture that is so late does no harm: nginx with TLS holds back what does not fill its buffer, until the next frame. */
const MOST_DELAY_MS = 1000;

/** Undefined when it was not answered with 200. `silence`: seconds that are asked for. */
export async function readStream(probe: Probe, silence: number) {
  // From the question on: a proxy that keeps back the first bytes may keep back the head with them. By the clock: on a
  // busy machine bytes are read before a timer that was due earlier.
  const begin = performance.now();
  const mostDelay = Math.min(MOST_DELAY_MS, silence * 500);
  const request = open({ ...probe, signal: AbortSignal.timeout(silence * 1000 + SLACK_MS) });
  request.on('error', () => {});
  const [response]: IncomingMessage[] = await once(request.end(), 'response').catch(() => []);
  if (response?.statusCode !== 200) return void request.destroy();
  let firstAt: number | undefined;
  let said = '';
  try {
    for await (const chunk of response) {
      firstAt ??= performance.now();
      said = (said + chunk.toString('latin1')).slice(-STREAM_END.length);
    }
  } catch {
    // What came is judged.
  }
  const end = performance.now();
  // On a slow way the first bytes come late, but the silence behind them is as long as the server made it.
  const cameAtOnce =
    firstAt !== undefined && (firstAt - begin < mostDelay || end - firstAt > silence * 1000 - mostDelay);
  const encoding = response.headers['content-encoding'];
  /** `cameAtOnce`: what was said first was delayed by no more than a second. `took`: seconds of the whole. */
  return { cameAtOnce, wasWhole: isWhole(response, said), encoding, silence, took: (end - begin) / 1000 };
}

/** Compressed it cannot be read, and the proxy that compressed it is told of anyway. */
const isWhole = ({ complete, headers }: IncomingMessage, said: string): boolean =>
  complete && (headers['content-encoding'] !== undefined || said === STREAM_END);
