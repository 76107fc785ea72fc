/** Addresses in the configuration: listeners, networks, upstreams, path prefixes and the public address (SPEC 1, 12). */
import { isIP } from 'node:net';
import type { ListenAddress, PublicUrl, UpstreamAddress } from '../../domain/addresses.ts';
import { err, ok, type Result } from '../../domain/result.ts';

const LARGEST_PORT = 65_535;
const HOST_AND_PORT = /^(?:\[(?<v6>[^\]]+)\]|(?<name>[A-Za-z0-9.-]+)):(?<port>\d{1,5})$/;
const UPSTREAM_URL = /^https?:\/\/[^/?#@\\\s]+\/?$/i;
const PLAIN_PREFIX = /^(?:\/[A-Za-z0-9._~-]+)+\/?$/;

/** `host:port` of the listeners where nothing is written. */
export const serverDefaults = {
  external: '0.0.0.0:8971',
  internal: '127.0.0.1:5000',
  telemetry: '127.0.0.1:9871',
} as const;

/** `127.0.0.1:8971`, `[::1]:8971`, `localhost:0`, `unix:/run/postern.sock`. */
export function parseListenAddress(text: string): Result<ListenAddress, string> {
  if (text.startsWith('unix:')) {
    const socket = parseUnixSocket(text.slice('unix:'.length));
    return socket.ok && socket.value.kind === 'unix'
      ? ok({ host: 'unix', port: 0, path: socket.value.path })
      : err(NOT_SOCKET);
  }
  const groups = HOST_AND_PORT.exec(text)?.groups;
  const port = Number(groups?.['port']);
  const host = groups?.['v6'] ?? groups?.['name'];
  const isAddress = groups?.['v6'] === undefined || isIP(groups['v6']) === 6;
  if (host && isAddress && port <= LARGEST_PORT) return ok({ host, port });
  return err(`${JSON.stringify(text)} is not host:port: write for example 127.0.0.1:8971`);
}

/** `http(s)://host:port` or `unix:/path`. What is wrong is said without the value, which may hold a password. */
export function parseUpstream(text: string): Result<UpstreamAddress, string> {
  if (text.startsWith('unix:')) return parseUnixSocket(text.slice('unix:'.length));
  if (text.includes('@')) return err('has a user name or password in it: use nvr.auth_secret instead');
  if (!UPSTREAM_URL.test(text) || !URL.canParse(text)) return err(NOT_UPSTREAM);
  const { protocol, hostname, port } = new URL(text);
  const isTls = protocol === 'https:';
  const host = hostname.replace(/^\[|\]$/g, '');
  return ok({ kind: 'tcp', protocol: isTls ? 'https:' : 'http:', host, port: Number(port) || (isTls ? 443 : 80) });
}

/** `/live/` and `/live` alike: begins with a slash, ends with none. */
export function parsePathPrefix(text: string): Result<string, string> {
  const isPlain = PLAIN_PREFIX.test(text) && !text.split('/').some((segment) => segment === '.' || segment === '..');
  if (isPlain) return ok(text.replace(/\/$/, ''));
  return err(
    `${JSON.stringify(text)} is not a plain path: write for example /postern, without dot segments or escapes`,
  );
}

const NOT_SOCKET = 'is not an absolute path: write for example unix:/run/postern/postern.sock';

const NOT_UPSTREAM =
  'is not the address of a server: write http://host:port, https://host:port or unix:/path, nothing behind it';

function parseUnixSocket(path: string): Result<UpstreamAddress, string> {
  if (path.startsWith('/') && !path.includes('\0')) return ok({ kind: 'unix', path });
  return err(`${JSON.stringify(path)} is not an absolute path: write for example unix:/run/nvr.sock`);
}

const ADDRESS = /^(?:https?):\/\/[^/?#@\\\s]+(?<path>\/[^?#\\\s]*)?$/i;
/** A host as a URL parser writes it: names in letters of ASCII, numbers in their usual form. */
const HOST = /^(?:[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?|\[[0-9a-f:.]+\])$/;
const LOOPBACK = /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
const EXAMPLE = 'write for example https://nvr.example.com or https://example.com/nvr';

/** A text with a user name in it is not shown: it may hold a password. */
export function parsePublicUrl(text: string): Result<PublicUrl, string> {
  if (text.includes('@')) return err(`has a user name or password in it: ${EXAMPLE}`);
  const path = ADDRESS.exec(text)?.groups?.['path'] ?? '/';
  const shown = JSON.stringify(text);
  if (!ADDRESS.test(text) || !URL.canParse(text)) return err(`${shown} is not the address of a site: ${EXAMPLE}`);
  const { protocol, origin, hostname } = new URL(text);
  if (!HOST.test(hostname)) return err(`${shown} has no host name: ${EXAMPLE}`);
  if (protocol === 'http:' && !LOOPBACK.test(hostname))
    return err(`${shown} is not encrypted: write https://; http:// is for localhost only`);
  const prefix = path === '/' ? ok('') : parsePathPrefix(path);
  return prefix.ok ? ok({ origin, hostname, prefix: prefix.value }) : prefix;
}

/** What differs between the two, in a sentence. Undefined when they fit, or when one of them has a problem of its own. */
export function pathsDiffer(publicUrl: unknown, basePath: unknown): string | undefined {
  const address = typeof publicUrl === 'string' ? parsePublicUrl(publicUrl) : undefined;
  const base = basePath === undefined ? ok('') : typeof basePath === 'string' ? parsePathPrefix(basePath) : undefined;
  if (!address?.ok || !base?.ok || address.value.prefix === base.value) return undefined;
  const { origin, prefix } = address.value;
  return base.value === ''
    ? `has the path ${prefix}, and server.base_path is not set: set server.base_path to ${prefix}, or write ${origin}`
    : `has another path than server.base_path: write ${origin}${base.value}`;
}
