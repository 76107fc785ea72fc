/** Where to listen and where to send: addresses of HTTP servers (SPEC 1, `server.*`, `nvr.url`). */
import { withoutPrefix } from './path-prefix.ts';

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
export const originOf = (upstream: Upstream): string =>
  upstream.kind === 'unix'
    ? `unix:${upstream.path}`
    : `${upstream.protocol}//${hostInUrl(upstream.host)}:${upstream.port}`;
