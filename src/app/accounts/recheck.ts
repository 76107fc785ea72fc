/** Looks at a caller again: who it is now, by the kind of its credential (SPEC 4.2). */
import type { Links } from '../../accounts/links/links.ts';
import type { Screens } from '../../accounts/screens/screens.ts';
import type { Sessions } from '../../accounts/sessions/sessions.ts';
import type { Caller, Rights } from '../../domain/caller.ts';
import type { Role } from '../../domain/names.ts';
import { rightsOfRoles } from '../../domain/rights/rights.ts';
import { type FindViewed, mayView } from '../../gateway/decision/view-as.ts';
import type { Credentials } from './credentials.ts';

/** The caller as of now; undefined when the session or token has ended. */
export type Recheck = (caller: Caller) => Promise<Caller | undefined>;

/** A credential of the other mode is refused: accounts and a proxy's headers are never trusted together. */
export function createRecheck(
  hasAccounts: boolean,
  sessions: Sessions,
  { tokens, roleRegistry, behindCurtain }: Pick<Credentials, 'tokens' | 'roleRegistry' | 'behindCurtain'>,
  now: () => number,
  { links, screens }: { readonly links: Pick<Links, 'recheck'>; readonly screens: Pick<Screens, 'recheck'> },
  findViewed: FindViewed | undefined,
): Recheck {
  const recheckSession: Recheck = async (caller) => (hasAccounts ? sessions.recheck(caller) : undefined);
  const beforeCurtain: Recheck = async (caller) => {
    switch (caller.credential.kind) {
      case 'session':
        return recheckSession(caller);
      case 'api-token':
        return caller.credential.session ? recheckSession(caller) : tokens.recheck(caller);
      case 'link':
        return links.recheck(caller);
      case 'screen':
        return screens.recheck(caller);
      case 'proxy-headers':
        // What the proxy said of the user holds as long as its token; what the role may see may have changed.
        return hasAccounts || (caller.credential.expiresAt ?? Number.POSITIVE_INFINITY) <= now()
          ? undefined
          : ofProxy(caller, rightsOfRoles(rolesOf(caller), await roleRegistry.active(), now()));
      case 'internal-listener':
        return caller;
      case 'command-line':
        return undefined;
      case 'view-as': {
        const by = await beforeCurtain(caller.credential.by);
        return by && !by.closed && !by.mustEnrol && mayView(by) ? findViewed?.(by, caller.name) : undefined;
      }
    }
  };
  return async (caller) => {
    const now = await beforeCurtain(caller);
    return now && behindCurtain(now);
  };
}

const rolesOf = ({ role, roles = [role] }: Caller): readonly Role[] => roles;

/** Nothing of the rights of before is left. */
const ofProxy = ({ name, credential, roles }: Caller, rights: Rights): Caller => ({
  name,
  credential,
  ...rights,
  ...(roles && { roles }),
});
