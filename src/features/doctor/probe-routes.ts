/** `/postern/api/doctor/…`: what a request of doctor's was when it arrived, for everybody who is logged in (SPEC 15). */
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type PeerCertificate, TLSSocket } from 'node:tls';
import { z } from 'zod';
import type { Settings } from '../../config/schema/schema.ts';
import { trustedNetworks } from '../../domain/addresses.ts';
import type { Clock } from '../../domain/clock.ts';
import type { OwnRoute, RouteContext } from '../../routes/own-route.ts';
import { readBody } from '../../routes/read-body.ts';
import { ANY, named } from '../../routes/shapes.ts';
import { COOKIE, FILE_BYTES, LONGEST_SILENCE_SECONDS, PICTURE, STREAM_END, UPLOAD_BYTES } from './marks.ts';

export type ProbeRules = ReturnType<typeof probeRules>;

/** What the routes that doctor's probes ask need of the settings. */
export const probeRules = (settings: Settings, clock: Clock) => ({
  /** Whether the address is in auth.trusted_proxies. */
  isTrustedPeer: trustedNetworks(settings.auth.trusted_proxies).includes,
  identityHeaders: identityHeaders(settings),
  /** Unix seconds. */
  now: () => clock.now() / 1000,
});

/** The headers in which an identity may come, lower-case. None with accounts of its own: then no header says who calls. */
export function identityHeaders({ auth, proxy }: Settings): readonly string[] {
  if (auth.enabled) return [];
  const { user, role } = proxy.header_map;
  return [...new Set([user, role].filter((name) => name !== undefined))];
}

