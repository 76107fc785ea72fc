/** `/api/account/events`: what happened to one's own account lately; for an admin to that of any user (SPEC 12). */

import { z } from 'zod';
import { ACCOUNT_EVENT } from '../../accounts/http/answers.ts';
import { type Call, declaring, Refused, refusedFor } from '../../accounts/http/kernel.ts';
import type { AccountServices } from '../../app/services.ts';
import type { Notice } from '../../domain/accounts/notice.ts';
import { isAdministrator } from '../../domain/caller.ts';

const NO_ACCOUNT = 'These events belong to an account: log in with its password, or as an admin name one by ?user=';

/** `noticesOf`: newest first; none of a user without an account. */
const route = declaring<AccountServices & { readonly noticesOf: (user: string) => Promise<readonly Notice[]> }>();

// biome-ignore format: a table
export const NOTICE_ROUTES = [
  route({ route: 'GET /api/account/events', access: 'any', note: "of the caller's own account; for an admin of any",
    summary: "What happened to one's own account lately; as an admin, to any", query: { user: 'As an admin: whose' }, yes: [200, z.array(ACCOUNT_EVENT)],
    run: (call, { noticesOf }) => noticesOf(whose(call)) }),
];

/** A token or a proxy's user of the same name is not that account. */
function whose({ caller, query }: Call): string {
  const wanted = query.get('user') ?? caller.name;
  const mayAny = isAdministrator(caller);
  if (wanted !== caller.name && !mayAny) throw refusedFor('role-too-low');
  if (caller.credential.kind !== 'session' && !mayAny) throw new Refused(403, NO_ACCOUNT);
  return wanted;
}
