/** Custom roles: those of the configuration file and those created in the console; as they are now, made, changed and deleted (interface 2.2; SPEC 4.3). */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Services } from '../../app/services.ts';
import { type MaybePromise, mapMaybe } from '../../domain/async.ts';
import { type CustomRoles, wildcardsFault } from '../../domain/camera-scope.ts';
import { newRoleFault, parseCustomRoleName, type Role } from '../../domain/names.ts';
import { VERBS } from '../../domain/policy.ts';
import {
  type ActiveRoles,
  hasLimit,
  type LimitKey,
  parseLimits,
  type RoleLimit,
  type WrittenLimits,
  writtenLimits,
} from '../../domain/rights.ts';
import type { RoleStore } from '../../store/accounts/house.ts';
import type { StoredRole } from '../../store/engine/tables.ts';
import type { Store } from '../../store/open-store.ts';
import { cameraEntriesIn } from '../http/json-body.ts';
import { unfit } from '../http/kernel.ts';
import { createStoreGrace, type StoreGrace } from '../sessions/store-grace.ts';

interface RoleSources {
  readonly store: Pick<RoleStore, 'listRoles'>;
  /** `auth.roles` of the configuration: fixed, and above a role of the same name in the store. */
  readonly fixed: ActiveRoles;
  /** Remembers what the store says, and for how long. Default: the store is read each time. */
  readonly grace?: StoreGrace;
  readonly onChange?: (roles: CustomRoles) => void;
}

export type RoleRegistry = ReturnType<typeof createRoleRegistry>;

export function createRoleRegistry({ store, grace = createStoreGrace(), onChange, ...parts }: RoleSources) {
  let { fixed } = parts;
  let stored: readonly StoredRole[] = [];
  let roles = fixed.cameras;
  let active = fixed;
  const remembered = grace.memory<readonly StoredRole[]>(1, { rowsOf: () => ['custom_roles'], isOfRows: true });

  const join = (): CustomRoles => {
    const others = stored.filter(({ role }) => !fixed.cameras.has(role));
    const found: CustomRoles = new Map([
      ...fixed.cameras,
      ...others.map(({ role, cameras }) => [role, cameras] as const),
    ]);
    const isChanged = JSON.stringify([...found]) !== JSON.stringify([...roles]); // of thousands in a tenth of the time
    if (isChanged) roles = found;
    const ofFile = fixed;
    active = {
      cameras: roles,
      limits: new Map([...ofFile.limits, ...others.flatMap(readLimits)]),
      get zone() {
        return ofFile.zone;
      },
    };
    if (isChanged) onChange?.(roles);
    return roles;
  };
  const latest = (): MaybePromise<CustomRoles> =>
    mapMaybe(
      remembered('', () => store.listRoles()),
      (found) => {
        if (found === stored) return roles;
        stored = found;
        return join();
      },
    );

  const inFile = (role: Role): StoredRole | undefined => {
    const [cameras, limit] = [fixed.cameras.get(role), fixed.limits.get(role)];
    return cameras && { role, cameras, ...(limit && { limits: writtenLimits(limit) }) };
  };
  return {
    get fixed(): CustomRoles {
      return fixed.cameras;
    },
    /** `auth.roles` was read again. */
    renew(given: ActiveRoles): void {
      fixed = given;
      join();
    },
    inFile,
    /** Whether the store has it, too, as the file has it now. */
    isTakenOver: (role: Role): boolean => stored.some((one) => isDeepStrictEqual(one, inFile(role))),
    /** The roles as last read. */
    current: (): CustomRoles => roles,
    activeAtLastRead: (): ActiveRoles => active,
    /** The roles as they are: read again when the store has changed. */
    latest,
    /** The same, with what limits each role. */
    active: (): MaybePromise<ActiveRoles> => mapMaybe(latest(), () => active),
  };
}

/** Limits that this version cannot read, written by another one, must not be taken for none. */
function readLimits({ role, limits }: StoredRole): [Role, RoleLimit][] {
  if (!limits) return [];
  const parsed = parseLimits(limits);
  return [[role, parsed.ok ? parsed.value : { deny: VERBS }]];
}

/** What is asked for a role. Of the limits, null takes one away; one that is left out stays as it is. */
export interface WantedRole {
  readonly cameras: readonly unknown[];
  readonly limits?: RequestedLimits;
  /** The role may have no camera at all, until an admin gives it some. */
  readonly mayBeEmpty?: true;
}

/** The wanted roles by name: a role that is made or changed, null for one that is deleted. */
export type WantedRoles = ReadonlyMap<string, WantedRole | null>;

