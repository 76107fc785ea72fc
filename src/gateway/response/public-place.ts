/** Addresses in the head of a response of a server whose paths stand below a prefix here, as a client must see them (SPEC 1, `nvr.routes`). Pure. */
import { type Upstream, upstreamOrigin } from '../../domain/addresses.ts';

/** The place where clients see a server that does not know it. */
export interface PublicPlace {
  /** The scheme and host by which the client knows this service. */
  readonly origin: string;
  /** The base path of this service and the server's prefix: `/nvr/hls`. */
  readonly prefix: string;
  /** The path that was sent to the server, which relative addresses start from. */
  readonly path: string;
  /** Hosts by which the server means itself, as a URL has them: its own, and that of the request, which it is told. */
  readonly hosts: readonly string[];
}

interface SentRequest {
  /** The path without the prefix of the server. */
  readonly path: string;
  /** `Host` as it is sent on. */
  readonly hosts: readonly string[];
  readonly client: { readonly host: string; readonly encrypted: boolean; readonly basePath?: string };
}

export function makePlace(upstream: Upstream, { path, hosts, client }: SentRequest): PublicPlace {
  const { host, encrypted, basePath = '' } = client;
  const own = upstream.kind === 'tcp' ? [upstreamOrigin(upstream)] : [];
  const known = [...own, ...[host, ...hosts].map((name) => `http://${name}`)];
  return {
    origin: `${encrypted ? 'https' : 'http'}://${host}`,
    prefix: `${basePath}${upstream.below ?? ''}`,
    path,
    hosts: known.flatMap((origin) => URL.parse(origin)?.host ?? []),
  };
}

const WEB: readonly string[] = ['http:', 'https:'];

/** The address as a reference to the server itself; undefined for one of another server. */
export function ownAddress(value: string, { path, hosts }: PublicPlace): URL | undefined {
  const url = URL.parse(value, `http://${hosts[0] ?? 'server'}${path}`);
  const isOwn = url !== null && WEB.includes(url.protocol) && (hosts.length === 0 || hosts.includes(url.host));
  return isOwn ? url : undefined;
}

/** The value of `Location` or `Content-Location`. An address of another server stays as it is. */
export function addressBelow(value: string, place: PublicPlace): string {
  const url = ownAddress(value, place);
  return url ? `${place.prefix}${url.pathname}${url.search}${url.hash}` : value;
}

const PATH = /^\s*path\s*=\s*(?<path>.*?)\s*$/i;

/** A line of `Set-Cookie`. Without a path the browser takes that of the request, which is below the prefix. A `__Host-` cookie has no other path than `/`. */
export function cookieBelow(line: string, { prefix }: PublicPlace): string {
  if (/^\s*__host-/i.test(line)) return line;
  return line
    .split(';')
    .map((part, at) => {
      const path = at === 0 ? undefined : PATH.exec(part)?.groups?.['path'];
      if (path === undefined || !path.startsWith('/')) return part;
      return ` Path=${path === '/' ? prefix : `${prefix}${path}`}`;
    })
    .join(';');
}

type Written = (value: string, place: PublicPlace) => string;

/** The headers that hold addresses of the server, by lower-case name. */
const WRITTEN: Readonly<Record<string, Written>> = {
  location: addressBelow,
  'content-location': addressBelow,
  'set-cookie': cookieBelow,
};

/** The value of a header as the client must see it. */
export const valueAt = (name: string, value: string, place: PublicPlace | undefined): string =>
  place && Object.hasOwn(WRITTEN, name) ? (WRITTEN[name]?.(value, place) ?? value) : value;
