/** `/api/status/limits`: who must wait at the login, and an end of it, for admins (SPEC 4.5). */
import { z } from 'zod';
import type { LoginBlock } from '../../domain/accounts/login-block.ts';
import type { OwnRoute, RouteContext } from '../../routes/own-route.ts';
import { SUCCESS } from '../../routes/shapes.ts';
import { LIMIT } from '../http/answers.ts';
import { refuse, respond } from '../http/responses.ts';
import { type AccountResponseDeps, afterProof, forAdmins, record } from '../http/route-guards.ts';
import { type BlockAdmin, liftOf } from './login-blocks.ts';

export interface LimitRouteDeps extends AccountResponseDeps {
  readonly blocks: BlockAdmin;
}

// biome-ignore format: a table
export const LIMIT_ROUTES: readonly OwnRoute<LimitRouteDeps>[] = [
  { route: 'GET /api/status/limits', access: 'admin', note: 'addresses that must wait, and names that they tried', summary: 'Who must wait at the login', yes: [200, z.array(LIMIT)], handler: forAdmins(list) },
  { route: 'DELETE /api/status/limits/{id}', access: 'admin', writes: true, note: 'more guesses for that address', summary: 'Lift the limit of an address, a network or an account', yes: [200, SUCCESS], no: [404], handler: forAdmins(afterProof('credentials', lift)) },
];

async function list(ctx: RouteContext, { blocks }: LimitRouteDeps): Promise<void> {
  respond(ctx, 200, (await blocks.list()).map(shown));
}

async function lift(ctx: RouteContext, deps: LimitRouteDeps): Promise<void> {
  const block = await deps.blocks.lift(ctx.params['id'] ?? '');
  if (!block) return refuse(ctx, 404, 'There is no such limit: it may be over already');
  record(ctx, deps, liftOf(block));
  respond(ctx, 200, { success: true });
}

const shown = ({ id, kind, subject, names, since, until }: LoginBlock): z.output<typeof LIMIT> => ({
  id,
  kind,
  subject,
  names: [...names],
  since: Math.floor(since),
  until: Math.ceil(until),
});