const LONGEST_ROLE_NAME = 64;
const MOST_CAMERA_ENTRIES = 1000;

/** All of them or none. Gives what was saved and deleted, and who had a deleted role. Refuses by a `Refused`. */
export async function changeRoles(
  wanted: WantedRoles,
  { store, roleRegistry }: Pick<Services, 'roleRegistry'> & { readonly store: Pick<Store, 'roles'> },
) {
  const active = await roleRegistry.active();
  const known = [...active.cameras.keys()];
  const saved: StoredRole[] = [];
  const deleted: Role[] = [];
  for (const [name, asked] of wanted) {
    const role = checkedName(name, asked === null, known, roleRegistry);
    if (asked === null) {
      deleted.push(role);
      continue;
    }
    const { cameras: entries, mayBeEmpty } = asked;
    const cameras = mayBeEmpty && entries.length === 0 ? [] : checkedCameras(name, entries);
    const before = active.limits.get(role);
    const limits = checkedLimits(name, asked.limits ?? {}, before && writtenLimits(before));
    saved.push({ role, cameras, ...(limits && { limits }) });
  }
  const newViewers = await store.roles.changeRoles({ saved, deleted });
  return { saved: saved.map(({ role }) => role), deleted, newViewers };
}

function checkedName(name: string, isDeleted: boolean, known: readonly Role[], { fixed }: RoleRegistry): Role {
  const role = parseCustomRoleName(name);
  if (!role.ok) throw unfit('name-invalid', role.error);
  if (fixed.has(role.value)) {
    const message = `The role ${name} is defined in the configuration file: change auth.roles.${name} there`;
    throw unfit('role-fixed', message, 409);
  }
  if (known.includes(role.value)) return role.value;
  if (isDeleted) throw unfit('role-absent', `There is no role ${name}`, 404);
  if (name.length > LONGEST_ROLE_NAME)
    throw unfit('name-invalid', `A role name has at most ${LONGEST_ROLE_NAME} characters`);
  // A proxy's role header is compared without case, so the two names could not be told apart.
  const fault = newRoleFault(name, known);
  if (fault !== undefined) throw unfit('name-invalid', fault);
  return role.value;
}

function checkedCameras(name: string, entries: readonly unknown[]): readonly string[] {
  const refused = (why: string) => unfit('cameras-invalid', `The role ${name}${why}`);
  if (entries.length === 0) throw refused(' needs at least one camera: give a list of names');
  if (entries.length > MOST_CAMERA_ENTRIES)
    throw refused(` has more than ${MOST_CAMERA_ENTRIES} cameras: use "*" in names`);
  const cameras = cameraEntriesIn(entries);
  if (!cameras.ok) throw refused(`: ${cameras.error}`);
  const fault = wildcardsFault(cameras.value);
  if (fault !== undefined) throw refused(` ${fault}`);
  return cameras.value;
}

/** Null takes a limit away; one that is left out stays as it is. */
type RequestedLimits = Readonly<Partial<Record<LimitKey, unknown>>>;

const TEXTS = z.array(z.string());

/** The code of a refusal, the form of a value as it is written, and what is said of another form. */
// biome-ignore format: a table
const LIMITS = [
  ['deny', 'fields-invalid', TEXTS, 'should be a list of verbs, such as ["export"]'],
  ['hours', 'hours-invalid', TEXTS, 'should be a list, such as ["Mon-Fri 07:00-18:00"]'],
  ['history_since', 'history-invalid', z.string(), 'should be a text: grant, or a duration such as 7d'],
] as const;

/** The limits that a role has then; undefined for none. */
function checkedLimits(name: string, asked: RequestedLimits, before: WrittenLimits = {}): WrittenLimits | undefined {
  const refused = (wrong: LimitKey, why: string) => {
    const [, told] = LIMITS.find(([key]) => key === wrong) ?? LIMITS[0];
    return unfit(told, `The role ${name}: ${wrong}${why}`, 400, 'limits-invalid');
  };
  const written: Record<string, unknown> = { ...before };
  for (const [key, , form] of LIMITS) {
    // Absent, or undefined of a command: the limit stays.
    if (asked[key] !== undefined) written[key] = asked[key];
    if (written[key] === null || (form === TEXTS && isDeepStrictEqual(written[key], []))) delete written[key];
  }
  for (const [key, , form, why] of LIMITS)
    if (!form.optional().safeParse(written[key]).success) throw refused(key, ` ${why}`);
  const limits = parseLimits(written);
  if (!limits.ok) throw refused(limits.error.key, `: ${limits.error.message}`);
  return hasLimit(limits.value) ? writtenLimits(limits.value) : undefined;
}
