/** Addresses: of clients behind trusted proxies, sockets, networks, URLs and cookie domains (interface 5.4, SPEC 4.5). */
import { BlockList, isIP, isIPv4, isIPv6, SocketAddress } from 'node:net';
import { LRUCache } from 'lru-cache';
import { upTo } from './bounded.ts';
import { err, ok, type Result } from './result.ts';
import { splitCommas } from './text.ts';

/** Networks of `auth.trusted_proxies`. */
export interface TrustedNetworks {
  /** The address may be in any spelling. */
  includes(address: string): boolean;
}

/** More proxies than real set-ups chain; a longer list costs time and is not read to its end. */
const MOST_HOPS = 20;
const MOST_REMEMBERED = 1000;
const MAPPED_PREFIX = '::ffff:';
const MAPPED_BITS = 96;

/**
 * Starts at the TCP peer and steps left through X-Forwarded-For for as long as the address in hand is a trusted
 * proxy: a hop is believed only when a trusted proxy reported it. An entry that is no address ends the walk.
 */
export function clientAddress(peer: string, forwardedForLines: readonly string[], trusted: TrustedNetworks): string {
  let client = foldAddress(peer) ?? peer;
  if (forwardedForLines.length === 0 || !trusted.includes(client)) return client;
  for (const entry of hopsFromTheRight(forwardedForLines)) {
    const hop = foldAddress(entry);
    if (!hop || !trusted.includes(client)) return client;
    client = hop;
  }
  return client;
}

/** The networks of a checked configuration. Throws where one does not parse. */
export function trustedNetworks(cidrs: readonly string[]): TrustedNetworks {
  const created = createTrustedNetworks(cidrs);
  if (!created.ok) throw new Error(created.error);
  return created.value;
}

/** An address or `address/bits` each; host bits are ignored. Errs with one sentence that names every bad entry. */
export function createTrustedNetworks(cidrs: readonly string[]): Result<TrustedNetworks, string> {
  // One list for each family: in a single one `::/0` would hold every IPv4 address as well.
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  const bad: string[] = [];
  for (const cidr of cidrs) {
    const network = parseNetwork(cidr.trim());
    if (network) lists[network.family].addSubnet(network.address, network.bits, network.family);
    else bad.push(cidr);
  }
  if (bad.length > 0) {
    const named = bad.map((cidr) => `"${cidr}"`).join(', ');
    return err(`${named} is not a network: write an address and its prefix, such as 10.0.0.0/8 or fd00::/8`);
  }
  if (cidrs.length === 0) return ok({ includes: () => false });
  const isListed = (text: string): boolean => {
    const address = foldAddress(text) ?? text;
    return lists[addressFamily(address)].check(address, addressFamily(address));
  };
  // The same few peers are looked up thousands of times a second.
  const known = new LRUCache<string, boolean>({ ...upTo(MOST_REMEMBERED), memoMethod: isListed });
  return ok({ includes: (address) => known.memo(address) });
}

/**
 * One spelling for each client, so that one client is one key: port, brackets and zone cut, IPv4-mapped IPv6 as IPv4,
 * IPv6 in its short form. Undefined when the text is no address.
 */
export function foldAddress(text: string): string | undefined {
  const plain = unmapped(text);
  if (isIPv4(plain)) return plain;
  const bare = withoutPort(text).replace(/%[\w.-]+$/, ''); // the zone
  if (isIPv4(bare)) return bare;
  return isIPv6(bare) ? unmapped(new SocketAddress({ address: bare, family: 'ipv6' }).address) : undefined;
}

/** The way Node writes an IPv4 peer on a listener of both families. */
const unmapped = (address: string): string =>
  address.startsWith(MAPPED_PREFIX) && isIPv4(address.slice(MAPPED_PREFIX.length))
    ? address.slice(MAPPED_PREFIX.length)
    : address;

/** How many proxies in a row, the peer first, are trusted. */
export function trustedHops(peer: string, forwardedForLines: readonly string[], trusted: TrustedNetworks): number {
  const known = [peer, ...hopsFromTheRight(forwardedForLines)].map((hop) => foldAddress(hop));
  const first = known.findIndex((hop) => hop === undefined || !trusted.includes(hop));
  return first < 0 ? known.length : first;
}

/** The entries of a header that proxies add to, the nearest one first. */
export const hopsFromTheRight = (lines: readonly string[]): string[] =>
  splitCommas(lines.join(',')).slice(-MOST_HOPS).reverse();

const WITH_PORT = /^(?:\[(?<v6>[^\]]*)\](?::\d{1,5})?|(?<v4>[\d.]+):\d{1,5})$/;

function withoutPort(text: string): string {
  const groups = WITH_PORT.exec(text)?.groups;
  return groups?.['v6'] ?? groups?.['v4'] ?? text;
}

const addressFamily = (address: string): 'ipv4' | 'ipv6' => (isIPv4(address) ? 'ipv4' : 'ipv6');

const GROUPS = 8;
/** A /64 is what one subscriber has to himself. */
const NETWORK_GROUPS = 4;

