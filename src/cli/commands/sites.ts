/** `postern sites list|rename|forget`: the sites that share the store, beside the server or without it (SPEC 1, 20). */
import type { Command } from 'commander';
import { isSiteName, type SiteRecord } from '../../domain/accounts/site.ts';
import { alignedRows, onStore, type StoreFrame } from '../frame.ts';

/** How a service without `server.site` is written here. */
const UNNAMED = '-';

export function registerSitesCommands(program: Command, frame: StoreFrame<'sites'>): void {
  const sites = program.command('sites').description('list, rename and forget the sites that share the store');
  sites
    .command('list')
    .description('print the sites, their cameras and the roles of their files')
    .action(() => onStore('read', async (open) => listing(await open.sites.listSites()), frame));
  sites
    .command('rename <old> <new>')
    .description(`give a site another name, with its links and screens; "${UNNAMED}" is a service that had none`)
    .action((from: string, to: string) =>
      onStore(
        'change',
        async (open) => {
          if (!isSiteName(to))
            throw new Error(
              `${JSON.stringify(to)} is not a name of a site: write 1 to 30 lower-case letters, digits and hyphens`,
            );
          const outcome = await open.sites.renameSite(nameIn(from), to);
          if (outcome === 'taken') throw new Error(`There is a site ${to} already: "postern sites list" shows all`);
          if (outcome === 'absent') throw absent(from);
          return `${from} is ${to} now. Write server.site: ${to}`;
        },
        frame,
      ),
    );
  sites
    .command('forget <name>')
    .description('remove what is left of a site that is gone: its cameras and the roles of its file')
    .action((name: string) =>
      onStore(
        'change',
        async (open) => {
          if ((await open.sites.forgetSite(nameIn(name))) !== 'forgotten') throw absent(name);
          return `Forgotten: ${name}. A service that is running as this site comes back with its next start.`;
        },
        frame,
      ),
    );
}

const nameIn = (text: string): string => (text === UNNAMED ? '' : text);

const absent = (name: string): Error => new Error(`There is no site ${name}: "postern sites list" shows all`);

const listing = (records: readonly SiteRecord[]): string =>
  records.length === 0
    ? 'No service has used this store yet.'
    : alignedRows(
        records.map(({ site, cameras, roles }) => [
          site === '' ? UNNAMED : site,
          `cameras: ${cameras?.join(', ') || 'not known'}`,
          `roles of its file: ${roles.join(', ') || 'none'}`,
        ]),
      );
