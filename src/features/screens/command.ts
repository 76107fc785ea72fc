/** `postern screens`: paired displays, listed and ended beside the server or without it (SPEC 1, 18). */
import type { z } from 'zod';
import { type CommandGroup, calls, lists } from '../../accounts/http/route-commands.ts';
import { endText, useText } from '../../domain/moment.ts';
import type { SCREEN } from './screen-routes.ts';

// biome-ignore format: a table
export const SCREENS: CommandGroup = {
  name: 'screens',
  about: 'list and revoke screens: displays that show cameras without a password on them',
  commands: [
    { words: 'list', about: 'print every screen, its user and cameras, and when it was last seen',
      ...lists<z.output<typeof SCREEN>>('GET /api/screens', 'There are no screens: open /postern/screen on a display to pair it.', [
        ['ID',        ({ id }) => id],
        ['NAME',      ({ name }) => name],
        ['USER',      ({ user }) => user],
        ['CAMERAS',   ({ cameras }) => cameras?.join(',') ?? 'all of the user'],
        ['ENDS',      ({ ends_at }) => endText(ends_at)],
        ['LAST SEEN', ({ last_seen_at, last_seen_from }) => useText(last_seen_at, last_seen_from)],
      ]) },
    { words: 'revoke <id>', about: 'end a screen, also what it shows at this moment',
      ...calls('DELETE /api/screens/{id}', {
        absent: ({ id }) => `There is no screen ${id}: "postern screens list" shows all`,
        say: (_, { id }) => `The screen ${id} is revoked.` }) },
  ],
};
