/** The curtain: cameras that do not exist for some callers while it is drawn (SPEC 19). Pure: the same for all ways in. */
import type { Caller } from '../domain/caller.ts';
import { type LimitedScope, scopeOf, scopeWithout } from '../domain/camera-scope.ts';
import { ADMIN, type Role } from '../domain/names.ts';

/** One camera, or one pattern of cameras, that is drawn. */
export interface DrawnEntry {
  readonly entry: string;
  /** Unix seconds: it opens by itself then. Absent: it does not. */
  readonly until?: number;
  /** The roles for which it is drawn. Absent: all but admin. */
  readonly roles?: readonly Role[];
}

/** All that is drawn. The list must not be changed afterwards: a change makes another list. */
export type Curtain = readonly DrawnEntry[];

/**
 * The caller without the cameras that are drawn for it at `now` (Unix seconds); the same object where none is. The visitor of
 * a link is behind every entry, whatever the role of its maker, and a person of several roles behind those of each of them.
 */
export function behindCurtain(caller: Caller, curtain: Curtain, now: number): Caller {
  const drawn = curtain.filter((entry) => isDrawn(entry, now) && concerns(entry, caller));
  if (drawn.length === 0) return caller;
  const ends = [caller.changesAt, ...drawn.map(({ until }) => until)].filter((time) => time !== undefined);
  return {
    ...caller,
    scope: scopeWithout(caller.scope, scopeOfDrawn(curtain, drawn)),
    ...(ends.length > 0 && { changesAt: Math.min(...ends) }),
  };
}

const isDrawn = ({ until }: DrawnEntry, now: number): boolean => until === undefined || now < until;

function concerns({ roles }: DrawnEntry, caller: Caller): boolean {
  if (caller.credential.kind === 'link') return true;
  if (!roles) return caller.role !== ADMIN;
  // Of several roles admin wins, as in `rightsOfRoles`.
  const held = caller.role === ADMIN ? [ADMIN] : [caller.role, ...(caller.roles ?? [])];
  return held.some((role) => roles.includes(role));
}

const scopesOfCurtain = new WeakMap<Curtain, Map<string, LimitedScope>>();

/** One scope for the same entries of a curtain: what is made from a scope is remembered by the scope. No entry holds a comma. */
function scopeOfDrawn(curtain: Curtain, drawn: Curtain): LimitedScope {
  const entries = drawn.map(({ entry }) => entry);
  const key = entries.join(',');
  const scopes = scopesOfCurtain.get(curtain) ?? new Map<string, LimitedScope>();
  scopesOfCurtain.set(curtain, scopes);
  const scope = scopes.get(key) ?? scopeOf(entries);
  scopes.set(key, scope);
  return scope;
}