/** What one customer of a provider or of a data centre may have whole: a /48. */
const WIDE_GROUPS = 3;

/** The network that an address belongs to: the /24 of IPv4, the /48 of IPv6. */
export function networkKey(address: string): string {
  const client = clientKey(address);
  if (isIPv4(client)) return `${client.slice(0, client.lastIndexOf('.'))}.0/24`;
  const groups = client.split(':');
  return groups.length > WIDE_GROUPS ? `${groups.slice(0, WIDE_GROUPS).join(':')}::/48` : client;
}

/** What counts as one client (SPEC 4.5): an IPv4 address, plain or mapped into IPv6; the /64 of an IPv6 address. */
export function clientKey(address: string): string {
  const plain = foldAddress(address.replace(/%.*$/s, '')) ?? address;
  // A piece of a string keeps all of it in memory: here, the whole header that an address was cut from.
  return isIPv6(plain) ? `${ipv6Groups(plain).slice(0, NETWORK_GROUPS).join(':')}::/64` : Buffer.from(plain).toString();
}

/** The eight groups of an address in its short form; an IPv4 address at the end stands behind zeros alone. */
function ipv6Groups(address: string): readonly string[] {
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter(Boolean));
  return [...head, ...Array<string>(GROUPS - head.length - tail.length).fill('0'), ...tail];
}

/** An address or `address/bits`, host bits included; IPv4 in the spelling of IPv6 is IPv4. Undefined for any other text. */
export function parseNetwork(cidr: string) {
  const [, address = '', bits] = /^([0-9A-Fa-f.:]+)(?:\/(\d{1,3}))?$/.exec(cidr) ?? [];
  const folded = foldAddress(address);
  if (isIP(address) === 0 || folded === undefined) return undefined;
  const given = bits === undefined ? undefined : Number(bits);
  const isMapped = isIPv6(address) && isIPv4(folded);
  const family = addressFamily(folded);
  const width = family === 'ipv4' ? 32 : 128;
  const prefix = given === undefined ? width : given - (isMapped ? MAPPED_BITS : 0);
  return prefix < 0 || prefix > width ? undefined : { address: folded, bits: prefix, family };
}

/** Where to listen and where to send: addresses of HTTP servers (SPEC 1, `server.*`, `nvr.url`). */
export interface ListenAddress {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** A Unix socket, in the place of host and port. */
  readonly path?: string;
}

/** What an address leaves out of the paths that are sent there. */
interface Stripping {
  /** The prefix that this server's paths have here, and not there: `/hls`. Absent: they are the same. */
  readonly below?: string;
}

/** The address as it is configured. */
export type UpstreamAddress = Stripping &
  (
    | // `host` has no brackets around an IPv6 address.
    { readonly kind: 'tcp'; readonly protocol: 'http:' | 'https:'; readonly host: string; readonly port: number }
    | { readonly kind: 'unix'; readonly path: string }
  );

/** A server of our own that is started when it is first needed. */
interface OwnUpstream extends Stripping {
  readonly kind: 'unix';
  readonly path: string;
  /** Undefined when there is nothing to wait for. It never rejects: nothing listens for a server that could not start. */
  readonly wake: () => Promise<void> | undefined;
}

export type Upstream = UpstreamAddress | OwnUpstream;

/** Starts an upstream that waits for its first question. Await it before a connection. */
export const wakeUp = (upstream: Upstream): Promise<void> | undefined =>
  'wake' in upstream ? upstream.wake() : undefined;

/** An upstream for paths below a prefix. */
export interface UpstreamRoute {
  /** Begins with a slash, ends with none; matched by whole segments. */
  readonly prefix: string;
  readonly upstream: UpstreamAddress;
}

/** The target as the upstream knows it: a path that was judged, perhaps with a query, without the upstream's prefix. */
export const targetAt = ({ below }: Upstream, target: string): string =>
  below === undefined ? target : withoutPrefix(target, below);

/** A host as it stands in a URL: an IPv6 address in brackets. */
export const hostInUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** `http://[::1]:5000`, or `unix:/run/nvr.sock`. */
export const upstreamOrigin = (upstream: Upstream): string =>
  upstream.kind === 'unix'
    ? `unix:${upstream.path}`
    : `${upstream.protocol}//${hostInUrl(upstream.host)}:${upstream.port}`;

/** Where people find the service, `server.public_url`: for printed addresses, doctor, and passkeys (SPEC 12). */
export interface PublicUrl {
  /** The origin as browsers write it: `https://nvr.example.com`, `https://nvr.example.com:8443`. */
  readonly origin: string;
  /** The host alone, lower-case: a name, an IPv4 address, or an IPv6 address in brackets. */
  readonly hostname: string;
  /** The path below which the pages are: `/nvr`, or '' for none. The same as `server.base_path`. */
  readonly prefix: string;
}

/** Where people find a path of the service. Undefined while `server.public_url` is not set: `Host` is the client's word. */
export const addressMaker =
  (publicUrl: PublicUrl | undefined) =>
  (path: string): string | undefined =>
    publicUrl && publicAddress(publicUrl, path);

