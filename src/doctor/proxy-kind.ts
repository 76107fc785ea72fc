/** Which proxy stands in front, by what it says of itself in an answer (SPEC 15). */
import { headerOf, type ProxyKind } from './cause.ts';
import type { ProbeResponse } from './observations.ts';

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
export const proxyKindOf = (response: ProbeResponse | undefined): ProxyKind | undefined =>
  SIGNS.find(([header, value]) => value.test(headerOf(response, header) ?? ''))?.[2];
