/** Who holds rights: the accounts, and the API tokens that still hold, with what they are worth at this moment (SPEC 15). */
import { behindCurtain, curtainHere } from '../../access/curtain.ts';
import type { Holder } from '../../access/review/who-sees.ts';
import { isFactorRequired } from '../../accounts/second-factor/second-factor.ts';
import { faultOfToken, rightsOfToken } from '../../accounts/tokens/api-tokens.ts';
import type { Settings } from '../../config/schema/schema.ts';
import type { User } from '../../domain/accounts/account.ts';
import type { Curtain } from '../../domain/accounts/curtain.ts';
import { ADMIN, NO_ROLE, type Role, VIEWER } from '../../domain/names.ts';
import { heldBy, rightsOfUser } from '../../domain/rights/rights.ts';
import type { ActiveRoles } from '../../domain/rights/role-limits.ts';
import type { Store } from '../../store/open-store.ts';

export interface HolderSources {
  readonly store: Pick<Store, 'accounts' | 'apiTokens'>;
  readonly auth: Pick<Settings['auth'], 'enabled' | 'second_factor'>;
  readonly roles: ActiveRoles;
  readonly curtain: Curtain;
  /** Unix seconds. */
  readonly now: number;
}

export async function holdersIn({ store, auth, roles, now, ...given }: HolderSources): Promise<readonly Holder[]> {
  const curtain = curtainHere(given.curtain, roles.sites);
  const [listed, tokens] = await Promise.all([store.accounts.listUsers(), store.apiTokens.listTokens()]);
  // A role that nothing defines makes viewers of its users at the start, but where another site may define it.
  const isDefined = (role: Role): boolean =>
    role === ADMIN || role === VIEWER || roles.cameras.has(role) || roles.sites !== undefined;
  const isKept = ({ role, roleSource }: User): boolean =>
    isDefined(role) || roleSource !== undefined || role === NO_ROLE;
  const users = listed.map((user) => (isKept(user) ? user : { ...user, role: VIEWER }));
  const owners = new Map(users.map((user) => [user.name, user]));
  return [
    ...users.map((user): Holder => {
      const owesFactor = auth.enabled && !user.hasFactor && isFactorRequired(auth.second_factor, user.role);
      const held = { ...rightsOfUser(user, roles, now), roles: heldBy(user) };
      const rights = behindCurtain(held, curtain, now);
      return { kind: 'user', name: user.name, rights, ...(owesFactor && { mustEnrol: true }) };
    }),
    ...tokens.flatMap((token): Holder[] => {
      const owner = token.userCreatedAt === null ? undefined : owners.get(token.user);
      if (faultOfToken(token, owner, auth.enabled, now)) return [];
      const rights = behindCurtain(rightsOfToken(token, owner, roles, now), curtain, now);
      return [{ kind: 'token', name: token.name, owner: token.user, rights }];
    }),
  ];
}
