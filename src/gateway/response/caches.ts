/** What caches between a browser and Postern go by, also those that are told to ignore `Cache-Control` (SPEC 1, 6). */
import { isPublic } from '../../access/route-table.ts';
import { isAutomatic, type RequestFacts, singleHeader } from '../../domain/request.ts';
import type { Admitted } from '../decision/admit.ts';

/**
 * The value of `Vary` on what is not the same for everybody, refusals included: a cache that keeps it gives it to nobody else.
 * `identityHeaders` are those in which a proxy says who calls. They alone do not help: that proxy may be the cache.
 */
export const variesBy = (identityHeaders: readonly string[] = []): string =>
  [...new Set(['cookie', 'authorization', ...identityHeaders])].map(asWritten).join(', ');

const asWritten = (name: string): string => name.replaceAll(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase());

/** Values of `Sec-Fetch-Dest` of what caches keep for everybody. */
// biome-ignore format: a table
const PARTS_OF_PAGES: ReadonlySet<string> = new Set([
  'image', 'audio', 'video', 'track', 'style', 'script', 'font', 'manifest', 'object', 'embed', 'worker', 'sharedworker', 'serviceworker', 'json', 'xslt',
]);
/** `latest.jpg`; not the id `1727.5-abc`. */
const FILE = /\.[A-Za-z]\w{0,4}$/;

/** Whether the response may carry a renewed session: not one that a cache may hand to strangers together with the cookie. */
export function mayCarrySession(request: RequestFacts, { route, target }: Pick<Admitted, 'route' | 'target'>): boolean {
  if (isAutomatic(request) || isPublic(route)) return false;
  if (PARTS_OF_PAGES.has(singleHeader(request, 'sec-fetch-dest') ?? '') || FILE.test(target.path)) return false;
  const views = route.kind === 'listed' ? route.row.views : undefined;
  return views === undefined || views === 'signalling';
}
