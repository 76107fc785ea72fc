/** What doctor found, for a person and for a program (SPEC 15). */
import { headerOf, type ProxyKind } from './cause.ts';
import { type ExamineOptions, examine } from './examine.ts';
import { type DoctorFinding, judge, judgeInside } from './judge.ts';
import type { InsideSeen, ProbeResponse } from './observations.ts';
import { internalPort, type NvrPorts, openPorts } from './probes/ports.ts';

export interface Report {
  /** Null when only this machine was looked at. */
  readonly url: string | null;
  /** The kind of proxy, as it says of itself or as it was given. */
  readonly proxy: ProxyKind | null;
  readonly findings: readonly DoctorFinding[];
}

/** The ports are looked at from the public address. */
export type InsideWithoutPorts = Omit<InsideSeen, 'openPorts'>;

interface ReportOptions extends Omit<ExamineOptions, 'url'> {
  readonly url: URL | undefined;
  readonly proxy: ProxyKind | undefined;
  /** The port of `server.internal`, where every caller is an admin; undefined where it is off. */
  readonly internalPort: number | undefined;
  /** Those of the NVR. */
  readonly ports: NvrPorts;
  readonly inside: () => Promise<InsideWithoutPorts>;
}

const OWN_MACHINE = /^(?:localhost|127\.[\d.]+|\[::1\])$/;

export async function createReport(options: ReportOptions): Promise<Report> {
  const { url } = options;
  const inside = options.inside();
  if (!url) return { url: null, proxy: null, findings: judgeInside({ ...(await inside), openPorts: [] }) };
  // A port on loopback alone is not open to other machines.
  const known = [...options.ports.known, ...internalPort(options.internalPort, options.ports)];
  const ports = OWN_MACHINE.test(url.hostname) ? [] : known.filter(({ port }) => String(port) !== url.port);
  const open = openPorts(url.hostname.replace(/^\[|\]$/g, ''), ports);
  const seen = await examine({ ...options, url });
  const proxy = options.proxy ?? proxyKindOf(seen.reach);
  const findings = [...judge(seen, proxy), ...judgeInside({ ...(await inside), openPorts: await open })];
  return { url: url.href, proxy: proxy ?? null, findings };
}

/** Ends in a line break. */
export function formatReport({ url, proxy, findings }: Report): string {
  const place = url ?? 'this machine';
  const errors = findings.filter(({ level }) => level === 'error').length;
  const warnings = findings.filter(({ level }) => level === 'warning').length;
  const head = `${place}${proxy ? `, by ${proxy}` : ''}: ${counted(errors, 'error')}, ${counted(warnings, 'warning')}`;
  const asks = url === null ? ['', NO_ADDRESS] : proxy === null && errors > 0 ? ['', ASK] : [];
  return `${[head, ...findings.flatMap(shown), ...asks].map(printable).join('\n')}\n`;
}

const NO_ADDRESS =
  'No address was given and server.public_url is not set, so the way from a browser to Postern was not checked: set it, or run "postern doctor https://nvr.example.com".';
const ASK =
  'The kind of the proxy is unknown. With --proxy nginx (npm, caddy, traefik, haproxy, apache, cloudflare) doctor shows the configuration lines for it.';

const counted = (count: number, what: string): string => `${count || 'no'} ${what}${count === 1 ? '' : 's'}`;

function shown({ level, name, seen, advice, lines }: DoctorFinding): readonly string[] {
  return ['', `${level}: ${name}`, `  ${seen}`, `  ${advice}`, ...lines.map((line) => `      ${line}`)];
}

/** An answer from elsewhere may hold what moves a terminal's cursor. */
const printable = (line: string): string =>
  line.replaceAll(/\p{Cc}/gu, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);

/** Which proxy stands in front, by what it says of itself in an answer (SPEC 15). */
// biome-ignore format: a table
const SIGNS: readonly (readonly [header: string, value: RegExp, kind: ProxyKind])[] = [
  ['cf-ray', /./,            'cloudflare'],
  ['server', /^cloudflare/i, 'cloudflare'],
  ['x-served-by', /./,       'npm'],
  ['server', /^openresty/i,  'npm'],
  ['server', /^nginx/i,      'nginx'],
  ['server', /^caddy/i,      'caddy'],
  ['via',    /caddy/i,       'caddy'],
  ['server', /^apache/i,     'apache'],
];

/** Undefined for one that keeps silent, as HAProxy and Traefik do. */
const proxyKindOf = (response: ProbeResponse | undefined): ProxyKind | undefined =>
  SIGNS.find(([header, value]) => value.test(headerOf(response, header) ?? ''))?.[2];
