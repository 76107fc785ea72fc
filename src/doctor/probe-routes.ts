/** `/postern/api/doctor/…`: what a request of doctor's was when it arrived, for everybody who is logged in (SPEC 15). */
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type PeerCertificate, TLSSocket } from 'node:tls';
import type { Context, ParameterizedContext } from 'koa';
import Router from 'koa-router';
import type { RouteState } from '../domain/verdict.ts';
import { COOKIE, FILE_BYTES, LONGEST_SILENCE_SECONDS, MARK, STREAM_END } from './marks.ts';
import type { ArrivedProbe, Build } from './observations.ts';

export interface ProbeRouteDeps {
  /** Whether the address is in auth.trusted_proxies. */
  readonly isTrustedPeer: (address: string) => boolean;
  /** Names, lower-case, in which an identity may come. */
  readonly identityHeaders: readonly string[];
  /** Unix seconds. */
  readonly now: () => number;
  /** Any caller who is logged in learns it: the version is in the description of the API too, and the table is public. */
  readonly build: Build;
  /** `nvr.max_upload`, bytes. */
  readonly mostUpload: () => number;
}

type ProbeContext = ParameterizedContext<RouteState>;

const ROOT = '/postern/api/doctor';
/** Headers that carry the user, the scheme and the client's address. */
const TOLD = ['host', 'x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'via', MARK];
const LONGEST_TOLD = 500;
const NO_CHANGE = { 'Cache-Control': 'no-store' };

export function createProbeRoutes(deps: ProbeRouteDeps): Router<RouteState> {
  const router = new Router<RouteState>({ strict: true, sensitive: true });
  const tell = (ctx: ProbeContext): void => {
    const secure = ctx.state.clientEncrypted ? '; Secure' : '';
    const cookie = `${COOKIE}=1; Path=${ctx.state.basePath ?? ''}/; HttpOnly; SameSite=Lax; Max-Age=60${secure}`;
    ctx.set({ ...NO_CHANGE, 'Set-Cookie': cookie });
    ctx.body = { service: 'postern', seen: seenOf(ctx, deps) };
  };
  router.get([`${ROOT}/seen`, `${ROOT}/socket`], tell).put(`${ROOT}/seen`, tell);
  router.post(`${ROOT}/upload`, (ctx) => upload(ctx, deps.mostUpload()));
  router.get(`${ROOT}/file`, (ctx) => part(ctx));
  router.get(`${ROOT}/stream`, (ctx) => stream(ctx));
  router.all(`${ROOT}/:probe`, (ctx) => {
    ctx.status = 404;
    ctx.body = { success: false, message: 'There is no such doctor probe' };
  });
  return router;
}

function seenOf(ctx: ProbeContext, { isTrustedPeer, identityHeaders, now, build }: ProbeRouteDeps): ArrivedProbe {
  const { req, state } = ctx;
  const { remoteAddress = '', remotePort = 0 } = req.socket;
  const peer = remoteAddress.replace(/^::ffff:(?=[\d.]+$)/, '');
  const told = [...TOLD, ...identityHeaders].map((name) => [name, linesOf(ctx, name)] as const);
  return {
    method: ctx.method,
    target: (req.url ?? '').slice(-LONGEST_TOLD),
    httpVersion: req.httpVersion,
    peer,
    peerPort: remotePort,
    peerTrusted: isTrustedPeer(peer),
    client: state.clientAddress,
    encrypted: state.clientEncrypted,
    basePath: state.basePath ?? '',
    time: now(),
    headers: Object.fromEntries(told.filter(([, lines]) => lines.length > 0)),
    cookies: ctx.cookies.get(COOKIE) === undefined ? [] : [COOKIE],
    build,
    ...certificateOf(req.socket),
  };
}

/** The certificate of the listener. Every client of it gets it with the handshake. */
function certificateOf(socket: Socket): { readonly certificate?: string } {
  if (!(socket instanceof TLSSocket)) return {};
  const { fingerprint256 } = (socket.getCertificate() ?? {}) as Partial<PeerCertificate>;
  return fingerprint256 === undefined ? {} : { certificate: fingerprint256 };
}

const linesOf = ({ req }: ProbeContext, name: string): readonly string[] =>
  (req.headersDistinct[name] ?? []).map((line) => line.slice(0, LONGEST_TOLD));

async function upload(ctx: ProbeContext, most: number): Promise<void> {
  let bytes = 0;
  for await (const chunk of ctx.req) {
    bytes += chunk.length;
    if (bytes > most) break;
  }
  ctx.set(NO_CHANGE);
  ctx.status = bytes > most ? 413 : 200;
  ctx.body = bytes > most ? { success: false, message: 'Larger than nvr.max_upload' } : { service: 'postern', bytes };
}

const FILE = Buffer.alloc(FILE_BYTES, 'postern');
const RANGE = /^bytes=(?<first>\d{1,6})-(?<last>\d{1,6})$/;

function part(ctx: Context | ProbeContext): void {
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

async function stream(ctx: ProbeContext): Promise<void> {
  const asked = String(ctx.query['form']);
  const form = asked === 'events' || asked === 'file' ? asked : 'parts';
  const silence = Math.min(Math.max(Number(ctx.query['silence']) || 0, 0), LONGEST_SILENCE_SECONDS);
  const length = form === 'file' ? { 'Content-Length': SAID.length + STREAM_END.length } : {};
  ctx.respond = false;
  const { res } = ctx;
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  res.on('error', () => {});
  res.writeHead(200, { ...NO_CHANGE, ...length, 'Content-Type': FORMS[form] });
  res.flushHeaders();
  const wait = (seconds: number): Promise<void> =>
    pause(seconds * 1000, undefined, { signal: gone.signal }).catch(() => {});
  // What comes in one packet with the head is passed on by a proxy that keeps back all the rest.
  await wait(AFTER_HEAD_SECONDS);
  if (!res.destroyed) res.write(SAID);
  await wait(silence);
  if (!res.destroyed) res.end(STREAM_END);
}
