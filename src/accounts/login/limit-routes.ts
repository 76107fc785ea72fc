/** `/api/status/limits`: who must wait at the login, and an end of it, for admins (SPEC 4.5). */

import { z } from 'zod';
import type { Services } from '../../app/services.ts';
import type { LoginBlock } from '../../domain/accounts/login-block.ts';
import { SUCCESS } from '../../routes/shapes.ts';
import { LIMIT } from '../http/answers.ts';
import { type Call, declaring, Refused } from '../http/kernel.ts';
import { liftOf } from './login-blocks.ts';

const route = declaring<Services>();

// biome-ignore format: a table
export const LIMIT_ROUTES = [
  route({ route: 'GET /api/status/limits', access: 'admin', who: 'admin', note: 'addresses that must wait, and names that they tried', summary: 'Who must wait at the login', yes: [200, z.array(LIMIT)],
    run: async (_, { blocks }) => (await blocks.list()).map(shown) }),
  route({ route: 'DELETE /api/status/limits/{id}', access: 'admin', who: 'admin', proof: 'credentials', writes: true, note: 'more guesses for that address', summary: 'Lift the limit of an address, a network or an account', yes: [200, SUCCESS], no: [404], act: 'limit-lifted', run: lift }),
];

async function lift({ params, note }: Call, { blocks }: Pick<Services, 'blocks'>): Promise<void> {
  const block = await blocks.lift(params['id'] ?? '');
  if (!block) throw new Refused(404, 'There is no such limit: it may be over already');
  note(liftOf(block));
}

const shown = ({ id, kind, subject, names, since, until }: LoginBlock): z.output<typeof LIMIT> => ({
  id,
  kind,
  subject,
  names: [...names],
  since: Math.floor(since),
  until: Math.ceil(until),
});
