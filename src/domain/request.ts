/** The facts of a request that decisions are made from: no socket, no stream. */
import { maskSecrets } from './text.ts';
export type ListenerName = 'external' | 'internal';

/** Bytes of a request's head: its target, and the names and values of its headers (SPEC 5; more is 431). */
export const MOST_HEAD_BYTES = 32 * 1024;

export interface RequestFacts {
  readonly listener: ListenerName;
  readonly method: string;
  /** The request target as it stood on the request line, less `basePath`. */
  readonly target: string;
  /** The prefix below which the client sees the service; absent for none. */
  readonly basePath?: string;
  readonly httpVersion: string;
  /** Names and values in turn, as received: the only place where a repeated header can be seen. */
  readonly rawHeaders: readonly string[];
  /** The headers by lower-case name; Node has joined or dropped repeats. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Address of the TCP peer. */
  readonly peer: string;
  /** Whether the peer came over TLS to this very listener. */
  readonly encrypted: boolean;
  /** One object per connection, used as a key for caching only. Absent where there is no connection. */
  readonly connection?: object;
  readonly isUpgrade: boolean;
  /** The secret in the path of the request, which is its credential: the target is then what that path stands for. No client can set it. */
  readonly pathSecret?: string;
  /** Bytes that came behind the head of an upgrade. */
  readonly pipelinedBytes: number;
}

/** The one value of a header, or undefined when it is absent or was sent more than once. */
export function singleHeader(request: RequestFacts, name: string): string | undefined {
  if (request.headers[name] === undefined) return undefined;
  let single: string | undefined;
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    if (!isNamed(request.rawHeaders[at], name)) continue;
    if (single !== undefined) return undefined;
    single = request.rawHeaders[at + 1] ?? '';
  }
  return single;
}

const NO_LINES: readonly string[] = [];

/** Every value of a header, a line each, in the order received. `name` is lower-case. */
export function headerLines(request: Pick<RequestFacts, 'headers' | 'rawHeaders'>, name: string): readonly string[] {
  if (request.headers[name] === undefined) return NO_LINES;
  const lines: string[] = [];
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    if (isNamed(request.rawHeaders[at], name)) lines.push(request.rawHeaders[at + 1] ?? '');
  }
  return lines;
}

const isNamed = (received: string | undefined, name: string): boolean =>
  received?.length === name.length && received.toLowerCase() === name;

/**
 * One spelling for header names that a lenient reader takes for one another: lower-case, with every run of other characters as
 * one hyphen. CGI-style back ends read `Remote_Role`, `Remote.Role` and `remote-role` as one header, so headers are removed by
 * that comparison too.
 */
export const normalizedHeaderName = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

/** A target that was found plain: one path, one spelling (SPEC 5, "the request judged is the request forwarded"). */
export interface RequestTarget {
  /** The path as it will be sent: as received, with encoded unreserved characters decoded. */
  readonly path: string;
  /** Its segments, percent-decoded once. */
  readonly segments: readonly string[];
  /** The query without `?`, as received; empty when there is none. */
  readonly query: string;
}

/** The `User-Agent` of a request as it may be kept: a client may have put an address with a secret into it. */
export function userAgent(request: RequestFacts): string | undefined {
  const agent = singleHeader(request, 'user-agent');
  return agent && maskSecrets(agent);
}

/** Sent by a page itself, without an act of its user: it does not renew the session (SPEC 4.2). Any value counts. */
export const isAutomatic = ({ headers }: Pick<RequestFacts, 'headers'>): boolean =>
  headers['x-postern-automatic'] !== undefined;
