/** Commands on the services that share the store (SPEC 20). */
import { type CommandGroup, type CommandStore, type Given, onStore, table } from '../http/route-commands.ts';

/** How a service without `server.site` is written here. */
const UNNAMED = '-';

// biome-ignore format: a table
export const STORE_COMMANDS: readonly CommandGroup[] = [{
  name: 'sites',
  about: 'list, rename and forget the sites that share the store',
  commands: [
    { words: 'list', about: 'print the sites, their cameras and the roles of their files',
      run: (_, frame) => onStore(frame, 'read', async ({ store }) => table(await store.sites.listSites(), 'No service has used this store yet.', [
        ['', ({ site }) => (site === '' ? UNNAMED : site)],
        ['', ({ cameras }) => `cameras: ${cameras?.join(', ') || 'not known'}`],
        ['', ({ roles }) => `roles of its file: ${roles.join(', ') || 'none'}`],
      ])) },
    { words: 'rename <old> <new>', about: `give a site another name, with its links and screens; "${UNNAMED}" is a service that had none`,
      run: (given: Given, frame) => onStore(frame, 'change', (open) => renameSite(open, given)) },
    { words: 'forget <name>', about: 'remove what is left of a site that is gone: its cameras and the roles of its file',
      run: (given: Given, frame) => onStore(frame, 'change', (open) => forgetSite(open, given)) },
  ],
}];

async function renameSite({ store }: CommandStore, { old: from = '', new: to = '' }: Given): Promise<string> {
  const { isSiteName } = await import('../../config/schema/server-schema.ts');
  if (!isSiteName(to))
    throw new Error(
      `${JSON.stringify(to)} is not a name of a site: write 1 to 30 lower-case letters, digits and hyphens`,
    );
  const outcome = await store.sites.renameSite(nameIn(from), to);
  if (outcome === 'taken') throw new Error(`There is a site ${to} already: "postern sites list" shows all`);
  if (outcome === 'absent') throw absent(from);
  return `${from} is ${to} now. Write server.site: ${to}`;
}

async function forgetSite({ store }: CommandStore, { name = '' }: Given): Promise<string> {
  if ((await store.sites.forgetSite(nameIn(name))) !== 'forgotten') throw absent(name);
  return `Forgotten: ${name}. A service that is running as this site comes back with its next start.`;
}

const nameIn = (text: string): string => (text === UNNAMED ? '' : text);

const absent = (name: string): Error => new Error(`There is no site ${name}: "postern sites list" shows all`);
