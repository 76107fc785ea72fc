/** `postern screens list|revoke`: paired displays, beside the server or without it (SPEC 1, 18). */
import type { Command } from 'commander';
import type { Screen } from '../../domain/accounts/screen.ts';
import { err, ok } from '../../domain/result.ts';
import { alignedRows } from '../aligned-rows.ts';
import { onStore, type StoreFrame } from '../frame.ts';
import { dateText } from '../moment.ts';

export function registerScreensCommands(program: Command, frame: StoreFrame<'screens'>): void {
  const screens = program
    .command('screens')
    .description('list and revoke screens: displays that show cameras without a password on them');
  screens
    .command('list')
    .description('print every screen, its user and cameras, and when it was last seen')
    .action(() => onStore('read', async ({ screens: open }) => ok(listing(await open.list())), frame));
  screens
    .command('revoke <id>')
    .description('end a screen, also what it shows at this moment')
    .action((id: string) =>
      onStore(
        'change',
        async ({ screens: open }) =>
          (await open.revoke(id)) === 'deleted'
            ? ok(`The screen ${id} is revoked.`)
            : err(`There is no screen ${id}: "postern screens list" shows all`),
        frame,
      ),
    );
}

function listing(screens: readonly Screen[]): string {
  if (screens.length === 0) return 'There are no screens: open /postern/screen on a display to pair it.';
  return alignedRows([
    ['ID', 'NAME', 'USER', 'CAMERAS', 'ENDS', 'LAST SEEN'],
    ...screens.map(({ id, name, user, cameras, endsAt, lastSeenAt, lastSeenFrom }) => [
      id,
      name,
      user,
      cameras?.join(',') ?? 'all of the user',
      endsAt === null ? 'never' : dateText(endsAt),
      lastSeenAt === null ? 'never' : `${dateText(lastSeenAt)} from ${lastSeenFrom}`,
    ]),
  ]);
}
