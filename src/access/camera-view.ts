/** What one caller sees of this NVR: the existing cameras that its role lists (interface 2.2), without cameras that features take away (SPEC 19). The same of an account or a token, by their rights (SPEC 15). */

import { type MaybePromise, mapMaybe } from '../domain/async.ts';
import type { Caller, Rights } from '../domain/caller.ts';
import {
  type CameraScope,
  type LimitedScope,
  maySee,
  scopeWithout,
  unionOfLimited,
  visibleCameras,
} from '../domain/camera-scope.ts';
import { type Clock, unixSeconds } from '../domain/clock.ts';
import { ADMIN, type CameraName, type Role } from '../domain/names.ts';
import { earliestSeen } from '../domain/rights.ts';
import { NO_LAYOUT, type Owners, type RecorderLayout } from './recorder-layout.ts';

/** `restricted`: to listed cameras, whatever the role; `reader`: a viewer, who sees all of them. */
export type Clearance = 'admin' | 'reader' | 'restricted';

/** The view as plain data, which can be sent to a thread. */
export interface PlainView {
  readonly role: Role;
  readonly clearance: Clearance;
  readonly layout: RecorderLayout;
  /** The cameras in the order of the NVR. */
  readonly cameras: readonly CameraName[];
  /** Cameras that are drawn for the caller: not even their names are told. Absent: none. */
  readonly drawn?: readonly CameraName[];
  /** Unix seconds: nothing that began before is seen. Absent: all that there is. */
  readonly since?: number;
}

export interface CameraView extends PlainView {
  /** Always true for an admin and a viewer, of cameras that do not exist as well. */
  sees(camera: string): boolean;
  /** Whether it is the name of an existing camera that the caller may not see. */
  isForeign(name: string): boolean;
}

export function toClearance({ role, scope }: Pick<Caller, 'role' | 'scope'>): Clearance {
  if (scope.kind === 'only') return 'restricted';
  return role === ADMIN ? 'admin' : 'reader';
}

/** What the caller sees. Without a layout of the NVR a restricted one sees nothing. `now` in Unix seconds. */
export function createCameraView(
  caller: Pick<Rights, 'role' | 'scope' | 'history'> & Pick<Caller, 'drawn'>,
  { layout = NO_LAYOUT, now }: { readonly layout: RecorderLayout | undefined; readonly now: number },
): CameraView {
  const clearance = toClearance(caller);
  const since = earliestSeen(caller.history, now);
  const facts = { role: caller.role, clearance, layout, ...(since !== undefined && { since }) };
  return clearance === 'restricted'
    ? { ...facts, ...sightIn(caller, layout) }
    : { ...facts, cameras: layout.cameras, ...SEES_ALL };
}

type ScopeView = Pick<CameraView, 'layout' | 'cameras' | 'drawn' | 'sees' | 'isForeign'>;

/** A scope is asked about the same layout again and again, by one request and by the next. */
const sights = new WeakMap<CameraScope, { readonly layout: RecorderLayout; readonly sight: ScopeView }>();

/** What is drawn is in the scope already: a scope that was made without some cameras is that of no others. */
function sightIn({ scope, drawn }: Pick<Caller, 'scope' | 'drawn'>, layout: RecorderLayout): ScopeView {
  const known = sights.get(scope);
  if (known?.layout === layout) return known.sight;
  const cameras = visibleCameras(scope, layout.cameras);
  const behind = drawn && {
    layout: layoutWithout(layout, (camera) => maySee(drawn, camera)),
    drawn: visibleCameras(drawn, layout.cameras),
  };
  const sight = { layout, cameras, ...sightAmong(cameras, layout), ...behind };
  sights.set(scope, { layout, sight });
  return sight;
}

/** Whether the text holds the name of an existing camera that the caller may not see. */
export const namesForeignCamera = (text: string, { layout, isForeign }: CameraView): boolean =>
  layout.cameras.some((camera) => isForeign(camera) && text.includes(camera));

