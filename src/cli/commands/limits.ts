/** `postern limits list|lift`: who must wait at the login, and an end of it, beside the server (SPEC 1, 4.5). */
import type { Command } from 'commander';
import type { LIMIT } from '../../accounts/http/answers.ts';
import type { AnswerOf, CommandStore } from '../../app/commands/commands.ts';
import type { BlockKind } from '../../domain/accounts/login-block.ts';
import { register, type StoreFrame } from '../frame.ts';

type Limit = AnswerOf<typeof LIMIT>;
type Open = Pick<CommandStore, 'ask' | 'limitedAs'>;

export const registerLimitsCommands = (program: Command, frame: StoreFrame<keyof Open>): void =>
  register(
    program,
    frame,
    ['limits', 'list and lift the limits of addresses and accounts that failed to log in'],
    [
      {
        words: 'list',
        about: 'print who must wait, until when, and the names that were tried',
        use: 'read',
        run: async ({ ask }) => listing(await ask<Limit[]>('GET /api/status/limits')),
      },
      {
        words: 'lift <address>',
        about:
          'let an address, a network, the codes of an account or the PIN of a link be tried again; the server feels it within a second',
        use: 'change',
        run: lift,
      },
    ],
  );

async function lift({ ask, limitedAs }: Open, { address }: { readonly address: string }): Promise<string> {
  const subjects = [address, ...limitedAs(address)];
  const found = (await ask<Limit[]>('GET /api/status/limits')).filter(({ subject }) => subjects.includes(subject));
  if (found.length === 0)
    throw new Error(`${JSON.stringify(address)} is not limited: "postern limits list" shows who is`);
  for (const { id } of found) await ask('DELETE /api/status/limits/{id}', { params: { id } });
  return `Lifted: ${found.map(nameOf).join(', ')}.`;
}

// biome-ignore format: a table
const NAMED: Readonly<Record<BlockKind, (subject: string) => string>> = {
  address: (subject) => subject,
  network: (subject) => subject,
  codes:   (subject) => `codes of ${subject}`,
  pins:    (subject) => `the PIN of the link ${subject}`,
};
const nameOf = ({ kind, subject }: Limit): string => NAMED[kind](subject);

function listing(limits: readonly Limit[]): string {
  if (limits.length === 0) return 'Nobody must wait at the login.';
  return limits
    .map((limit) => {
      const tried = limit.kind === 'codes' || limit.names.length === 0 ? '' : `  tried ${limit.names.join(', ')}`;
      return `${nameOf(limit)}  until ${new Date(limit.until * 1000).toISOString()}${tried}`;
    })
    .join('\n');
}
