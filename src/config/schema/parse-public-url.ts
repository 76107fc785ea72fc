/** Parses `server.public_url`, and holds it to `server.base_path` (SPEC 12). */
import type { PublicUrl } from '../../domain/addresses/public-url.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { parsePathPrefix } from './addresses.ts';

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
