/** What a vector's outcome breaks, a sentence each: nothing when the attack did not work. */
import type { Received } from '../../support/fake-nvr.ts';
import type { Expectation, HeaderPattern, Sightings } from './vector.ts';

export interface Outcome {
  /** Undefined: closed without an answer. */
  readonly status: number | undefined;
  /** Everything that the client was sent. */
  readonly text: string;
  /** What the NVR received because of it. */
  readonly received: readonly Received[];
}

export function breaches(expect: Expectation, outcome: Outcome): string[] {
  const { received } = outcome;
  return [
    ...statusBreaches(expect.status, outcome.status),
    ...received.flatMap((request) => sightingBreaches(expect.upstreamMustNotSee, request)),
    ...received.flatMap((request) => missing(expect.upstreamMustSee?.headers ?? [], request)),
    ...clientBreaches(expect, outcome.text),
    ...(received.length > (expect.upstreamMaxRequests ?? Number.POSITIVE_INFINITY)
      ? [`the NVR received ${received.length} requests: ${received.map(lineOf).join(' | ')}`]
      : []),
    ...(expect.upstreamMustSee?.headers.length && outcome.status === 200 && received.length === 0
      ? ['the NVR received nothing']
      : []),
  ];
}

function statusBreaches(allowed: Expectation['status'], status: number | undefined): string[] {
  if (allowed.includes('reset') || allowed.includes(status ?? 'close')) return [];
  return [`answered ${status ?? 'by closing'}, which is none of ${allowed.join(', ')}`];
}

function sightingBreaches(forbidden: Sightings, request: Received): string[] {
  const [path = '', query = ''] = splitOnce(request.target, '?');
  const saw = (what: string): string => `the NVR saw ${what} in ${lineOf(request)}`;
  return [
    ...(forbidden.anything ? [saw('anything at all')] : []),
    ...matchesOf(forbidden.headers ?? [], request).map(([name, value]) => saw(`${name}: ${value}`)),
    ...(forbidden.roles ?? []).filter((role) => rolesOf(request).includes(role)).map((role) => saw(`role ${role}`)),
    ...(forbidden.paths ?? []).filter((text) => pattern(text).test(request.target)).map(saw),
    ...(forbidden.normalizedPaths ?? []).filter((text) => pattern(text).test(normalizedPath(path))).map(saw),
    ...(forbidden.queryCameras ?? []).filter((camera) => selectedCameras(query).includes(camera)).map(saw),
    ...(forbidden.queryRaw ?? []).filter((text) => pattern(text).test(query)).map(saw),
  ];
}

function missing(wanted: readonly HeaderPattern[], request: Received): string[] {
  return wanted
    .filter((header) => matchesOf([header], request).length === 0)
    .map(({ name, value }) => `the NVR did not see ${name}: ${value} in ${lineOf(request)}`);
}

function clientBreaches({ clientMustNotSee, clientMustSee }: Expectation, text: string): string[] {
  return [
    ...(clientMustNotSee !== undefined && pattern(clientMustNotSee, 'i').test(text)
      ? [`sent ${clientMustNotSee}`]
      : []),
    ...(clientMustSee !== undefined && !pattern(clientMustSee).test(text) ? [`did not send ${clientMustSee}`] : []),
  ];
}

function matchesOf(patterns: readonly HeaderPattern[], { headers }: Received): (readonly [string, string])[] {
  return headers.filter(([line, value]) =>
    patterns.some(
      (wanted) =>
        (wanted.normalize ? line.replaceAll(/[^a-z0-9]+/g, '-') : line) === wanted.name &&
        (wanted.value === undefined || pattern(wanted.value).test(value)),
    ),
  );
}

/** Every part of what a lenient NVR takes for the role. */
const rolesOf = ({ headers }: Received): string[] =>
  headers
    .filter(([name]) => name.replaceAll(/[^a-z0-9]+/g, '-') === 'remote-role')
    .flatMap(([, value]) => value.split(/[\s,;|]+/));

/** As the NVR's own server reads a path: decoded once, `\` as `/`, slashes merged, dots resolved. */
export function normalizedPath(path: string): string {
  const decoded = Buffer.from(path, 'latin1')
    .toString('utf8')
    .replaceAll(/%([0-9a-f]{2})/gi, (_escape, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll('\\', '/');
  const kept: string[] = [];
  for (const segment of decoded.split('/')) {
    if (segment === '..') kept.pop();
    else if (segment !== '.' && segment !== '') kept.push(segment);
  }
  return `/${kept.join('/')}`;
}

/** The cameras that the NVR would answer for: the last `cameras`, else the last `camera`, else all. */
function selectedCameras(query: string): string[] {
  const parameters = new URLSearchParams(query);
  const value = parameters.getAll('cameras').at(-1) ?? parameters.getAll('camera').at(-1);
  return (value || 'all').split(',').map((camera) => camera.trim());
}

function pattern(text: string, flags = ''): RegExp {
  return text.startsWith('(?i)') ? new RegExp(text.slice('(?i)'.length), 'i') : new RegExp(text, flags);
}

const lineOf = ({ method, target }: Received): string => `${method} ${target}`;

const splitOnce = (text: string, at: string): string[] => {
  const cut = text.indexOf(at);
  return cut < 0 ? [text] : [text.slice(0, cut), text.slice(cut + 1)];
};
