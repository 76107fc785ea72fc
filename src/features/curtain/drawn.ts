/** The curtain: cameras that are drawn, and from whom they are taken while they are (SPEC 19). Times are Unix seconds. Pure. */
import type { FindSubtraction, Holding, Subtraction } from '../../access/subtraction.ts';
import { type MaybePromise, mapMaybe } from '../../domain/async.ts';
import { type LimitedScope, toScope } from '../../domain/camera-scope.ts';
import { traitsFor } from '../../domain/credentials.ts';
import { ADMIN } from '../../domain/names.ts';

export interface DrawnEntry {
  /** A camera, or a pattern of cameras. */
  readonly camera: string;
  /** It opens by itself then. Absent: it does not. */
  readonly until?: number;
  /** The name of who drew it. */
  readonly by: string;
  readonly drawnAt: number;
}

/** All that is drawn. The list must not be changed afterwards: a change makes another list. */
export type Curtain = readonly DrawnEntry[];

export const isDrawn = ({ until }: Pick<DrawnEntry, 'until'>, now: number): boolean =>
  until === undefined || now < until;

/** Never from an admin, who must be able to open it; always from what is lent to viewers, whatever the role of their maker. */
const isBehindCurtain = ({ role, credential }: Holding): boolean =>
  role !== ADMIN || (credential !== undefined && !traitsFor(credential).isUsedByOwner);

/** What the curtain of this moment takes; an admin does not depend on what the store says. */
export const subtractionOf =
  (latest: () => MaybePromise<Curtain>): FindSubtraction =>
  (holder, now) =>
    isBehindCurtain(holder) ? mapMaybe(latest(), (curtain) => takenBy(curtain, now)) : undefined;

function takenBy(curtain: Curtain, now: number): Subtraction | undefined {
  const drawn = curtain.filter((entry) => isDrawn(entry, now));
  if (drawn.length === 0) return undefined;
  const ends = drawn.flatMap(({ until = [] }) => until);
  return { cameras: scopeOfDrawn(curtain, drawn), ...(ends.length > 0 && { until: Math.min(...ends) }) };
}

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