/** A page of the service: `path` begins with a slash. */
export const publicAddress = ({ origin, prefix }: PublicUrl, path: string): string => `${origin}${prefix}${path}`;

/** Whether the path is the prefix or below it, by whole segments: `/nvr` is no prefix of `/nvrs`. */
export const isBelow = (path: string, prefix: string): boolean => path === prefix || path.startsWith(`${prefix}/`);

/** The target, a path that may have a query, without the prefix; one that is not below it stays as it is. */
export function withoutPrefix(target: string, prefix: string): string {
  if (!target.startsWith(prefix)) return target;
  const rest = target.slice(prefix.length);
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  return rest.startsWith('/') ? rest : target;
}

/**
 * Whether these listeners accept this Host: an address, `localhost`, a single label, or a listed name.
 * A public name that resolves to this machine is what DNS rebinding needs.
 */
export function isInternalHost(host: string, listed: readonly string[]): boolean {
  const name = host.toLowerCase().replace(/:\d+$/, '');
  return (
    isIP(name.replace(/^\[|\]$/g, '')) !== 0 || !name.includes('.') || listed.includes(name) || listed.includes(host)
  );
}

/** The domain of the session cookie (`auth.cookie_domain`): which host names share a login (RFC 6265 section 5.1.3). Pure. */
const DOMAIN = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/i;
const LONGEST_DOMAIN = 253;

/**
 * Whether a page of another site may show ours in a frame: browsers send it the session cookie only with `SameSite=None`. `ancestors` in the
 * spelling of Content-Security-Policy.
 */
export const isFramedElsewhere = (ancestors: string, origin: string | undefined, domain: string | undefined): boolean =>
  ancestors
    .split(' ')
    .filter((source) => !source.startsWith("'"))
    .some((source) => {
      const [, , host = ''] = /^([a-z]+:\/\/)?(?:\*\.)?([^:/]+)/i.exec(source) ?? [];
      const isOwn = origin !== undefined && origin === source.toLowerCase();
      return !isOwn && !(domain !== undefined && isWithinDomain(host, domain));
    });

export const isDomain = (text: string): boolean => text.length <= LONGEST_DOMAIN && DOMAIN.test(text);

/** Whether a browser takes a cookie of that domain from that host. */
export const isWithinDomain = (host: string, domain: string): boolean =>
  host.toLowerCase() === domain.toLowerCase() || host.toLowerCase().endsWith(`.${domain.toLowerCase()}`);

/**
 * A host name of two labels or more, and a path: no user, no port, no IP address in any spelling, because the last label
 * begins with a letter; no dot at the end, and nothing but ASCII, so that every client reads the same host.
 */
const ENDPOINT =
  /^https:\/\/(?<host>(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z](?:[a-z0-9-]*[a-z0-9]))\/[\w.~!$&'()*+,;=:@%/?-]*$/i;

/** A pattern of `nvr.push_endpoints`: a host name, or `*.` and one, which has two labels or more. */
export const PUSH_HOST = /^(?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z](?:[a-z0-9-]*[a-z0-9])$/;

export function isPushEndpoint(address: string, hosts: readonly string[]): boolean {
  const host = ENDPOINT.exec(address)?.groups?.['host']?.toLowerCase();
  const isOf = (pattern: string) => (pattern.startsWith('*.') ? host?.endsWith(pattern.slice(1)) : host === pattern);
  return host !== undefined && hosts.some(isOf);
}

/** The address of a PostgreSQL store: one host (SPEC 10). */
const SHAPE = 'write postgres://<user>:<password>@<host>/<database>';
const SEVERAL_HOSTS = /^[^/?#]*\/\/(?:[^/?#]*@)?[^/?#@]*,/;

/**
 * libpq's names. `disable` uses no TLS, `no-verify` believes any certificate; all others check the certificate and the
 * name in it, also those by which libpq would check less.
 */
const SSL_MODES: readonly string[] = ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full'];
const CHECKED_MODE = /(?<=[?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/;

/** The address as `pg` takes it. Errs with what is wrong, without the address, which may hold a password. */
export function postgresAddress(url: string): Result<string, string> {
  if (SEVERAL_HOSTS.test(url))
    return err(
      'names several hosts: give one, the virtual address or pooler that leads to the server that takes writes',
    );
  const parsed = URL.parse(url);
  if (!parsed || !/^postgres(?:ql)?:$/.test(parsed.protocol) || !url.includes('://'))
    return err(`is not a PostgreSQL address: ${SHAPE}, with special characters of the password percent-encoded`);
  const { hostname, pathname, searchParams } = parsed;
  if (hostname === '' && !searchParams.has('host')) return err(`names no host: ${SHAPE}`);
  if (pathname.length < 2) return err(`names no database: ${SHAPE}`);
  const mode = searchParams.get('sslmode');
  if (mode !== null && !SSL_MODES.includes(mode))
    return err(
      `sslmode must be one of ${SSL_MODES.join(', ')}: verify-full with sslrootcert=<CA file> checks the server`,
    );
  return ok(url.replace(CHECKED_MODE, 'verify-full'));
}
