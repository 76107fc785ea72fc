/** Who reads the text of an error, and follows a redirect: which responses concern a caller who is no admin. */
import { authorize } from '../../access/authorize.ts';
import { type CameraView, viewOf } from '../../access/camera-view.ts';
import { isPublic } from '../../access/route-table.ts';
import { targetAt } from '../../domain/addresses.ts';
import type { Caller } from '../../domain/caller.ts';
import type { RefusalReason } from '../../domain/refusal.ts';
import type { Admitted, Rules } from '../decision/admit.ts';
import type { Destination } from '../decision/destinations.ts';
import { parseTarget } from '../decision/strict-target.ts';
import { ownAddress, placeOf } from '../response/public-place.ts';
import type { ErrorReader, ResponseReader } from './error-text.ts';

export const errorReaderOf = (view: CameraView): ErrorReader => ({
  clearance: view.clearance,
  namesForeign: (text) => view.layout.cameras.some((camera) => !view.sees(camera) && text.includes(camera)),
});

type ReaderRules = () => Pick<Rules, 'surroundings' | 'routes'>;

/** Postern's own backend says nothing that is not meant for its reader, and neither do files that are the same for everybody. */
export function errorReaderFor(
  admission: Admitted,
  destination: Exclude<Destination, { kind: 'none' }>,
  rules: ReaderRules,
): (() => ResponseReader) | undefined {
  const { caller, route } = admission;
  if (!caller || destination.kind === 'events-backend' || isPublic(route)) return undefined;
  return () => {
    const { layout, now } = rules().surroundings();
    const reader = errorReaderOf(viewOf(caller, now, layout));
    return {
      ...reader,
      redirectFault: (location) => redirectFault(location, reader, caller, admission, destination, rules),
    };
  };
}

/** An address of another server, such as that of a login, cannot be judged: it may name no foreign camera. */
function redirectFault(
  location: string,
  { clearance, namesForeign }: ErrorReader,
  caller: Caller,
  { target, client, route, obligations }: Admitted,
  { upstream }: Exclude<Destination, { kind: 'none' }>,
  rules: ReaderRules,
): RefusalReason | undefined {
  if (clearance === 'admin') return undefined;
  const sent = { path: targetAt(upstream, target.path), hosts: [], client };
  const url = ownAddress(location, placeOf(upstream, sent));
  // A reader who sees all cameras may be led to a login at any path (interface 5.5.8).
  if (!url || clearance === 'reader') return namesForeign(location) ? 'camera-not-in-role' : undefined;
  const led = parseTarget(`${upstream.below ?? ''}${url.pathname}${url.search}`);
  if (!led) return 'nvr-unexpected-form';
  const { routes, surroundings } = rules();
  const method = route.kind === 'listed' && route.row.methods.includes('WS') ? 'WS' : 'GET';
  const verdict = authorize(caller, routes.match(method, led.segments), led, surroundings());
  if (verdict.kind === 'refused')
    return verdict.reason === 'camera-not-in-role' ? verdict.reason : 'nvr-unexpected-form';
  const asked = new Set(obligations?.owners?.flatMap(({ ids }) => ids));
  const owners = verdict.kind === 'allowed' ? (verdict.obligations?.owners ?? []) : [];
  return owners.every(({ ids }) => ids.every((id) => asked.has(id))) ? undefined : 'nvr-unexpected-form';
}
