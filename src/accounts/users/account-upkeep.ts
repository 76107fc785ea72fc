/** Accounts that the service changes itself: users whose role is gone become viewers, guests whose time is over are deleted (SPEC 4.2, 4.3). */
import type { Services } from '../../app/services.ts';
import type { CustomRoles } from '../../domain/camera-scope.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { ADMIN, type Role, VIEWER } from '../../domain/names.ts';
import type { Store } from '../../store/open-store.ts';
import { BY_CONFIGURATION } from '../audit.ts';

interface UpkeepServices extends Pick<Services, 'audit' | 'clock' | 'log'> {
  readonly store: Pick<Store, 'accounts' | 'grants' | 'sites'>;
  /** `server.site`. */
  readonly site?: string | undefined;
}

/**
 * SPEC 4.3: a role that was taken out of the file makes viewers of its users. `before`: the roles of this site's file until
 * now. With `server.site` no other role counts as gone, nor one that the file of another site has.
 */
export async function demoteWhoseRoleIsGone(
  before: readonly Role[],
  roles: CustomRoles,
  services: UpkeepServices,
): Promise<void> {
  const { store, site: own } = services;
  if (own === undefined) return demote(services, roles);
  const others = (await store.sites.listSites()).filter(({ site }) => site !== own);
  const gone = before.filter((role) => !roles.has(role) && !others.some((site) => site.roles.includes(role)));
  if (gone.length > 0) await demote(services, roles, gone);
}

async function demote(
  { store, audit, log }: UpkeepServices,
  roles: CustomRoles,
  among?: readonly Role[],
): Promise<void> {
  const demoted = await store.accounts.demoteUnknownRoles([ADMIN, VIEWER, ...roles.keys()], among);
  for (const user of demoted) {
    log.warn(
      { user },
      'the role of this user is no longer in auth.roles, so the user is now a viewer: give the user another role if that is wrong',
    );
    audit({
      what: 'role-changed',
      who: undefined,
      from: BY_CONFIGURATION,
      verdict: 'allowed',
      reason: 'role-gone',
      user,
    });
  }
}

/** The time for which the account of a guest is kept after its end. */
const GUEST_KEPT_SECONDS = 30 * 86_400;

/** Deletes guests whose time is over, and what else has ended. */
export async function deleteExpired({ store, clock, audit }: UpkeepServices): Promise<void> {
  const { accounts, grants } = store;
  const now = unixSeconds(clock);
  const forgottenFrom = now - GUEST_KEPT_SECONDS;
  for (const user of await accounts.endedBefore(forgottenFrom)) {
    const outcome = await accounts.deleteUser(user, { endedBefore: forgottenFrom, at: now });
    const act = { what: 'user-deleted', who: undefined, from: BY_CONFIGURATION, user } as const;
    if (outcome === 'deleted') audit({ ...act, verdict: 'allowed', reason: 'guest-over' });
  }
  await accounts.forgetEnded(now);
  await grants.forgetEnded(now);
}
