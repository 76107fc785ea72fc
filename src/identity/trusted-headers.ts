/** The allowlist file as it is now: read at start, read again when it changes, kept when the new one is bad (interface 5.5.7). */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Services } from '../app/services.ts';
import { type Finding, formatProblem, type Problem } from '../config/problems/problems.ts';
import type { Settings } from '../config/schema/schema.ts';
import type { ServiceConfig } from '../config/service-config.ts';
import { err, ok, type Result } from '../domain/result.ts';
import { readIfThere } from '../files/files.ts';
import { type WatchTiming, watchRead } from '../files/watch-files.ts';
import { CREDENTIAL_HEADERS } from './identity-header.ts';

export interface TrustedHeadersFiles {
  /** Takes the place of the shipped file when it is there. */
  readonly mounted: string;
  readonly shipped: string;
}

export interface TrustedHeaderList {
  readonly file: string;
  /** Lower-case names. */
  readonly names: ReadonlySet<string>;
}

/** Errs with the sentence to refuse the start with. */
export async function readTrustedHeaders(files: TrustedHeadersFiles): Promise<Result<TrustedHeaderList, string>> {
  const read = (path: string) => readIfThere(path, 'make it a file that this user may read');
  const mounted = await read(files.mounted);
  if (!mounted.ok) return mounted;
  const file = mounted.value === undefined ? files.shipped : files.mounted;
  const text = mounted.value === undefined ? await read(files.shipped) : mounted;
  if (!text.ok) return text;
  if (text.value === undefined)
    return err(`${file} is missing: it is part of the service, so install the service again`);
  const names = parseTrustedHeaders(text.value);
  return names.ok ? ok({ file, names: names.value }) : err(`${file}:${names.error.line}: ${names.error.message}`);
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
 * An empty file allows no header at all. Errs at the first line, from 1, that is anything else.
 */
export function parseTrustedHeaders(
  text: string,
): Result<ReadonlySet<string>, { readonly line: number; readonly message: string }> {
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

/** Interface 5.5.7: where a list takes the place of the one that is shipped. */
export const MOUNTED = '/usr/local/nginx/conf/proxy_trusted_headers.conf';

/** The keys of the configuration whose header is never believed, and why. `isFatal`: it is the user's, and every request would be 401. Names are lower-case. */
export function mappingProblems(
  { user, role }: { readonly user?: string | undefined; readonly role?: string | undefined },
  { file, names }: TrustedHeaderList,
  /** A list that is shipped and has the header. */
  readyFile: (name: string) => string | undefined,
): readonly (Finding & { readonly isFatal: boolean })[] {
  return Object.entries({ user, role }).flatMap(([key, name]) => {
    if (name === undefined || (names.has(name) && !CREDENTIAL_HEADERS.has(name))) return [];
    const effect = key === 'user' ? 'so it is never trusted and every request would be 401' : 'so it is never trusted';
    const ready = readyFile(name);
    const message = CREDENTIAL_HEADERS.has(name)
      ? `"${name}" holds credentials and is never trusted: map another header`
      : `"${name}" is not on the allowlist ${file}, ${effect}: ${ready ? `mount ${ready} at ${MOUNTED}, ` : ''}add it there, or map another header`;
    return [{ path: ['proxy', 'header_map', key], message, isFatal: key === 'user' }];
  });
}

export type TrustedHeaders = Awaited<ReturnType<typeof openTrustedHeaders>>;

type PlacedConfig = Pick<ServiceConfig, 'settings' | 'file' | 'placed'>;

/** Interface 5.5.7: a file that is mounted there takes the place of the one that is shipped. */
export const trustedHeadersFiles = (mounted = MOUNTED): TrustedHeadersFiles => ({ mounted, shipped: SHIPPED });

const SHIPPED = join(import.meta.dirname, '../../trusted-headers/proxy_trusted_headers.conf');

/**
 * The list as it is now: the mounted file is watched, which need not be there. Rejects with file and line when the list that is
 * there is bad.
 */
export async function openTrustedHeaders(
  files: TrustedHeadersFiles,
  active: () => PlacedConfig,
  log: Pick<Services['log'], 'info' | 'warn' | 'error'>,
  watch?: WatchTiming,
) {
  const first = await readTrustedHeaders(files);
  if (!first.ok) throw new Error(first.error);
  /** Which headers are mapped and not on the list: a sentence each, with place and key. */
  const warnings = ({ settings, file, placed }: PlacedConfig): readonly string[] =>
    problemsOf(settings, trusted.current).map((finding) => formatProblem(file, placed(finding)));
  const onGood = (read: TrustedHeaderList): void => {
    if (isDeepStrictEqual(read, trusted.current)) return;
    trusted.current = read;
    log.info({ file: read.file, headers: read.names.size }, 'the list of trusted headers was reloaded');
    for (const warning of warnings(active())) log.warn(warning);
  };
  const onBad = (problem: string): void => log.error(`${problem}; the previous list stays in use`);
  const trusted = {
    /** Read with each request. */
    current: first.value,
    warnings,
    /** Those without which every request would be refused: a start and a reload end with them. */
    problems: ({ settings, placed }: PlacedConfig): readonly Problem[] =>
      problemsOf(settings, trusted.current)
        .filter(({ isFatal }) => isFatal)
        .map(placed),
    close: watchRead([files.mounted], () => readTrustedHeaders(files), { onGood, onBad }, { watch }),
  };
  return trusted;
}

/**
 * Lists, for `check`, the mappings of a configuration that are never believed, or what is wrong with the list itself, with its
 * line.
 */
export async function checkTrustedHeaders(
  mounted: string | undefined,
): Promise<Result<(settings: Settings) => ReturnType<typeof problemsOf>, string>> {
  const list = await readTrustedHeaders(trustedHeadersFiles(mounted));
  return list.ok ? ok((settings) => problemsOf(settings, list.value)) : list;
}

/** The problems of mappings; none where headers are not believed at all. */
const problemsOf = ({ auth, proxy }: Settings, list: TrustedHeaderList): ReturnType<typeof mappingProblems> =>
  auth.enabled || proxy.jwt ? [] : mappingProblems(proxy.header_map, list, readyFile);

/** The ready files of the project, each for one proxy. */
function readyFile(name: string): string | undefined {
  const folder = dirname(SHIPPED);
  const line = new RegExp(`^proxy_set_header ${name} `, 'im');
  const found = globSync('*.conf', { cwd: folder })
    .sort()
    .find((file) => line.test(readFileSync(join(folder, file), 'utf8')));
  return found && `trusted-headers/${found}`;
}
