/** Step 8, where an admin asks to see a response as another person would get it: who that person is, or a refusal. */

import type { RouteMatch } from '../access/route-table.ts';
import { toPerson } from '../accounts/sessions/session-state.ts';
import type { Services } from '../app/services.ts';
import type { User } from '../domain/accounts/account.ts';
import { type Caller, isAdministrator } from '../domain/caller.ts';
import { unixSeconds } from '../domain/clock.ts';
import { traitsFor } from '../domain/credentials.ts';
import { type RequestFacts, singleHeader } from '../domain/request.ts';

/** The name of an account, percent-encoded. Each request says it anew: there is no session of the other person, and no cookie. */
export const VIEW_AS = 'x-postern-view-as';

/** The account of that name as it may be used now, seen by the admin; undefined when there is none. */
export type FindViewed = (by: Caller, name: string) => Promise<Caller | undefined>;

export const asksViewAs = ({ headers }: Pick<RequestFacts, 'headers'>): boolean => headers[VIEW_AS] !== undefined;

/**
 * The name of the person who is to be viewed; undefined: refused. The request must be a GET of a row that is marked for it, with
 * the session of an admin: a token, a link, a proxy's user and the internal listener never see as another person. Whether a page
 * of Postern's own has sent it is for the gate to say.
 */
export const viewedName = (request: RequestFacts, caller: Caller, route: RouteMatch): string | undefined =>
  mayView(caller) && isMarkedRead(request, route) ? nameIn(request) : undefined;

export const mayView = (caller: Caller): boolean =>
  traitsFor(caller.credential).mayViewAs === true && isAdministrator(caller);

const isMarkedRead = ({ method, isUpgrade, listener, pathSecret }: RequestFacts, route: RouteMatch): boolean =>
  method === 'GET' &&
  !isUpgrade &&
  listener === 'external' &&
  pathSecret === undefined &&
  route.kind === 'listed' &&
  route.row.view_as === true;

const LONGEST_NAME = 512;

function nameIn(request: RequestFacts): string | undefined {
  const sent = singleHeader(request, VIEW_AS);
  if (sent === undefined || sent === '' || sent.length > LONGEST_NAME) return undefined;
  try {
    return decodeURIComponent(sent);
  } catch {
    return undefined;
  }
}

/** Accounts of Postern's own alone have rights that are known without a request of theirs. */
export function createViewAs({
  store,
  clock,
  roleRegistry,
  owesFactor,
}: Pick<Services, 'clock' | 'roleRegistry'> & {
  readonly store: Pick<Services['store'], 'accounts'>;
  readonly owesFactor: (user: User) => boolean;
}) {
  const find: FindViewed = async (by, name) => {
    const user = await store.accounts.findUser(name);
    if (!user) return undefined;
    const rules = { roles: await roleRegistry.active(), now: unixSeconds(clock), owesFactor };
    return { ...toPerson(user, rules), credential: { kind: 'view-as', by } };
  };
  return {
    find,
    /** `recheck`: of the admin. */
    async recheck({ name, credential }: Caller, recheck: (caller: Caller) => Promise<Caller | undefined>) {
      const by = credential.kind === 'view-as' ? await recheck(credential.by) : undefined;
      return by && !by.closed && !by.mustEnrol && mayView(by) ? find(by, name) : undefined;
    },
  };
}
