/** `postern limits list|lift`: who must wait at the login, and an end of it, beside the server (SPEC 1, 4.5). */
import type { Command } from 'commander';
import type { CommandStore } from '../../app/commands/commands.ts';
import type { BlockKind, LoginBlock } from '../../domain/accounts/login-block.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { onStore, type StoreFrame } from '../frame.ts';

type OpenLimits = Pick<CommandStore, 'limits' | 'limitedAs'>;

export function registerLimitsCommands(program: Command, frame: StoreFrame<'limits' | 'limitedAs'>): void {
  const limits = program
    .command('limits')
    .description('list and lift the limits of addresses and accounts that failed to log in');
  limits
    .command('list')
    .description('print who must wait, until when, and the names that were tried')
    .action(() => onStore('read', async (open) => ok(listing(await open.limits.list())), frame));
  limits
    .command('lift <address>')
    .description(
      'let an address, a network, the codes of an account or the PIN of a link be tried again; the server feels it within a second',
    )
    .action((subject: string) => onStore('change', (open) => lift(subject, open), frame));
}

async function lift(wanted: string, { limits, limitedAs }: OpenLimits): Promise<Result<string, string>> {
  const subjects = [wanted, ...limitedAs(wanted)];
  const found = (await limits.list()).filter(({ subject }) => subjects.includes(subject));
  const lifted = [];
  for (const { id } of found) lifted.push(await limits.lift(id));
  const told = lifted.filter((block) => block !== undefined).map(nameOf);
  if (told.length > 0) return ok(`Lifted: ${told.join(', ')}.`);
  return err(`${JSON.stringify(wanted)} is not limited: "postern limits list" shows who is`);
}

// biome-ignore format: a table
const NAMED: Readonly<Record<BlockKind, (subject: string) => string>> = {
  address: (subject) => subject,
  network: (subject) => subject,
  codes:   (subject) => `codes of ${subject}`,
  pins:    (subject) => `the PIN of the link ${subject}`,
};
const nameOf = ({ kind, subject }: LoginBlock): string => NAMED[kind](subject);

function listing(blocks: readonly LoginBlock[]): string {
  if (blocks.length === 0) return 'Nobody must wait at the login.';
  return blocks
    .map((block) => {
      const tried = block.kind === 'codes' || block.names.length === 0 ? '' : `  tried ${block.names.join(', ')}`;
      return `${nameOf(block)}  until ${new Date(Math.ceil(block.until) * 1000).toISOString()}${tried}`;
    })
    .join('\n');
}
