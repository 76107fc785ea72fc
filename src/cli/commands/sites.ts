/** `postern sites list|rename|forget`: the sites that share the store, beside the server or without it (SPEC 1, 20). */

import { type CommandGroup, type Given, table } from '../../accounts/http/route-commands.ts';
import type { CommandStore } from '../../app/commands/commands.ts';
import { isSiteName, type SiteRecord } from '../../domain/accounts/site.ts';

/** How a service without `server.site` is written here. */
const UNNAMED = '-';

// biome-ignore format: a table
export const SITES: CommandGroup<Pick<CommandStore, 'store'>> = {
  name: 'sites',
  about: 'list, rename and forget the sites that share the store',
  commands: [
    { words: 'list', about: 'print the sites, their cameras and the roles of their files',
      use: 'read',
      run: async ({ store }) =>
        table<SiteRecord>(await store.sites.listSites(), 'No service has used this store yet.', [
          ['', ({ site }) => (site === '' ? UNNAMED : site)],
          ['', ({ cameras }) => `cameras: ${cameras?.join(', ') || 'not known'}`],
          ['', ({ roles }) => `roles of its file: ${roles.join(', ') || 'none'}`],
        ]),
    },
    { words: 'rename <old> <new>', about: `give a site another name, with its links and screens; "${UNNAMED}" is a service that had none`,
      use: 'change',
      run: async ({ store }, { old: from = '', new: to = '' }: Given) => {
        if (!isSiteName(to))
          throw new Error(
            `${JSON.stringify(to)} is not a name of a site: write 1 to 30 lower-case letters, digits and hyphens`,
          );
        const outcome = await store.sites.renameSite(nameIn(from), to);
        if (outcome === 'taken') throw new Error(`There is a site ${to} already: "postern sites list" shows all`);
        if (outcome === 'absent') throw absent(from);
        return `${from} is ${to} now. Write server.site: ${to}`;
      },
    },
    { words: 'forget <name>', about: 'remove what is left of a site that is gone: its cameras and the roles of its file',
      use: 'change',
      run: async ({ store }, { name = '' }: Given) => {
        if ((await store.sites.forgetSite(nameIn(name))) !== 'forgotten') throw absent(name);
        return `Forgotten: ${name}. A service that is running as this site comes back with its next start.`;
      },
    },
  ],
};

const nameIn = (text: string): string => (text === UNNAMED ? '' : text);

const absent = (name: string): Error => new Error(`There is no site ${name}: "postern sites list" shows all`);
