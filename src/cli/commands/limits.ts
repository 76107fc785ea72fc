/** `postern limits list|lift`: who must wait at the login, and an end of it, beside the server (SPEC 1, 4.5). */

import { isIP } from 'node:net';
import type { LIMIT } from '../../accounts/http/answers.ts';
import { type CommandGroup, type Given, lists } from '../../accounts/http/route-commands.ts';
import type { AnswerOf, CommandStore } from '../../app/commands/commands.ts';
import type { BlockKind } from '../../domain/accounts/logins.ts';

type Limit = AnswerOf<typeof LIMIT>;

// biome-ignore format: a table
export const LIMITS: CommandGroup = {
  name: 'limits',
  about: 'list and lift the limits of addresses and accounts that failed to log in',
  commands: [
    { words: 'list', about: 'print who must wait, until when, and the names that were tried',
      ...lists<Limit>('GET /api/status/limits', 'Nobody must wait at the login.', [['', limitLine]]) },
    { words: 'lift <address>', about: 'let an address, a network, the codes of an account or the PIN of a link be tried again; the server feels it within a second',
      use: 'change', run: lift },
  ],
};

async function lift({ ask }: Pick<CommandStore, 'ask'>, { address = '' }: Given): Promise<string> {
  const { clientKey, networkKey } = await import('../../accounts/login/client-key.ts');
  const subjects = isIP(address) === 0 ? [address] : [address, clientKey(address), networkKey(address)];
  const found = (await ask<Limit[]>('GET /api/status/limits')).filter(({ subject }) => subjects.includes(subject));
  if (found.length === 0)
    throw new Error(`${JSON.stringify(address)} is not limited: "postern limits list" shows who is`);
  for (const { id } of found) await ask('DELETE /api/status/limits/{id}', { params: { id } });
  return `Lifted: ${found.map(limitName).join(', ')}.`;
}

// biome-ignore format: a table
const NAMED: Readonly<Record<BlockKind, (subject: string) => string>> = {
  address: (subject) => subject,
  network: (subject) => subject,
  codes:   (subject) => `codes of ${subject}`,
  pins:    (subject) => `the PIN of the link ${subject}`,
};
const limitName = ({ kind, subject }: Limit): string => NAMED[kind](subject);

function limitLine(limit: Limit): string {
  const tried = limit.kind === 'codes' || limit.names.length === 0 ? '' : `  tried ${limit.names.join(', ')}`;
  return `${limitName(limit)}  until ${new Date(limit.until * 1000).toISOString()}${tried}`;
}