const ROOT = '/postern/api/doctor';
/** Headers that carry the user, the scheme and the client's address. */
const TOLD = ['host', 'x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'via'];
const LONGEST_TOLD = 500;
const NO_CHANGE = { 'Cache-Control': 'no-store' };

const SEEN = named('Seen', z.looseObject({}).meta({ description: 'How a request looked when it arrived' }));

/** What doctor asks through the public address. Never a WebSocket: the refusal says that the upgrade arrived. */
// biome-ignore format: a table
export const PROBE_ROUTES: readonly OwnRoute<ProbeRules>[] = [
  { route: `GET ${ROOT}/{probe}`,  access: 'any', summary: 'A probe of the command doctor', yes: [200, SEEN], no: [404], type: 'application/octet-stream', handler: probe },
  { route: `GET ${ROOT}${PICTURE}`, access: 'public', summary: 'A probe of the command doctor, for everybody: what caches make of a picture', yes: [200], type: 'application/octet-stream', handler: picture },
  { route: `PUT ${ROOT}/{probe}`,  access: 'any', writes: true, note: 'changes nothing', summary: 'A probe of the command doctor', yes: [200, SEEN], no: [404], handler: probe },
  { route: `POST ${ROOT}/{probe}`, access: 'any', writes: true, note: 'changes nothing', summary: 'A probe of the command doctor', yes: [200, ANY], no: [404, 413], handler: probe },
  { route: `WS ${ROOT}/{probe}`,   access: 'none' },
];

function probe(ctx: RouteContext, deps: ProbeRules): unknown {
  switch (`${ctx.method === 'HEAD' ? 'GET' : ctx.method} ${ctx.params['probe']}`) {
    case 'GET seen':
    case 'GET socket':
    case 'PUT seen':
      return tell(ctx, deps);
    case 'POST upload':
      return upload(ctx);
    case 'GET file':
      return part(ctx);
    case 'GET stream':
      return stream(ctx);
    default:
      ctx.status = 404;
      ctx.body = { success: false, message: 'There is no such doctor probe' };
  }
}

function tell(ctx: RouteContext, deps: ProbeRules): void {
  const secure = ctx.state.clientEncrypted ? '; Secure' : '';
  const cookie = `${COOKIE}=1; Path=${ctx.state.basePath ?? ''}/; HttpOnly; SameSite=Lax; Max-Age=60${secure}`;
  ctx.set({ ...NO_CHANGE, 'Set-Cookie': cookie });
  ctx.body = { service: 'postern', seen: describeArrival(ctx, deps) };
}

/** How a probe's request arrived: the answer of `/postern/api/doctor/seen`. */
export type ArrivedProbe = ReturnType<typeof describeArrival>;

function describeArrival(ctx: RouteContext, { isTrustedPeer, identityHeaders, now }: ProbeRules) {
  const { req, state } = ctx;
  const { remoteAddress = '', remotePort = 0 } = req.socket;
  const peer = remoteAddress.replace(/^::ffff:(?=[\d.]+$)/, '');
  const told = [...TOLD, ...identityHeaders].map((name) => [name, headerLines(ctx, name)] as const);
  return {
    method: ctx.method,
    /** Less the base path. */
    target: (req.url ?? '').slice(-LONGEST_TOLD),
    httpVersion: req.httpVersion,
    /** The TCP peer: the proxy, or doctor itself. */
    peer,
    peerPort: remotePort,
    peerTrusted: isTrustedPeer(peer),
    /** The address as Postern found it. */
    client: state.clientAddress,
    /** Whether Postern takes the browser to have come over TLS. */
    encrypted: state.clientEncrypted,
    basePath: state.basePath ?? '',
    /** Unix seconds of Postern's clock. */
    time: now(),
    /** Some of the headers, a line each, by lower-case name. */
    headers: Object.fromEntries(told.filter(([, lines]) => lines.length > 0)),
    cookies: ctx.cookies.get(COOKIE) === undefined ? [] : [COOKIE],
    ...peerCertificate(req.socket),
  };
}

/** The certificate of the listener. Every client of it gets it with the handshake. */
function peerCertificate(socket: Socket): { readonly certificate?: string } {
  if (!(socket instanceof TLSSocket)) return {};
  const { fingerprint256 } = (socket.getCertificate() ?? {}) as Partial<PeerCertificate>;
  return fingerprint256 === undefined ? {} : { certificate: fingerprint256 };
}

const headerLines = ({ req }: RouteContext, name: string): readonly string[] =>
  (req.headersDistinct[name] ?? []).map((line) => line.slice(0, LONGEST_TOLD));

/** It shows nothing: whose answer it is, its request id says. */
function picture(ctx: RouteContext): void {
  ctx.set({ ...NO_CHANGE, Vary: 'Cookie, Authorization' });
  ctx.type = 'application/octet-stream';
  ctx.body = FILE.subarray(0, 7);
}

async function upload(ctx: RouteContext): Promise<void> {
  const body = await readBody(ctx.req, { bytes: UPLOAD_BYTES });
  ctx.set(NO_CHANGE);
  ctx.status = body.ok ? 200 : 413;
  ctx.body = body.ok
    ? { service: 'postern', bytes: body.value.length }
    : { success: false, message: 'Larger than what doctor sends' };
}

const FILE = Buffer.alloc(FILE_BYTES, 'postern');
const RANGE = /^bytes=(?<first>\d{1,6})-(?<last>\d{1,6})$/;

function part(ctx: RouteContext): void {
  const wanted = RANGE.exec(ctx.get('Range'))?.groups;
  const [first, last] = [
    Number(wanted?.['first'] ?? 0),
    Math.min(Number(wanted?.['last'] ?? FILE_BYTES), FILE_BYTES - 1),
  ];
  ctx.set({ ...NO_CHANGE, 'Accept-Ranges': 'bytes' });
  ctx.type = 'application/octet-stream';
  ctx.status = wanted && first <= last ? 206 : 200;
  if (ctx.status === 206) ctx.set('Content-Range', `bytes ${first}-${last}/${FILE_BYTES}`);
  ctx.body = ctx.status === 206 ? FILE.subarray(first, last + 1) : FILE;
}

/** A file says how long it is. */
const FORMS = { events: 'text/event-stream', parts: 'multipart/x-mixed-replace; boundary=part', file: 'video/mp4' };
const AFTER_HEAD_SECONDS = 0.1;
const SAID = 'data: postern\n\n';

async function stream(ctx: RouteContext): Promise<void> {
  const asked = String(ctx.query['form']);
  const form = asked === 'events' || asked === 'file' ? asked : 'parts';
  const silence = Math.min(Math.max(Number(ctx.query['silence']) || 0, 0), LONGEST_SILENCE_SECONDS);
  const length = form === 'file' ? { 'Content-Length': SAID.length + STREAM_END.length } : {};
  ctx.respond = false;
  const { res } = ctx;
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  res.on('error', () => {});
  // As every stream of Postern's: nginx in front passes it on as it comes.
  res.writeHead(200, { ...NO_CHANGE, ...length, 'Content-Type': FORMS[form], 'X-Accel-Buffering': 'no' });
  res.flushHeaders();
  const wait = (seconds: number): Promise<void> =>
    pause(seconds * 1000, undefined, { signal: gone.signal }).catch(() => {});
  // What comes in one packet with the head is passed on by a proxy that keeps back all the rest.
  await wait(AFTER_HEAD_SECONDS);
  if (!res.destroyed) res.write(SAID);
  await wait(silence);
  if (!res.destroyed) res.end(STREAM_END);
}
