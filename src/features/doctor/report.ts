/** What doctor found, for a person and for a program (SPEC 15). */
import { printable } from '../../domain/text.ts';
import { type DoctorFinding, judge, probeHeader, type Report } from './cause.ts';
import { type ExamineOptions, examine, type FirstSeen, type WaySeen } from './examine.ts';
import { INSIDE_CAUSES, type observeInside } from './inside.ts';
import type { ProxyKind } from './marks.ts';
import { type KnownPort, openPorts } from './ports.ts';
import type { ProbeResponse } from './send.ts';
import { CERTIFICATE_CAUSES, FIRST_CAUSES, WAY_CAUSES } from './way-causes.ts';

export interface ReportOptions extends Omit<ExamineOptions, 'url'> {
  readonly proxy?: ProxyKind | undefined;
  readonly url: URL | undefined;
  /** Those of the NVR, and of the internal listener, where every caller is an admin. */
  readonly ports: readonly KnownPort[];
  readonly inside: () => ReturnType<typeof observeInside>;
}

const OWN_MACHINE = /^(?:localhost|127\.[\d.]+|\[::1\])$/;

export async function createReport(options: ReportOptions): Promise<Report> {
  const { url } = options;
  const inside = options.inside();
  // A port on loopback alone is not open to other machines.
  const host = url && !OWN_MACHINE.test(url.hostname) ? url.hostname.replace(/^\[|\]$/g, '') : '';
  const ports = host === '' ? [] : options.ports.filter(({ port }) => String(port) !== url?.port);
  const open = openPorts(host, ports);
  const seen = url && (await examine({ ...options, url }));
  const proxy = seen && (options.proxy ?? guessProxy(seen.reach));
  const openOnes = await open;
  const findings = [
    ...(seen ? judgeWay(seen, proxy) : []),
    ...judge(INSIDE_CAUSES, { ...(await inside), openPorts: openOnes }),
  ];
  const ofWay = seen ? [...FIRST_CAUSES, ...CERTIFICATE_CAUSES, ...(isWhole(seen) ? WAY_CAUSES : [])] : [];
  const looked = new Set([...ofWay, ...INSIDE_CAUSES].map(({ name }) => name));
  const good = [...looked].filter((name) => findings.every((one) => one.name !== name));
  const closed = new Set(ports.map(({ port }) => port).filter((port) => openOnes.every((one) => one.port !== port)));
  const report = { url: url?.href ?? null, proxy: proxy ?? null, findings, good };
  return closed.size > 0 ? { ...report, closed: [...closed] } : report;
}

const isWhole = (seen: FirstSeen | WaySeen): seen is WaySeen => seen.seen !== undefined;

/** Nothing further along the way can be told while one of the first causes holds. */
export const judgeWay = (seen: FirstSeen | WaySeen, proxy?: ProxyKind): readonly DoctorFinding[] => [
  ...judge(FIRST_CAUSES, seen, proxy).slice(0, 1),
  ...judge(CERTIFICATE_CAUSES, seen, proxy),
  ...(isWhole(seen) ? judge(WAY_CAUSES, seen, proxy) : []),
];

/** Ends in a line break. */
export function formatReport({ url, proxy, findings, good, closed = [] }: Report): string {
  const place = url ?? 'this machine';
  const errors = findings.filter(({ level }) => level === 'error').length;
  const warnings = findings.filter(({ level }) => level === 'warning').length;
  const head = `${place}${proxy ? `, by ${proxy}` : ''}: ${counted(errors, 'error')}, ${counted(warnings, 'warning')}`;
  const asks = url === null ? ['', NO_ADDRESS] : proxy === null && errors > 0 ? ['', ASK] : [];
  const shut = closed.length > 0 ? ['', `the NVR does not answer from here at the ports ${closed.join(', ')}`] : [];
  const wells = good.length > 0 ? [...shut, '', `looked for and not found: ${good.join(', ')}`] : shut;
  return `${[head, ...findings.flatMap(shown), ...wells, ...asks].map(printable).join('\n')}\n`;
}
const NO_ADDRESS =
  'No address was given and server.public_url is not set, so the way from a browser to Postern was not checked: set it, or run "postern doctor https://nvr.example.com".';
const ASK =
  'The kind of the proxy is unknown. With --proxy nginx (npm, caddy, traefik, haproxy, apache, cloudflare) doctor shows the configuration lines for it.';

const counted = (count: number, what: string): string => `${count || 'no'} ${what}${count === 1 ? '' : 's'}`;

function shown({ level, name, seen, advice, lines }: DoctorFinding): readonly string[] {
  return ['', `${level}: ${name}`, `  ${seen}`, `  ${advice}`, ...lines.map((line) => `      ${line}`)];
}

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
const guessProxy = (response: ProbeResponse): ProxyKind | undefined =>
  SIGNS.find(([header, value]) => value.test(probeHeader(response, header) ?? ''))?.[2];
