/** Links for the command line: of any user, with the bounds of the API (SPEC 1, 13). */
import type { AccountStore } from '../../domain/accounts/account.ts';
import type { LinkMaker, LinkStore, UsedLink } from '../../domain/accounts/link.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { type UserName, VIEWER } from '../../domain/names.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import type { SharedThing } from '../../domain/shared-thing.ts';
import type { LinkPasses } from './link-pass.ts';
import { draftLink, keepLink, type MadeLink, type MakeLinkDeps } from './make-link.ts';
import { type LinkRefusal, parseTerms, parseThing, type WantedLink } from './wanted-link.ts';

export interface LinkAdminDeps extends Omit<MakeLinkDeps, 'passes'> {
  readonly linkStore: LinkStore;
  readonly store: Pick<AccountStore, 'findUser'>;
  /** False: users are known to a proxy alone, and a link's maker is a name and nothing more. */
  readonly authEnabled: boolean;
  /** `links.max_lifetime`, in seconds. */
  readonly longest: number;
  /** The key of PINs is the server's; asked for when a PIN is given. Errs with a sentence. */
  readonly passes: () => Promise<Result<Pick<LinkPasses, 'pinHash'>, string>>;
}

export interface LinkAdminRefusal {
  readonly reason: LinkRefusal['reason'] | 'user-absent';
  readonly message: string;
}

export interface LinkAdmin {
  list(): Promise<readonly UsedLink[]>;
  /** The camera of an event or a review is told beside it: nothing is asked here. A wrong one shows nothing. */
  create(
    wanted: WantedLink & { readonly user: string; readonly camera?: string | undefined },
  ): Promise<Result<MadeLink, LinkAdminRefusal>>;
  revoke(id: string): Promise<'revoked' | 'absent'>;
}

/** What the maker may see is judged when the link is opened, as always. */
export function createLinkAdmin(deps: LinkAdminDeps): LinkAdmin {
  const { linkStore, store, clock, authEnabled, longest } = deps;
  const makerNamed = async (name: string): Promise<LinkMaker | undefined> => {
    if (!authEnabled) return { user: name as UserName, userCreatedAt: null, tokenId: null, role: VIEWER };
    const user = await store.findUser(name);
    return user && { user: user.name, userCreatedAt: user.createdAt, tokenId: null, role: user.role };
  };
  return {
    list: () => linkStore.listLinks(),
    revoke: (id) => linkStore.revokeLink(id, unixSeconds(clock)),
    async create({ user, camera = '', ...wanted }) {
      const maker = await makerNamed(user);
      if (!maker)
        return err({ reason: 'user-absent', message: `There is no user ${user}: "postern users list" shows all` });
      const thing = parseThing(wanted.what);
      if (!thing.ok) return thing;
      const terms = parseTerms(wanted, longest);
      if (!terms.ok) return terms;
      const whole: SharedThing = 'id' in thing.value ? { ...thing.value, camera } : thing.value;
      if (whole.camera === '') return err({ reason: 'what-invalid', message: 'Name the camera of it with --camera' });
      const passes = terms.value.pin === undefined ? ok(NO_PINS) : await deps.passes();
      if (!passes.ok) return err({ reason: 'pin-invalid', message: passes.error });
      return keepLink(draftLink(whole, terms.value, maker, { passes: passes.value, clock }), deps);
    },
  };
}

const NO_PINS = { pinHash: () => '' };
