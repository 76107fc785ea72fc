/** Looks at a caller again: who it is now, by the kind of its credential (SPEC 4.2). */
import type { Sessions } from '../../accounts/sessions/sessions.ts';
import type { Caller } from '../../domain/caller.ts';
import { scopeOfRole } from '../../domain/camera-scope.ts';
import type { Credentials } from './credentials.ts';

/** The caller as of now; undefined when the session or token has ended. */
export type Recheck = (caller: Caller) => Promise<Caller | undefined>;

/** A credential of the other mode is refused: accounts and a proxy's headers are never trusted together. */
export function createRecheck(
  hasAccounts: boolean,
  sessions: Sessions,
  { tokens, roleRegistry }: Credentials,
): Recheck {
  return async (caller) => {
    switch (caller.credential.kind) {
      case 'session':
        return hasAccounts ? sessions.recheck(caller) : undefined;
      case 'api-token':
        return tokens.recheck(caller);
      case 'proxy-headers':
        // What the proxy said of the user still holds; what the role may see may have changed.
        return hasAccounts ? undefined : { ...caller, scope: scopeOfRole(caller.role, await roleRegistry.latest()) };
      case 'internal-listener':
        return caller;
    }
  };
}
