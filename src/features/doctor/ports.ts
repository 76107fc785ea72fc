/** Ports of the NVR that answer where other machines reach them, each a way past Postern: at the public address, and at those of this machine (SPEC 15). */
import { lookup } from 'node:dns/promises';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { TablePort } from '../../config/policy/table-head.ts';
import type { Settings } from '../../config/schema/schema.ts';
import { hostInUrl, trustedNetworks } from '../../domain/addresses.ts';
import { DEFAULT_ALIVE } from '../../domain/policy.ts';
import type { NvrConfig } from '../../gateway/forward/nvr-questions.ts';
import type { NetworkInterface, NetworkSurroundings } from '../feature.ts';
import { isPosterns } from './cause.ts';
import { type ProbeResponse, send } from './send.ts';

/** A port of the NVR's that is reachable where browsers come from. */
export interface OpenPort {
  readonly port: number;
  readonly what: string;
  /** Not every program there can be told by its answer: this one was told by its silence. */
  readonly ask?: 'webrtc';
}

/** A port of the NVR that answers at an address of this machine, or of the machine that a container runs on. */
export interface ExposedPort extends OpenPort {
  readonly address: string;
}

export interface KnownPort {
  readonly port: number;
  readonly what: string;
  readonly ask: HttpQuestion | 'rtsp' | 'webrtc';
}

/** What is asked, and what the response of an NVR looks like. */
export interface HttpQuestion {
  readonly protocol: 'http:' | 'https:';
  readonly path: string;
  readonly isTold: RegExp;
}

/**
 * Where to look: at the ports of the route table, at that of `nvr.url` and that of `server.internal`. At the last two is asked what
 * the table says of the port where the NVR asks for no login; without one in it any answer at `alive` counts.
 */
export function portsToLookAt({ settings, tableHead }: NvrConfig): readonly KnownPort[] {
  const { ports = [], alive = DEFAULT_ALIVE } = tableHead;
  const { url } = settings.nvr;
  const known = ports.map(
    (port): KnownPort => ({ port: port.port, what: port.what, ask: port.asks ?? questionAt(port) }),
  );
  const without = ports.find((port) => port.open);
  const ask: HttpQuestion = without ? questionAt(without) : { protocol: 'http:', path: alive, isTold: ANY };
  const others = [
    { port: url?.kind === 'tcp' ? url.port : undefined, what: OPEN_NVR },
    { port: internalPort(settings), what: OWN },
  ].flatMap(({ port, what }) =>
    port === undefined || known.some((one) => one.port === port) ? [] : [{ port, what, ask }],
  );
  return [...known, ...others];
}

/** Where to look at the public address, at which any server may answer: without the port of `nvr.url` where the table does not say what the NVR answers. */
export const publicPorts = (config: NvrConfig): readonly KnownPort[] =>
  portsToLookAt(config).filter(({ what, ask }) => what !== OPEN_NVR || typeof ask === 'string' || ask.isTold !== ANY);

/** Undefined where it is off, or at a path. */
const internalPort = ({ server: { internal } }: Settings): number | undefined =>
  internal === false || internal.path !== undefined ? undefined : internal.port;

const ANY = /^/;

const questionAt = ({ tls = false, path = DEFAULT_ALIVE, answer = '' }: TablePort): HttpQuestion => ({
  protocol: tls ? 'https:' : 'http:',
  path,
  isTold: new RegExp(answer, 'i'),
});

const PATIENCE_MS = 2_000;
/** Only the internal listener refuses by host name. */
const OWN_HOST_CHECK = /server\.internal_hosts/;
const OWN = 'the internal listener of Postern: every caller is an admin there';
const OPEN_NVR = 'the open port of the NVR: every caller is an admin there';

/** No question changes anything. */
export async function openPorts(
  host: string,
  ports: readonly KnownPort[],
  signal?: AbortSignal,
): Promise<readonly OpenPort[]> {
  const looked = await Promise.all(ports.map((known) => found(host, known, signal)));
  return looked.filter((open) => open !== undefined);
}

async function found(
  host: string,
  { port, what, ask }: KnownPort,
  signal: AbortSignal | undefined,
): Promise<OpenPort | undefined> {
  const first = (question: Buffer): Promise<FirstBytes> => firstBytes({ host, port, signal }, question);
  if (ask === 'rtsp') return (await first(RTSP_OPTIONS)) === 'RTSP' ? { port, what } : undefined;
  if (ask === 'webrtc') return speaksWebRtc(await first(STUN)) ? { port, what, ask } : undefined;
  const base = `${ask.protocol}//${hostInUrl(host)}:${port}`;
  const get = (path: string): Promise<ProbeResponse> =>
    send({ url: new URL(path, base), timeoutMs: PATIENCE_MS, signal });
  const response = await get(ask.path);
  if (response.kind !== 'answered') return undefined;
  if (isPosterns(response)) return OWN_HOST_CHECK.test(response.body) ? { port, what: OWN } : undefined;
  if (response.status !== 200 || !ask.isTold.test(response.body.trim())) return undefined;
  // Postern forwards what it is asked for: its own routes tell it from the NVR.
  const own = await get('/postern/api/doctor/nothing');
  if (!isPosterns(own)) return what === OWN && ask.isTold === ANY ? undefined : { port, what };
  const isOpen = own.kind === 'answered' && own.status === 404;
  return isOpen ? { port, what: OWN } : undefined;
}

/** RFC 2326: a server answers OPTIONS to every client. */
const RTSP_OPTIONS = Buffer.from('OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n');
/** RFC 8489, framed for TCP by RFC 4571: a Binding request for a session that there is not. */
const STUN = Buffer.from(
  `${'001c'}${'00010008'}${'2112a442'}${'706f737465726e2d646f6374'}${'000600033a783a00'}`,
  'hex',
);
const STUN_COOKIE = '2112a442';