export function withSight(view: PlainView): CameraView {
  return { ...view, ...(view.clearance === 'restricted' ? sightAmong(view.cameras, view.layout) : SEES_ALL) };
}

function sightAmong(cameras: readonly CameraName[], layout: RecorderLayout): Pick<ScopeView, 'sees' | 'isForeign'> {
  const seen: ReadonlySet<string> = new Set(cameras);
  const others: ReadonlySet<string> = new Set(layout.cameras.filter((camera) => !seen.has(camera)));
  return { sees: (camera) => seen.has(camera), isForeign: (name) => others.has(name) };
}

export const plainView = ({ sees: _, isForeign: __, ...plain }: CameraView): PlainView => plain;

const SEES_ALL = { sees: () => true, isForeign: () => false };

/** An account, or an API token with the account it belongs to. */
export interface Holder {
  readonly kind: 'user' | 'token';
  readonly name: string;
  readonly owner?: string;
  readonly rights: Rights & Pick<Caller, 'drawn'>;
  /** Must set up a second factor before anything else. */
  readonly mustEnrol?: true;
}

export function scopeView({ rights, ...holder }: Holder, cameras: readonly CameraName[]) {
  const { role, scope, drawn, denied = [], closed } = rights;
  return {
    ...holder,
    role,
    /** `all` also holds for cameras that are not there yet. */
    cameras: scope.kind === 'all' ? ('all' as const) : visibleCameras(scope, cameras),
    /** The cameras that are drawn for it (SPEC 19); undefined: none. */
    drawn: drawn && visibleCameras(drawn, cameras),
    denied,
    /** Why nothing is seen now; undefined: it is. */
    closed: closed?.reason,
  };
}

/** The holder of rights from which features may take something (SPEC 19): a caller, or an account or token without a request of its own. */
export type Holding = Rights & { readonly credential?: Pick<Caller['credential'], 'kind'> };

export interface Subtraction {
  /** They do not exist for the holder. */
  readonly cameras: LimitedScope;
  /** Unix seconds: when it is another one. */
  readonly until?: number | undefined;
  /** What took them, and how they are given back, in words. */
  readonly by: NonNullable<Caller['drawnBy']>;
}

/** `now`: Unix seconds. */
export type FindSubtraction = (holder: Holding, now: number) => MaybePromise<Subtraction | undefined>;

/** The holder without what is taken; the same object where nothing is. */
export const subtracting =
  (parts: readonly { readonly subtraction?: FindSubtraction | undefined }[], clock: Clock) =>
  <Holder extends Holding>(holder: Holder): MaybePromise<Holder & Pick<Caller, 'drawn'>> => {
    let left: MaybePromise<Holder & Pick<Caller, 'drawn'>> = holder;
    for (const { subtraction } of parts)
      if (subtraction)
        left = mapMaybe(left, (one) =>
          mapMaybe(subtraction(holder, unixSeconds(clock)), (taken) => (taken ? without(one, taken) : one)),
        );
    return left;
  };

function without<Holder extends Holding & Pick<Caller, 'drawn'>>(holder: Holder, { cameras, until, by }: Subtraction) {
  const ends = [holder.changesAt, until].filter((time) => time !== undefined);
  return {
    ...holder,
    scope: scopeWithout(holder.scope, cameras),
    drawn: holder.drawn ? unionOfLimited([holder.drawn, cameras]) : cameras,
    drawnBy: by,
    ...(ends.length > 0 && { changesAt: Math.min(...ends) }),
  };
}

/** The layout for a caller for whom these cameras are drawn: a stream or zone that one of them shares is of those alone. */
function layoutWithout(layout: RecorderLayout, isTaken: (camera: string) => boolean): RecorderLayout {
  const ownersBehind = (owners: Owners): Owners =>
    new Map(
      [...owners].map(([name, cameras]): [string, readonly CameraName[]] => {
        const taken = cameras.filter(isTaken);
        return [name, taken.length > 0 ? taken : cameras];
      }),
    );
  return { ...layout, streams: ownersBehind(layout.streams), zones: ownersBehind(layout.zones) };
}
