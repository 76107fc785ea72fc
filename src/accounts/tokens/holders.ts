/** Who holds rights: the accounts, and the API tokens that still hold, with what they are worth at this moment (SPEC 15). */

import type { Holder } from '../../access/camera-view.ts';
import type { Services } from '../../app/services.ts';
import type { Settings } from '../../config/schema/schema.ts';
import { type ActiveRoles, heldBy, rightsOfUser } from '../../domain/rights.ts';
import type { Store } from '../../store/open-store.ts';
import { isFactorRequired } from '../second-factor/second-factor.ts';
import { faultOfToken, rightsOfToken } from './api-tokens.ts';

export interface HolderSources {
  readonly store: Pick<Store, 'accounts' | 'grants'>;
  readonly auth: Pick<Settings['auth'], 'enabled' | 'second_factor'>;
  readonly roles: ActiveRoles;
  readonly subtract: Services['subtract'];
  /** Unix seconds. */
  readonly now: number;
}

export async function holdersIn({ store, auth, roles, now, subtract }: HolderSources): Promise<readonly Holder[]> {
  const [users, tokens] = await Promise.all([store.accounts.listUsers(), store.grants.list('api-token')]);
  const owners = new Map(users.map((user) => [user.name, user]));
  const held = tokens
    .map((token) => ({ token, owner: token.userCreatedAt === null ? undefined : owners.get(token.user) }))
    .filter(({ token, owner }) => !faultOfToken(token, owner, auth.enabled, now));
  return Promise.all([
    ...users.map(async (user): Promise<Holder> => {
      const owesFactor = auth.enabled && !user.hasFactor && isFactorRequired(auth.second_factor, user.role);
      const held = { ...rightsOfUser(user, roles, now), roles: heldBy(user) };
      const rights = await subtract(held);
      return { kind: 'user', name: user.name, rights, ...(owesFactor && { mustEnrol: true }) };
    }),
    ...held.map(async ({ token, owner }): Promise<Holder> => {
      const rights = await subtract(rightsOfToken(token, owner, roles, now));
      return { kind: 'token', name: token.name, owner: token.user, rights };
    }),
  ]);
}
