/** Keys of `auth` about custom roles: their cameras, and what limits them (interface 2.2; SPEC 13). */
import { z } from 'zod';
import { type CustomRoles, wildcardsFault } from '../../domain/camera-scope.ts';
import { parseHours } from '../../domain/hours.ts';
import { parseCustomRoleName, type Role } from '../../domain/names.ts';
import { VERBS, type Verb } from '../../domain/policy.ts';
import { err, ok } from '../../domain/result.ts';
import {
  type ActiveRoles,
  hasLimit,
  parseHistorySince,
  parseLimits,
  type RoleLimit,
  type RoleLimits,
} from '../../domain/rights.ts';
import { canonicalZone, localZone } from '../../domain/zone-offsets.ts';
import { parsed } from '../../routes/shapes.ts';
import { always, byRule, fewerEntries, key, moreEntries } from './keys.ts';
import { cameraEntry, checked } from './value-types.ts';

const cameraList = () => checked(z.array(cameraEntry()).min(1), wildcardsFault);

const isVerb = (text: string): text is Verb => VERBS.some((verb) => verb === text);
const verb = () =>
  z.string().refine(isVerb, { error: ({ input }) => `${JSON.stringify(input)} is not one of ${VERBS.join(', ')}` });

/**
 * A list of cameras, or a map with what is denied on them, when, and since when. Its values are checked and not transformed:
 * of a value that is no list of cameras the union then tells their problem, and not its own.
 */
const roleCameras = () =>
  z.union(
    [
      cameraList(),
      z.strictObject({
        cameras: cameraList().meta({ widens: moreEntries }),
        deny: z.array(verb()).prefault([]).meta({ widens: fewerEntries }),
        hours: checked(z.array(z.string()), parseHours).optional().meta({ widens: always }),
        history_since: checked(z.string(), parseHistorySince).optional().meta({ widens: always }),
      }),
    ],
    { error: 'is not a list of cameras: write [garden, patio], or a map of cameras, deny, hours and history_since' },
  );

const timezone = () =>
  parsed((name) => {
    const zone = canonicalZone(name);
    if (zone !== undefined) return ok(zone);
    return err(
      `${JSON.stringify(name)} is not a time zone: write an IANA name such as Europe/Berlin or America/New_York`,
    );
  }).nullable();

// biome-ignore format: a table
export const roleKeys = {
  roles: key(z.record(checked(z.string(), parseCustomRoleName), roleCameras()).prefault({}), { widens: byRule, example: { gardener: ['garden', 'patio_*'], guest: { cameras: ['garden'], deny: ['history', 'export'] }, cleaner: { cameras: ['hall'], hours: ['Fri 08:00-12:00'], history_since: '1d' } } },
    'Custom roles: read-only access to the listed cameras; "*" stands for any text. A role may also be a map {cameras, deny, hours, history_since}: deny takes away some of live, history, export, ptz, talk; hours such as "Mon-Fri 07:00-18:00" say when it may be used; history_since is how far back it sees, such as 7d, or grant for nothing older than the account. Users whose role is missing here become viewers, so this key must not be lost: without it the configuration is refused while users have such roles.'),
  timezone: key(timezone().prefault(null), { widens: always },
    'Time zone of the hours of roles, an IANA name such as Europe/Berlin. Null: that of the machine.'),
};

type RoleEntry = z.output<ReturnType<typeof roleCameras>>;

export const camerasByRole = (roles: Readonly<Record<string, RoleEntry>>): CustomRoles =>
  new Map(Object.entries(roles).map(([role, entry]) => [role as Role, 'deny' in entry ? entry.cameras : entry]));

export const limitsByRole = (roles: Readonly<Record<string, RoleEntry>>): RoleLimits =>
  new Map(
    Object.entries(roles).flatMap(([role, entry]): [Role, RoleLimit][] => {
      if (!('deny' in entry)) return [];
      const limit = parseLimits(entry);
      return limit.ok && hasLimit(limit.value) ? [[role as Role, limit.value]] : [];
    }),
  );

interface FileRoles {
  readonly roles: CustomRoles;
  readonly limits: RoleLimits;
  readonly timezone: string | null;
}

/** The roles of the configuration, as far as they can be known without the store. */
export const rolesOfFile = ({ roles, limits, timezone: zone }: FileRoles): ActiveRoles => ({
  cameras: roles,
  limits,
  get zone() {
    return zone ?? localZone();
  },
});
