/** The allowlist file: which headers may carry an identity at all (interface 5.5.7, SPEC 3). */
import { err, ok, type Result } from '../domain/result.ts';
import { CREDENTIAL_HEADERS } from './identity-header.ts';

export interface TrustedHeadersProblem {
  /** The number of the line, from 1. */
  readonly line: number;
  readonly message: string;
}

const NAME = /^[A-Za-z0-9-]+$/;
const NGINX_LINE = /^proxy_set_header[ \t]+(?<name>\S+)[ \t]+\$http_(?<variable>\w+)[ \t]*;$/;

/** They mean something else to every server, and what is on the list is taken out before forwarding. */
// biome-ignore format: a table
const NEVER_IDENTITY = new Set([
  ...CREDENTIAL_HEADERS,
  'host', 'connection', 'content-length', 'content-type', 'transfer-encoding', 'upgrade', 'expect', 'origin', 'x-csrf-token',
  'forwarded', 'x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'x-forwarded-uri', 'x-forwarded-method',
  'x-original-url', 'x-original-uri', 'x-original-method', 'x-real-ip', 'x-ingress-path',
]);

/**
 * Lower-case names of `proxy_set_header NAME $http_name;` lines or of plain names, one a line; `#` starts a comment.
 * An empty file allows no header at all. Errs at the first line that is anything else.
 */
export function parseTrustedHeaders(text: string): Result<ReadonlySet<string>, TrustedHeadersProblem> {
  const names = new Set<string>();
  for (const [index, written] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const line = written.replace(/#.*$/, '').trim();
    if (line === '') continue;
    const name = parseLine(line);
    if (!name.ok) return err({ line: index + 1, message: name.error });
    names.add(name.value);
  }
  return ok(names);
}

function parseLine(line: string): Result<string, string> {
  const groups = NGINX_LINE.exec(line)?.groups;
  const written = groups?.['name'] ?? line;
  if (!NAME.test(written)) {
    return err(`"${line}" is neither a header name nor "proxy_set_header NAME $http_name;"`);
  }
  const name = written.toLowerCase();
  const expected = name.replaceAll('-', '_');
  if (groups && groups['variable']?.toLowerCase() !== expected) {
    return err(`"${line}" fills ${written} from another header: write $http_${expected}`);
  }
  if (NEVER_IDENTITY.has(name)) return err(`"${written}" cannot carry an identity: remove the line`);
  return ok(name);
}
