/** What features take out of what a holder sees (SPEC 19). By its type a subtraction can widen nothing. Pure: the same for all ways in. */
import { type MaybePromise, mapMaybe } from '../domain/async.ts';
import type { Caller, Rights } from '../domain/caller.ts';
import { type LimitedScope, scopeWithout, unionOfLimited } from '../domain/camera-scope.ts';
import type { CameraName } from '../domain/names.ts';
import type { Owners, RecorderLayout } from './recorder-layout.ts';

/** A caller, or an account or token that is looked at without a request of its own. */
export type Holding = Rights & { readonly credential?: Pick<Caller['credential'], 'kind'> };

export interface Subtraction {
  /** They do not exist for the holder. */
  readonly cameras: LimitedScope;
  /** Unix seconds: when it is another one. */
  readonly until?: number | undefined;
}

/** `now`: Unix seconds. */
export type FindSubtraction = (holder: Holding, now: number) => MaybePromise<Subtraction | undefined>;

/** The holder without what is taken; the same object where nothing is. */
export const subtracting =
  (parts: readonly { readonly subtraction?: FindSubtraction | undefined }[]) =>
  <Holder extends Holding>(holder: Holder, now: number): MaybePromise<Holder & Pick<Caller, 'drawn'>> => {
    let left: MaybePromise<Holder & Pick<Caller, 'drawn'>> = holder;
    for (const { subtraction } of parts)
      if (subtraction)
        left = mapMaybe(left, (one) =>
          mapMaybe(subtraction(holder, now), (taken) => (taken ? without(one, taken) : one)),
        );
    return left;
  };

function without<Holder extends Holding & Pick<Caller, 'drawn'>>(holder: Holder, { cameras, until }: Subtraction) {
  const ends = [holder.changesAt, until].filter((time) => time !== undefined);
  return {
    ...holder,
    scope: scopeWithout(holder.scope, cameras),
    drawn: holder.drawn ? unionOfLimited([holder.drawn, cameras]) : cameras,
    ...(ends.length > 0 && { changesAt: Math.min(...ends) }),
  };
}

/** The layout for a caller for whom these cameras are drawn: a stream or zone that one of them shares is of those alone. */
export function layoutWithout(layout: RecorderLayout, isTaken: (camera: string) => boolean): RecorderLayout {
  const ownersBehind = (owners: Owners): Owners =>
    new Map(
      [...owners].map(([name, cameras]): [string, readonly CameraName[]] => {
        const taken = cameras.filter(isTaken);
        return [name, taken.length > 0 ? taken : cameras];
      }),
    );
  return { ...layout, streams: ownersBehind(layout.streams), zones: ownersBehind(layout.zones) };
}
