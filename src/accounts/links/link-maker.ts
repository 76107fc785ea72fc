/** The maker of a link as of now: a link is worth at most what its maker is worth (SPEC 13). */
import type { AccountStore, User } from '../../domain/accounts/account.ts';
import type { Link, LinkMaker } from '../../domain/accounts/link.ts';
import type { MaybePromise } from '../../domain/async/maybe-promise.ts';
import type { Caller } from '../../domain/caller.ts';
import { bothScopes, NO_CAMERAS, scopeOfNames } from '../../domain/camera-scope.ts';
import { heldBy, rightsOfRole, rightsOfUser } from '../../domain/rights/rights.ts';
import type { ActiveRoles } from '../../domain/rights/role-limits.ts';

export interface MakerDeps {
  readonly store: Pick<AccountStore, 'findUser'>;
  readonly roles: () => MaybePromise<ActiveRoles>;
  /** `auth.enabled`. */
  readonly authEnabled: boolean;
  /** The user must set up a second factor before anything else. */
  readonly owesFactor: (user: User) => boolean;
  /** The caller that an API token stands for now; undefined when it no longer holds. */
  readonly recheckToken: (caller: Caller) => Promise<Caller | undefined>;
  readonly remembered: (name: string, read: () => Promise<User | undefined>) => MaybePromise<User | undefined>;
}

export type MakerRights = Omit<Caller, 'credential'>;

/** Undefined when the maker is gone, or may do nothing at the moment. `now`: Unix seconds. */
export async function makerNow(maker: LinkMaker, now: number, deps: MakerDeps): Promise<MakerRights | undefined> {
  const rights = await makerRights(maker, now, deps);
  // What closes the account, or the role by its hours, is told to its user and not to the visitors of a link.
  return rights?.closed ? undefined : rights;
}

/** The same with what closes the account or the role at the moment. Undefined when the maker is gone. */
export async function makerRights(maker: LinkMaker, now: number, deps: MakerDeps): Promise<MakerRights | undefined> {
  if (maker.tokenId !== null) return endingWithToken(await deps.recheckToken(tokenCaller(maker, maker.tokenId)));
  const { user: name, userCreatedAt, role } = maker;
  if (userCreatedAt === null) {
    // Nothing here learns what became of a proxy's user; with accounts of its own, Postern knows no such user.
    return deps.authEnabled ? undefined : { name, ...rightsOfRole(role, await deps.roles(), now) };
  }
  const user = await deps.remembered(name, () => deps.store.findUser(name));
  // A user made again under the same name is another user.
  if (!deps.authEnabled || user?.createdAt !== userCreatedAt || deps.owesFactor(user)) return undefined;
  const roles = user.otherRoles && { roles: heldBy(user) };
  return { name, ...rightsOfUser(user, await deps.roles(), now), ...roles };
}

/** What a link shows must end by the clock when its maker's token does: open streams look at it. */
function endingWithToken(caller: Caller | undefined): MakerRights | undefined {
  if (caller?.credential.kind !== 'api-token') return undefined;
  const { expiresAt } = caller.credential;
  if (expiresAt === undefined) return caller;
  return { ...caller, changesAt: Math.min(expiresAt, caller.changesAt ?? Number.POSITIVE_INFINITY) };
}

const tokenCaller = ({ user: name, role }: LinkMaker, tokenId: string): Caller => ({
  name,
  role,
  scope: NO_CAMERAS,
  credential: { kind: 'api-token', tokenId },
});

/** The caller of a link: its maker, narrowed to one camera and one thing. */
export function linkCaller(
  link: Pick<Link, 'id' | 'thing' | 'expiresAt'>,
  maker: MakerRights,
  viewer?: string,
): Caller {
  const { id: linkId, thing, expiresAt } = link;
  return {
    ...maker,
    scope: bothScopes(maker.scope, scopeOfNames([thing.camera])),
    credential: { kind: 'link', linkId, thing, expiresAt, ...(viewer !== undefined && { viewer }) },
  };
}
