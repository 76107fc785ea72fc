/** Step 4, below a link: the path of the NVR that `/s/{secret}/…` stands for. All later steps judge that path (SPEC 13). */

import { linkTarget } from '../../access/link-targets.ts';
import { isOwn, type RouteMatch, type RouteTable } from '../../access/route-table.ts';
import { type MaybePromise, mapMaybe } from '../../domain/async.ts';
import type { RequestFacts, RequestTarget } from '../../domain/request.ts';
import type { SharedThing } from '../../domain/shared-thing.ts';

/**
 * What the link of that secret shows, whether it still works or not; undefined when there is no such link, and `limited` when
 * too many secrets that are none came from that address.
 */
export type FindShared = (secret: string, address: string) => MaybePromise<SharedThing | 'limited' | undefined>;

/** Not for another method or spelling of such a path, whose row says `none`. */
export const isBelowLink = (route: RouteMatch): boolean =>
  isOwn(route) && route.row.link === true && route.row.access === 'public';

/**
 * The request that the link stands for; undefined when it has no such file. Nothing of the client's path but the name of a
 * file, and nothing of its query, gets into the new target.
 */
export function linkedRequest(
  request: RequestFacts,
  { segments }: RequestTarget,
  address: string,
  { routes, sharedBy }: { readonly routes: Pick<RouteTable, 'nvr'>; readonly sharedBy?: FindShared | undefined },
): MaybePromise<RequestFacts | 'limited' | undefined> {
  const [, secret = '', ...file] = segments;
  return mapMaybe(sharedBy?.(secret, address), (thing) => {
    if (thing === 'limited') return thing;
    const target = thing && linkTarget(routes.nvr.links, thing, file);
    return target === undefined ? undefined : { ...request, target, linkSecret: secret };
  });
}
