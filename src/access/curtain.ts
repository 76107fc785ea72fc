/** The curtain: cameras that do not exist for anyone but admins while it is drawn (SPEC 19). Pure: the same for all ways in. */
import { type Curtain, isDrawn } from '../domain/accounts/curtain.ts';
import { type MaybePromise, mapMaybe } from '../domain/async.ts';
import type { Caller, Rights } from '../domain/caller.ts';
import { type LimitedScope, scopeWithout, toScope } from '../domain/camera-scope.ts';
import { traitsFor } from '../domain/credentials.ts';
import { ADMIN, type CameraName } from '../domain/names.ts';
import type { Owners, RecorderLayout } from './recorder-layout.ts';

/** A caller, or an account or token that is looked at without a request of its own. */
export type Concerned = Rights & { readonly credential?: Pick<Caller['credential'], 'kind'> };

/** Never an admin, who must be able to open it; always what is lent to viewers, whatever the role of their maker. */
const isConcerned = ({ role, credential }: Concerned): boolean =>
  role !== ADMIN || (credential !== undefined && !traitsFor(credential).isUsedByOwner);

/** The caller without the cameras that are drawn for it at `now` (Unix seconds); the same object where none is. */
export function behindCurtain<Holder extends Concerned>(
  caller: Holder,
  curtain: Curtain,
  now: number,
): Holder & Pick<Caller, 'drawn'> {
  const drawn = isConcerned(caller) ? curtain.filter((entry) => isDrawn(entry, now)) : [];
  if (drawn.length === 0) return caller;
  const ends = [caller.changesAt, ...drawn.map(({ until }) => until)].filter((time) => time !== undefined);
  const taken = scopeOfDrawn(curtain, drawn);
  return {
    ...caller,
    scope: scopeWithout(caller.scope, taken),
    drawn: taken,
    ...(ends.length > 0 && { changesAt: Math.min(...ends) }),
  };
}

/** The curtain of this moment, applied to a holder; an admin does not depend on what the store says. */
export const behindLatest =
  (latest: () => MaybePromise<Curtain>, now: () => number) =>
  <Holder extends Concerned>(holder: Holder): MaybePromise<Holder & Pick<Caller, 'drawn'>> =>
    isConcerned(holder) ? mapMaybe(latest(), (curtain) => behindCurtain(holder, curtain, now())) : holder;

const scopesOfCurtain = new WeakMap<Curtain, Map<string, LimitedScope>>();

/** One scope for the same entries of a curtain: what is made from a scope is remembered by the scope. No entry holds a comma. */
function scopeOfDrawn(curtain: Curtain, drawn: Curtain): LimitedScope {
  const entries = drawn.map(({ camera }) => camera);
  const key = entries.join(',');
  const scopes = scopesOfCurtain.get(curtain) ?? new Map<string, LimitedScope>();
  scopesOfCurtain.set(curtain, scopes);
  const scope = scopes.get(key) ?? toScope(entries);
  scopes.set(key, scope);
  return scope;
}

/** The layout for a caller for whom these cameras are drawn: a stream or zone that one of them shares is of those alone. */
export function layoutBehind(layout: RecorderLayout, isTaken: (camera: string) => boolean): RecorderLayout {
  const ownersBehind = (owners: Owners): Owners =>
    new Map(
      [...owners].map(([name, cameras]): [string, readonly CameraName[]] => {
        const taken = cameras.filter(isTaken);
        return [name, taken.length > 0 ? taken : cameras];
      }),
    );
  return { ...layout, streams: ownersBehind(layout.streams), zones: ownersBehind(layout.zones) };
}
