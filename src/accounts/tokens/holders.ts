/** Who holds rights: the accounts, and the API tokens that still hold, with what they are worth at this moment (SPEC 15). */

import type { Holder } from '../../access/camera-view.ts';
import { behindCurtain } from '../../access/curtain.ts';
import type { Settings } from '../../config/schema/schema.ts';
import type { Curtain } from '../../domain/accounts/curtain.ts';
import { type ActiveRoles, heldBy, rightsOfUser } from '../../domain/rights.ts';
import type { Store } from '../../store/open-store.ts';
import { isFactorRequired } from '../second-factor/second-factor.ts';
import { faultOfToken, rightsOfToken } from './api-tokens.ts';

export interface HolderSources {
  readonly store: Pick<Store, 'accounts' | 'grants'>;
  readonly auth: Pick<Settings['auth'], 'enabled' | 'second_factor'>;
  readonly roles: ActiveRoles;
  readonly curtain: Curtain;
  /** Unix seconds. */
  readonly now: number;
}

export async function holdersIn({ store, auth, roles, now, curtain }: HolderSources): Promise<readonly Holder[]> {
  const [users, tokens] = await Promise.all([store.accounts.listUsers(), store.grants.list('api-token')]);
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