type FirstBytes = 'closed' | 'silent' | 'RTSP' | 'STUN' | 'other';

/** A stream server says nothing to a session that it does not know, and waits; another program answers, or hangs up. */
const speaksWebRtc = (bytes: FirstBytes): boolean => bytes === 'silent' || bytes === 'STUN';

/** What comes first behind `question`. `silent`: the connection is open, and nothing came. */
function firstBytes(
  { host, port, signal }: { host: string; port: number; signal: AbortSignal | undefined },
  question: Buffer,
): Promise<FirstBytes> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, ...(signal && { signal }) });
    let isOpen = false;
    const end = (bytes: FirstBytes): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(bytes);
    };
    const timer = setTimeout(() => end(isOpen ? 'silent' : 'closed'), PATIENCE_MS);
    socket.once('connect', () => {
      isOpen = true;
      socket.write(question);
    });
    socket.once('data', (bytes) => end(guessProtocol(bytes)));
    socket.once('error', () => end('closed')).once('close', () => end('closed'));
  });
}

function guessProtocol(bytes: Buffer): FirstBytes {
  if (bytes.toString('latin1').startsWith('RTSP/1.0')) return 'RTSP';
  return bytes.subarray(6, 10).toString('hex') === STUN_COOKIE ? 'STUN' : 'other';
}

/** Both mark the root of a container: the one of Docker, the other of Podman. */
const CONTAINER_MARKS = ['/.dockerenv', '/run/.containerenv'] as const;

/** None without an NVR. Never rejects. A port that does not answer takes 2 s. */
export async function exposedPorts(
  { settings, tableHead }: NvrConfig,
  {
    signal,
    surroundings = lookAround,
  }: {
    readonly signal?: AbortSignal;
    readonly surroundings?: (settings: Settings) => Promise<NetworkSurroundings>;
  } = {},
): Promise<readonly ExposedPort[]> {
  if (!settings.nvr.url) return [];
  const around = await surroundings(settings);
  const { own, others } = outsideAddresses(around);
  // Some publish WebRTC on purpose.
  const ports = portsToLookAt({ settings, tableHead }).filter(({ ask }) => ask !== 'webrtc');
  // In a container the internal listener is meant to be open on its own network.
  const notOwn = ports.filter(({ port }) => !around.isContainer || port !== internalPort(settings));
  const tried = [
    ...own.map((address) => ({ address, ports: notOwn })),
    ...others.map((address) => ({ address, ports })),
  ].map(async ({ address, ports: these }) =>
    (await openPorts(address, these, signal)).map((open) => ({ address, ...open })),
  );
  return (await Promise.all(tried)).flat();
}

async function lookAround({ nvr: { url } }: Settings): Promise<NetworkSurroundings> {
  const looked = url?.kind === 'tcp' ? await lookup(url.host).catch(() => undefined) : undefined;
  return {
    isContainer: CONTAINER_MARKS.some((mark) => existsSync(mark)),
    interfaces: Object.entries(networkInterfaces()).flatMap(([name, addresses]) =>
      (addresses ?? []).map((one) => ({ name, ...one })),
    ),
    routes: await readFile('/proc/net/route', 'latin1').catch(() => ''),
    nvrAddress: looked?.address,
  };
}

/** Networks between containers or virtual machines of one host: other machines are not on them. */
const WITHIN_A_HOST = /^(?:docker|br-|veth|virbr|podman|cni|lxcbr|lxdbr)/;
const LINK_LOCAL = /^fe80:/i;
const LOOPBACK = /^(?:127\.|::1$|::ffff:127\.)/i;

/**
 * Addresses at which machines other than this one, or than this container's network, may reach the NVR's ports. `own`: those of
 * this machine; in a container, of its networks. `others`: the host of a container, and the NVR's where it is on no network of
 * its own.
 */
export function outsideAddresses({ isContainer, interfaces, routes, nvrAddress }: NetworkSurroundings) {
  const isShared = ({ name }: NetworkInterface): boolean => isContainer || !WITHIN_A_HOST.test(name);
  const own = interfaces.filter((one) => !one.internal && !LINK_LOCAL.test(one.address) && isShared(one));
  const host = isContainer ? gatewayIn(routes) : undefined;
  const nvr = nvrAddress !== undefined && isOutside(nvrAddress, isContainer, interfaces) ? nvrAddress : undefined;
  const ownAddresses = own.map(({ address }) => address);
  const others = [host, nvr].filter((address) => address !== undefined && !ownAddresses.includes(address));
  return { own: ownAddresses, others: [...new Set(others as string[])] };
}

/** A container shares a network with the NVR alone, or with few others; a machine shares its network with every other on it. */
function isOutside(address: string, isContainer: boolean, interfaces: readonly NetworkInterface[]): boolean {
  if (LOOPBACK.test(address)) return false;
  const through = interfaces.find(({ cidr }) => cidr !== null && trustedNetworks([cidr]).includes(address));
  return through === undefined || !(isContainer || WITHIN_A_HOST.test(through.name));
}

/** The gateway of the default route in the kernel's table: `eth0 00000000 0100A8C0 0003 …`, its bytes reversed. */
function gatewayIn(table: string): string | undefined {
  const rows = table.split('\n').map((line) => line.split('\t'));
  const row = rows.find(([, to, gateway]) => to === '00000000' && gateway !== '00000000');
  const bytes = /^(\w\w)(\w\w)(\w\w)(\w\w)$/.exec(row?.[2]?.trim() ?? '')?.slice(1);
  return bytes
    ?.reverse()
    .map((byte) => Number.parseInt(byte, 16))
    .join('.');
}
