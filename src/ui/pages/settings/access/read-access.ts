/** What GET /api/explain and GET /api/access answer: the trace of a request, and who sees which camera, by role. Pure. */
import type { z } from 'zod';
import type { ACCESS } from '../../../../gateway/explain/explain-route.ts';
import type { Explanation as Told } from '../../../../gateway/explain/explanation.ts';
import { isFields } from '../../shared/forms/fields.ts';

/** What is undefined is absent from JSON. */
export type Explanation = Pick<Told, 'verdict' | 'message'> & Partial<Told>;

const VERDICTS: readonly unknown[] = ['admitted', 'nothing-visible', 'refused'];

export const readExplanation = (body: unknown): Explanation | undefined =>
  isFields(body) && VERDICTS.includes(body['verdict']) ? ({ message: '', ...body } as Explanation) : undefined;

export type CameraAccess = z.output<typeof ACCESS>;
export type Holder = CameraAccess['holders'][number];

/** Nobody and nothing where the answer is no such list. */
export function readAccess(body: unknown): CameraAccess {
  const { cameras, holders } = isFields(body) ? body : {};
  return {
    cameras: Array.isArray(cameras) ? cameras : [],
    holders: Array.isArray(holders) ? holders : [],
  } as CameraAccess;
}

/** What a cell says: seen, seen but not in every way, seen when the hours or the account begin, or not at all. */
export type Sight = 'all' | 'part' | 'closed' | 'none';

/** Pictures of a camera can be seen in these ways; the other verbs move it. */
const SHOWING: readonly string[] = ['live', 'history', 'export'];

export function sightOf({ cameras, denied, closed, mustEnrol }: Holder, camera: string): Sight {
  if (cameras !== 'all' && !cameras.includes(camera)) return 'none';
  // What has ended does not begin again by itself.
  if (closed === 'account-ended' || closed === 'role-missing') return 'none';
  if (closed !== undefined || mustEnrol) return 'closed';
  const isDenied = (verb: string): boolean => denied.some((one) => one === verb);
  if (SHOWING.every(isDenied)) return 'none';
  return SHOWING.some(isDenied) ? 'part' : 'all';
}

export interface RoleGroup {
  readonly role: string;
  readonly people: readonly Holder[];
}

/** People alone, by role, each group by name; admins first, then viewers. */
export function byRole(holders: readonly Holder[]): readonly RoleGroup[] {
  const people = holders.filter(({ kind }) => kind === 'user');
  const groups = new Map<string, Holder[]>();
  for (const one of people) groups.set(one.role, [...(groups.get(one.role) ?? []), one]);
  const rank = (role: string): number => (role === 'admin' ? 0 : role === 'viewer' ? 1 : 2);
  return [...groups]
    .map(([role, those]) => ({ role, people: those.sort((one, other) => one.name.localeCompare(other.name)) }))
    .sort((one, other) => rank(one.role) - rank(other.role) || one.role.localeCompare(other.role));
}

const holds = (text: string, query: string): boolean => text.toLowerCase().includes(query.trim().toLowerCase());

/** The people whose name or role, and the cameras whose name, hold what is looked for; of a word that no camera holds, all cameras. */
export function found(
  { cameras, holders }: CameraAccess,
  { person, camera }: { readonly person: string; readonly camera: string },
  nameOf: (camera: string) => string,
): CameraAccess {
  return {
    cameras: cameras.filter((one) => holds(one, camera) || holds(nameOf(one), camera)),
    holders: holders.filter(({ name, role }) => holds(name, person) || holds(role, person)),
  };
}
